"""Entries that refuse a tensor without elements because it has no address: PyTorch's have none."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

SAID = "the address of a tensor is null"
FORMATS = "    return opapi::CheckFormats(tensors.phases.plan,"
LAYOUTS = (
    "    return status != ACLNN_SUCCESS ? status : opapi::CheckLayouts(tensors.phases.plan, all);"
)


def refused(condition: str) -> str:
    """A statement that refuses a call."""
    return (
        f"    if ({condition}) {{\n"
        f'        return opapi::Fail(ACLNN_ERR_PARAM_NULLPTR, "{SAID}");\n'
        "    }\n"
    )


MUTANTS: dict[str, Mutant] = {
    "moe_token_permute_grad": Mutant(
        "an-output-must-have-an-address",
        "moe_token_permute_grad/aclnn_moe_token_permute_grad.cpp",
        FORMATS,
        refused("tensors.out.data == nullptr") + FORMATS,
    ),
    "moe_token_unpermute": Mutant(
        "rows-must-have-an-address",
        "moe_token_unpermute/aclnn_moe_token_unpermute.cpp",
        LAYOUTS,
        refused("status == ACLNN_SUCCESS && tensors.permutedTokens.data == nullptr") + LAYOUTS,
    ),
}
"""By operator."""
