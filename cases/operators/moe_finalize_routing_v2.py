"""MoeFinalizeRoutingV2: every token is the sum of its experts' rows, weighted, and what it skips.

The document's equation gives no precision: sums are judged as added in float32, the dtype in which
bfloat16 is added on Ascend910B and 910_93, too. Their float16 kernels add in float16; a contract
has one format on every product, so that this is said by their targets and is not judged.

Missing coverage: without drop, rows beyond 2^31 elements, as indices are ranks of slots, and fewer
rows than slots; infinite scales beside a bias.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cases.operators._finalize_call import Finalizing
from cases.operators._finalize_calls import FinalizeCalls
from cases.operators._finalize_record import joined, record
from cases.operators._finalize_signature import SCALES_DTYPES, Page, signature_of
from cases.operators._interface import of_a_definition, of_a_tiling_alone
from cases.operators._torch_npu import added
from cases.relations.slot_sums import FINALIZE
from conformance.record.clause import source_read
from conformance.record.contract import Arrays
from conformance.record.derive.rejections import rejections
from conformance.record.derive.torch_call import bound
from conformance.record.operator import Operator
from conformance.record.versions import Versions, with_other_dtype
from reference import moe_finalize_routing_v2 as reference
from reference.terms import Terms

PAGE = Page("MoeFinalizeRoutingV2 README", "aclnnMoeFinalizeRoutingV2 document, CANN 8.0")
SIGNATURE = signature_of("moe_finalize_routing_v2", PAGE)
ONE = Finalizing(SIGNATURE)
CALLS = FinalizeCalls(ONE, PAGE)


def _tokens(inputs: Arrays) -> int:
    """Tokens of a call: as many as have a slot for each column of scales, or one without."""
    scales = inputs.get("scales")
    return len(inputs["expanded_row_idx"]) // (1 if scales is None else scales.shape[1])


def formula(inputs: Arrays, attributes: Mapping[str, Any]) -> Arrays:
    """The document's equation on the case's arrays, in the dtype of all floats, or float64."""
    tensors: dict[str, Any] = dict(inputs)
    return {"out": reference.formula(**tensors, num_rows=_tokens(inputs), **attributes)}


def terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The rows of all that each token adds, and the scales of those of experts."""
    bias = inputs.get("bias")
    parts = reference.terms(
        inputs["expanded_row_idx"],
        inputs.get("scales"),
        inputs.get("expert_idx"),
        source_rows=math.prod(inputs["expanded_x"].shape[:-1]),
        num_rows=_tokens(inputs),
        experts=None if bias is None else len(bias),
        x1="x1" in inputs,
        x2="x2" in inputs,
        **attributes,
    )
    return joined(inputs, parts)


FUNCTION = {
    "expanded_permuted_rows": "expanded_x",
    "skip1": "x1",
    "skip2": "x2",
    "bias": "bias",
    "scales": "scales",
    "expanded_src_to_dst_row": "expanded_row_idx",
    "export_for_source_row": "expert_idx",
    "drop_pad_mode": "drop_pad_mode",
}
"""The keywords of torch_npu's function, and the parameters that they are."""

EITHER = ("aclnnMoeFinalizeRoutingV4", "aclnnMoeFinalizeRoutingV2")
"""What torch_npu's function calls: the first that CANN has."""

MIXED = Versions(
    source_read(
        "the operators of CANN 8.1.RC1 list no float32 scales beside bfloat16",
        "CANN 8.1.RC1, ascend910b ops-info",
    ),
    after="8.1",
)
BASE = record(ONE, PAGE, CALLS, FINALIZE, terms)
OPERATOR = Operator(
    **{**BASE, "quarantine": (*BASE["quarantine"], *CALLS.uncompared())},
    formula=formula,
    dated=(with_other_dtype("scales", SCALES_DTYPES, MIXED),),
    rejections=of_a_tiling_alone(rejections(SIGNATURE, *CALLS.rights, wrong=CALLS.wrong())),
    torch_npu=replace(
        bound(
            SIGNATURE,
            "npu_moe_finalize_routing",
            ("out",),
            (
                added("another k than 1, its default, is for aclnnMoeFinalizeRoutingV4 alone"),
                added("where CANN has aclnnMoeFinalizeRoutingV4 it calls that, with null ranges"),
            ),
            **FUNCTION,
        ),
        two_phase=EITHER,
    ),
    strided=of_a_definition(SIGNATURE.tensors, "ops-transformer, moe_finalize_routing_v2_def.cpp"),
)
