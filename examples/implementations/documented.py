"""What the documents of MoeTokenPermute and MoeTokenUnpermute allow; other calls raise ValueError.

The tensors are of numpy or of torch.
"""

from __future__ import annotations

from typing import Any

Tensor = Any
FLOATS = ("float16", "bfloat16", "float32")
MOST_EXPERTS = 512
"""Of one token."""


def check_permute(tokens: Tensor, indices: Tensor) -> None:
    """``tokens`` are [N, H], ``indices`` [N, K] or [N] of int32 or int64."""
    check("tokens", tokens, (2,), (*FLOATS, "int8"))
    check("indices", indices, (1, 2), ("int32", "int64"))


def check_unpermute(rows: Tensor, ranks: Tensor, probs: Tensor | None) -> None:
    """``rows`` are [rows, H], ``ranks`` int32 [N * K], ``probs`` [N, K] if they are given."""
    check("permuted_tokens", rows, (2,), FLOATS)
    check("sorted_indices", ranks, (1,), ("int32",))
    if probs is not None:
        check("probs", probs, (2,), FLOATS)
        slots = probs.shape[1]
        if not 0 < slots <= MOST_EXPERTS or probs.shape[0] * slots != ranks.shape[0]:
            raise ValueError(f"probs are {list(probs.shape)}: [N, K] for {ranks.shape[0]} indices")


def check(name: str, tensor: Tensor, axes: tuple[int, ...], dtypes: tuple[str, ...]) -> None:
    """A tensor with one of these numbers of axes, of one of these dtypes."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.ndim not in axes or dtype not in dtypes:
        raise ValueError(f"{name} has {tensor.ndim} axes of {dtype}: {axes} of {dtypes} is allowed")
