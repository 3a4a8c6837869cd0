"""MoeGatingTopK, MoeGatingTopKSoftmax and its V2 in numpy, with the keywords of torch_npu's
functions.

    python -m conformance run moe_gating_top_k --tensors numpy \
        --implementation examples/implementations/gating_with_numpy.py:gating_top_k
"""

from __future__ import annotations

from typing import Any

import numpy as np
from documented_gating import check_gating, check_groups

Array = Any

# What the suite may know of the arithmetic here: it calls these alone before it judges.
FUNCTIONS = {"exp": np.exp, "ln": np.log, "sqrt": np.sqrt, "div": np.divide, "reciprocal": None}


def softmax(x: Array) -> Array:
    """exp(x) over its sum along the last axis, of float32."""
    raised = np.exp(x - x.max(axis=-1, keepdims=True, initial=-np.inf))
    return raised / raised.sum(axis=-1, keepdims=True)


def largest(keys: Array, k: int) -> Array:
    """The positions of the k largest, int32 [..., k]; of equal ones the lowest come first."""
    return np.argsort(-keys, axis=-1, kind="stable")[..., :k].astype(np.int32)


@np.errstate(all="ignore")
def gating_top_k_softmax(
    x: Array, finished: Array | None = None, k: int = 1
) -> tuple[Array, Array, Array]:
    """The k largest of the softmax of ``x`` [..., experts], which they are, and their row indices.

    The results are [..., k]: of the dtype of x, int32 and int32. ``finished`` is bool [...].
    """
    weights, experts, _ = gating_top_k_softmax_v2(x, k, finished)
    rows = np.arange(experts.size, dtype=np.int32).reshape(k, -1).T
    return weights, experts, rows.reshape(experts.shape)


@np.errstate(all="ignore")
def gating_top_k_softmax_v2(
    x: Array,
    k: int,
    finished: Array | None = None,
    renorm: int = 0,
    output_softmax: bool = False,
) -> tuple[Array, Array, Array]:
    """The k largest of a softmax of ``x`` [..., experts], or with ``renorm`` the softmax of the k
    largest; which they are; and the softmax of all, float32."""
    check_gating(x, k, finished, renorm)
    logits = x.astype(np.float32)
    scores = softmax(logits)
    experts = largest(logits if renorm else scores, k)
    picked = np.take_along_axis(logits if renorm else scores, experts, axis=-1)
    weights = softmax(picked) if renorm else picked
    if finished is not None:
        experts[finished] = x.shape[-1]
    return weights.astype(x.dtype), experts, scores


SCORES = (
    softmax,
    lambda x: 1 / (1 + np.exp(-x)),
    lambda x: np.sqrt(np.log(1 + np.exp(x))),
)
"""By norm_type."""


@np.errstate(all="ignore")
def gating_top_k(
    x: Array,
    k: int,
    bias: Array | None = None,
    k_group: int = 1,
    group_count: int = 1,
    group_select_mode: int = 0,
    renorm: int = 0,
    norm_type: int = 0,
    out_flag: bool = False,
    routed_scaling_factor: float = 1.0,
    eps: float = 1e-20,
) -> tuple[Array, Array, Array]:
    """The k best experts of the best groups: their weights [rows, k], which they are, all scores.

    ``x`` is [rows, experts]. ``bias`` [experts] moves the choice, and no weight.
    """
    check_groups(x, k, bias, k_group, group_count, group_select_mode, renorm, norm_type)
    scores = SCORES[norm_type](x.astype(np.float32))
    keys = scores if bias is None else scores + bias.astype(np.float32)
    best = np.sort(keys.reshape(len(x), group_count, -1), axis=-1)[..., -1 - group_select_mode :]
    kept = np.zeros(best.shape[:2], np.bool_)
    np.put_along_axis(kept, largest(best.sum(axis=-1), k_group), True, axis=-1)
    experts = chosen(keys, np.repeat(kept, keys.shape[-1] // group_count, axis=-1), k)
    weights = np.take_along_axis(scores, experts, axis=-1)
    if norm_type or renorm:
        weights = weights / (weights.sum(axis=-1, keepdims=True) + np.float32(eps))
    weights = weights * np.float32(routed_scaling_factor)
    return weights.astype(x.dtype), experts, scores


def chosen(keys: Array, kept: Array, k: int) -> Array:
    """The k largest of the kept ones; NaN stands behind all others."""
    return largest(np.where(kept, keys, np.nan), k)


# Wrong twins: a run finds the mistake in each.


def gating_later_first(x: Array, k: int, **given: Any) -> tuple[Array, Array, Array]:
    """Of equal scores the highest position comes first."""
    flipped = {**given, "finished": None}
    weights, experts, scores = gating_top_k_softmax_v2(x[..., ::-1], k, **flipped)
    experts = x.shape[-1] - 1 - experts
    if given.get("finished") is not None:
        experts[given["finished"]] = x.shape[-1]
    return weights, experts, np.ascontiguousarray(scores[..., ::-1])


def gating_rounded(x: Array, k: int, **given: Any) -> tuple[Array, Array, Array]:
    """The exponentials are those of the dtype of x."""
    raised = np.log(np.exp(x).astype(np.float32))
    return gating_top_k_softmax_v2(raised.astype(x.dtype), k, **given)
