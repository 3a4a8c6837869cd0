"""MoeGatingTopK: experts are scored, their groups thinned out, and the k best of them weighed.

Missing coverage: x without rows, which the document excludes and CANN answers; rows whose scores
are NaN are selected in any way.
"""

from __future__ import annotations

from functools import partial

from cases.operators._gating_group_examples import GroupCalls
from cases.operators._gating_group_record import MODES, SIGMOID, Page, record, signature_of
from cases.operators._gating_group_sizes import by_scores
from cases.operators._gating_groups import grouped_gating
from cases.operators._sized_calls import SizedCalls
from conformance.record.derive.calls import call
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.derive.torch_call import bound
from conformance.record.operator import Operator
from reference import moe_gating_top_k as reference

PAGE = Page("aclnnMoeGatingTopK document")
SIGNATURE = signature_of("moe_gating_top_k", PAGE)
MAKE = partial(call, SIGNATURE)
CALLS = GroupCalls(MAKE, SIGMOID, MODES, PAGE.document)
OPERATOR = Operator(
    **record(SIGNATURE, PAGE, grouped_gating(MAKE, SizedCalls), CALLS),
    formula=formula_of(reference.formula),
    rejections=rejections(SIGNATURE, *CALLS.rights, wrong=CALLS.wrong()),
    workload_cases=by_scores(MAKE, SIGMOID),
    torch_npu=bound(
        SIGNATURE,
        "npu_moe_gating_top_k",
        ("y", "expert_idx", "out"),
        (),
        x="x",
        k="k",
        bias="bias",
        k_group="k_group",
        group_count="group_count",
        group_select_mode="group_select_mode",
        renorm="renorm",
        norm_type="norm_type",
        out_flag="out_flag",
        routed_scaling_factor="routed_scaling_factor",
        eps="eps",
    ),
)
