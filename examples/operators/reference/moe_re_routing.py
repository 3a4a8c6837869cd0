"""MoeReRouting: rows that came rank by rank are laid expert by expert."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def formula(
    tokens: NDArray[Any], counts: NDArray[Any], scales: NDArray[Any] | None = None
) -> dict[str, NDArray[Any]]:
    """The rows of ``tokens`` [rows, hidden] and ``scales`` [rows] by expert, then by rank, then as
    they came; ``counts`` [ranks, experts] says how many came from a rank for an expert."""
    segments = np.split(np.arange(len(tokens), dtype=np.int32), np.cumsum(counts)[:-1])
    ranks, experts = counts.shape
    idx = np.concatenate([segments[r * experts + e] for e in range(experts) for r in range(ranks)])
    return {
        "permute_tokens": tokens[idx],
        "permute_scales": np.zeros(len(idx), np.float32) if scales is None else scales[idx],
        "permute_idx": idx,
        "expert_token_num": counts.sum(axis=0, dtype=counts.dtype),
    }
