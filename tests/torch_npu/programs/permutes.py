"""Functions that call torch_npu's permutation, among other operators of PyTorch."""

from __future__ import annotations

from typing import Any

import torch
import torch_npu


def as_integers(
    tokens: Any, indices: Any, num_out_tokens: int | None = None, padded_mode: bool = False
) -> Any:
    """The rows of torch_npu, of keys that an operator of PyTorch has widened."""
    return torch_npu.npu_moe_token_permute(
        tokens, indices.long() * 1, num_out_tokens=num_out_tokens, padded_mode=padded_mode
    )


def order_of_slots(
    tokens: Any, indices: Any, num_out_tokens: int | None = None, padded_mode: bool = False
) -> Any:
    """The same with the slot of each rank, where the operator answers the rank of each slot."""
    rows, ranks = torch_npu.npu_moe_token_permute(tokens, indices, num_out_tokens, padded_mode)
    return rows, torch.argsort(ranks).int()
