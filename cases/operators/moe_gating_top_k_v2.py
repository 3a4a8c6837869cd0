"""MoeGatingTopKV2: MoeGatingTopK, or the experts of each row by its id and a table.

Missing coverage: that of MoeGatingTopK; ids and experts out of range, which nothing checks.
"""

from __future__ import annotations

from functools import partial

from cases.operators._gating_group_examples import GroupCalls
from cases.operators._gating_group_record import (
    EXPERTS,
    GROUP,
    KEPT,
    MEMBER,
    MODES,
    ROW,
    SIGMOID,
    SLOT,
    TILING,
    Page,
    record,
    relations_of,
    signature_of,
)
from cases.operators._gating_group_sizes import by_scores
from cases.operators._gating_groups import grouped_gating
from cases.operators._gating_lookup_examples import LookupCalls
from cases.operators._gating_lookups import (
    IDS,
    MOST_LOOKED_UP,
    TABLE,
    LookupGating,
    by_table,
    keys_ladder,
    looked_up,
)
from cases.operators._interface import unchecked
from cases.operators._torch_npu import bound_by_names
from cases.relations.lookups import of_lookups
from conformance.call.case import Case
from conformance.record.contract import Index, Varying
from conformance.record.derive.calls import call
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Operator
from conformance.record.signature import tensor
from conformance.record.sizes import Size, function
from reference import moe_gating_top_k_v2 as reference

PAGE = Page("aclnnMoeGatingTopKV2 document")
KEY = Size("key", free=PAGE.stated("tid2eid has any number of rows"))
INTEGERS = ("int32", "int64")
SIGNATURE = signature_of(
    "moe_gating_top_k_v2",
    PAGE,
    lookup=(
        tensor(IDS, ROW, dtype=INTEGERS, optional=True, numbers=KEY, acl="inputIdsOptional"),
        tensor(
            TABLE, KEY, SLOT, dtype=INTEGERS, optional=True, numbers=EXPERTS, acl="tid2eidOptional"
        ),
    ),
    rules=(
        unchecked(
            PAGE.stated("with a table, k is at most 64", "constraints"),
            "beyond",
            kinds=("limit",),
        ),
        unchecked(
            PAGE.stated("with a table, all groups are kept or are one expert", "constraints"),
            "left_of_all",
            kinds=("limit",),
        ),
        unchecked(
            PAGE.stated("inputIds has one axis, tid2eid has two", "constraints"),
            *(IDS, TABLE),
            kinds=("rank",),
        ),
    ),
    derived=(
        function("beyond", lambda key, slot: MOST_LOOKED_UP - slot, KEY, SLOT),
        function(
            "left_of_all",
            lambda key, group, kept, member: 0 if member == 1 else kept - group,
            *(KEY, GROUP, KEPT, MEMBER),
        ),
    ),
)


def unreached(case: Case) -> str:
    """Why torch_npu does not make a call, or "" if it does."""
    alone = (IDS in case.inputs) != (TABLE in case.inputs)
    return "torch_npu demands both ids and a table, or none" if alone else ""


MAKE = partial(call, SIGNATURE)
GATING = grouped_gating(MAKE, LookupGating)
CALLS = GroupCalls(MAKE, SIGMOID, MODES, PAGE.document)
LOOKUPS = LookupCalls(CALLS, TILING)
BASE = record(SIGNATURE, PAGE, GATING, CALLS)
HASH = PAGE.stated("expertIdxOut is tid2eid[inputIds]: nothing is sorted", "hash mode, step 2")
OPERATOR = Operator(
    **{
        **BASE,
        "contracts": {
            **BASE["contracts"],
            "expert_idx": Varying(
                lambda case: "looked up" if looked_up(case) else "by key",
                {"by key": PAGE.selected, "looked up": Index(HASH)},
            ),
        },
        "ladders": (*BASE["ladders"], keys_ladder(GATING)),
        "examples": (*LOOKUPS.examples(), *BASE["examples"]),
        "quarantine": (*BASE["quarantine"], *LOOKUPS.doubtful()),
        "relations": (*relations_of("bias", TABLE), *of_lookups(IDS, TABLE, "bias")),
    },
    formula=formula_of(reference.formula),
    rejections=rejections(
        SIGNATURE, *CALLS.rights, *LOOKUPS.rights, wrong={**CALLS.wrong(), **LOOKUPS.wrong()}
    ),
    workload_cases=by_table(by_scores(MAKE, SIGMOID)),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_gating_top_k",
        "without ids and table it calls aclnnMoeGatingTopK, whose results are the same",
        unreached=unreached,
        two_phase=("aclnnMoeGatingTopKV2", "aclnnMoeGatingTopK"),
    ),
)
