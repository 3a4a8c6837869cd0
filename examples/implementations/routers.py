"""Routers of three models in torch, as their users write them, each under the operator that judges
it: DeepSeek-V3 by MoeGatingTopK, Qwen3 by MoeGatingTopKSoftmax, gpt-oss by its V2.

    python -m conformance run moe_gating_top_k --lenient \
        --implementation examples/implementations/routers.py:deepseek_v3 -- -k sigmoid

Sources: the technical report of DeepSeek-V3 (arXiv 2412.19437, section 2.1.2), Qwen3's (arXiv
2505.09388), the model card of gpt-oss (arXiv 2508.10925), and the configurations of the models.
"""

from __future__ import annotations

from typing import Any

import torch

Tensor = Any

# torch.softmax and torch.sigmoid do not call torch.exp, and theirs cannot be called alone. So it is
# declared, with a source, and holds for a CPU alone. Divisions are offered, and probed: the sigmoid
# ends with the reciprocal of torch.reciprocal (ATen/native/cpu/UnaryOpsKernel.cpp).
OF_A_CPU = "ATen/cpu/vec, Vectorized<float>::exp: SLEEF expf_u10, 1.0 ULP"
FUNCTIONS = {
    "exp": {"steps": 2, "uniform": True, "source": OF_A_CPU},
    "div": torch.div,
    "reciprocal": torch.reciprocal,
    "ln": None,
    "sqrt": None,
}


def best(scores: Tensor, k: int) -> Tensor:
    """The positions of the k largest; of equal ones the lowest come first."""
    return scores.sort(dim=-1, descending=True, stable=True).indices[..., :k]


def deepseek_v3(x: Tensor, k: int, **given: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Sigmoids: the model has 8 groups scored by their best two, of which 4 are kept, and a factor
    of 2.5."""
    return weighed(x.float().sigmoid(), x.dtype, k, **given)


def qwen3_normed(x: Tensor, k: int, **given: Any) -> tuple[Tensor, Tensor, Tensor]:
    """A softmax over all experts, and with norm_topk_prob a division by the sum of the selected.
    The model has no groups, bias or factor; the operator calls it with those of its own."""
    return weighed(torch.softmax(x, -1, dtype=torch.float32), x.dtype, k, **given)


def weighed(
    scores: Tensor,
    dtype: torch.dtype,
    k: int,
    bias: Tensor | None = None,
    k_group: int = 1,
    group_count: int = 1,
    group_select_mode: int = 1,
    routed_scaling_factor: float = 2.5,
    eps: float = 1e-20,
    **of_the_operator: Any,
) -> tuple[Tensor, Tensor, Tensor]:
    """Experts are chosen by scores with a bias, of the best groups, and weighed without it."""
    choice = scores if bias is None else scores + bias.float()
    members = of_best_groups(choice, k_group, group_count, 1 + group_select_mode)
    experts = members.gather(-1, best(choice.gather(-1, members), k))
    weights = scores.gather(-1, experts)
    weights = weights / (weights.sum(-1, keepdim=True) + eps) * routed_scaling_factor
    return weights.to(dtype), experts.int(), scores


def of_best_groups(choice: Tensor, kept: int, count: int, summed: int) -> Tensor:
    """The experts of the groups whose best ``summed`` have the largest sums, in the order of their
    numbers: [rows, those of the kept groups]."""
    grouped = choice.unflatten(-1, (count, -1))
    groups = best(grouped.topk(summed).values.sum(-1), kept).sort(-1).values
    size = grouped.shape[-1]
    return (groups[..., None] * size + torch.arange(size, device=choice.device)).flatten(1)


def qwen3(x: Tensor, k: int, finished: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The best of a softmax over all experts, without norm_topk_prob."""
    scores = torch.softmax(x, -1, dtype=torch.float32)
    experts = best(scores, k)
    weights = scores.gather(-1, experts).to(x.dtype)
    return with_rows(weights, marked(experts, finished, x.shape[-1]))


def gpt_oss(
    x: Tensor, k: int, finished: Tensor | None = None, renorm: int = 1, **fixed: Any
) -> tuple[Tensor, Tensor, None]:
    """The best logits, then a softmax over these alone."""
    experts = best(x, k)
    weights = torch.softmax(x.gather(-1, experts), -1, dtype=torch.float32)
    return weights.to(x.dtype), marked(experts, finished, x.shape[-1]), None


def marked(experts: Tensor, finished: Tensor | None, count: int) -> Tensor:
    """The experts, int32; a row that is ``finished`` names none of them."""
    named = experts if finished is None else experts.masked_fill(finished[..., None], count)
    return named.int()


def with_rows(weights: Tensor, experts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What MoeGatingTopKSoftmax returns: the third tells from which row a slot came."""
    rows = torch.arange(experts.numel(), dtype=torch.int32).reshape(experts.shape[-1], -1).T
    return weights, experts, rows.reshape(experts.shape)


# Wrong twins: a run finds the mistake in each.


def deepseek_v3_weighs_with_bias(
    x: Tensor, k: int, bias: Tensor | None = None, **given: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """The bias moves the weights, too."""
    weights, experts, scores = deepseek_v3(x, k, bias=bias, **given)
    if bias is not None:
        picked = (scores + bias.float()).gather(-1, experts.long())
        weights = picked / picked.sum(-1, keepdim=True) * given["routed_scaling_factor"]
    return weights.to(x.dtype), experts, scores


def deepseek_v3_fills_with_zero(
    x: Tensor, k: int, bias: Tensor | None = None, **given: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Experts of other groups have a key of 0: more than a negative one of the kept groups."""
    weights, _, scores = deepseek_v3(x, k, bias=bias, **given)
    choice = scores if bias is None else scores + bias.float()
    groups = given["k_group"], given["group_count"], 1 + given["group_select_mode"]
    kept = of_best_groups(choice, *groups)
    filled = torch.zeros_like(choice).scatter(-1, kept, choice.gather(-1, kept))
    return weights, best(filled, k).int(), scores


def qwen3_normed_over_all(x: Tensor, k: int, **given: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The weights are divided by the sum over all experts, which changes nothing."""
    _, experts, scores = qwen3_normed(x, k, **given)
    weights = scores.gather(-1, experts.long()) / scores.sum(-1, keepdim=True)
    return (weights * given["routed_scaling_factor"]).to(x.dtype), experts, scores


def qwen3_any_of_equal(
    x: Tensor, k: int, finished: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """torch.topk takes any of equal scores."""
    weights, experts = torch.softmax(x, -1, dtype=torch.float32).topk(k)
    return with_rows(weights.to(x.dtype), marked(experts, finished, x.shape[-1]))


def qwen3_softmax_last(
    x: Tensor, k: int, finished: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The softmax is that of the selected alone."""
    weights, experts, _ = gpt_oss(x, k, finished)
    return with_rows(weights, experts)


def gpt_oss_softmax_first(
    x: Tensor, k: int, finished: Tensor | None = None, **fixed: Any
) -> tuple[Tensor, Tensor, None]:
    """The softmax is that of all experts."""
    weights, experts, _ = qwen3(x, k, finished)
    return weights, experts, None
