"""MoeInitRoutingV2: tokens copied for each of their experts, sorted: all, the first, or as many of
every expert; with counts of experts.

Missing coverage: more than 2^24 slots; results beyond 2^31 elements.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from cases.operators._extremes import with_extremes
from cases.operators._interface import (
    SORT,
    as_listed,
    doubted,
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
from cases.operators._moe_init_routing_v2_examples import EXPERTS, examples
from cases.operators._moe_init_routing_v2_relations import RELATIONS
from cases.operators._moe_init_routing_v2_rows import LADDERS, PERMUTE
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes
from cases.operators._token_permute_examples import ADDRESSED
from cases.operators._token_permute_limits import limits
from cases.operators._torch_npu import BINDINGS
from cases.operators._workloads import by_calls
from conformance.call.case import Case
from conformance.record.call_rules import FreeAttribute, Range, extent
from conformance.record.clause import document, source_read
from conformance.record.contract import Copy, Index
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import freedoms, ranges, rejections
from conformance.record.operator import Mode, Operator, Quarantine, Support, Target
from conformance.record.variations import in_mode, reshaped, retyped, right_calls, with_attributes
from conformance.values.fill import Fill
from reference import moe_init_routing_v2 as reference


def of_three(mode: str, *, expert_num: int = 4, **how: Any) -> Case:
    """Three tokens of two experts each."""
    return call(
        mode,
        "float32",
        x=(3, 16),
        top_k=2,
        experts=EXPERTS,
        expert_num=expert_num,
        fill=Fill(("lattice",), seed=1),
        **how,
    )


PLAIN, COUNTED = of_three("dropless"), of_three("dropless", counts="count")
ACTIVE = of_three("active", active_num=4)
_padded = partial(of_three, "drop_pad")
PADDED = _padded(capacity=2, counts="before")
RIGHT = (PLAIN, COUNTED, ACTIVE, PADDED, _padded(capacity=2), _padded(capacity=1))
WRONG = {
    "count flag is 3": with_attributes(COUNTED, **{COUNTS_FLAG: 3}),
    "x is float64": retyped(PLAIN, "x", "float64"),
    "drop/pad without experts": _padded(capacity=2, expert_num=0),
    "drop/pad without a capacity": _padded(capacity=0),
    "a capacity beyond all tokens": _padded(capacity=4),
    "cumsum of no experts": of_three("dropless", expert_num=0, counts="cumsum"),
    "counts of no experts": of_three("active", expert_num=0, counts="count", active_num=4),
    "every slot, activeNum 4": in_mode("active", with_attributes(PLAIN, active_num=4)),
    "4 rows without activeNum": in_mode("dropless", with_attributes(ACTIVE, active_num=0)),
    "places of rank 2": reshaped(PADDED, "expanded_x", (4 * 2, 16)),
    "indices of the active rows only": reshaped(ACTIVE, "expanded_row_idx", (4,)),
}


def is_of_mode(case: Case) -> bool:
    """Whether its attributes are those of its mode, or of none."""
    modes = {0: "active" if case.attributes["active_num"] > 0 else "dropless", 1: "drop_pad"}
    return modes.get(case.attributes["drop_pad_mode"], case.mode) == case.mode


REJECTIONS = rejections(SIGNATURE, *RIGHT, wrong=WRONG, is_of_mode=is_of_mode)


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open."""
    near = (2**24 + 1, 2**24, 5, 2**24 + 3)
    plain, small = partial(call, "dropless", "float32"), partial(call, "dropless", "float16")
    more = document(
        "there are more tokens than the capacity of an expert; the host takes as many",
        f"{README}, constraints; {HOST}",
    )
    return (
        Quarantine("a capacity of all tokens", of_three("drop_pad", capacity=3), more),
        *doubted(
            {
                "neighbouring experts beyond 2^24": (
                    small(x=(4, 8), top_k=1, experts=near, fill=ADDRESSED),
                    "experts are sorted as fp32, where they are equal: any order of theirs",
                    SORT,
                ),
                "x without columns": (
                    plain(x=(3, 0), top_k=2, experts=EXPERTS, expert_num=4, counts="count"),
                    "some outputs are empty and others are not: copies of length 0",
                    KERNELS,
                ),
                "no tokens, and counts of them": (
                    small(x=(0, 8), top_k=2, expert_num=4, counts="count"),
                    "some outputs are empty and others are not: counts of no slots",
                    KERNELS,
                ),
                "top_k is 0": (
                    plain(x=(3, 4), top_k=0, expert_num=4, counts="cumsum"),
                    "no slots, and so no rows, but counts of them",
                    KERNELS,
                ),
            }
        ),
    )


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
