"""MoeGatingTopKBackward: the gradient of the scores that MoeGatingTopK made weights of.

x_norm is [rows, experts], what a sigmoid gave; grad_y and expert_idx are [rows, k]: the gradients
of the weights, and whose they are. Steps 1 to 4 of the equations are

    scaled = factor * grad_y;  chosen = x_norm[expert_idx];  divisor = sum(chosen) + eps
    beta = sum(chosen / divisor * scaled);  inner = (scaled - beta) / divisor
    out = x_norm * (1 - x_norm) * (the sum of inner of the slots that name the expert, or 0)

Where the document is silent, this reading was taken: out is computed for every expert, so one that
no slot names has 0, but NaN if its score is not finite. An expert that two slots name has the sum
of both, as the equation says.
Source: aclnnMoeGatingTopKBackward document, equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rules import reject
from reference.weighted_sum import stored

_SOURCE = "aclnnMoeGatingTopKBackward document"


def formula(
    x_norm: NDArray[Any],
    grad_y: NDArray[Any],
    expert_idx: NDArray[Any],
    routed_scaling_factor: float,
    eps: float,
    norm_type: int = 1,
) -> NDArray[Any]:
    """The document's equations in the dtype of x_norm [rows, experts], float32 or float64.

    Returns out [rows, experts], rounded once to the dtype of ``grad_y``. Raises ValueError for a
    ``norm_type`` other than 1, a sigmoid, and for an expert that is none.
    """
    if norm_type != 1:
        reject("norm_type", norm_type, "must be 1, a sigmoid", f"{_SOURCE}, parameters: normType")
    experts = x_norm.shape[1]
    if ((expert_idx < 0) | (expert_idx >= experts)).any():
        rule = f"must be 0 to {experts - 1}, the experts"
        reject("expert_idx", expert_idx.tolist(), rule, f"{_SOURCE}, equations")
    number = x_norm.dtype.type
    rows = np.arange(len(x_norm))[:, None]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scaled = number(routed_scaling_factor) * grad_y.astype(x_norm.dtype)
        chosen = x_norm[rows, expert_idx]
        divisor = chosen.sum(axis=1, keepdims=True) + number(eps)
        beta = (chosen / divisor * scaled).sum(axis=1, keepdims=True)
        inner = np.zeros_like(x_norm)
        np.add.at(inner, (rows, expert_idx), (scaled - beta) / divisor)
        out = x_norm * (1 - x_norm) * inner
    return stored(out, grad_y.dtype)
