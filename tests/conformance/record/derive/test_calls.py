"""A call is made of sizes, and its sizes are found again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.record.derive.calls import call
from conformance.record.derive.explain import explain
from tests.conformance.record.gather_sum import SIGNATURE, WEIGHED, WHOLE, right

COUNTS = st.integers(0, 9)


@given(token=COUNTS, slot=st.integers(1, 4), row=COUNTS, hidden=COUNTS, weights=st.booleans())
def test_a_call_of_any_sizes_is_explained_by_these_sizes(
    token: int, slot: int, row: int, hidden: int, weights: bool
) -> None:
    made = right(token=token, slot=slot, row=row, hidden=hidden, weights=weights)
    sizes, misfit = explain(SIGNATURE, made)
    assert misfit is None
    assert sizes == {"token": token, "slot": slot, "row": row, "hidden": hidden}


def test_shapes_dtypes_and_attributes_follow_from_sizes_and_mode() -> None:
    made = right("padded")
    shapes = {name: tensor.shape for name, tensor in {**made.inputs, **made.outputs}.items()}
    assert shapes == {"rows": (5, 4), "indices": (6,), "weights": (3, 2), "sums": (3, 4)}
    assert (made.inputs["rows"].dtype, made.inputs["indices"].dtype) == ("float32", "int32")
    assert made.attributes == {"top_k": 2, "padded": 1}


def test_an_attribute_that_is_a_list_of_integers_is_null_if_none_is_given() -> None:
    assert right(of=WEIGHED).attributes == {"order": None, "padded": 0}


def test_an_optional_tensor_is_there_if_it_is_given_something() -> None:
    assert "weights" not in right(weights=False).inputs


def test_a_size_of_others_follows_from_them_if_it_is_not_given() -> None:
    sizes = {"token": 3, "slot": 2, "hidden": 4}
    assert call(WHOLE, "plain", "float32", sizes).inputs["rows"].shape == (6, 4)
    assert call(WHOLE, "plain", "float32", {**sizes, "row": 5}).inputs["rows"].shape == (5, 4)


def test_a_missing_size_and_an_unknown_tensor_are_named() -> None:
    with pytest.raises(ValueError, match=r"^top_k needs the size slot$"):
        call(SIGNATURE, "plain", "float32", {"token": 3, "row": 5, "hidden": 4})
    with pytest.raises(ValueError, match=r"^rwos is no tensor$"):
        call(SIGNATURE, "plain", "float32", {}, {"rwos": {}})
