"""Checks of phase one that compare too little: calls that only rejections make show them.

Each edit lets a call through that reads or writes beyond a tensor, or divides by zero.
"""

from __future__ import annotations

from tests.kernels.entry_steps import step
from tests.kernels.mutants import Mutant

LOOSE = "entry::Values{{call[{0}].shape.data(), call[{0}].shape.size()}},"
"""A shape that is null not only without a tensor, but also for one of no axis."""

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_compute_expert_tokens": (
        Mutant(
            "experts-of-the-output-are-not-compared",
            "moe_compute_expert_tokens/aclnn_moe_compute_expert_tokens.cpp",
            'Out("out", kInt32, {"experts"})',
            'Out("out", kInt32, {"results"})',
            dtypes=("int32",),
        ),
    ),
    "moe_finalize_routing_v2": (
        Mutant(
            "a-token-may-have-no-slot",
            "shared/finalize/finalize_interface.h",
            'AtLeast("topK", 1)',
            'AtLeast("topK", 0)',
        ),
        Mutant(
            "columns-of-rows-are-not-compared",
            "shared/finalize/finalize_interface.h",
            'In("expandedX", kFloating, {"rows", "hidden"})',
            'In("expandedX", kFloating, {"rows", "columns"})',
        ),
    ),
    "moe_finalize_routing_v2_grad": (
        Mutant(
            "more-indices-than-slots",
            "moe_finalize_routing_v2_grad/moe_finalize_routing_v2_grad_interface.h",
            'Times("tokens", "topK")',
            '"slots"',
        ),
        Mutant(
            "experts-of-rows-are-not-compared",
            "moe_finalize_routing_v2_grad/moe_finalize_routing_v2_grad_interface.h",
            'Out("gradExpandedXOut", same, {"rows", "hidden"}).Or(places, padded)',
            'Out("gradExpandedXOut", same, {"rows", "hidden"})'
            '.Or({"any", "expertCapacity", "hidden"}, padded)',
            modes=("drop_pad",),
        ),
    ),
    "moe_init_routing": (
        Mutant(
            "more-experts-than-row-indices",
            "shared/routing/row_indices_interface.h",
            'In("rowIdx", kInt32, {"tokens", "topK"})',
            'In("rowIdx", kInt32, {"tokens", "numbers"})',
        ),
    ),
    "moe_init_routing_quant": (
        Mutant(
            "sorted-experts-are-not-compared-with-slots",
            "shared/routing/row_indices_interface.h",
            'Out("expandedExpertIdxOut", kInt32, {Times("tokens", "topK")})',
            'Out("expandedExpertIdxOut", kInt32, {"experts"})',
        ),
    ),
    "moe_init_routing_quant_v2": (
        Mutant(
            "factors-of-any-number-of-experts",
            "shared/routing/routed_rows_cut.h",
            "scaleRows == experts",
            "scaleRows <= experts",
            modes=("dropless_dynamic",),
        ),
        Mutant(
            "scale-of-static-rows-of-any-length",
            "moe_init_routing_quant_v2/moe_init_routing_quant_v2_interface.h",
            ".Or({1}, isStatic)",
            '.Or({"numbers"}, isStatic)',
            modes=("dropless_static",),
        ),
    ),
    "moe_init_routing_v2": (
        Mutant(
            "tokens-of-x-are-not-compared",
            "shared/routing/routing_interface.h",
            'In("x", kFloating, {"tokens", "hidden"})',
            'In("x", kFloating, {"rows of x", "hidden"})',
        ),
    ),
    "moe_init_routing_v2_grad": (
        Mutant(
            "out-may-have-a-third-axis",
            "moe_init_routing_v2_grad/aclnn_moe_init_routing_v2_grad.cpp",
            'Out("out", As("gradExpandedX"), {"tokens", "hidden"})',
            'Out("out", As("gradExpandedX"), {"tokens", "hidden", Rest("more", 0)})',
        ),
    ),
    "moe_re_routing": (
        Mutant(
            "experts-of-the-sums-are-not-compared",
            "moe_re_routing/aclnn_moe_re_routing.cpp",
            'As("expertTokenNumPerRank"), {"experts"})',
            'As("expertTokenNumPerRank"), {"sums"})',
            dtypes=("float16", "bfloat16", "int8"),
        ),
    ),
    "moe_token_permute": (
        Mutant(
            "fewer-tokens-than-rows-of-indices",
            "moe_token_permute/aclnn_moe_token_permute.cpp",
            'In("indices", kInt32OrInt64, {"tokens", ',
            'In("indices", kInt32OrInt64, {"indexed", ',
        ),
    ),
    "moe_token_permute_with_ep": (
        Mutant(
            "a-range-may-begin-before-the-first-rank",
            "moe_token_permute_with_ep/moe_token_permute_with_ep_tiling.cpp",
            "return rank < 0 || rank > Slots(call);",
            "return rank > Slots(call);",
        ),
    ),
    "moe_token_permute_with_ep_grad": (
        Mutant(
            "a-rest-of-indices-is-dropped",
            "moe_token_permute_with_ep_grad/moe_token_permute_with_ep_grad_interface.h",
            'In("sortedIndices", kInt32, {Times("tokens", "numTopk")})',
            'In("sortedIndices", kInt32, {"slots"})',
        ),
    ),
    "moe_token_permute_with_routing_map": (
        Mutant(
            "scalar-probs-are-taken-for-none",
            "moe_token_permute_with_routing_map/aclnn_moe_token_permute_with_routing_map.cpp",
            'call.Shape("probsOptional"),',
            LOOSE.format('"probsOptional"'),
        ),
    ),
    "moe_token_permute_with_routing_map_grad": (
        Mutant(
            "a-scalar-gradient-of-probs-is-taken-for-none",
            "moe_token_permute_with_routing_map_grad/"
            "moe_token_permute_with_routing_map_grad_interface.h",
            "Given(kProbsGrad)",
            "Condition{[](const Call& c) { return c.Shape(kProbsGrad).count > 0; }, kProbsGrad}",
        ),
    ),
    "moe_token_unpermute": (
        step(
            "moe_token_unpermute",
            "the-format-of-probs-is-not-looked-at",
            "CheckFormats",
            "entry::Call seen = call;\n"
            '        seen["probsOptional"].format = ACL_FORMAT_ND;\n'
            "        return seen.CheckFormats();",
        ),
        step(
            "moe_token_unpermute",
            "no-format-is-looked-at-without-a-result",
            "CheckFormats",
            'return call["out"].IsEmpty() ? ACLNN_SUCCESS : call.CheckFormats();',
        ),
    ),
    "moe_token_unpermute_grad": (
        Mutant(
            "more-indices-than-probabilities",
            "moe_token_unpermute_grad/aclnn_moe_token_unpermute_grad.cpp",
            'Times("tokens", "topK")',
            '"slots"',
        ),
    ),
    "moe_token_unpermute_with_ep": (
        Mutant(
            "slots-are-those-of-the-probs-whatever-num-topk-says",
            "moe_token_unpermute_with_ep/aclnn_moe_token_unpermute_with_ep.cpp",
            "return call.HasList(kRange);",
            'return call.HasList(kRange) && !call.Has("probsOptional");',
        ),
        Mutant(
            "rows-may-be-fewer-than-the-ranks",
            "shared/slots/rank_range.h",
            "if (static_cast<uint64_t>(rows) >= range.count) {",
            "if (rows >= 0) {",
        ),
    ),
    "moe_token_unpermute_with_ep_grad": (
        Mutant(
            "a-range-may-end-before-its-start",
            "moe_token_unpermute_with_ep_grad/moe_token_unpermute_with_ep_grad_tiling.cpp",
            "call.range.values == nullptr || Bound(call, 0) <= Bound(call, 1)",
            "call.range.values == nullptr || Bound(call, 0) <= Bound(call, 1) || true",
        ),
        Mutant(
            "slots-of-probs-are-not-compared",
            "moe_token_unpermute_with_ep_grad/aclnn_moe_token_unpermute_with_ep_grad.cpp",
            'InOrNull(kProbs, kFloating, {"tokens", "topkNum"})',
            'InOrNull(kProbs, kFloating, {"tokens", "columns"})',
        ),
    ),
}
