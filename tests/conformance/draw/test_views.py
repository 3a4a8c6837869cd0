"""Views are drawn of every kind that a case may have, and shrink to contiguous tensors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from conformance.call.case import Case, Tensor
from conformance.draw.views import (
    MOST_RUNS,
    contiguous,
    dense_strides,
    shareable,
    views,
)
from conformance.judge.legality import check_shape_and_data
from conformance.values.fill import Fill

QUICK = settings(database=None, max_examples=500, derandomize=True)
SHAPES = st.lists(st.integers(0, 5), max_size=4).map(tuple)


def case_of(shape: tuple[int, ...], **fields: object) -> Case:
    x = Tensor(shape, "int8", **fields)  # type: ignore[arg-type]
    return Case("toy", "plain", "int8", {}, {"x": x}, {"y": Tensor(shape, "int8")})


def x_of(shape: tuple[int, ...], strided: bool = True) -> st.SearchStrategy[Tensor]:
    names = ("x",) if strided else ()
    return views(case_of(shape), names).map(lambda case: case.inputs["x"])


@settings(QUICK, max_examples=150)
@given(SHAPES.flatmap(lambda shape: views(case_of(shape), ("x", "y"))))
def test_every_view_is_legal_and_lays_every_element_apart(case: Case) -> None:
    check_shape_and_data(case)
    assert contiguous(case).digest == case_of(case.inputs["x"].shape).digest


@settings(QUICK, max_examples=150)
@given(SHAPES.flatmap(lambda shape: x_of(shape, strided=False)))
def test_a_tensor_that_must_not_be_strided_has_no_step_but_those_of_c_order(x: Tensor) -> None:
    dense = dense_strides(x.shape)
    taken = zip(x.shape, x.strides or dense, dense, strict=True)
    assert all(stride == due for size, stride, due in taken if size != 1)


def test_a_view_that_does_not_matter_shrinks_to_a_contiguous_tensor() -> None:
    plain = case_of((3, 1, 2))
    assert find(views(plain, ("x", "y")), lambda case: True, settings=QUICK) == plain


@pytest.mark.parametrize("shape", [(3, 2), (2, 1, 3)])
def test_one_thing_at_a_time_remains_of_a_view_that_matters(shape: tuple[int, ...]) -> None:
    dense, plain = dense_strides(shape), Tensor(shape, "int8")
    x = x_of(shape)
    assert find(x, lambda x: x.start > 0, settings=QUICK) == replace(plain, start=1)
    assert find(x, lambda x: x.spare > 1, settings=QUICK) == replace(plain, spare=2)
    gap = find(x, lambda x: x.strides is not None and x.strides[0] > dense[0], settings=QUICK)
    assert gap == replace(plain, strides=(dense[0] + 1, *dense[1:]))
    turned = find(x, lambda x: x.strides is not None and x.strides[0] == 1, settings=QUICK)
    assert (turned.start, turned.spare) == (0, 0)


def test_an_axis_of_size_1_has_any_stride_whether_the_tensor_may_be_strided_or_not() -> None:
    for strided in (False, True):
        for stride in (0, 2):
            x = x_of((3, 1), strided)
            found = find(x, lambda x, due=stride: x.strides == (1, due), settings=QUICK)
            assert found.start == 0


def test_a_large_view_is_spaced_in_few_runs() -> None:
    shape = (MOST_RUNS, 7)
    find(x_of(shape), lambda x: x.strides is not None and x.strides[0] > 7, settings=QUICK)

    @settings(QUICK, max_examples=50)
    @given(x_of(shape))
    def spaced_by_rows_alone(x: Tensor) -> None:
        assert x.strides is None or x.strides[1] == 1
        assert x.strides is None or x.strides[0] in (0, *range(7, 11))

    spaced_by_rows_alone()


def test_inputs_alone_are_broadcast_and_keep_their_values_where_they_are_contiguous() -> None:
    filled = Tensor((3, 4), "float16", fill=Fill(("address",), seed=2), unread=(1,))
    case = Case("toy", "plain", "float16", {}, {"x": filled}, {"y": filled})
    views_of_it = views(replace(case, outputs={"y": Tensor((3, 4), "float16")}), ("x", "y"))
    made = find(views_of_it, lambda case: case.inputs["x"].broadcast == (0,), settings=QUICK)
    check_shape_and_data(made)
    assert contiguous(made).arrays["x"].tobytes() == made.arrays["x"].tobytes()
    assert not contiguous(made).inputs["x"].strides

    @settings(QUICK, max_examples=100)
    @given(views_of_it)
    def apart(viewed: Case) -> None:
        assert not viewed.outputs["y"].broadcast

    apart()


@pytest.mark.parametrize(
    ("values", "axes"), [((1, 2) * 3, (0,)), ((7,) * 6, (0, 1)), (range(6), ())]
)
def test_listed_values_are_broadcast_where_they_are_equal(
    values: Iterable[int], axes: tuple[int, ...]
) -> None:
    assert shareable(Tensor((3, 2), "int32", tuple(values))) == axes


def test_a_row_sparse_tensor_stays_where_it_is() -> None:
    case = case_of((5, 2), values=(1, 2), rows=(3,))

    @settings(QUICK, max_examples=30)
    @given(views(case, ("x", "y")))
    def stays(viewed: Case) -> None:
        assert viewed.inputs["x"] == case.inputs["x"]

    stays()
