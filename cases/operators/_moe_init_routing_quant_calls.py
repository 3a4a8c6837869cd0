"""The signature of MoeInitRoutingQuant, and its calls: those that its document names or works out,
wrong ones, and those in doubt."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cases.operators import _moe_init_routing_call as pairs
from cases.operators import _moe_init_routing_v3_rows as v3
from cases.operators._interface import null, typed
from cases.operators._moe_init_routing_call import DTYPES, HIDDEN, ROW, TOKEN
from cases.operators._moe_init_routing_call import SIGNATURE as MOVING
from cases.operators._moe_init_routing_calls import (
    OTHER_ROWS,
    by_hand,
    is_of_mode,
    odd,
    of_three,
    quarantine,
)
from cases.operators._moe_init_routing_quant_v2_calls import in_half
from cases.operators._token_permute import FAMILY
from cases.operators._token_permute_examples import at_lines
from cases.operators._values import bits
from conformance.call.case import Case
from conformance.record.clause import document, inferred
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.signature import Signature, real, tensor
from conformance.record.variations import in_mode, reshaped, right_calls, with_attributes
from conformance.values.fill import Fill

NAME = "moe_init_routing_quant"
DOCUMENT = "aclnnMoeInitRoutingQuant document"
said = partial(document, source=f"{DOCUMENT}, return values")
ANY = document("scale and offset are any numbers", f"{DOCUMENT}, parameters")
SIGNATURE = Signature(
    NAME,
    (
        tensor("x", TOKEN, HIDDEN, dtype=DTYPES),
        *MOVING.parameters[1:4],
        real("scale", ANY),
        real("offset", ANY),
        tensor("expanded_x", ROW, HIDDEN, role="output", dtype="int8", acl="expandedXOut"),
        *MOVING.parameters[5:],
    ),
    rules=(
        null(said("no tensor is null")),
        typed(
            document(
                "x float16, bfloat16, float32; copies int8; indices int32", f"{DOCUMENT}, table"
            )
        ),
        *pairs.shapes(said),
    ),
)


def call(mode: str, dtype: str, *, scale: float = 1.0, offset: float = 0.0, **how: Any) -> Case:
    """A case, as `call_of_pairs` makes it; the default scale and offset change nothing."""
    return pairs.call_of_pairs(SIGNATURE, mode, dtype, scale=scale, offset=offset, **how)


VALUES = Fill(("gaussian",), seed=4)


def call_of_values(mode: str, dtype: str, *, fill: Fill | None = None, **how: Any) -> Case:
    """The same, with values of which many are within int8 in place of those of any other recipe."""
    return call(mode, dtype, fill=fill and VALUES, **how)


SCALES, OFFSETS = (
    tuple(float(np.float32(one)) for one in some) for some in (v3.SCALES, v3.OFFSETS)
)
"""Numbers of float32: how a double is rounded to fp16 is not said."""


def routed_call(mode: str, dtype: str, *, numbers: tuple[int, int], **how: Any) -> Case:
    """A case that shows what is asked for; two numbers choose the scale and the offset, too."""
    scale, offset = SCALES[numbers[0] % len(SCALES)], OFFSETS[numbers[1] % len(OFFSETS)]
    made = partial(call, scale=scale, offset=offset)
    return pairs.routed_call(mode, dtype, numbers=numbers, made=made, **how)


def levels(mode: str) -> dict[str, tuple[str, ...]]:
    """The levels of axes of which each mode has some: finite values alone."""
    return {FAMILY: v3.FAMILIES["_static"]}


def columns(mode: str, ub_bytes: int, top_k: int, element_bytes: int, probs: bool) -> int:
    """The most columns of a row that this project's kernel takes at once."""
    return v3.columns(v3.AXES["hidden-quantised"], ub_bytes, top_k, element_bytes, probs)


PERMUTE = replace(pairs.PERMUTE, call=routed_call, levels=levels, columns=columns)
LIMITS = tuple(v3.limits({dtype: {"hidden": v3.AXES["hidden-quantised"]} for dtype in DTYPES}))


_three = partial(of_three, made=call, fill=VALUES)
RIGHT = _three("dropless", scale=0.5, offset=3.0)
ACTIVE = _three("active", active_num=1, rows=OTHER_ROWS, scale=-2.0, offset=0.25)
WRONG = {
    "every slot, activeNum 2": in_mode("active", with_attributes(RIGHT, active_num=2)),
    "experts of the active rows only": reshaped(ACTIVE, "expanded_expert_idx", (2,)),
}
REJECTIONS = rejections(SIGNATURE, RIGHT, ACTIVE, wrong=WRONG, is_of_mode=is_of_mode)


def _of_the_program() -> Example:
    """0.1, 0.2 and 0.3, plus 1, are nearest to 1."""
    values = bits("float32", *(value for value in (0.1, 0.2, 0.3) for _ in range(4)))
    case = _three("dropless", x=(3, 4), values=values, fill=None, offset=1.0)
    due = {
        "expanded_x": (1,) * 24,
        "expanded_row_idx": (2, 0, 1, 4, 3, 5),
        "expanded_expert_idx": (0, 0, 1, 1, 2, 2),
    }
    return Example("the call of the document's program", case, f"{DOCUMENT}, program, by hand", due)


def examples() -> tuple[Example, ...]:
    """Every example."""
    lines = "MoeInitRouting: sizes at which its host tiling takes another branch"
    return (
        _of_the_program(),
        *by_hand(call, DOCUMENT),
        *in_half(call, DOCUMENT),
        *at_lines(PERMUTE, lines, "dropless", "active", fill=VALUES),
        *odd(call_of_values, DOCUMENT),
        *right_calls(DOCUMENT, RIGHT, ACTIVE),
    )


QUARANTINE = (
    *quarantine(call, DOCUMENT, DOCUMENT),
    Quarantine(
        "infinities and NaN",
        _three("dropless", fill=Fill(("special",), seed=3)),
        inferred("what quantised infinities and NaN become is not said", f"{DOCUMENT}, inferred"),
    ),
)
