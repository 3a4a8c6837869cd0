"""Entries that refuse a tensor without elements because it has no address: PyTorch's have none."""

from __future__ import annotations

from tests.kernels.entry_steps import checked
from tests.kernels.mutants import Mutant

SAID = "the address of a tensor is null"


def refused(tensor: str) -> str:
    """A statement that refuses a call whose tensor of that name has no address."""
    return (
        f'if ((*call)["{tensor}"].data == nullptr) {{'
        f' return opapi::Fail(ACLNN_ERR_PARAM_NULLPTR, "{SAID}"); }}'
    )


MUTANTS: dict[str, Mutant] = {
    "moe_token_permute_grad": checked(
        "moe_token_permute_grad", "an-output-must-have-an-address", refused("out")
    ),
    "moe_token_unpermute": checked(
        "moe_token_unpermute", "rows-must-have-an-address", refused("permutedTokens")
    ),
}
"""By operator."""
