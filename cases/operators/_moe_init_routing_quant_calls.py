"""Calls of MoeInitRoutingQuant that its document names or works out, wrong ones, and those in
doubt."""

from __future__ import annotations

from functools import partial

from cases.operators._moe_init_routing_calls import (
    OTHER_ROWS,
    by_hand,
    is_of_mode,
    odd,
    of_three,
    quarantine,
)
from cases.operators._moe_init_routing_quant_call import (
    DOCUMENT,
    PERMUTE,
    SIGNATURE,
    VALUES,
    call,
    call_of_values,
)
from cases.operators._moe_init_routing_quant_v2_calls import in_half
from cases.operators._token_permute_examples import at_lines
from cases.operators._values import bits
from conformance.record.clause import inferred
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.variations import in_mode, reshaped, right_calls, with_attributes
from conformance.values.fill import Fill

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
