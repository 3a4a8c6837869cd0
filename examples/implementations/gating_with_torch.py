"""MoeGatingTopK, MoeGatingTopKSoftmax and its V2 in torch, with the keywords of torch_npu's
functions.

    python -m conformance run moe_gating_top_k \
        --implementation examples/implementations/gating_with_torch.py:gating_top_k
"""

from __future__ import annotations

from typing import Any

import torch
from documented_gating import check_gating, check_groups

Tensor = Any

# What the suite may know of the arithmetic here: it calls these alone before it judges. For torch
# 1 / x is a reciprocal.
FUNCTIONS = {
    "exp": torch.exp,
    "ln": torch.log,
    "sqrt": torch.sqrt,
    "div": torch.div,
    "reciprocal": torch.reciprocal,
}


def softmax(x: Tensor) -> Tensor:
    """exp(x) over its sum along the last axis. torch.softmax has an exp of its own, which nobody
    can call alone."""
    raised = torch.exp(x - x.amax(-1, keepdim=True))
    return raised / raised.sum(-1, keepdim=True)


def falling(keys: Tensor) -> Tensor:
    """The positions of the keys, largest first; of equal ones the lowest come first. torch.topk
    promises no order of equal ones."""
    return keys.sort(dim=-1, descending=True, stable=True).indices


def gating_top_k_softmax(
    x: Tensor, finished: Tensor | None = None, k: int = 1
) -> tuple[Tensor, Tensor, Tensor]:
    """The k largest of the softmax of ``x`` [..., experts], which they are, and their row indices.

    The results are [..., k]: of the dtype of x, int32 and int32. ``finished`` is bool [...].
    """
    weights, experts, _ = gating_top_k_softmax_v2(x, k, finished)
    rows = torch.arange(experts.numel(), dtype=torch.int32, device=x.device).reshape(k, -1).T
    return weights, experts, rows.reshape(experts.shape)


def gating_top_k_softmax_v2(
    x: Tensor,
    k: int,
    finished: Tensor | None = None,
    renorm: int = 0,
    output_softmax: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """The k largest of a softmax of ``x`` [..., experts], or with ``renorm`` the softmax of the k
    largest; which they are; and the softmax of all, float32."""
    check_gating(x, k, finished, renorm)
    logits = x.float()
    scores = softmax(logits)
    keys = logits if renorm else scores
    experts = falling(keys)[..., :k]
    picked = keys.gather(-1, experts)
    weights = softmax(picked) if renorm else picked
    if finished is not None:
        experts = experts.masked_fill(finished[..., None], x.shape[-1])
    return weights.to(x.dtype), experts.int(), scores


SCORES = (
    softmax,
    lambda x: 1 / (1 + torch.exp(-x)),
    lambda x: torch.sqrt(torch.log(1 + torch.exp(x))),
)
"""By norm_type."""


def gating_top_k(
    x: Tensor,
    k: int,
    bias: Tensor | None = None,
    k_group: int = 1,
    group_count: int = 1,
    group_select_mode: int = 0,
    renorm: int = 0,
    norm_type: int = 0,
    out_flag: bool = False,
    routed_scaling_factor: float = 1.0,
    eps: float = 1e-20,
) -> tuple[Tensor, Tensor, Tensor]:
    """The k best experts of the best groups: their weights [rows, k], which they are, all scores.

    ``x`` is [rows, experts]. ``bias`` [experts] moves the choice, and no weight.
    """
    check_groups(x, k, bias, k_group, group_count, group_select_mode, renorm, norm_type)
    scores = SCORES[norm_type](x.float())
    keys = scores if bias is None else scores + bias.float()
    grouped = keys.unflatten(-1, (group_count, -1))
    best = grouped.topk(1 + group_select_mode).values.sum(-1)
    kept = torch.zeros_like(best).scatter(-1, falling(best)[:, :k_group], 1)
    experts = falling(keys)
    # Experts of kept groups come first, whatever their keys are.
    of_kept = kept.repeat_interleave(grouped.shape[-1], -1).gather(-1, experts)
    experts = experts.gather(-1, falling(of_kept))[:, :k]
    weights = scores.gather(-1, experts)
    if norm_type or renorm:
        weights = weights / (weights.sum(-1, keepdim=True) + eps)
    return (weights * routed_scaling_factor).to(x.dtype), experts.int(), scores


# Wrong twins: a run finds the mistake in each.


def gating_any_of_equal(x: Tensor, k: int, **given: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Of equal scores torch.topk takes any."""
    weights, experts, scores = gating_top_k_softmax_v2(x, k, **given)
    if not given.get("renorm") and given.get("finished") is None:
        experts = scores.topk(k).indices.int()
    return weights, experts, scores


def gating_in_half(x: Tensor, k: int, **given: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The exponentials of half-precision rows are rounded to it before they are added."""
    weights, experts, scores = gating_top_k_softmax_v2(x, k, **given)
    raised = torch.exp(x.float() - x.float().amax(-1, keepdim=True)).to(x.dtype).float()
    scores = raised / raised.sum(-1, keepdim=True)
    if not given.get("renorm") and given.get("finished") is None:
        weights = scores.gather(-1, experts.long()).to(x.dtype)
    return weights, experts, scores
