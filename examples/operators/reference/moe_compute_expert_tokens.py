"""MoeComputeExpertTokens: out[e] is how many of the sorted expert ids are at most e."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def formula(sorted_experts: NDArray[Any], num_experts: int) -> NDArray[Any]:
    """The ids of each expert and of all experts before it: int32 [num_experts]."""
    counts = np.bincount(sorted_experts, minlength=num_experts)
    return np.cumsum(counts).astype(np.int32)
