"""The signature of MoeTokenUnpermuteWithEpGrad, and its calls: gradients over a range of ranks.

They are drawn as sums over slots, of which every row is named once.
"""

from __future__ import annotations

from functools import partial

from hypothesis.strategies import SearchStrategy

from cases.operators._interface import NULL, checked, in_document, null, typed, unchecked
from cases.operators._moe_token_unpermute_grad_call import DTYPES as DTYPES
from cases.operators._moe_token_unpermute_grad_call import (
    GRAD,
    INDICES,
    PROBS,
    PROBS_GRAD,
    TOKENS,
    TOKENS_GRAD,
    bare,
)
from cases.operators._slot_grads import graded_sums, naming_once
from cases.operators._slot_sum import slot_sum_call
from cases.operators._slot_sum_ranges import NO_RANGE, RANGED, ranged_call
from conformance.call.case import Case
from conformance.record.clause import source_read
from conformance.record.signature import Signature, flag, integers, number, tensor
from conformance.record.sizes import Size, function
from reference.moe_token_permute_with_ep import Range
from reference.moe_token_unpermute_with_ep_grad import resolved
from reference.permutation import MOST_TOPK

NAME = "moe_token_unpermute_with_ep_grad"
ACLNN = "aclnnMoeTokenUnpermuteWithEpGrad document"
KERNELS = "ops-transformer, moe_token_unpermute_with_ep_grad/op_kernel"
HOST = "ops-transformer, moe_token_unpermute_with_ep_grad/op_host"
MODES = (*RANGED, NO_RANGE)

stated = in_document(ACLNN)


def length(slots: int, rank_range: Range | None) -> int:
    """How many ranks a range holds; less than none where it ends before it begins."""
    start, end = resolved(slots, rank_range)
    return end - start


IGNORED = stated("restoreShape takes effect with paddedMode alone")
HIDDEN, TOKEN = Size("hidden", least=1), Size("token", least=1)
# Relations take another order of an axis that is named row, and here its numbers are ranks.
KEPT, SLOT = Size("kept", least=1), Size("slot", least=1, most=MOST_TOPK)
LENGTH = function("length", length, TOKEN * SLOT, "rank_range")
SPARE = function(
    "rows beyond the range",
    lambda rows, slots, ends: rows - length(slots, ends),
    *(KEPT, TOKEN * SLOT, "rank_range"),
)
weights = partial(tensor, dtype=DTYPES, optional=True)
SIGNATURE = Signature(
    NAME,
    (
        tensor(GRAD, TOKEN, HIDDEN),
        tensor(INDICES, TOKEN * SLOT, dtype="int32"),
        tensor(TOKENS, KEPT, HIDDEN, optional=True, beside=PROBS, acl="permutedTokensOptional"),
        weights(PROBS, TOKEN, SLOT, acl="probsOptional"),
        flag("padded_mode", most=0),
        integers("restore_shape", free=IGNORED, acl="restoreShapeOptional"),
        integers("rank_range", acl="rangeOptional", count=2),
        number("topk_num", SLOT),
        tensor(TOKENS_GRAD, KEPT, HIDDEN, role="output", acl="permutedTokensGradOut"),
        weights(PROBS_GRAD, TOKEN, SLOT, role="output", beside=PROBS, acl="probsGradOut"),
    ),
    rules=(
        unchecked(stated("probs have a gradient"), PROBS_GRAD, kinds=("null",), status=NULL),
        unchecked(stated("probs have tokens", "function: equations"), TOKENS, kinds=("null",)),
        null(stated("input and output tensors are no null pointers", "status")),
        typed(source_read("float types, one for tokens and gradients; indices int32", HOST)),
        unchecked(stated("paddedMode is false"), "padded_mode", kinds=("attribute",)),
        checked(
            stated(f"topkNum is at most {MOST_TOPK}", "status"),
            *("topk_num", "slot"),
            kinds=("attribute", "limit"),
        ),
        checked(
            stated("the range does not end before it begins", "status"),
            LENGTH.name,
            kinds=("limit",),
        ),
        unchecked(
            source_read("a range of two numbers, with a row for each of its ranks", KERNELS),
            *("rank_range", SPARE.name),
            kinds=("attribute", "limit"),
        ),
        checked(
            source_read("there are rows, columns and tokens", HOST),
            *("kept", "hidden", "token"),
            kinds=("limit",),
        ),
        checked(stated("an index for every slot", "status"), INDICES, kinds=("extent",)),
        unchecked(stated("the shapes are those of the table", "status")),
    ),
    derived=(LENGTH, SPARE),
)
of_sum = slot_sum_call(SIGNATURE, TOKENS, INDICES)
call = naming_once(ranged_call(of_sum), (TOKENS, INDICES, GRAD))


def window(case: Case) -> Range:
    """The range of a case: first rank, and first beyond."""
    return resolved(case.inputs[INDICES].size, case.attributes["rank_range"])


def moved(cases: SearchStrategy[Case]) -> SearchStrategy[Case]:
    """Cases without probabilities; without tokens they have a row for each rank of the range."""

    def ranks(case: Case) -> int:
        start, end = window(case)
        return end - start

    return bare(cases, ranks)


SUM, _ = graded_sums(call, uneven=MODES[1:4], window=window)
