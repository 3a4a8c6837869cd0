"""MoeInitRoutingQuantV2: tokens copied for each of their experts, sorted, quantised to int8, all by
one scale or each row by its own; with counts of experts.

Missing coverage: copies of INT4; more than 2^24 slots; results beyond 2^31 elements; Ascend950.
"""

from __future__ import annotations

from functools import partial

from cases.operators import _moe_init_routing_v2_call as v2
from cases.operators import _moe_init_routing_v3_call as v3
from cases.operators._extremes import with_extremes
from cases.operators._interface import SORT, of_a_table, of_tables
from cases.operators._landmarks import of_sorted_rows
from cases.operators._moe_init_routing_quant_v2_call import (
    DTYPES,
    MODES,
    PADDED,
    PAGE,
    SCALES,
    SIGNATURE,
    call,
    said,
)
from cases.operators._moe_init_routing_quant_v2_calls import REJECTIONS, RIGHT, examples, quarantine
from cases.operators._moe_init_routing_quant_v2_relations import RELATIONS
from cases.operators._moe_init_routing_quant_v2_rows import LADDERS, LIMITS, PERMUTE
from cases.operators._quantised_rows import Attributes, QuantisedRows
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes
from cases.operators._torch_npu import bound_by_names
from cases.operators._workloads import by_calls
from conformance.call.case import Case
from conformance.draw.values import SEEDS
from conformance.record.call_rules import FreeAttribute, Range, extent
from conformance.record.clause import document
from conformance.record.contract import Arrays, Index, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import freedoms, ranges
from conformance.record.operator import Mode, Operator
from conformance.record.variations import right_calls
from conformance.values.fill import Fill
from reference import moe_init_routing_quant_v2 as reference
from reference.init_routing import Rows

cases = partial(sorting_cases, PERMUTE)
OF_ROUTING = ("active_num", "expert_capacity", "expert_num", "drop_pad_mode")
ROWS_OF = {**v3.ROWS_OF, "dropless": "dropPadMode 0: a row for each slot"}


def _routed(inputs: Arrays, attributes: Attributes) -> Rows:
    given = {name: attributes[name] for name in OF_ROUTING}
    return reference.rows_of_slots(inputs["expert_idx"], **given)


ROWS = QuantisedRows(_routed, SCALES, f"{PAGE}, equation 5", halves=True)


GAUSSIAN = SEEDS.map(lambda seed: Fill(("gaussian",), seed))


def _kind(case: Case) -> str:
    return v3.parts(case.mode)[1].strip("_")


def unreached(case: Case) -> str:
    """Why torch_npu does not make a call, or "" if it does."""
    asked = case.attributes
    padded = asked["drop_pad_mode"] == 1
    made = {
        v2.COUNTS: not padded and asked[v2.COUNTS_FLAG] > 0,
        v2.BEFORE: padded and asked[v2.BEFORE_FLAG] > 0,
        SCALES: asked["quant_mode"] == 1,
    }
    spare = [name for name, is_made in made.items() if name in case.outputs and not is_made]
    return f"torch_npu gives no tensor for {spare[0]}, which nothing asks for" if spare else ""


CAPACITIES = Range(
    "expert_capacity",
    1,
    extent("x", 0),
    said("no capacity exceeds the number of tokens"),
    modes=PADDED,
)
OPERATOR = Operator(
    **of_signature(
        SIGNATURE,
        cases,
        freedoms=(*freedoms(SIGNATURE), FreeAttribute(v2.COUNTS_FLAG, v2.CHOOSES)),
        ranges=(*ranges(SIGNATURE), CAPACITIES),
    ),
    sources=(PAGE, SORT),
    **of_tables(PAGE),
    modes=tuple(
        Mode(mode, said("; ".join((ROWS_OF[base], v3.KINDS_OF[end])), "function, parameters"))
        for mode in MODES
        for base, end in (v3.parts(mode),)
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        "expanded_x": Varying(_kind, {"static": ROWS.by_one(), "dynamic": ROWS.by_own()}),
        "expanded_row_idx": Index(
            document(
                "the rank of every slot among all, also of those beyond the active rows, equal"
                " experts in slot order; in drop/pad mode expert * expertCapacity + the slot's"
                " place there, or -1 if it is dropped",
                f"{PAGE}, equation 2, and that of MoeInitRoutingV2; {SORT}",
            )
        ),
        v2.COUNTS: v2.counted(
            v2.COUNTS_FLAG,
            said(
                "slots of every expert (flag 2), or of it and of all before it (flag 1), also of"
                " those beyond the active rows"
            ),
            PAGE,
        ),
        v2.BEFORE: v2.counted(
            v2.BEFORE_FLAG, said("slots of every expert before any is dropped"), PAGE
        ),
        SCALES: Varying(
            _kind,
            {
                "dynamic": ROWS.scales(),
                "static": Unspecified(said("static quantisation: no output")),
            },
        ),
    },
    cells=with_extremes(partial(cells, PERMUTE), partial(extremes, PERMUTE, quantised=True)),
    examples=(*examples(), *right_calls(PAGE, *RIGHT)),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    limits=LIMITS,
    landmarks=lambda case: of_sorted_rows(case, "expanded_x", "expert_idx", "x"),
    workload_cases=by_calls(call, "dropless_dynamic", GAUSSIAN, counts="count"),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_init_routing_quant",
        "outputs that nothing asks for are null",
        expert_tokens_num_mode=v2.COUNTS_FLAG,
        unreached=unreached,
    ),
    ladders=LADDERS,
    relations=RELATIONS,
    strided=of_a_table(SIGNATURE.tensors, PAGE),
)
