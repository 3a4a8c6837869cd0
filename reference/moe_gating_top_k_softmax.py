"""MoeGatingTopKSoftmax: the k largest of the softmax of each row, and where each came from.

x is [..., experts], k at most that many. Of equal scores the expert of the lower number comes
first. A row that is finished has the number of experts in place of each expert. Of ``rows`` rows in
all, slot j of row i has j * rows + i as its row index.
Source: aclnnMoeGatingTopKSoftmax document, equations; ties: Ascend C API, Sort and TopK.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.functions import largest, softmax


def formula(x: NDArray[Any], k: int, finished: NDArray[np.bool_] | None = None) -> dict[str, Any]:
    """The document's equations, in the dtype of x [..., experts]; ``finished`` is [...]."""
    scores = softmax(x)
    chosen = largest(scores, k)
    y = np.take_along_axis(scores, chosen, axis=-1)
    if finished is not None:
        chosen[finished] = x.shape[-1]
    rows = math.prod(x.shape[:-1])
    row_idx = np.arange(rows * k, dtype=np.int32).reshape(k, rows).T
    return {"y": y, "expert_idx": chosen, "row_idx": row_idx.reshape(chosen.shape)}
