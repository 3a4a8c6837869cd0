"""A size may cover another, and a tensor's data types may depend on that of the call."""

from __future__ import annotations

import pytest

from conformance.record.call_rules import MORE, FreeAxis
from conformance.record.derive.calls import call
from conformance.record.derive.explain import Misfit, explain
from conformance.record.derive.rejections import freedoms, rejections
from conformance.record.signature import Signature, tensor
from conformance.record.sizes import Size
from conformance.record.variations import reshaped, retyped, without
from tests.conformance.record.gather_sum import FLOATS, INVALID, NULL, SAYS, TILING, rule

TOKEN, SLOT, HIDDEN = Size("token"), Size("slot", default=1), Size("hidden")
EXPERT = Size("expert", free=SAYS, covers=SLOT)
SIGNATURE = Signature(
    "biased",
    (
        tensor("rows", TOKEN * SLOT, HIDDEN),
        tensor("biases", EXPERT, HIDDEN, optional=True),
        tensor(
            "scales",
            TOKEN,
            SLOT,
            dtype=FLOATS,
            by_dtype={"float16": ("float16", "float32"), "float32": ("float32",)},
            optional=True,
        ),
        tensor("sums", TOKEN, HIDDEN, role="output"),
    ),
    (
        rule("null", status=NULL),
        rule("dtype", status=INVALID),
        rule("limit", says="a bias for each slot"),
        rule("rank", "extent", says="shapes"),
    ),
)


def right(dtype: str, expert: int = 2):  # type: ignore[no-untyped-def]
    sizes = {"token": 3, "slot": 2, "hidden": 4, "expert": expert}
    return call(SIGNATURE, "plain", dtype, sizes, {"biases": {}, "scales": {}})


def test_a_size_is_no_less_than_the_one_that_it_covers() -> None:
    assert explain(SIGNATURE, right("float32", expert=3)).misfit is None
    fewer = right("float32", expert=1)
    assert explain(SIGNATURE, fewer).misfit == Misfit("limit", "biases", "expert")
    single = without(reshaped(fewer, "rows", (3, 4)), "scales")
    assert explain(SIGNATURE, single).misfit is None


def test_a_size_that_covers_another_is_free_to_be_more() -> None:
    assert freedoms(SIGNATURE) == (FreeAxis("biases", 2, 0, SAYS, (MORE,)),)
    found = {one.name: one for one in rejections(SIGNATURE, right("float32"))}
    fewer = found["biases is [1, 4], not [2, 4], plain"]
    assert (fewer.status, fewer.clause.text) == (TILING, "a bias for each slot")
    assert "biases is [3, 4], not [2, 4], plain" not in found


@pytest.mark.parametrize(
    ("of_call", "dtype", "misfit"),
    [
        ("float16", "float32", None),
        ("float16", "bfloat16", Misfit("dtype", "scales")),
        ("float32", "float16", Misfit("dtype", "scales")),
    ],
)
def test_data_types_may_depend_on_that_of_the_call(of_call, dtype, misfit) -> None:  # type: ignore[no-untyped-def]
    case = right(of_call)
    assert case.inputs["scales"].dtype == of_call
    assert explain(SIGNATURE, retyped(case, "scales", dtype)).misfit == misfit
