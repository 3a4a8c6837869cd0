"""MoeInitRoutingV2: tokens copied for each of their experts, sorted: all, the first, or as many of
every expert; with counts of experts.

Missing coverage: more than 2^24 slots; results beyond 2^31 elements.
"""

from __future__ import annotations

from functools import partial

from cases.operators._extremes import with_extremes
from cases.operators._interface import (
    SORT,
    as_listed,
    of_a_definition,
    of_a_tiling_alone,
    supported,
)
from cases.operators._landmarks import of_sorted_rows
from cases.operators._moe_init_routing_v2_call import (
    BEFORE,
    BEFORE_FLAG,
    CHOOSES,
    COUNTS,
    COUNTS_FLAG,
    DTYPES,
    GRADIENT,
    HOST,
    KERNELS,
    NAME,
    PAGE,
    README,
    SIGNATURE,
    call,
    counted,
)
from cases.operators._moe_init_routing_v2_calls import REJECTIONS, RIGHT, quarantine
from cases.operators._moe_init_routing_v2_examples import examples
from cases.operators._moe_init_routing_v2_relations import RELATIONS
from cases.operators._moe_init_routing_v2_rows import LADDERS, PERMUTE
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes
from cases.operators._token_permute_limits import limits
from cases.operators._torch_npu import BINDINGS
from cases.operators._workloads import by_calls
from conformance.record.call_rules import FreeAttribute, Range, extent
from conformance.record.clause import document, source_read
from conformance.record.contract import Copy, Index
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import freedoms, ranges
from conformance.record.operator import Mode, Operator, Support, Target
from conformance.record.variations import right_calls
from reference import moe_init_routing_v2 as reference

cases = partial(sorting_cases, PERMUTE)


FREEDOMS = (*freedoms(SIGNATURE), FreeAttribute(COUNTS_FLAG, CHOOSES))
CAPACITIES = Range(
    "expert_capacity",
    1,
    extent("x", 0),
    document("no capacity exceeds the number of tokens", README),
    modes=("drop_pad",),
)
RANGES = (*ranges(SIGNATURE), CAPACITIES)
OPERATOR = Operator(
    **of_signature(SIGNATURE, cases, freedoms=FREEDOMS, ranges=RANGES),
    sources=(README, PAGE, HOST, KERNELS, SORT),
    products=("Ascend910B", "Ascend910_93"),
    modes=(
        Mode("dropless", document("dropPadMode 0: a row for every slot", f"{README}, equations")),
        Mode("active", source_read("activeNum n > 0: the first n rows, or all if fewer", KERNELS)),
        Mode(
            "drop_pad",
            document(
                "dropPadMode 1: expertCapacity rows of every expert, the first of its slots;"
                " what exceeds them is dropped, the rest is filled with 0",
                f"{README}, function",
            ),
        ),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        "expanded_x": Copy(
            source_read(
                "every row is one of x, bit for bit: that of slot s is x[s // K], in the order of"
                " the experts; +0 where an expert has fewer slots than its capacity",
                f"{KERNELS}; the README's x[s % numRows] is of slots counted column by column",
            )
        ),
        "expanded_row_idx": Index(
            document(
                "the rank of every slot among all, also of those beyond the active rows, equal"
                " experts in slot order; in drop/pad mode expert * expertCapacity + the slot's"
                " place there, or -1 if it is dropped",
                f"{README}, equations; {GRADIENT}, expandedRowIdx; {SORT}",
            )
        ),
        COUNTS: counted(
            COUNTS_FLAG,
            document(
                "slots of every expert (flag 2), or of it and of all before it (flag 1), also of"
                " those beyond the active rows",
                f"{README}, parameters; its equation has the sums alone",
            ),
        ),
        BEFORE: counted(
            BEFORE_FLAG,
            document("slots of every expert before any is dropped", f"{README}, parameters"),
        ),
    },
    cells=with_extremes(partial(cells, PERMUTE), partial(extremes, PERMUTE)),
    examples=(*examples(), *right_calls(README, *RIGHT)),
    rejections=of_a_tiling_alone(REJECTIONS),
    quarantine=quarantine(),
    limits=tuple(limits(DTYPES, probs=(False,))),
    landmarks=lambda case: of_sorted_rows(case, "expanded_x", "expert_idx", "x"),
    workload_cases=by_calls(call, "dropless", counts="cumsum"),
    torch_npu=BINDINGS[NAME],
    ladders=LADDERS,
    relations=RELATIONS,
    strided=of_a_definition(SIGNATURE.tensors, "ops-transformer, moe_init_routing_v2_def.cpp"),
    each_tensor=as_listed(README),
    targets=(
        *supported(README),
        Target(
            "Ascend910_95",
            Support.UNDEFINED,
            source_read("activeNum n <= 0 keeps all rows but -n there; not in the README", HOST),
        ),
    ),
)
