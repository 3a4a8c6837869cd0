"""Calls of MoeTokenPermuteWithEpGrad with their results, by loops over the formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor
from tests.kernels.moe_token_permute_grad_values import (
    MACHINES,
    SIZES,
    WIDE,
    Value,
    permutation,
)
from tests.kernels.signatures import (
    DTYPES,
    PERMUTE_EP_GRAD,
    call,
    numpy_type,
    random_bits,
    random_rows,
)

Span = tuple[int, ...] | None
Probs = NDArray[Any] | None
ONE = (1, 1024)
LEAST_BATCH = 26
"""On a buffer of 1 KiB a core gathers so many probabilities of fp32 in one batch; it is 27 of the
16-bit types.
"""


def tokens_by_definition(
    rows: NDArray[Any], indices: Sequence[int], top_k: int, span: Span
) -> NDArray[Any]:
    """The sum over a token's slots of the rows of those ranks that lie in the range.

    In float32, from the first slot to the last; row 0 has the rank at which the range starts.
    """
    start, end = span or (0, 0)
    tokens = len(indices) // top_k
    out = np.zeros((tokens, rows.shape[1]), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for token in range(tokens):
            for slot in range(top_k):
                rank = indices[token * top_k + slot]
                if start <= rank < end:
                    row = rows[rank - start].astype(np.float32)
                    out[token] = row if slot == 0 else out[token] + row
        return out.astype(rows.dtype)


def probs_by_definition(
    probs: NDArray[Any], indices: Sequence[int], top_k: int, span: Span
) -> NDArray[Any]:
    """Of each slot the element of its rank, bit by bit; zero where its rank is not in the range."""
    start, end = span or (0, 0)
    out = np.zeros((len(indices) // top_k, top_k), probs.dtype)
    for slot, rank in enumerate(indices):
        if start <= rank < end:
            out[slot // top_k, slot % top_k] = probs[rank - start]
    return out


def value(
    name: str,
    rows: NDArray[Any],
    indices: NDArray[Any],
    top_k: int,
    span: Span,
    probs: Probs = None,
    machine: tuple[int, int] = ONE,
) -> Value:
    listed = indices.tolist()
    expected = {"tokens_grad": tokens_by_definition(rows, listed, top_k, span)}
    inputs = {"rows": rows, "indices": indices.astype(np.int32)}
    if probs is not None:
        expected["probs_grad"] = probs_by_definition(probs, listed, top_k, span)
        inputs["probs"] = probs
    outputs = {key: (array.shape, rows.dtype.name) for key, array in expected.items()}
    attributes = {"top_k": top_k, "range": span, "padded": 0}
    case = call(PERMUTE_EP_GRAD, inputs, attributes, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, expected)


def drawn_span(slots: int, seed: int) -> Span:
    """All ranks, those behind or before one, some, one, ranks past both ends; and none at all."""
    middle, third = slots // 2, slots // 3
    return (
        (0, slots),
        (middle, slots),
        (third, middle + 1),
        (0, middle + 1),
        (-2, slots + 3),
        (slots - 1, slots),
        (middle, middle),
        (slots, third),
        None,
    )[seed % 9]


def length(span: Span) -> int:
    start, end = span or (0, 0)
    return max(0, end - start)


def drawn() -> Iterator[Value]:
    """Every dtype and machine, all sizes, with probabilities of any bits or without."""
    every = product(DTYPES, MACHINES, (*SIZES, *WIDE))
    for seed, (dtype, machine, (tokens, top_k, hidden)) in enumerate(every):
        slots = tokens * top_k
        span = drawn_span(slots, seed)
        rows = random_rows((length(span) + seed % 2, hidden), dtype, seed)
        probs = random_bits((length(span) + seed % 3,), dtype, seed) if seed % 4 else None
        name = f"{dtype}, {tokens} tokens of {top_k} slots, ranks {span}, hidden {hidden}"
        yield value(name, rows, permutation(slots, seed), top_k, span, probs, machine)


def special_bits(dtype: str) -> NDArray[Any]:
    """What arithmetic may change: NaNs of every kind, zeros of both signs, subnormals."""
    kind = numpy_type(dtype)
    bits = np.dtype(f"<u{kind.itemsize}")
    fraction = {"float32": 23, "float16": 10, "bfloat16": 7}[dtype]
    top = 1 << (8 * kind.itemsize - 1)
    infinity = (top - 1) >> fraction << fraction
    quiet = 1 << (fraction - 1)
    found = [0, 1, (1 << fraction) - 1, infinity, infinity | 1, infinity | quiet, top - 1]
    return np.array([*found, *(top | one for one in found)], bits).view(kind)


def moved() -> Iterator[Value]:
    """Probabilities of every kind, in and out of the range, over seams of batches."""
    for seed, dtype in enumerate(DTYPES):
        kinds = special_bits(dtype)
        count = len(kinds)
        rows = random_rows((count, 3), dtype, seed)
        order = permutation(2 * count, seed)
        span = (count // 2, count // 2 + count)
        yield value(f"every kind of bits, {dtype}", rows, order, 2, span, kinds)
        batch = LEAST_BATCH + (dtype != "float32")
        for slots in (batch - 1, batch, batch + 1, 2 * batch, 2 * batch + 1):
            rows, probs = random_rows((slots - 1, 1), dtype, slots), random_bits((slots,), dtype, 1)
            order = permutation(slots, slots)
            name = f"{slots} probabilities, {dtype}"
            yield value(name, rows, order, 1, (1, slots), probs)
            yield value(name, rows, order, 1, (1, slots), probs, (2, 1024))


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    rows, probs = random_rows((4, 9), "float32", 7), random_bits((4,), "float32", 7)
    ends = np.array([3, 4, 5, 8, 7, 9, 2, 8, 0, 4, 1, 6])
    for top_k in (1, 2, 3, 12):
        yield value("both ends of the range", rows, ends, top_k, (4, 8), probs)
    few = np.array([2**31 - 1, -1, -(2**31), 0, 1, 7])
    for span in ((0, 4), (-1, 2), (-4, 0), (2**31 - 3, 2**31 + 1), (-(2**31), -(2**31) + 3)):
        yield value(f"far ranks, {span}", rows, few, 2, span, probs)
    most = 2**63 - 1
    for none in (None, (0, 0), (3, 3), (4, 0), (most, -most - 1), (-most - 1, -most), (most, most)):
        yield value(f"no rank in {none}", rows, ends, 3, none, probs)
        yield value(f"no rank in {none}, no row", rows[:0], ends, 3, none, probs[:0], (2, 1024))
    yield value("more rows than ranks", rows, ends, 4, (4, 7), probs)
    yield value("ranks that no slot has", rows, np.array([90, 91]), 2, (90, 94), probs)
    poison = np.array([[np.inf, np.nan], [1, 2], [-np.inf, np.nan]], np.float32)
    yield value("what is outside is not read", poison, np.array([9, 3, 8, 3]), 2, (2, 5), None)
    minus = np.full((2, 3), -0.0, np.float32)
    yield value("minus zero stays, or is added to zero", minus, np.array([1, 9, 9, 2]), 2, (1, 3))
    ladder = np.array([[2.0**11], [1.0], [1.0], [-1.0]], "float16")
    yield value("fp16 beyond 2048 steps", ladder, np.arange(4) + 5, 4, (5, 9))
    tie = np.array([[1.0], [2.0**-8], [2.0**-8]], np.float32).astype(numpy_type("bfloat16"))
    yield value("rounded once, at the end", tie, np.arange(3), 3, (0, 3))
    repeated = np.array([3, 3, 2, 3, 3, 3])
    double = random_rows((2, 5), "bfloat16", 9)
    yield value("a rank of many slots", double, repeated, 3, (2, 4), double[:, 0].copy())
    many, weights = random_rows((500, 3), "float16", 1), random_bits((500,), "float16", 2)
    yield value("512 slots", many, permutation(512, 1), 512, (7, 507), weights, (1, 4096))
    nothing = np.zeros((4, 0), np.float32)
    yield value("probabilities alone", nothing, ends, 3, (4, 8), probs, (3, 1024))


def far() -> Value:
    """Rows whose elements lie beyond 2^31 and 2^32 of the first one, of ranks behind a start."""
    shape, held = (120_000, 40_000), (5, 33_000, 60_000, 119_999)
    rows = random_rows((len(held), shape[1]), "float16", 5)
    start = 1_000_000
    near = tokens_by_definition(rows, [1, 0, 3, 2], 2, (0, 4))
    bits = tuple(rows.reshape(-1).view(np.uint16).tolist())
    ranks = tuple(start + row for row in (33_000, 5, 119_999, 60_000))
    case = Case(
        operator=PERMUTE_EP_GRAD.name,
        mode="",
        dtype="float16",
        attributes={"top_k": 2, "range": (start, start + shape[0]), "padded": 0},
        inputs={
            "rows": Tensor(shape, "float16", values=bits, rows=held),
            "indices": Tensor((4,), "int32", values=ranks),
        },
        outputs={"tokens_grad": Tensor((2, shape[1]), "float16")},
    )
    return Value("far rows", case, {"tokens_grad": near})


def values() -> Iterator[Value]:
    yield from special()
    yield from moved()
    yield from drawn()
    yield far()
