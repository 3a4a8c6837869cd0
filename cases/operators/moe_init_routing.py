"""MoeInitRouting, the first version: tokens copied for each of their experts, sorted, with the
sorted experts and the place of each row that row_idx numbers.

Missing coverage: row_idx that is no permutation of the slots; more than 2^24 slots; results beyond
2^31 elements.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cases.operators._extremes import with_extremes
from cases.operators._interface import SORT, of_a_definition, of_tables
from cases.operators._ladders import of_slots
from cases.operators._landmarks import copied_columns, of_sorted_rows
from cases.operators._moe_init_routing_call import (
    AXES,
    DOCUMENT,
    DTYPES,
    NAME,
    PERMUTE,
    SIGNATURE,
    TILING,
    modes,
    sorted_integers,
)
from cases.operators._moe_init_routing_calls import QUARANTINE, REJECTIONS, examples
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes, sorted_cases
from cases.operators._token_permute_limits import limits
from cases.operators._torch_npu import bound_by_names
from cases.operators._workloads import by_experts
from cases.relations.copy_adjoints import adjoint_of_copies, named_by, round_trip
from cases.relations.slot_sorts import INIT, same_ranks, sorter
from cases.relations.slot_sums import INIT_GRAD
from cases.relations.sorts import Sorted, of_sorts
from conformance.call.case import Case
from conformance.record.clause import document
from conformance.record.contract import Copy
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.operator import Operator
from conformance.record.picture import Landmarks
from conformance.relations.symmetries import symmetry
from reference import moe_init_routing as reference

SORTED = Sorted(
    axes=AXES,
    keys=lambda case: case.arrays["expert_idx"],
    ranks="expanded_row_idx",
    rows=("x", "expanded_x"),
    elements=("expert_idx", "expanded_expert_idx"),
    numbers="row_idx",
)
NAMES = named_by(SORTED)
IN_COLUMNS = replace(PERMUTE, choices=())
"""With the rows that a router gives."""

RELATIONS = (
    *of_sorts(SORTED),
    symmetry(AXES, "row"),
    same_ranks(sorter(NAME, SORTED), INIT),
    adjoint_of_copies("x", "expanded_x", NAMES, INIT_GRAD),
    round_trip("x", "expanded_x", NAMES),
)


def _landmarks(case: Case) -> Landmarks:
    """Rows by the rising experts, each of which is fetched by itself."""
    found = of_sorted_rows(case, "expanded_x", "expert_idx", "x")
    return replace(found, tile_columns=copied_columns(case, 1))


EQUATIONS = f"{DOCUMENT}, equations"
OPERATOR = Operator(
    **of_signature(SIGNATURE, partial(sorting_cases, PERMUTE)),
    sources=(DOCUMENT, TILING, SORT),
    **of_tables(DOCUMENT),
    modes=modes(DOCUMENT),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        "expanded_x": Copy(
            document(
                "every row is one of x, bit for bit: that of row_idx modulo the tokens at a"
                " position, in the order of the experts",
                EQUATIONS,
            )
        ),
        **sorted_integers(DOCUMENT),
    },
    cells=with_extremes(partial(cells, PERMUTE), partial(extremes, PERMUTE)),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=QUARANTINE,
    limits=tuple(limits(DTYPES, probs=(False,), top_ks=(1,))),
    landmarks=_landmarks,
    workload_cases=by_experts(partial(sorted_cases, IN_COLUMNS), "dropless", "expert_idx"),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_init_routing",
        "activeNum above the number of tokens becomes that number",
    ),
    ladders=of_slots(partial(sorted_cases, PERMUTE, widest=True), least_tokens=2),
    relations=RELATIONS,
    strided=of_a_definition(SIGNATURE.tensors, "ops-transformer, moe_init_routing_def.cpp"),
)
