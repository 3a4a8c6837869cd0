"""MoeGatingTopK: experts are scored, their groups thinned out, and the k best of them weighed.

x is [rows, experts]. The scores are the softmax of a row, a sigmoid or the square root of a
softplus. A bias shifts the keys by which experts are chosen, and never their weights. Of equal keys
the expert of the lower number comes first, of equal groups the lower one.
Source: aclnnMoeGatingTopK document, steps 1 to 6; ties: Ascend C API, Sort and TopK.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.functions import largest, sigmoid, softmax, softplus

Floats = NDArray[Any]
SCORES = (softmax, sigmoid, lambda x: np.sqrt(softplus(x)))
"""By normType."""


def formula(
    x: Floats,
    k: int,
    k_group: int,
    group_count: int,
    group_select_mode: int,
    renorm: int,
    norm_type: int,
    routed_scaling_factor: float,
    eps: float,
    bias: Floats | None = None,
) -> dict[str, NDArray[Any]]:
    """The document's steps, in the dtype of x [rows, experts]; ``bias`` is [experts].

    Raises ValueError for a ``norm_type`` of no function, and for a ``k`` of no selection.
    """
    scores = scores_of(x, norm_type)
    keys = scores if bias is None else scores + bias
    if group_count > 1:
        # Not -infinity, as the document has it: a key of a kept group may be that, and is chosen.
        keys = np.where(_kept(keys, k_group, group_count, group_select_mode), keys, np.nan)
    normalises = bool(norm_type or renorm)
    return weighed(scores, largest(keys, k), normalises, routed_scaling_factor, eps)


def scores_of(x: Floats, norm_type: int) -> Floats:
    """The scores of x [rows, experts]. Raises ValueError for a ``norm_type`` of no function."""
    if not 0 <= norm_type < len(SCORES):
        raise ValueError(f"norm_type={norm_type}: must be 0 to {len(SCORES) - 1}")
    return SCORES[norm_type](x)


def weighed(
    scores: Floats, chosen: NDArray[Any], normalises: bool, factor: float, eps: float
) -> dict[str, NDArray[Any]]:
    """The outputs for the experts [rows, k] that were chosen of scores [rows, experts]."""
    y = np.take_along_axis(scores, chosen, axis=-1)
    if normalises:
        y = y / (y.sum(axis=-1, keepdims=True) + scores.dtype.type(eps))
    return {"y": y * scores.dtype.type(factor), "expert_idx": chosen, "out": scores}


def _kept(keys: Floats, k_group: int, group_count: int, group_select_mode: int) -> NDArray[Any]:
    """Which experts [rows, experts] are of the groups of the highest scores: the largest key of a
    group, or the sum of its two largest."""
    groups = keys.reshape(len(keys), group_count, -1)
    best = np.sort(groups, axis=-1)[..., -1 - group_select_mode :].sum(axis=-1)
    kept = np.zeros(best.shape, np.bool_)
    np.put_along_axis(kept, largest(best, k_group), True, axis=-1)
    return np.repeat(kept, groups.shape[-1], axis=-1)
