"""Calls of MoeTokenPermuteWithRoutingMap with their results, by loops over its formula."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor
from tests.kernels.moe_token_permute_grad_values import MACHINES, Value
from tests.kernels.signatures import (
    DTYPES,
    ROUTING_MAP,
    call,
    numpy_type,
    random_bits,
    storage,
    tensor,
)

Results = dict[str, NDArray[Any]]
SMALL = (1, 1024)
RANKED = (
    (1, 1, 1, 1),
    (2, 3, 2, 8),
    (5, 8, 3, 17),
    (7, 33, 4, 40),
    (3, 64, 64, 100),
    (60, 5, 2, 9),
    (130, 31, 2, 5),
    (100, 2, 1, 200),
    (9, 90, 33, 3),
)
"""Tokens, experts, experts of each token, columns."""
PADDED = (
    (1, 1, 1, 1),
    (3, 2, 2, 8),
    (7, 5, 3, 17),
    (9, 100, 5, 1),
    (20, 40, 7, 40),
    (40, 8, 9, 200),
    (200, 3, 100, 4),
    (30, 4, 30, 7),
)
"""Tokens, experts, rows of each expert, columns."""


def by_rank(tokens: NDArray[Any], routing_map: NDArray[Any], probs: NDArray[Any] | None) -> Results:
    """Without dropAndPad: the ranks are a stable argsort of the selected tokens, expert by expert.

    permuteTokens[ranks[i]] = tokens[i // topK].
    """
    count, experts = routing_map.shape
    chosen = [(e, t) for e in range(experts) for t in range(count) if routing_map[t, e]]
    ranks = sorted(range(len(chosen)), key=lambda place: chosen[place][1])
    top_k = len(chosen) // count
    permuted = np.zeros((len(chosen), tokens.shape[1]), tokens.dtype)
    for place, rank in enumerate(ranks):
        permuted[rank] = tokens[place // top_k]
    moved = {} if probs is None else {"permuted_probs": np.array([probs[t, e] for e, t in chosen])}
    return {"permuted": permuted, **moved, "indices": np.array(ranks, np.int32)}


def by_capacity(
    tokens: NDArray[Any], routing_map: NDArray[Any], probs: NDArray[Any] | None, capacity: int
) -> Results:
    """With dropAndPad: each expert's selected tokens, then the others, as many as it has rows."""
    count, experts = routing_map.shape
    named: list[int] = []
    for expert in range(experts):
        selected = [t for t in range(count) if routing_map[t, expert]]
        others = [t for t in range(count) if not routing_map[t, expert]]
        named += (selected + others)[:capacity]
    permuted = np.array([tokens[t] for t in named], tokens.dtype)
    moved = {}
    if probs is not None:
        pairs = [(t, row // capacity) for row, t in enumerate(named)]
        moved["permuted_probs"] = np.array([probs[t, e] for t, e in pairs])
    return {"permuted": permuted, **moved, "indices": np.array(named, np.int32)}


def random_map(tokens: int, experts: int, top_k: int, seed: int) -> NDArray[Any]:
    """A routing map with ``top_k`` ones to a token, int8 or bool."""
    generator = np.random.default_rng(seed)
    made = np.zeros((tokens, experts), np.int8 if seed % 2 else np.bool_)
    for row in made:
        row[generator.permutation(experts)[:top_k]] = 1
    return made


def value(
    name: str,
    tokens: NDArray[Any],
    routing_map: NDArray[Any],
    number: int,
    machine: tuple[int, int] | None = SMALL,
    *,
    pad: bool = False,
    probs: NDArray[Any] | None = None,
) -> Value:
    """The call and its results."""
    expected = (
        by_capacity(tokens, routing_map, probs, number // routing_map.shape[1])
        if pad
        else by_rank(tokens, routing_map, probs)
    )
    inputs = {"tokens": tokens, "map": routing_map}
    if probs is not None:
        inputs["probs"] = probs
    outputs = {key: (one.shape, one.dtype.name) for key, one in expected.items()}
    attributes = {"number": number, "pad": int(pad)}
    case = call(ROUTING_MAP, inputs, attributes, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, expected)


def random_value(
    sizes: tuple[int, int, int, int],
    dtype: str,
    machine: tuple[int, int],
    seed: int,
    *,
    pad: bool,
) -> Value:
    """A call of these sizes with random bits; some have no probs, or ask for a few rows more than
    come out even.
    """
    tokens, experts, each, hidden = sizes
    sharers = experts if pad else tokens
    wide = sharers * each + (seed % sharers if each < (tokens if pad else experts) else 0)
    return value(
        f"{dtype}, {tokens} tokens, {experts} experts, {each} each, hidden {hidden}, pad {pad}",
        random_bits((tokens, hidden), dtype, seed),
        random_map(tokens, experts, min(each, experts), seed) if not pad else uneven(*sizes, seed),
        wide,
        machine,
        pad=pad,
        probs=random_bits((tokens, experts), dtype, seed + 1) if seed % 3 else None,
    )


def uneven(tokens: int, experts: int, each: int, hidden: int, seed: int) -> NDArray[Any]:
    """A routing map of which some experts take more tokens than they have rows and some fewer."""
    generator = np.random.default_rng(seed)
    shares = generator.choice([0.0, 0.2, each / tokens, 0.9, 1.0], experts)
    return (generator.random((tokens, experts)) < shares).astype(np.int8 if seed % 2 else np.bool_)


def drawn() -> Iterator[Value]:
    """Every dtype and machine, all sizes of both modes."""
    for pad, every in ((False, RANKED), (True, PADDED)):
        for seed, (dtype, machine, sizes) in enumerate(product(DTYPES, MACHINES, every)):
            yield random_value(sizes, dtype, machine, seed, pad=pad)


PAYLOADS = np.array([0x7FC1, 0xFFC2, 0x8000, 0x0001, 0x7F80, 0xFF80, 0x7F81, 0x0000], np.uint16)
"""Of bf16: two NaNs with payloads, minus zero, a subnormal, infinities, a signalling NaN, zero."""


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    plain = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], np.int8)
    rows = random_bits((3, 9), "float16", 1)
    for kind in (np.int8, np.bool_):
        for pad in (False, True):
            yield value("the map's type", rows, plain.astype(kind), 6, (2, 1024), pad=pad)
    special_bits = PAYLOADS.view(numpy_type("bfloat16"))
    both = np.ones((4, 2), np.int8)
    for pad in (False, True):
        yield value(
            f"bits are kept, pad {pad}",
            special_bits.reshape(4, 2),
            both,
            8,
            pad=pad,
            probs=special_bits.reshape(4, 2),
        )
    one = np.array([[0, 0, 1]] * 5, np.int8)
    rows = random_bits((5, 3), "float32", 2)
    probs = random_bits((5, 3), "float32", 3)
    yield value("the last expert alone", rows, one, 5, (2, 1024), probs=probs)
    for capacity in (1, 4, 5):
        yield value(
            "experts without a token", rows, one, 3 * capacity, (2, 1024), pad=True, probs=probs
        )
    none, every = np.zeros((5, 3), np.int8), np.ones((5, 3), np.int8)
    yield value("no token selected", rows, none, 12, (3, 1024), pad=True, probs=probs)
    yield value("all tokens selected", rows, every, 9, (3, 1024), pad=True, probs=probs)
    wide = random_map(6, 512, 512, 4)
    yield value("512 experts of each token", random_bits((6, 1), "float16", 4), wide, 3072)
    wide = random_map(4, 700, 300, 5)
    probs = random_bits((4, 700), "float32", 6)
    for pad, number in ((False, 1200), (True, 1400)):
        yield value(
            "experts in many tiles",
            random_bits((4, 5), "float32", 5),
            wide,
            number + 3,
            SMALL,
            pad=pad,
            probs=probs,
        )
    many = random_map(40_000, 2, 1, 7)
    rows, probs = random_bits((40_000, 1), "float16", 7), random_bits((40_000, 2), "float16", 8)
    yield value("beyond 2^15", rows, many, 40_000, (48, 196352), probs=probs)
    yield value("beyond 2^15", rows, many, 80_000, (48, 196352), pad=True, probs=probs)


def far() -> Value:
    """Rows whose elements lie beyond 2^31 and 2^32 of the first one, and above 2^15."""
    shape, held = (120_000, 40_000), (5, 33_000, 60_000, 119_999)
    rows = random_bits((len(held), shape[1]), "float16", 9)
    selected = np.zeros((shape[0], 1), np.int8)
    selected[list(held)] = 1
    case = Case(
        operator=ROUTING_MAP.name,
        mode="",
        dtype="float16",
        attributes={"number": 4, "pad": 1},
        inputs={
            "tokens": Tensor(shape, "float16", values=storage(rows), rows=held),
            "map": tensor(selected),
        },
        outputs={
            "permuted": Tensor((4, shape[1]), "float16"),
            "indices": Tensor((4,), "int32"),
        },
    )
    return Value("far rows", case, {"permuted": rows, "indices": np.array(held, np.int32)})


def values() -> Iterator[Value]:
    yield from drawn()
    yield from special()
    yield far()
