"""A variation of a call differs from it in one thing."""

import pytest

from conformance.call.case import Case, Tensor
from conformance.record.variations import retyped, with_attributes, without

GOOD = Case(
    operator="segment_sum",
    mode="plain",
    dtype="float16",
    attributes={"top_k": 2, "pad": 0},
    inputs={"x": Tensor((2, 3), "float16"), "rows": Tensor((2,), "int32", values=(0, 1))},
    outputs={"y": Tensor((1, 3), "float16")},
)


def test_a_call_without_a_tensor_keeps_the_others() -> None:
    assert without(GOOD, "x").inputs == {"rows": GOOD.inputs["rows"]}
    assert without(GOOD, "x").outputs == GOOD.outputs
    assert without(GOOD, "y").outputs == {}


def test_a_retyped_tensor_keeps_its_shape() -> None:
    changed = retyped(GOOD, "rows", "int64")
    assert changed.inputs == {"x": GOOD.inputs["x"], "rows": Tensor((2,), "int64")}
    assert retyped(GOOD, "y", "float32").outputs == {"y": Tensor((1, 3), "float32")}


def test_an_attribute_is_replaced_and_a_misspelt_one_is_told() -> None:
    assert with_attributes(GOOD, top_k=0).attributes == {"top_k": 0, "pad": 0}
    with pytest.raises(ValueError, match="topk: segment_sum has no such attribute"):
        with_attributes(GOOD, topk=0)
