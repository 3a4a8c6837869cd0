"""What the references of gating have in common: functions in the dtype of x, and a selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def exp(x: NDArray[Any]) -> NDArray[Any]:
    """exp(x) in the dtype of x, float32 or float64. numpy's own in float32 is a step or two off."""
    result: NDArray[Any] = np.exp(x.astype(np.float64)).astype(x.dtype)
    return result


def softmax(x: NDArray[Any]) -> NDArray[Any]:
    """exp(x) over its sum along the last axis, the largest subtracted from all: in the dtype of
    x. A row with NaN or +infinity, or of -infinity alone, is NaN."""
    with np.errstate(invalid="ignore"):
        raised = exp(x - x.max(axis=-1, keepdims=True, initial=-np.inf))
        result: NDArray[Any] = raised / raised.sum(axis=-1, keepdims=True)
    return result


def largest(keys: NDArray[Any], k: int) -> NDArray[np.int32]:
    """The positions of the k largest along the last axis, the largest first, of equal ones the
    first: int32 [..., k]. NaN counts as the least. Raises ValueError for a k of no selection."""
    if not 0 <= k <= keys.shape[-1]:
        raise ValueError(f"k={k}: must be 0 to {keys.shape[-1]}, the length of the last axis")
    order = np.argsort(-keys, axis=-1, kind="stable")
    return order[..., :k].astype(np.int32)


def sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    """1 / (1 + exp(-x)), each step in the dtype of x."""
    one = x.dtype.type(1)
    result: NDArray[Any] = one / (one + exp(-x))
    return result


def softplus(x: NDArray[Any]) -> NDArray[Any]:
    """ln(1 + exp(x)) in the dtype of x; it does not overflow where exp(x) does."""
    result: NDArray[Any] = np.logaddexp(0.0, x.astype(np.float64)).astype(x.dtype)
    return result
