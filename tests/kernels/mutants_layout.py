"""Mistakes that show only where tensors are no whole contiguous storages: layout finds them."""

from __future__ import annotations

from tests.kernels.entry_steps import checked, step
from tests.kernels.mutants import Mutant

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_token_permute": (
        checked(
            "moe_token_permute",
            "indices-of-two-axes-are-taken-as-contiguous",
            'auto& indices = (*call)["indices"];'
            " if (indices.shape.size() == 2) { indices.strides = {indices.shape[1], 1}; }",
        ),
    ),
    "moe_token_unpermute": (
        checked(
            "moe_token_unpermute",
            "probs-begin-where-their-storage-does",
            'auto& probs = (*call)["probsOptional"];'
            " probs.data = static_cast<uint8_t*>(probs.data) -"
            " static_cast<uint64_t>(probs.offset) * opapi::BytesOf(probs.dtype);",
            modes=("whole", "uneven"),
        ),
    ),
    "moe_token_permute_with_routing_map": (
        checked(
            "moe_token_permute_with_routing_map",
            "permuted-probs-are-written-side-by-side",
            'auto& probs = (*call)["permuteProbsOutOptional"];'
            " probs.strides.assign(probs.shape.size(), 1);",
        ),
    ),
    "moe_init_routing_v2_grad": (
        checked(
            "moe_init_routing_v2_grad",
            "steps-from-row-to-row-by-the-stride-of-columns",
            'auto& rows = (*call)["gradExpandedX"];'
            " if (!rows.IsContiguous()) { std::swap(rows.strides.front(), rows.strides.back()); }",
        ),
    ),
    "moe_token_permute_grad": (
        step(
            "moe_token_permute_grad",
            "an-axis-of-size-1-must-have-the-stride-of-c-order",
            "CheckDense",
            'if (call["out"].strides.back() != 1) {\n'
            '            return opapi::Fail(ACLNN_ERR_PARAM_INVALID, "out must be contiguous");\n'
            "        }\n"
            "        return call.CheckDense();",
        ),
    ),
}
"""By operator: entries that take tensors for what they were in every other call."""
