"""Calls of MoeTokenPermuteGrad with their results, by loops over the document's formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor
from tests.kernels.signatures import DTYPES, PERMUTE_GRAD, call, random_rows

MACHINES = ((1, 1024), (2, 1024), (3, 2048), (48, 4096), (40, 196352))
SIZES = ((1, 1, 1), (2, 1, 8), (3, 2, 17), (5, 3, 100), (7, 8, 40), (50, 2, 3), (4, 100, 33))
"""Tokens, slots of each, columns."""
WIDE = tuple((3, 2, hidden) for hidden in (48, 49, 56, 57, 64, 65, 80, 81, 128, 129, 160, 200))
"""On a buffer of 1 KiB: fp32 rows have four input buffers up to 48 columns, three up to 56, two up
to 80, and more than one tile beyond; 16-bit rows have four up to 48 and two up to 64.
"""


@dataclass(frozen=True)
class Value:
    """A call and what its output must hold, bit by bit."""

    name: str
    case: Case
    expected: dict[str, NDArray[Any]]


def by_definition(rows: NDArray[Any], indices: Sequence[int], top_k: int) -> NDArray[Any]:
    """permutedOutputGrad.indexSelect(0, sortedIndices).reshape(-1, topK, hidden).sum(1).

    In float32, from the first slot to the last; an index from the number of rows on adds nothing.
    """
    tokens = len(indices) // top_k
    out = np.zeros((tokens, rows.shape[1]), np.float32)
    for token in range(tokens):
        for slot in range(top_k):
            index = indices[token * top_k + slot]
            if index < len(rows):
                row = rows[index].astype(np.float32)
                out[token] = row if slot == 0 else out[token] + row
    return out.astype(rows.dtype)


def value(
    name: str, rows: NDArray[Any], indices: NDArray[Any], top_k: int, machine: tuple[int, int]
) -> Value:
    expected = by_definition(rows, indices.tolist(), top_k)
    outputs = {"out": (expected.shape, rows.dtype.name)}
    inputs = {"rows": rows, "indices": indices.astype(np.int32)}
    attributes = {"top_k": top_k, "padded": 0}
    case = call(PERMUTE_GRAD, inputs, attributes, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, {"out": expected})


def permutation(count: int, seed: int) -> NDArray[Any]:
    return np.random.default_rng(seed).permutation(count)


def drawn() -> Iterator[Value]:
    """Every dtype and machine, all sizes; some rows were dropped by the forward operator."""
    for seed, (dtype, machine, (tokens, top_k, hidden)) in enumerate(
        product(DTYPES, MACHINES, (*SIZES, *WIDE))
    ):
        slots = tokens * top_k
        kept = slots - seed % 3 * slots // 4
        rows = random_rows((kept, hidden), dtype, seed)
        name = f"{dtype}, {tokens} tokens of {top_k} slots, {kept} rows, hidden {hidden}"
        yield value(name, rows, permutation(slots, seed), top_k, machine)


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    one = (1, 1024)
    ones = np.ones((512, 3), "float16")
    yield value("512 slots, one by one", ones, permutation(512, 1), 512, (1, 4096))
    ladder = np.array([[2.0**11], [1.0], [1.0], [-1.0]], "float16")
    yield value("fp16 beyond 2048 steps", ladder, np.arange(4), 4, one)
    tie = np.array([[1.0], [2.0**-8], [2.0**-8]], np.float32).astype(
        random_rows((1,), "bfloat16", 0).dtype
    )
    yield value("rounded once, at the end", tie, np.arange(3), 3, one)
    drops = np.array([3, 9, 9, 2, 9, 9, 9, 1, 0, 9, 2, 9])
    yield value(
        "first, last and all slots dropped", random_rows((4, 9), "float32", 7), drops, 3, one
    )
    nothing = np.zeros((0, 8), np.float32)
    yield value("no source row at all", nothing, np.arange(4), 2, (2, 1024))
    minus_zero = np.full((2, 3), -0.0, np.float32)
    yield value("minus zero stays", minus_zero, np.array([1, 5, 5, 0]), 2, one)
    yield value("more rows than slots", random_rows((9, 5), "float16", 8), np.array([8, 1]), 2, one)
    repeated = np.array([1, 1, 0, 1, 1, 1])
    yield value("a row that is named twice", random_rows((2, 5), "bfloat16", 9), repeated, 3, one)
    yield value(
        "rank, not position",
        random_rows((6, 4), "float32", 3),
        np.array([2, 4, 0, 3, 1, 5]),
        1,
        one,
    )


def far() -> Value:
    """Rows whose elements lie beyond 2^31 and 2^32 of the first one, and above 2^15."""
    shape, held = (120_000, 40_000), (5, 33_000, 60_000, 119_999)
    rows = random_rows((len(held), shape[1]), "float16", 5)
    indices = (33_000, 5, 119_999, 60_000)
    expected = by_definition(rows, [1, 0, 3, 2], 2)
    bits = tuple(rows.reshape(-1).view(np.uint16).tolist())
    case = Case(
        operator=PERMUTE_GRAD.name,
        mode="",
        dtype="float16",
        attributes={"top_k": 2, "padded": 0},
        inputs={
            "rows": Tensor(shape, "float16", values=bits, rows=held),
            "indices": Tensor((4,), "int32", values=indices),
        },
        outputs={"out": Tensor((2, shape[1]), "float16")},
    )
    return Value("far rows", case, {"out": expected})


def values() -> Iterator[Value]:
    yield from drawn()
    yield from special()
    yield far()
