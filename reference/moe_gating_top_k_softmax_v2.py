"""MoeGatingTopKSoftmaxV2: the k largest of a softmax, or the softmax of the k largest.

x is [..., experts], k at most that many. renorm 0: the softmax of all experts, then its k largest.
renorm 1: the k largest of x, then their softmax. Of equal ones the expert of the lower number comes
first. A row that is finished has the number of experts in place of each expert.
Source: aclnnMoeGatingTopKSoftmaxV2 document, equations; ties: Ascend C API, Sort and TopK.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.functions import largest, softmax


def formula(
    x: NDArray[Any], k: int, renorm: int, finished: NDArray[np.bool_] | None = None
) -> dict[str, NDArray[Any]]:
    """The document's equations, in the dtype of x [..., experts]; ``finished`` is [...]."""
    scores = softmax(x)
    if renorm:
        chosen = largest(x, k)
        y = softmax(np.take_along_axis(x, chosen, axis=-1))
    else:
        chosen = largest(scores, k)
        y = np.take_along_axis(scores, chosen, axis=-1)
    if finished is not None:
        chosen[finished] = x.shape[-1]
    return {"y": y, "expert_idx": chosen, "softmax_result": scores}
