"""The signature of MoeTokenUnpermuteWithEp, and its calls: weighted sums over a range of ranks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cases.operators._interface import REQUIRED, checked, in_document, typed, unchecked
from cases.operators._moe_token_unpermute_calls import DTYPES as DTYPES
from cases.operators._slot_sum import TokenSum, slot_sum_call
from cases.operators._slot_sum_ranges import NO_RANGE, RANGED, kept, ranged_call, window
from conformance.record.clause import source_read
from conformance.record.signature import Form, Signature, flag, integers, number, tensor
from conformance.record.sizes import Size, function
from reference.permutation import MOST_TOPK

NAME = "moe_token_unpermute_with_ep"
ACLNN = "aclnnMoeTokenUnpermuteWithEp document"
KERNELS = "ops-transformer, moe_token_unpermute_with_ep/op_kernel"
HOST = "ops-transformer, moe_token_unpermute_with_ep/op_host"
MODES = (*RANGED, NO_RANGE)
TOKENS, INDICES, PROBS = "permuted_tokens", "sorted_indices", "probs"

stated = in_document(ACLNN)
FALLS_BACK = stated("without a range the call is one of MoeTokenUnpermute", "constraints")
NO_TOPK = stated("without a range numTopk is ignored", "constraints")
BEYOND = source_read("rows beyond those of the range are not read", KERNELS)
PAST = source_read("without a range, slots from the last row on add nothing", KERNELS)
IGNORED = stated("restoreShape takes effect with paddedMode alone")
HELD = source_read("a range of two numbers, with a row for every rank, as all are read", KERNELS)

TOKEN, HIDDEN = Size("token"), Size("hidden")
SLOT = Size("slot", least=1, most=MOST_TOPK)
KEPT = function("kept", kept, "rank_range", free=BEYOND)
OF_PROBS = Size("slot", least=1, most=MOST_TOPK, default=1)
ROW = Size("row", free=PAST)
indices = partial(tensor, INDICES, dtype="int32")
probs = partial(tensor, PROBS, TOKEN, dtype=DTYPES, optional=True, acl="probsOptional")

SIGNATURE = Signature(
    NAME,
    (
        tensor(TOKENS, KEPT, HIDDEN),
        indices(TOKEN * SLOT),
        probs(SLOT),
        number("num_topk", SLOT),
        integers("rank_range", acl="rangeOptional", count=2),
        flag("padded_mode", most=0),
        integers("restore_shape", free=IGNORED, acl="restoreShapeOptional"),
        tensor("out", TOKEN, HIDDEN, role="output"),
    ),
    rules=(
        REQUIRED,
        typed(source_read("float types, one for tokens and out; indices int32", HOST)),
        unchecked(stated("paddedMode is false"), "padded_mode", kinds=("attribute",)),
        replace(
            unchecked(stated(f"top_k is 1 to {MOST_TOPK}", "constraints"), "slot"),
            kinds=("limit",),
            modes=(NO_RANGE,),
        ),
        checked(
            source_read(f"top_k is 1 to {MOST_TOPK}, where there are probs", HOST),
            *("num_topk", "slot"),
            kinds=("attribute", "limit"),
        ),
        checked(source_read("probs are [tokens, num_topk]", HOST), PROBS),
        unchecked(stated("tokens have two axes, indices one"), TOKENS, INDICES, kinds=("rank",)),
        unchecked(stated("the indices are num_topk for every token"), INDICES),
        unchecked(HELD, "rank_range", "kept", kinds=("attribute", "extent")),
        unchecked(stated("out is [tokens, hidden]"), "out"),
    ),
    forms={
        NO_RANGE: Form(
            {"rank_range": None},
            (tensor(TOKENS, ROW, HIDDEN), indices(TOKEN * OF_PROBS, numbers=ROW), probs(OF_PROBS)),
            (number("num_topk", free=NO_TOPK),),
        )
    },
)
of_sum = slot_sum_call(SIGNATURE, TOKENS, INDICES)
call = ranged_call(of_sum)
SUM = TokenSum(call, uneven=MODES[1:], window=window)
