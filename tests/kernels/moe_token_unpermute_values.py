"""Calls of MoeTokenUnpermute with their results, by loops over the document's formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels import moe_token_permute_grad_values
from tests.kernels.moe_token_permute_grad_values import MACHINES, WIDE, Value, permutation
from tests.kernels.signatures import DTYPES, UNPERMUTE, call, numpy_type, random_rows, tensor

Probs = NDArray[Any] | None
NONE = "none"
SIZES = ((1, 1, 1), (2, 1, 8), (3, 2, 17), (5, 3, 100), (7, 8, 40), (50, 2, 3), (4, 90, 33))
"""Tokens, slots of each, columns."""
ATTRIBUTES = {"padded": 0, "restore_shape": None}
INF, NAN = np.inf, np.nan


def by_definition(rows: NDArray[Any], indices: Sequence[int], probs: Probs) -> NDArray[Any]:
    """The sum of permutedTokens[sortedIndices[slot]] * probs[slot] over the slots of each token.

    In float32, from the first slot to the last, every product rounded before it is added. A slot
    adds nothing where its index is beyond the rows or its probability is zero.
    """
    factors = np.ones((len(indices), 1)) if probs is None else probs
    wide, out = rows.astype(np.float32), np.zeros((len(factors), rows.shape[1]), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for token, row_of_factors in enumerate(factors.astype(np.float32)):
            for slot, factor in enumerate(row_of_factors):
                index = indices[token * factors.shape[1] + slot]
                if index < len(rows) and factor != 0:
                    part = wide[index] * factor
                    out[token] = part if slot == 0 else out[token] + part
        return out.astype(rows.dtype)


def value(
    name: str, rows: NDArray[Any], indices: NDArray[Any], probs: Probs, machine: tuple[int, int]
) -> Value:
    expected = by_definition(rows, indices.tolist(), probs)
    inputs = {"rows": rows, "indices": indices.astype(np.int32)}
    inputs |= {} if probs is None else {"probs": probs}
    outputs = {"out": (expected.shape, rows.dtype.name)}
    case = call(UNPERMUTE, inputs, ATTRIBUTES, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, {"out": expected})


def random_probs(shape: tuple[int, int], dtype: str, seed: int) -> NDArray[Any]:
    """Of both signs; one in five is a zero of either sign."""
    probs = random_rows(shape, dtype, seed)
    kinds = np.random.default_rng(seed).integers(0, 10, shape)
    probs[kinds == 0], probs[kinds == 1] = 0.0, -0.0
    return probs


def drawn() -> Iterator[Value]:
    """Every pair of data types on every machine, all sizes; some rows were dropped."""
    every = product(DTYPES, (*DTYPES, NONE), MACHINES, (*SIZES, *WIDE))
    for seed, (dtype, probs_dtype, machine, (tokens, top_k, hidden)) in enumerate(every):
        slots = tokens * top_k
        kept = slots - seed % 3 * slots // 4
        shape = (tokens, top_k)
        probs = None if probs_dtype == NONE else random_probs(shape, probs_dtype, seed + 1)
        rows = random_rows((kept, hidden), dtype, seed)
        name = f"{dtype}, probs {probs_dtype}, {shape}, {kept} rows, hidden {hidden}"
        yield value(name, rows, permutation(slots, seed), probs, machine)


def typed(values: Sequence[Any], dtype: str) -> NDArray[Any]:
    return np.array(values, np.float32).astype(numpy_type(dtype))


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    one = (1, 1024)
    for dtype, probs_dtype in product(DTYPES, DTYPES):
        pair = f"{dtype}, probs {probs_dtype}"
        poison = typed([[INF, NAN, 1], [2, 3, 4], [-INF, 5, 6]], dtype)
        probs = typed([[0.0, 1.5], [-0.0, 0.0], [1.0, 2.0], [-0.0, -3.0]], probs_dtype)
        indices = np.array([0, 1, 2, 0, 3, 1, 2, 1])
        yield value(f"zeros leave out what is infinite, {pair}", poison, indices, probs, one)
        minus = typed([[-0.0, 0.0], [0.0, -0.0]], dtype)
        probs = typed([[1, 0], [-1, 1], [0, 1]], probs_dtype)
        indices = np.array([0, 0, 0, 1, 0, 0])
        yield value(f"signs of zero, {pair}", minus, indices, probs, one)
        large = typed([[3, -1, 2.0**-10]], dtype)
        probs = typed([[INF], [-INF], [2.0**-14], [2.0**15]], probs_dtype)
        yield value(f"large and small, {pair}", large, np.zeros(4, int), probs, one)
    no_number = np.array([[1, NAN], [1, 0]], np.float16)
    rows = random_rows((4, 3), "float32", 0)
    yield value("a probability that is no number", rows, np.arange(4), no_number, one)
    near = np.array([[-(1 + 2.0**-11)], [1 + 2.0**-12]], np.float32)
    probs = np.array([[1, 1 + 2.0**-12]], np.float32)
    yield value("a product is rounded before it is added", near, np.arange(2), probs, one)
    tie = typed([[1.0], [2.0**-8], [2.0**-8]], "bfloat16")
    yield value("rounded once, at the end", tie, np.arange(3), np.ones((1, 3), np.float16), one)
    fine = np.array([[1 + 2.0**-20, -1, 1 + 2.0**-9]], np.float32)
    yield value("probs of more digits", typed([[1], [1], [1]], "float16"), np.arange(3), fine, one)
    many = random_rows((500, 3), "float16", 1)
    probs = random_probs((1, 512), "float16", 2)
    yield value("512 slots, one by one", many, permutation(512, 1), probs, (1, 4096))
    nothing = np.zeros((0, 8), np.float32)
    probs = np.ones((2, 2), np.float32)
    yield value("no source row at all", nothing, np.arange(4), probs, (2, 1024))
    order = np.array([2, 4, 0, 3, 1, 5])
    rows = random_rows((6, 4), "float32", 3)
    yield value("rank, not position", rows, order, None, one)
    yield value("fewer rows than tokens", rows[:3], order, None, one)
    repeated = np.array([1, 1, 0, 1, 1, 1])
    rows = random_rows((2, 5), "bfloat16", 9)
    probs = random_rows((2, 3), "float32", 9)
    yield value("a row that is named twice", rows, repeated, probs, one)


def far() -> Value:
    """Rows far beyond 2^32 elements from the first one, each with a probability."""
    case = moe_token_permute_grad_values.far().case
    held = random_rows((4, 40_000), "float16", 5)
    probs = np.array([[0.5, 3.0], [-1.25, 2.0**-9]], np.float32)
    inputs = {**case.inputs, "probs": tensor(probs)}
    case = replace(case, operator=UNPERMUTE.name, attributes=ATTRIBUTES, inputs=inputs)
    return Value("far rows", case, {"out": by_definition(held, [1, 0, 3, 2], probs)})


def values() -> Iterator[Value]:
    yield from special()
    yield from drawn()
    yield far()
