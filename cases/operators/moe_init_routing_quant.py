"""MoeInitRoutingQuant, the first version: tokens copied for each of their experts, sorted, and
quantised to int8 by one scale; with the sorted experts and the place of each row.

Missing coverage: row_idx that is no permutation of the slots; a scale or an offset that float32
does not hold; more than 2^24 slots; results beyond 2^31 elements.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from cases.operators._extremes import with_extremes
from cases.operators._interface import SORT, of_a_table, of_tables
from cases.operators._ladders import of_slots
from cases.operators._landmarks import of_sorted_rows
from cases.operators._moe_init_routing_call import DTYPES, modes, sorted_integers
from cases.operators._moe_init_routing_quant_calls import (
    DOCUMENT,
    LIMITS,
    NAME,
    PERMUTE,
    QUARANTINE,
    REJECTIONS,
    SIGNATURE,
    examples,
)
from cases.operators._moe_init_routing_quant_relations import RELATIONS
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes, sorted_cases
from cases.operators._torch_npu import BINDINGS
from cases.operators._workloads import by_experts
from conformance.numerics.quantisation import affine
from conformance.record.clause import document
from conformance.record.computed import Box, Computed
from conformance.record.contract import Quantised
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.operator import Operator
from reference import moe_init_routing
from reference import moe_init_routing_quant as reference

IN_COLUMNS = replace(PERMUTE, choices=())
"""With the rows that a router gives."""

EQUATIONS = f"{DOCUMENT}, equations"


def _rows(call: Computed) -> Box:
    """The rows that MoeInitRouting moves, times the scale, plus the offset."""
    active = call.attributes["active_num"]
    moved = moe_init_routing.formula(**call.inputs, active_num=active)["expanded_x"]
    scale, offset = (np.array([call.attributes[name]], np.float32) for name in ("scale", "offset"))
    return affine(moved, scale, offset, halves=True)


OPERATOR = Operator(
    **of_signature(SIGNATURE, partial(sorting_cases, PERMUTE)),
    sources=(DOCUMENT, SORT),
    **of_tables(DOCUMENT),
    modes=modes(DOCUMENT),
    dtypes=DTYPES,
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
        **sorted_integers(DOCUMENT),
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
