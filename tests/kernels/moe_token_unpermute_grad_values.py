"""Calls of MoeTokenUnpermuteGrad with their results, by loops over the document's formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance import poison
from conformance.call.case import Tensor
from tests.kernels.moe_token_permute_grad_values import MACHINES, Value, permutation
from tests.kernels.moe_token_unpermute_values import NONE, Probs, random_probs, typed
from tests.kernels.signatures import DTYPES, UNPERMUTE_GRAD, call, random_bits, random_rows, storage

SIZES = (
    (1, 1, 1),
    (2, 1, 8),
    (3, 2, 17),
    (5, 3, 100),
    (7, 8, 40),
    (60, 2, 3),
    (4, 90, 33),
    (2, 5, 63),
    (2, 5, 64),
    (2, 5, 65),
    (1, 3, 1000),
)
"""Tokens, slots of each, columns."""

COLUMNS = (15, 16, 17, 24, 25, 31, 32, 33, 48, 49, 64, 80, 119, 120, 121, 128, 200, 240, 241, 330)
WIDE = tuple((3, 2, hidden) for hidden in COLUMNS)
"""On a buffer of 1 KiB: with probs fp32 rows are in one tile up to 24 columns and else in tiles of
16, 16-bit rows up to 32 columns. Without probs these are 120 and 240.
"""

LANES = 64
ATTRIBUTES = {"padded": 0, "restore_shape": None}
INF, NAN = np.inf, np.nan


def untouched(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An output as it is before the call."""
    out = np.zeros(shape, dtype)
    poison.fill(out.reshape(-1).view(np.uint8))
    return out


def lane_sum(products: NDArray[np.float32]) -> np.float32:
    """Product c goes to lane c % 64, from the first to the last; then neighbours are added."""
    lanes = [np.float32(0)] * LANES
    for column, one in enumerate(products):
        lanes[column % LANES] = lanes[column % LANES] + one
    while len(lanes) > 1:
        lanes = [left + right for left, right in zip(lanes[::2], lanes[1::2], strict=True)]
    return lanes[0]


def by_definition(
    rows: NDArray[Any], grads: NDArray[Any], indices: Sequence[int], probs: Probs
) -> dict[str, NDArray[Any]]:
    """permutedTokensGrad[sortedIndices[slot]] = unpermutedTokensGrad[token] * probs[slot], and
    probsGrad[slot] = sum(permutedTokens[sortedIndices[slot]] * unpermutedTokensGrad[token]).

    In float32, every result rounded once. An index beyond the rows names none: its probability has
    the gradient 0. Without probs gradients are moved, bit by bit. Rows that no index names stay.
    """
    out = {"row_grads": untouched(rows.shape, rows.dtype)}
    if probs is None:
        for token, index in enumerate(indices):
            if index < len(rows):
                out["row_grads"][index] = grads[token]
        return out
    sums = np.zeros(probs.shape, np.float32)
    wide, wide_grads, factors = (one.astype(np.float32) for one in (rows, grads, probs))
    with np.errstate(over="ignore", invalid="ignore"):
        for token, slot in np.ndindex(*probs.shape):
            index = indices[token * probs.shape[1] + slot]
            if index < len(rows):
                weighted = wide_grads[token] * factors[token, slot]
                out["row_grads"][index] = weighted.astype(rows.dtype)
                sums[token, slot] = lane_sum(wide[index] * wide_grads[token])
        return out | {"prob_grads": sums.astype(probs.dtype)}


def value(
    name: str,
    rows: NDArray[Any],
    grads: NDArray[Any],
    indices: NDArray[Any],
    probs: Probs,
    machine: tuple[int, int],
) -> Value:
    expected = by_definition(rows, grads, indices.tolist(), probs)
    inputs = {"rows": rows, "grads": grads, "indices": indices.astype(np.int32)}
    inputs |= {} if probs is None else {"probs": probs}
    outputs = {key: (array.shape, array.dtype.name) for key, array in expected.items()}
    case = call(UNPERMUTE_GRAD, inputs, ATTRIBUTES, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, expected)


def drawn() -> Iterator[Value]:
    """Every pair of data types and machine, all sizes; slots without a row, rows without a slot."""
    every = product(DTYPES, (*DTYPES, NONE), MACHINES, (*SIZES, *WIDE))
    for seed, (dtype, probs_dtype, machine, (tokens, slots_of_token, hidden)) in enumerate(every):
        top_k = 1 if probs_dtype == NONE else slots_of_token
        slots = tokens * top_k
        kept = max(1, (slots, slots - slots // 3, slots + 2)[seed % 3])
        shape = (tokens, top_k)
        probs = None if probs_dtype == NONE else random_probs(shape, probs_dtype, seed + 1)
        fill = random_bits if probs is None else random_rows
        rows = random_rows((kept, hidden), dtype, seed)
        grads = fill((tokens, hidden), dtype, seed + 2)
        name = f"{dtype}, probs {probs_dtype}, {shape}, {kept} rows, hidden {hidden}"
        indices = permutation(max(slots, kept), seed)[:slots]
        yield value(name, rows, grads, indices, probs, machine)


def copied() -> Iterator[Value]:
    """Without probs: what must arrive as it is."""
    for dtype in DTYPES:
        rows, zeros = random_rows((5, 3), dtype, 0), typed([[-0.0, 0.0, INF]] * 4, dtype)
        order = np.array([2, 4, 0, 3])
        yield value(f"signs of zero, {dtype}", rows, zeros, order, None, (1, 1024))
        many = random_bits((700, 5), dtype, 1)
        every = permutation(700, 2)
        yield value(
            f"many tokens, {dtype}", random_rows((600, 5), dtype, 3), many, every, None, (3, 1024)
        )
        wide = random_bits((2, 1000), dtype, 4)
        yield value(f"tiles, {dtype}", wide, wide, np.array([1, 0]), None, (2, 1024))


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    one = (1, 1024)
    for dtype, probs_dtype in product(DTYPES, DTYPES):
        pair = f"{dtype}, probs {probs_dtype}"
        rows = typed([[3, -1, 2.0**-10], [-0.0, 0.0, -2], [1, INF, -4]], dtype)
        grads = typed([[0.5, -0.0, 1.5], [-3, 2.0**-9, 0.0]], dtype)
        probs = typed([[0.0, -0.0], [-1.5, 2.0**-14]], probs_dtype)
        yield value(f"zeros, {pair}", rows, grads, np.array([1, 0, 9, 2]), probs, one)
        minus = typed([[-0.0, -0.0]], dtype)
        weights = typed([[1], [1]], probs_dtype)
        plus = typed([[1, 1], [-1, -1]], dtype)
        yield value(f"a sum of minus zeros, {pair}", minus, plus, np.array([0, 1]), weights, one)
        large = typed([[INF], [2.0**15], [-INF]], probs_dtype)
        yield value(
            f"large, {pair}", rows, typed([[3, 2.0**-12, -5]] * 3, dtype), np.arange(3), large, one
        )
    near = np.array([[1 + 2.0**-12, -(1 + 2.0**-11)]], np.float32)
    grads = np.array([[1 + 2.0**-12, 1]], np.float32)
    yield value(
        "a product is rounded before it is added",
        near,
        grads,
        np.arange(1),
        np.ones((1, 1), np.float16),
        one,
    )
    ladder = np.ones((1, 129), np.float16)
    ladder[0, ::64] = (2.0**11, 1, 1)
    yield value(
        "beyond 2048 steps of fp16",
        ladder,
        np.ones((1, 129), np.float16),
        np.arange(1),
        np.ones((1, 1), np.float32),
        one,
    )
    tie = typed([[1.0, 2.0**-8, 2.0**-8]], "bfloat16")
    fine = np.array([[1 + 2.0**-20, -1, 1 + 2.0**-9]], np.float32)
    ones = typed([[1, 1, 1]], "bfloat16")
    yield value(
        "rounded once, at the end", np.repeat(tie, 3, axis=0), ones, np.arange(3), fine, one
    )
    yield value(
        "16-bit sums", np.repeat(tie, 3, axis=0), ones, np.arange(3), typed(fine, "bfloat16"), one
    )
    many, probs = random_rows((500, 3), "float16", 1), random_probs((1, 512), "float16", 2)
    yield value("512 slots", many, many[:1], permutation(512, 1), probs, (1, 4096))
    yield value("512 slots over cores", many, many[1:2], permutation(512, 3), probs, (40, 196352))
    rows, grads = random_rows((600, 2), "float32", 4), random_rows((300, 2), "float32", 5)
    probs = random_probs((300, 2), "bfloat16", 6)
    yield value("many batches", rows, grads, permutation(600, 7), probs, one)
    nowhere = np.arange(6) + 3
    yield value(
        "all dropped", rows[:3], grads[:2], nowhere, random_probs((2, 3), "float16", 8), one
    )
    repeats = random_rows((2, 16_500), "bfloat16", 9)
    probs = np.array([[1.5], [-0.75]], np.float32)
    yield value("long rows", repeats, repeats[::-1].copy(), np.array([1, 0]), probs, (2, 196608))


def parts() -> Iterator[Value]:
    """Tokens whose slots are as many as a part has, one fewer, one more and several times as many.

    A part has 2 slots on 4 KiB, 4 on 8 KiB, 95 on Ascend910B and 96 on 910_93.
    """
    machines = {4096: 2, 8192: 4, 196352: 95, 196608: 96}
    for seed, (cores, (ub, part)) in enumerate(product((1, 2), machines.items())):
        for top_k in (part - 1, part, part + 1, 3 * part + 1):
            dtype, probs_dtype = DTYPES[seed % 3], DTYPES[top_k % 3]
            slots = 4 * top_k
            rows, grads = random_rows((slots, 70), dtype, seed), random_rows((4, 70), dtype, top_k)
            probs = random_probs((4, top_k), probs_dtype, seed)
            name = f"{top_k} slots in parts of {part}, {dtype}, probs {probs_dtype}"
            yield value(name, rows, grads, permutation(slots, seed), probs, (cores, ub))


def far() -> Iterator[Value]:
    """Gradients beyond 2^32 elements from the first one; those of dropped tokens do not exist."""
    shape, held = (120_000, 40_000), (5, 33_000, 60_000, 119_999)
    rows = random_rows((3, shape[1]), "float16", 6)
    indices = np.full(shape[0], 9)
    indices[list(held)] = (2, 0, 7, 1)
    grads = random_rows((len(held), shape[1]), "float16", 5)
    kept = [2, 0, 7, 1]
    for probs in (None, random_rows((shape[0], 1), "float32", 7)):
        few = None if probs is None else probs[list(held)]
        expected = by_definition(rows, grads, kept, few)
        inputs = {"rows": rows, "indices": indices.astype(np.int32)}
        if probs is not None:
            inputs["probs"] = probs
            sums = np.zeros_like(probs)
            sums[list(held)] = expected["prob_grads"]
            expected["prob_grads"] = sums
        outputs = {key: (array.shape, array.dtype.name) for key, array in expected.items()}
        case = call(UNPERMUTE_GRAD, inputs, ATTRIBUTES, outputs)
        sparse = Tensor(shape, "float16", storage(grads), rows=held)
        yield Value(
            f"far, probs {probs is not None}",
            replace(case, inputs={**case.inputs, "grads": sparse}),
            expected,
        )


def values() -> Iterator[Value]:
    yield from special()
    yield from copied()
    yield from parts()
    yield from drawn()
    yield from far()
