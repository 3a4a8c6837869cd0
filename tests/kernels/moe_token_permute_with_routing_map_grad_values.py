"""Calls of MoeTokenPermuteWithRoutingMapGrad with their results, by loops over the document's
formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.moe_token_permute_grad_values import MACHINES, Value, by_definition
from tests.kernels.signatures import DTYPES, ROUTING_MAP_GRAD, call, numpy_type, random_rows

SLOTTED = (
    (1, 1, 1, 1),
    (2, 3, 2, 8),
    (5, 8, 3, 17),
    (7, 33, 4, 40),
    (3, 64, 8, 100),
    (60, 5, 2, 9),
    (130, 31, 2, 5),
    (100, 2, 1, 200),
)
"""Tokens, experts, slots of each token, columns."""
PADDED = (
    (1, 1, 1, 1),
    (3, 2, 2, 8),
    (7, 5, 3, 17),
    (9, 100, 5, 1),
    (20, 40, 7, 40),
    (40, 8, 9, 200),
    (200, 3, 100, 4),
)
"""Tokens, experts, rows of each expert, columns."""


def added_rows(rows: NDArray[Any], named: Sequence[int], tokens: int) -> NDArray[Any]:
    """tokensGradout = zeros; tokensGradout[permuteTokenId[i]] += permutedTokens[outIndex[i]].

    In float32, rows in their order.
    """
    out = np.zeros((tokens, rows.shape[1]), np.float32)
    for row, token in enumerate(named):
        out[token] += rows[row].astype(np.float32)
    return out.astype(rows.dtype)


def masked_scatter(values: NDArray[Any], routing_map: NDArray[Any]) -> NDArray[Any]:
    """Values in the true places, expert by expert, and token by token for each; zeros elsewhere."""
    out = np.zeros(routing_map.shape, values.dtype)
    taken = 0
    for expert in range(routing_map.shape[1]):
        for token in range(routing_map.shape[0]):
            if routing_map[token, expert] != 0:
                out[token, expert] = values[taken]
                taken += 1
    return out


def scatter(values: NDArray[Any], named: Sequence[int], tokens: int, experts: int) -> NDArray[Any]:
    """probsGrad[sortedIndices[i], i // capacity] = permutedProbsOutputGrad[i]; zeros elsewhere."""
    out = np.zeros((tokens, experts), values.dtype)
    for row, token in enumerate(named):
        out[token, row // (len(named) // experts)] = values[row]
    return out


def random_map(tokens: int, experts: int, top_k: int, seed: int) -> NDArray[Any]:
    """A routing map with ``top_k`` true places to a token; any value but 0 is true."""
    generator = np.random.default_rng(seed)
    made = np.zeros((tokens, experts), np.int8)
    for row in made:
        row[generator.permutation(experts)[:top_k]] = generator.choice([1, 1, 2, -1])
    return made


def value(
    name: str,
    rows: NDArray[Any],
    named: NDArray[Any],
    routing_map: NDArray[Any],
    machine: tuple[int, int],
    *,
    pad: bool,
    values: NDArray[Any] | None = None,
) -> Value:
    """The call and its results; without ``values`` it has no gradient of the probs."""
    tokens, experts = routing_map.shape
    indices = named.astype(np.int32)
    expected = (
        added_rows(rows, indices.tolist(), tokens)
        if pad
        else by_definition(rows, indices.tolist(), len(rows) // tokens)
    )
    inputs = {"rows": rows, "indices": indices, "map": routing_map}
    results = {"tokens_grad": expected}
    if values is not None:
        inputs["values"] = values
        results["probs_grad"] = (
            scatter(values, indices.tolist(), tokens, experts)
            if pad
            else masked_scatter(values, routing_map)
        )
    outputs = {key: (one.shape, rows.dtype.name) for key, one in results.items()}
    attributes = {"experts": experts, "tokens": tokens, "pad": int(pad)}
    case = call(ROUTING_MAP_GRAD, inputs, attributes, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, results)


def slotted(
    sizes: tuple[int, int, int, int], dtype: str, machine: tuple[int, int], seed: int
) -> Value:
    tokens, experts, top_k, hidden = sizes
    count = tokens * top_k
    return value(
        f"{dtype}, {tokens} tokens, {experts} experts, {top_k} slots, hidden {hidden}",
        random_rows((count, hidden), dtype, seed),
        np.random.default_rng(seed).permutation(count),
        random_map(tokens, experts, top_k, seed),
        machine,
        pad=False,
        values=random_rows((count,), dtype, seed + 1) if seed % 5 else None,
    )


def padded(
    sizes: tuple[int, int, int, int], dtype: str, machine: tuple[int, int], seed: int
) -> Value:
    tokens, experts, capacity, hidden = sizes
    generator = np.random.default_rng(seed)
    named = np.concatenate([generator.permutation(tokens)[:capacity] for _ in range(experts)])
    return value(
        f"{dtype}, {tokens} tokens, {experts} experts of {capacity} rows, hidden {hidden}",
        random_rows((len(named), hidden), dtype, seed),
        named,
        random_map(tokens, experts, 1, seed),
        machine,
        pad=True,
        values=random_rows((len(named),), dtype, seed + 1) if seed % 5 else None,
    )


def drawn() -> Iterator[Value]:
    """Every dtype and machine, all sizes, with and without the gradient of the probs."""
    for seed, (dtype, machine, sizes) in enumerate(product(DTYPES, MACHINES, SLOTTED)):
        yield slotted(sizes, dtype, machine, seed)
    for seed, (dtype, machine, sizes) in enumerate(product(DTYPES, MACHINES, PADDED)):
        yield padded(sizes, dtype, machine, seed)


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    one, two = (1, 1024), (2, 1024)
    ones = np.ones((6, 3), np.float32)
    numbers = np.arange(1, 7, dtype=np.float32)
    plain = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], np.int8)
    yield value("the map as int8", ones, np.arange(6), plain, two, pad=False, values=numbers)
    as_bool = plain.astype(np.bool_)
    yield value("the map as bool", ones, np.arange(6), as_bool, two, pad=False, values=numbers)
    last = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 1]], np.int8)
    yield value(
        "the last expert alone", ones[:3], np.arange(3), last, two, pad=False, values=numbers[:3]
    )
    none = np.zeros((3, 3), np.int8)
    yield value("no true place", ones, np.arange(6), none, two, pad=False, values=numbers)
    drops = np.array([6, 0, 1, 9, 7, 8])
    yield value("dropped slots", random_rows((6, 9), "float16", 3), drops, plain, one, pad=False)
    dense = np.full((9, 40), -1, np.int8)
    rows, values = random_rows((360, 2), "bfloat16", 4), random_rows((360,), "bfloat16", 5)
    order = np.random.default_rng(4).permutation(360)
    yield value("every place true", rows, order, dense, (3, 1024), pad=False, values=values)
    payloads = np.array([0x7FC1, 0xFFC2, 0x8000, 0x0001, 0x7F80, 0xFF80], np.uint16)
    bits = payloads.view(numpy_type("bfloat16"))
    for pad in (False, True):
        named = np.array([0, 1, 2, 0, 1, 2]) if pad else np.arange(6)
        shape = np.ones((3, 2), np.int8)
        rows = random_rows((6, 4), "bfloat16", 6)
        yield value(f"NaN bits are kept, pad {pad}", rows, named, shape, two, pad=pad, values=bits)
    # Every row names one token: only a stable sort keeps their order, which an fp32 sum shows.
    rows, tie = random_rows((300, 5), "float32", 7), np.full(300, 2)
    for machine in (one, two, (3, 1024), (40, 196352)):
        yield value(
            "all rows name one token", rows, tie, np.ones((4, 300), np.int8), machine, pad=True
        )
    idle = np.array([5, 5, 1, 5])
    shape = np.ones((8, 2), np.int8)
    yield value(
        "tokens without a row", random_rows((4, 9), "float16", 8), idle, shape, two, pad=True
    )
    falling = np.arange(700)[::-1]
    rows = random_rows((700, 3), "float32", 9)
    yield value("falling tokens", rows, falling, np.ones((700, 2), np.int8), one, pad=True)
    minus_zero = np.full((1, 3), -0.0, np.float32)
    yield value(
        "zeros before minus zero", minus_zero, np.zeros(1), np.ones((1, 1), np.int8), one, pad=True
    )
    far = np.random.default_rng(9).permutation(40_000)[:33_000]
    rows = random_rows((33_000, 1), "float16", 10)
    yield value("beyond 2^15", rows, far, np.ones((40_000, 1), np.int8), (48, 196352), pad=True)


def values() -> Iterator[Value]:
    yield from special()
    yield from drawn()
