"""Mistakes that show only where an input is broadcast: an entry takes stride 0 for C order."""

from __future__ import annotations

from tests.kernels.entry_steps import checked
from tests.kernels.mutants import Mutant

FINALIZED = (
    "expandedX",
    "expandedRowIdx",
    "expertIdxOptional",
    "x1Optional",
    "x2Optional",
    "biasOptional",
    "scalesOptional",
)
LATER = (*FINALIZED, "xOptional", "alpha1Optional", "alpha2Optional", "vOptional")

ROWS = {
    "moe_finalize_routing": (
        *("expandedX", "x1", "x2Optional", "bias", "scales", "expandedRowIdx"),
        "expandedExpertIdx",
    ),
    "moe_finalize_routing_v2": FINALIZED,
    "moe_finalize_routing_v3": LATER,
    "moe_finalize_routing_v4": LATER,
    "moe_finalize_routing_v2_grad": (
        "gradY",
        "expandedRowIdx",
        "expertIdxOptional",
        "expandedXOptional",
        "scalesOptional",
        "biasOptional",
    ),
    "moe_compute_expert_tokens": ("sortedExperts",),
    "moe_gating_top_k": ("x", "biasOptional"),
    "moe_gating_top_k_backward": ("xNorm", "gradY"),
    "moe_gating_top_k_softmax": ("x",),
    "moe_gating_top_k_softmax_v2": ("x",),
    "moe_gating_top_k_v2": ("x", "biasOptional", "inputIdsOptional", "tid2eidOptional"),
    "moe_init_routing": ("x",),
    "moe_init_routing_quant": ("x",),
    "moe_init_routing_quant_v2": ("x",),
    "moe_init_routing_v2": ("x",),
    "moe_init_routing_v3": ("x",),
    "moe_init_routing_v2_grad": ("gradExpandedX",),
    "moe_re_routing": ("tokens",),
    "moe_token_permute": ("tokens",),
    "moe_token_permute_grad": ("permutedOutputGrad",),
    "moe_token_permute_with_ep": ("tokens",),
    "moe_token_permute_with_ep_grad": ("permutedTokensOutputGrad",),
    "moe_token_permute_with_routing_map": ("tokens",),
    "moe_token_permute_with_routing_map_grad": ("permutedTokenOutputGrad",),
    "moe_token_unpermute": ("permutedTokens",),
    "moe_token_unpermute_grad": ("unpermutedTokensGrad",),
    "moe_token_unpermute_with_ep": ("permutedTokens",),
    "moe_token_unpermute_with_ep_grad": ("unpermutedTokensGrad",),
    "moe_token_unpermute_with_routing_map": ("permutedTokens",),
    "moe_token_unpermute_with_routing_map_grad": ("unpermutedTokensGrad",),
}
"""By operator the inputs of rows; of operators that finalize and their gradient every input."""


def _taken(names: tuple[str, ...]) -> str:
    """The statement that gives tensors the strides of C order, if one of them is 0."""
    listed = ", ".join(f'"{name}"' for name in names)
    return (
        f"for (const char* name : {{{listed}}}) {{ auto& view = (*call)[name];"
        " bool shared = false; for (size_t axis = 0; axis < view.shape.size(); ++axis) {"
        " shared |= view.shape[axis] > 1 && view.strides[axis] == 0; } int64_t step = 1;"
        " for (size_t axis = view.shape.size(); shared && axis-- > 0;) {"
        " view.strides[axis] = step; step *= view.shape[axis]; } }"
    )


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    operator: (checked(operator, f"stride-0-is-contiguous-in-{operator}", _taken(names)),)
    for operator, names in ROWS.items()
}
