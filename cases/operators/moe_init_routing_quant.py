"""MoeInitRoutingQuant, the first version: tokens copied for each of their experts, sorted, and
quantised to int8 by one scale; with the sorted experts and the place of each row.

Missing coverage: row_idx that is no permutation of the slots; a scale or an offset that float32
does not hold; more than 2^24 slots; results beyond 2^31 elements.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cases.operators import _moe_init_routing_call as pairs
from cases.operators import _moe_init_routing_calls as first
from cases.operators import _moe_init_routing_v3_rows as v3
from cases.operators._expert_slots import Experts, routed
from cases.operators._extremes import with_extremes
from cases.operators._interface import SORT, null, of_a_table, of_tables, typed
from cases.operators._ladders import of_slots
from cases.operators._landmarks import of_sorted_rows
from cases.operators._moe_init_routing_quant_relations import RELATIONS
from cases.operators._moe_init_routing_quant_v2_calls import in_half
from cases.operators._quantised_rows import affine_of_tokens
from cases.operators._token_permute import FAMILY
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes, sorted_cases
from cases.operators._token_permute_examples import at_lines
from cases.operators._torch_npu import BINDINGS
from cases.operators._values import bits
from cases.operators._workloads import by_experts
from conformance.call.case import Case
from conformance.record.clause import document, inferred
from conformance.record.computed import Box, Computed
from conformance.record.contract import Quantised
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Operator, Quarantine
from conformance.record.signature import Signature, real, tensor
from conformance.record.variations import in_mode, reshaped, right_calls, with_attributes
from conformance.values.fill import Fill
from reference import moe_init_routing
from reference import moe_init_routing_quant as reference

NAME = "moe_init_routing_quant"
DOCUMENT = "aclnnMoeInitRoutingQuant document"
said = partial(document, source=f"{DOCUMENT}, return values")
ANY = document("scale and offset are any numbers", f"{DOCUMENT}, parameters")
SIGNATURE = Signature(
    NAME,
    (
        tensor("x", pairs.TOKEN, pairs.HIDDEN, dtype=pairs.DTYPES),
        *pairs.SIGNATURE.parameters[1:4],
        real("scale", ANY),
        real("offset", ANY),
        tensor(
            "expanded_x", pairs.ROW, pairs.HIDDEN, role="output", dtype="int8", acl="expandedXOut"
        ),
        *pairs.SIGNATURE.parameters[5:],
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


def _routing(mode: str, *keys: Any, **chosen: Any) -> tuple[Experts, dict[str, Any]]:
    """As of MoeInitRouting; two numbers choose the scale and the offset, too."""
    experts, how = pairs.routing(mode, *keys, **chosen)
    first, second = keys[-1]
    scale, offset = SCALES[first % len(SCALES)], OFFSETS[second % len(OFFSETS)]
    return experts, {"scale": scale, "offset": offset, **how}


def levels(mode: str) -> dict[str, tuple[str, ...]]:
    """The levels of axes of which each mode has some: finite values alone."""
    return {FAMILY: v3.FAMILIES["_static"]}


def columns(mode: str, ub_bytes: int, top_k: int, element_bytes: int, probs: bool) -> int:
    """The most columns of a row that this project's kernel takes at once."""
    return v3.columns(v3.AXES["hidden-quantised"], ub_bytes, top_k, element_bytes, probs)


PERMUTE = replace(pairs.PERMUTE, call=routed(call, _routing), levels=levels, columns=columns)
LIMITS = tuple(
    v3.limits({dtype: {"hidden": v3.AXES["hidden-quantised"]} for dtype in pairs.DTYPES})
)


_three = partial(first.of_three, made=call, fill=VALUES)
RIGHT = _three("dropless", scale=0.5, offset=3.0)
ACTIVE = _three("active", active_num=1, rows=first.OTHER_ROWS, scale=-2.0, offset=0.25)
WRONG = {
    "every slot, activeNum 2": in_mode("active", with_attributes(RIGHT, active_num=2)),
    "experts of the active rows only": reshaped(ACTIVE, "expanded_expert_idx", (2,)),
}
REJECTIONS = rejections(SIGNATURE, RIGHT, ACTIVE, wrong=WRONG, is_of_mode=first.is_of_mode)


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
        *first.by_hand(call, DOCUMENT),
        *in_half(call, DOCUMENT),
        *at_lines(PERMUTE, lines, "dropless", "active", fill=VALUES),
        *first.odd(call_of_values, DOCUMENT),
        *right_calls(DOCUMENT, RIGHT, ACTIVE),
    )


QUARANTINE = (
    *first.quarantine(call, DOCUMENT, DOCUMENT),
    Quarantine(
        "infinities and NaN",
        _three("dropless", fill=Fill(("special",), seed=3)),
        inferred("what quantised infinities and NaN become is not said", f"{DOCUMENT}, inferred"),
    ),
)


IN_COLUMNS = replace(PERMUTE, choices=())
"""With the rows that a router gives."""

EQUATIONS = f"{DOCUMENT}, equations"


def _rows(call: Computed) -> Box:
    """The rows that MoeInitRouting moves, times the scale, plus the offset."""
    scale, offset = (np.array([call.attributes[name]], np.float32) for name in ("scale", "offset"))
    x, active = call.inputs["x"], call.attributes["active_num"]
    numbered = {**call.inputs, "x": np.arange(len(x))[:, np.newaxis]}
    tokens = moe_init_routing.formula(**numbered, active_num=active)["expanded_x"][:, 0]
    return affine_of_tokens(x, tokens, scale, offset, halves=True)


OPERATOR = Operator(
    **of_signature(SIGNATURE, partial(sorting_cases, PERMUTE)),
    sources=(DOCUMENT, SORT),
    **of_tables(DOCUMENT),
    modes=pairs.modes(DOCUMENT),
    dtypes=pairs.DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        "expanded_x": Quantised(
            document(
                "every row is one of x times the scale, plus the offset, rounded to nearest: that"
                " of row_idx modulo the tokens at a position, in the order of the experts; in"
                " float32 or float16, as no precision is named",
                f"{EQUATIONS}, and equation 5 of the aclnnMoeInitRoutingQuantV2 document",
            ),
            _rows,
        ),
        **pairs.sorted_integers(DOCUMENT),
    },
    cells=with_extremes(partial(cells, PERMUTE), partial(extremes, PERMUTE, quantised=True)),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=QUARANTINE,
    limits=LIMITS,
    landmarks=lambda case: of_sorted_rows(case, "expanded_x", "expert_idx", "x"),
    workload_cases=by_experts(partial(sorted_cases, IN_COLUMNS), "dropless", "expert_idx"),
    torch_npu=BINDINGS[NAME],
    ladders=of_slots(partial(sorted_cases, PERMUTE, widest=True), least_tokens=2),
    relations=RELATIONS,
    strided=of_a_table(SIGNATURE.tensors, DOCUMENT),
)
