"""References of gradients are what torch's autograd makes of copies by index_select.

The formulation is the one that users write: rows are selected by index, weighed, and summed over
the slots of a token; what autograd derives from it owes nothing to the documents of the gradients.
Values are small integers in float64, so that every sum is exact in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reference import (
    moe_finalize_routing_v2_grad,
    moe_init_routing_v2_grad,
    moe_token_permute_grad,
    moe_token_permute_with_ep_grad,
    moe_token_permute_with_routing_map_grad,
    moe_token_unpermute_grad,
)

torch = pytest.importorskip("torch", reason="torch is not installed: pip install .[torch]")

SIZES = [(1, 1, 1), (4, 1, 3), (5, 2, 4), (3, 5, 7), (16, 8, 2)]
"""Tokens, slots of each, columns."""

Floats = NDArray[np.float64]
Generator = np.random.Generator


@pytest.fixture(params=SIZES, ids=str)
def sizes(request: pytest.FixtureRequest) -> tuple[int, int, int]:
    return tuple(request.param)  # type: ignore[return-value]


@pytest.fixture
def generator(sizes: tuple[int, int, int]) -> Generator:
    return np.random.default_rng(sizes)


def numbers(generator: Generator, *shape: int) -> Floats:
    return generator.integers(-9, 10, shape).astype(np.float64)


def leaf(array: Floats) -> Any:
    """A tensor whose gradient is asked for."""
    return torch.tensor(array, requires_grad=True)


def selected(rows: Any, indices: NDArray[Any]) -> Any:
    """Rows by index; a row of zeros where the index is negative."""
    padded = torch.cat([rows, torch.zeros_like(rows[:1])])
    numbered = np.where(indices < 0, len(rows), indices).astype(np.int64).ravel()
    return padded.index_select(0, torch.from_numpy(numbered))


def backward(output: Any, gradient: Floats, *leaves: Any) -> list[Floats]:
    """Gradients by autograd, each of the shape of its leaf."""
    found = torch.autograd.grad(output, leaves, torch.from_numpy(gradient).reshape(output.shape))
    return [gradient.numpy() for gradient in found]


def permuted(tokens: Any, ranks: NDArray[Any], start: int, end: int) -> Any:
    """The copies of tokens whose slots have the ranks from start to end."""
    slots = np.argsort(ranks)[start:end]
    return selected(tokens, slots // (len(ranks) // len(tokens)))


def windows(slots: int) -> list[tuple[int, int]]:
    return sorted({(0, slots), (0, (slots + 1) // 2), (slots // 2, slots), (slots // 3, slots)})


def test_token_permute_grad(sizes, generator):
    tokens, top_k, hidden = sizes
    ranks = generator.permutation(tokens * top_k).astype(np.int32)
    for rows in {tokens * top_k, (tokens * top_k + 1) // 2}:
        x = leaf(numbers(generator, tokens, hidden))
        gradient = numbers(generator, rows, hidden)
        (due,) = backward(permuted(x, ranks, 0, rows), gradient, x)
        found = moe_token_permute_grad.formula(gradient, ranks, num_topk=top_k)
        np.testing.assert_array_equal(found, due)


def test_init_routing_v2_grad_without_capacity(sizes, generator):
    tokens, top_k, hidden = sizes
    ranks = generator.permutation(tokens * top_k).astype(np.int32)
    for active in {0, (tokens * top_k + 1) // 2}:
        rows = active or tokens * top_k
        x = leaf(numbers(generator, tokens, hidden))
        gradient = numbers(generator, rows, hidden)
        (due,) = backward(permuted(x, ranks, 0, rows), gradient, x)
        found = moe_init_routing_v2_grad.formula(gradient, ranks, top_k=top_k, active_num=active)
        np.testing.assert_array_equal(found, due)


def test_init_routing_v2_grad_with_capacity(sizes, generator):
    tokens, top_k, hidden = sizes
    experts, capacity = 3, tokens
    places = generator.permutation(experts * capacity)
    slots = np.where(np.arange(places.size) < tokens * top_k, np.arange(places.size), -1)
    owners = np.full(places.size, -1)
    owners[places] = np.where(slots < 0, -1, slots // top_k)
    named = np.full(tokens * top_k, -1, np.int32)
    kept = min(places.size, named.size)
    named[:kept] = places[:kept]
    x = leaf(numbers(generator, tokens, hidden))
    gradient = numbers(generator, experts, capacity, hidden)
    (due,) = backward(selected(x, owners), gradient, x)
    found = moe_init_routing_v2_grad.formula(gradient, named, top_k=top_k, drop_pad_mode=1)
    np.testing.assert_array_equal(found, due)


def test_token_permute_with_ep_grad(sizes, generator):
    tokens, top_k, hidden = sizes
    ranks = generator.permutation(tokens * top_k).astype(np.int32)
    for start, end in windows(ranks.size):
        x, probs = leaf(numbers(generator, tokens, hidden)), leaf(numbers(generator, tokens, top_k))
        gradient = numbers(generator, end - start, hidden)
        probs_gradient = numbers(generator, end - start)
        if start == end:
            continue
        (due,) = backward(permuted(x, ranks, start, end), gradient, x)
        copies = probs.reshape(-1).index_select(0, torch.from_numpy(np.argsort(ranks)[start:end]))
        (probs_due,) = backward(copies, probs_gradient, probs)
        found = moe_token_permute_with_ep_grad.formula(
            gradient, ranks, probs_gradient, num_topk=top_k, rank_range=(start, end)
        )
        tokens_found, probs_found = found.values()
        np.testing.assert_array_equal(tokens_found, due)
        np.testing.assert_array_equal(probs_found, probs_due)


def test_token_permute_with_routing_map_grad_without_capacity(sizes, generator):
    tokens, top_k, hidden = sizes
    experts = top_k + 2
    routes = np.argsort(generator.random((tokens, experts)), axis=1) < top_k
    owners = np.nonzero(routes.T)[1]
    ranks = np.argsort(np.argsort(np.nonzero(routes)[1], kind="stable")).astype(np.int32)
    asked = {"num_experts": experts, "tokens_num": tokens, "drop_and_pad": 0}
    x, probs = leaf(numbers(generator, tokens, hidden)), leaf(numbers(generator, tokens, experts))
    gradient, of_probs = numbers(generator, owners.size, hidden), numbers(generator, owners.size)
    (due,) = backward(selected(x, owners), gradient, x)
    by_expert = probs.T.masked_select(torch.from_numpy(routes.T))
    (probs_due,) = backward(by_expert, of_probs, probs)
    module = moe_token_permute_with_routing_map_grad
    np.testing.assert_array_equal(module.tokens_formula(gradient, ranks, routes, **asked), due)
    found = module.probs_formula(of_probs, ranks, routes, **asked)
    np.testing.assert_array_equal(found, probs_due)


def test_token_permute_with_routing_map_grad_with_capacity(sizes, generator):
    tokens, top_k, hidden = sizes
    experts, capacity = top_k, (tokens + 1) // 2
    ids = np.concatenate([generator.permutation(tokens)[:capacity] for _ in range(experts)])
    asked = {"num_experts": experts, "tokens_num": tokens, "drop_and_pad": 1}
    x, probs = leaf(numbers(generator, tokens, hidden)), leaf(numbers(generator, tokens, experts))
    gradient, of_probs = numbers(generator, ids.size, hidden), numbers(generator, ids.size)
    (due,) = backward(selected(x, ids), gradient, x)
    cells = ids * experts + np.arange(ids.size) // capacity
    chosen = probs.reshape(-1).index_select(0, torch.from_numpy(cells))
    (probs_due,) = backward(chosen, of_probs, probs)
    module, named = moe_token_permute_with_routing_map_grad, ids.astype(np.int32)
    np.testing.assert_array_equal(module.tokens_formula(gradient, named, None, **asked), due)
    routes = np.ones((tokens, experts), np.int8)
    found = module.probs_formula(of_probs, named, routes, **asked)
    np.testing.assert_array_equal(found, probs_due)


def test_token_unpermute_grad(sizes, generator):
    tokens, top_k, hidden = sizes
    ranks = generator.permutation(tokens * top_k).astype(np.int32)
    for rows in {tokens * top_k, (tokens * top_k + 1) // 2}:
        x, probs = leaf(numbers(generator, rows, hidden)), leaf(numbers(generator, tokens, top_k))
        gradient = numbers(generator, tokens, hidden)
        named = np.where(ranks < rows, ranks, -1)
        weighed = selected(x, named).reshape(tokens, top_k, hidden) * probs[:, :, None]
        due, probs_due = backward(weighed.sum(1), gradient, x, probs)
        found = moe_token_unpermute_grad.formula(
            gradient, ranks, x.detach().numpy(), probs.detach().numpy()
        )
        rows_found, probs_found = found.values()
        np.testing.assert_array_equal(rows_found, due)
        np.testing.assert_array_equal(probs_found, probs_due)


@pytest.mark.parametrize("biased", [False, True], ids=["no bias", "bias"])
def test_finalize_routing_v2_grad(sizes, generator, biased):
    tokens, top_k, hidden = sizes
    slots, experts = tokens * top_k, top_k + 2
    ranks = generator.permutation(slots).astype(np.int32)
    x, scales = leaf(numbers(generator, slots, hidden)), leaf(numbers(generator, tokens, top_k))
    bias, chosen = numbers(generator, experts, hidden), generator.integers(0, experts, slots)
    gradient = numbers(generator, tokens, hidden)
    rows = selected(x, ranks) + (selected(torch.tensor(bias), chosen) if biased else 0)
    weighed = rows.reshape(tokens, top_k, hidden) * scales[:, :, None]
    due, scales_due = backward(weighed.sum(1), gradient, x, scales)
    of_experts = {"expert_idx": chosen.astype(np.int32).reshape(tokens, top_k), "bias": bias}
    found = moe_finalize_routing_v2_grad.formula(
        gradient,
        ranks,
        x.detach().numpy(),
        scales.detach().numpy(),
        **(of_experts if biased else {}),
    )
    np.testing.assert_array_equal(found["grad_expanded_x"], due)
    np.testing.assert_array_equal(found["grad_scales"], scales_due)
