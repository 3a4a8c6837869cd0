"""A layer of experts as servers of models call it, through torch_npu on the simulated device and in
numpy: gating, routing, a product with each expert's weights, the sum of each token's rows.

Gating selects by softmax, as Qwen3 does, or by sigmoid in groups with a bias, as DeepSeek-V3 does.
Values are certified: scores are exact whatever computes exp, and so are all products and sums.
Every bit must agree. Prints, as JSON, how many elements differ.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.devices.torch_npu.simulate import simulate
from reference import moe_gating_top_k, moe_gating_top_k_softmax

torch_npu = simulate(Path(os.environ["SUITE_LIBRARIES"]), fallback=True)
import torch  # noqa: E402

TOKENS, TOP_K, EXPERTS, HIDDEN, OUT = 13, 2, 8, 33, 17
GROUPS = {"k_group": 2, "group_count": 4, "group_select_mode": 1, "norm_type": 1, "renorm": 0}
FACTOR, EPS = 2.0, 1e-20
FAR = 120
"""A logit so far below another one vanishes in the sum of softmax; its sigmoid is 0 or 1."""

Arrays = dict[str, NDArray[Any]]
RANDOM = np.random.default_rng(7)


def small(*shape: int) -> NDArray[np.float32]:
    return RANDOM.integers(-3, 4, shape).astype(np.float32)


TOKEN_ROWS, WEIGHTS = small(TOKENS, HIDDEN), small(EXPERTS, HIDDEN, OUT)
SHARED = small(TOKENS, OUT)
"""The rows of the expert that all tokens share, which are added at the end."""

BUSY = 2 + 2 * (np.arange(TOKENS)[:, np.newaxis] % 2)
PLACES = RANDOM.permuted(np.tile(np.arange(EXPERTS), (TOKENS, 1)), axis=1)
LOGITS = np.where(PLACES < BUSY, 0, -FAR).astype(np.float32)
"""0 for two or four experts of a token: softmax gives each of them 1/2 or 1/4."""

LEVELS = np.tile(FAR * (np.arange(TOKENS)[:, np.newaxis] % 2), (1, EXPERTS)).astype(np.float32)
BIAS = RANDOM.permutation(EXPERTS).astype(np.float32) / 8
"""Sigmoids of a token are all 1/2 or all 1, so that the bias alone selects."""


def in_numpy(weights: NDArray[Any], chosen: NDArray[Any]) -> Arrays:
    """The layer behind its gating, token by token and slot by slot."""
    out = SHARED.copy()
    for token, experts in enumerate(chosen):
        for share, expert in zip(weights[token], experts, strict=True):
            out[token] += share * (TOKEN_ROWS[token] @ WEIGHTS[expert])
    counts = np.bincount(chosen.ravel(), minlength=EXPERTS)
    return {"weights": weights, "experts": chosen, "counts": counts, "out": out}


def there(array: NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(array).to("npu")


def through_torch_npu(gated: Sequence[torch.Tensor]) -> Arrays:
    """The same as a server writes it: rows by expert, a product for each, a sum for each token."""
    weights, chosen, _ = gated
    rows, ranks, counts, _ = torch_npu.npu_moe_init_routing_v2(
        there(TOKEN_ROWS),
        chosen,
        active_num=TOKENS * TOP_K,
        expert_num=EXPERTS,
        expert_tokens_num_type=1,
        expert_tokens_num_flag=True,
        active_expert_range=[0, EXPERTS],
        quant_mode=-1,
    )
    parts = zip(torch.split(rows, counts.cpu().tolist()), WEIGHTS, strict=True)
    made = torch.cat([part @ there(of_expert) for part, of_expert in parts])
    out = torch_npu.npu_moe_finalize_routing(
        made, there(SHARED), None, None, weights, ranks, None, drop_pad_mode=2
    )
    found = {"weights": weights, "experts": chosen, "counts": counts, "out": out}
    return {name: one.cpu().numpy() for name, one in found.items()}


SOFTMAX = moe_gating_top_k_softmax.formula(LOGITS, TOP_K)
BY_GROUPS = moe_gating_top_k.formula(
    LEVELS, TOP_K, **GROUPS, routed_scaling_factor=FACTOR, eps=EPS, bias=BIAS
)
LAYERS = {
    "softmax": (torch_npu.npu_moe_gating_top_k_softmax(there(LOGITS), None, TOP_K), SOFTMAX),
    "groups": (
        torch_npu.npu_moe_gating_top_k(
            there(LEVELS), TOP_K, bias=there(BIAS), routed_scaling_factor=FACTOR, **GROUPS
        ),
        BY_GROUPS,
    ),
}
DIFFER = {}
for layer, (gated, gating) in LAYERS.items():
    seen = through_torch_npu(gated)
    expected = in_numpy(gating["y"], gating["expert_idx"])
    for name, one in expected.items():
        DIFFER[f"{layer} {name}"] = int((seen[name] != one).sum()) + abs(seen[name].size - one.size)
print(json.dumps(DIFFER))
