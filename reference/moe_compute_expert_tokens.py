"""MoeComputeExpertTokens: where the rows of each expert end among rows in the order of experts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def formula(sorted_experts: NDArray[Any], num_experts: int) -> NDArray[Any]:
    """For each expert the place behind its last row, found by bisection: [num_experts].

    ``sorted_experts`` ascends. An expert without rows has what the one before it has, the first 0.
    """
    experts = np.arange(num_experts, dtype=sorted_experts.dtype)
    return np.searchsorted(sorted_experts, experts, side="right").astype(sorted_experts.dtype)
