"""A small layer of experts, forward and backward: through torch_npu on the simulated device, and on
the CPU by PyTorch's own indexing. Prints, as JSON, what differs.

``certified`` values are small integers and powers of two: every product and sum is exact, so all
bits must agree. ``any`` values are not: what the operators of the family compute is held, from the
values that they were given, against what rounding may do to it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from conformance.devices.torch_npu.simulate import simulate

torch_npu = simulate(Path(os.environ["SUITE_LIBRARIES"]), fallback=True)
import torch  # noqa: E402

TOKENS, TOP_K, EXPERTS, HIDDEN, OUT = 12, 2, 4, 33, 17
UNIT = 2.0**-24


def permute(tokens: torch.Tensor, experts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    order = torch.argsort(experts.flatten(), stable=True)
    return tokens.index_select(0, order // TOP_K), torch.argsort(order)


def unpermute(rows: torch.Tensor, ranks: torch.Tensor, probs: torch.Tensor) -> torch.Tensor:
    return (rows.index_select(0, ranks).reshape(TOKENS, TOP_K, -1) * probs.unsqueeze(-1)).sum(1)


def layer(
    device: str,
    chosen: torch.Tensor,
    leaves: tuple[torch.Tensor, ...],
    upstream: torch.Tensor,
) -> dict[str, torch.Tensor]:
    """Every tensor of the layer and every gradient, on the CPU."""
    there, back = permute, unpermute
    if device == "npu":
        there, back = torch_npu.npu_moe_token_permute, torch_npu.npu_moe_token_unpermute
    tokens, weights, probs = (leaf.detach().clone().to(device).requires_grad_() for leaf in leaves)
    rows, ranks = there(tokens, chosen.to(device))
    ends = torch.cumsum(torch.bincount(chosen.flatten(), minlength=EXPERTS), 0).tolist()
    parts = zip([0, *ends[:-1]], ends, weights, strict=True)
    made = torch.cat([rows[start:end] @ weight for start, end, weight in parts])
    for kept in (rows, made):
        kept.retain_grad()
    out = back(made, ranks, probs)
    out.backward(upstream.to(device))
    held = {"tokens": tokens, "weights": weights, "probs": probs, "rows": rows, "made": made}
    grads = {f"{name} grad": one.grad for name, one in held.items()}
    return {
        name: one.detach().cpu()
        for name, one in ({"out": out, "ranks": ranks, "rows": rows, "made": made} | grads).items()
    }


def beyond(seen: torch.Tensor, terms: torch.Tensor, axis: int) -> int:
    """How many sums are further from the exact one than the roundings of their terms and partial
    sums allow: u for each, of the sum of absolute terms (docs/explanation/numerics.md, "Sums")."""
    count = terms.shape[axis]
    allowed = 1.01 * count * UNIT * terms.abs().sum(axis)
    return int(((seen.double() - terms.sum(axis)).abs() > allowed).sum())


def told(certified: bool) -> dict[str, dict[str, int]]:
    """What differs between the layer on the device and on the CPU, for values of a kind."""
    generator = torch.Generator().manual_seed(7)

    def drawn(*shape: int) -> torch.Tensor:
        if certified:
            return torch.randint(-3, 4, shape, generator=generator).float()
        return torch.randn(shape, generator=generator)

    def shares(*shape: int) -> torch.Tensor:
        if certified:
            return 0.5 ** torch.randint(0, 3, shape, generator=generator).float()
        return torch.rand(shape, generator=generator)

    picked = [torch.randperm(EXPERTS, generator=generator)[:TOP_K] for _ in range(TOKENS)]
    chosen = torch.stack(picked).int()
    order = torch.argsort(torch.argsort(chosen.flatten(), stable=True))
    leaves = (drawn(TOKENS, HIDDEN), drawn(EXPERTS, HIDDEN, OUT), shares(TOKENS, TOP_K))
    upstream = drawn(TOKENS, OUT)
    seen, expected = (layer(device, chosen, leaves, upstream) for device in ("npu", "cpu"))
    made = seen["made"].double()[order].reshape(TOKENS, TOP_K, OUT)
    probs, above = leaves[2].double().unsqueeze(-1), upstream.double().unsqueeze(1)
    grads = seen["made grad"][order].reshape(TOKENS, TOP_K, OUT)
    row_grads = seen["rows grad"][order].reshape(TOKENS, TOP_K, HIDDEN)
    return {
        "differ": {n: int((seen[n] != expected[n]).sum()) for n in seen},
        "elements": {n: one.numel() for n, one in seen.items()},
        "beyond": {
            "out": beyond(seen["out"], made * probs, 1),
            "probs grad": beyond(seen["probs grad"], made * above, 2),
            "made grad": int((grads != (probs * above).float()).sum()),
            "tokens grad": int((seen["tokens grad"] != row_grads.sum(1)).sum()),
        },
    }


print(json.dumps({values: told(values == "certified") for values in sys.argv[1:]}))
