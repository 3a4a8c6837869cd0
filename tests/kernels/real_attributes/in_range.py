"""The record of an operator with attributes that are floating-point numbers among others."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.draw.machines import machines
from conformance.draw.values import fills
from conformance.record.clause import Clause, document
from conformance.record.contract import Index
from conformance.record.derive.calls import call
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Mode, Operator
from conformance.record.signature import Rule, Signature, flag, number, real, tensor
from conformance.record.sizes import Size

DOCUMENT = "InRange document"
NULL, INVALID = 161001, 161002
MOST = 512
VALUES = (-1.0, -0.5, -0.0, 0.0, 1e-45, 0.1, 0.5, 1.0)
ENDS = (*VALUES, float("inf"), float("-inf"), float("nan"))


def stated(text: str) -> Clause:
    """A clause of the document."""
    return document(text, DOCUMENT)


ROW = Size("row", most=MOST)
SIGNATURE = Signature(
    "in_range",
    (
        tensor("x", ROW),
        real("low", least=-1, most=1),
        number("times", free=stated("times is any number")),
        real("high", free=stated("high is any number, also none")),
        flag("inverted", free=stated("inverted chooses the others")),
        tensor("y", ROW, role="output", dtype="int32"),
    ),
    rules=(
        Rule(("null",), NULL, stated("both tensors are required")),
        Rule(("dtype",), INVALID, stated("x is float32, y int32")),
        Rule(("attribute",), INVALID, stated("low is -1 to 1")),
        Rule(("rank", "extent", "limit"), INVALID, stated("one axis of up to 512 elements")),
    ),
)


def formula(
    x: NDArray[Any], low: float, times: int, high: float, inverted: int
) -> NDArray[np.int32]:
    """``times`` for each element from ``low`` to ``high``, which are rounded to float32."""
    inside = (np.float32(low) <= x) & (x <= np.float32(high))
    return np.where(inside != bool(inverted), times, 0).astype(np.int32)


@st.composite
def cases(draw: st.DrawFn, mode: str, dtype: str) -> Case:
    """Shrinks to one element and ends that are -1."""
    attributes: dict[str, Any] = {
        "low": draw(st.sampled_from(VALUES)),
        "times": draw(st.integers(-9, 9)),
        "high": draw(st.sampled_from(ENDS)),
        "inverted": draw(st.integers(0, 1)),
    }
    given = {"x": {"fill": draw(fills(terms=1))}}
    sizes = {"row": draw(st.integers(1, 20))}
    return call(SIGNATURE, mode, dtype, sizes, given, machine=draw(machines()), **attributes)


EXAMPLE = call(
    SIGNATURE,
    "plain",
    "float32",
    {"row": 3},
    {"x": {"values": (0x3DCCCCCD, 0x3F000000, 0x3F800000)}},
    low=0.1,
    times=7,
    high=0.5,
)

OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(DOCUMENT,),
    products=("Ascend910B",),
    modes=(Mode("plain", stated("the elements in a range")),),
    dtypes=("float32",),
    formula=formula_of(formula, "y"),
    contracts={"y": Index(stated("times for each element in the range, else 0"))},
    examples=(Example("a tenth to a half", EXAMPLE, DOCUMENT, {"y": (7, 7, 0)}),),
    rejections=rejections(SIGNATURE, EXAMPLE),
)
