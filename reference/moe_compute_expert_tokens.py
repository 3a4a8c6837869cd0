"""MoeComputeExpertTokens: where the rows of each expert end among rows in the order of experts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rules import reject

_PARAMETERS = "aclnnMoeComputeExpertTokens, parameters: sortedExperts"


def formula(sorted_experts: NDArray[Any], num_experts: int) -> NDArray[Any]:
    """For each expert the place behind its last row, found by bisection: [num_experts].

    An expert without rows has what the one before it has, the first 0. Raises ValueError unless
    ``sorted_experts`` ascends: bisection and counting differ then, and no document says which.
    """
    falls = np.flatnonzero(sorted_experts[1:] < sorted_experts[:-1])
    if falls.size:
        at = int(falls[0])
        pair = (int(sorted_experts[at]), int(sorted_experts[at + 1]))
        reject("sorted_experts", pair, f"must ascend at entries {at}..{at + 1}", _PARAMETERS)
    experts = np.arange(num_experts, dtype=sorted_experts.dtype)
    return np.searchsorted(sorted_experts, experts, side="right").astype(sorted_experts.dtype)
