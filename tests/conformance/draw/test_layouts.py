"""Layouts give strides that lay every element apart, and are told by them."""

import pytest

from conformance.call.case import Case, Tensor
from conformance.draw.layouts import LAYOUTS, layout_of, strides_of
from conformance.judge.legality import check_shape_and_data


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (6, 1), (5, 8), (0, 3), (4, 0)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_legal_and_recognised(layout: str, shape: tuple[int, int]) -> None:
    tensor = Tensor(shape, "float32", strides=strides_of(layout, shape))
    check_shape_and_data(Case("x", "plain", "float32", {}, {}, {"y": tensor}))
    assert 0 in shape or layout_of(tensor) == layout


def test_only_the_contiguous_layout_has_no_strides() -> None:
    assert [strides_of(layout, (3, 4)) for layout in LAYOUTS] == [None, (9, 1), (8, 2), (1, 4)]
