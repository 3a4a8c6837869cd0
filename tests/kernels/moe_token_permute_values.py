"""Calls of MoeTokenPermute with their results, by loops over the document's formula."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor
from tests.kernels.moe_token_permute_grad_values import MACHINES, Value
from tests.kernels.permute_calls import ranks_by_definition
from tests.kernels.permute_values import KINDS, experts
from tests.kernels.signatures import DTYPES, PERMUTE, call, random_bits

MOVED = (*DTYPES, "int8")
"""Of tokens: none of them is computed with."""

SIZES = (
    (1, 1, 1),
    (2, 1, 31),
    (3, 2, 17),
    (5, 3, 33),
    (7, 8, 40),
    (50, 2, 3),
    (4, 100, 5),
    (200, 1, 7),
    (130, 5, 2),
    (3, 2, 513),
    (2, 3, 1100),
)
"""Tokens, slots of each, columns. The smallest machine sorts 32 slots at once and holds rows of 480
bytes, so that these have up to three levels of merges, and int8 rows up to three tiles.
"""


def kept(number: int, slots: int) -> int:
    """The document's slice of the sorted copies: [:number], and all of them where it is 0."""
    return len(range(slots)[: number or slots])


def by_definition(
    tokens: NDArray[Any], indices: NDArray[Any], number: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """permuteTokens[sortedIndicesOut[i]] = tokens[i // topK], cut to the kept rows; and the ranks,
    sortedIndicesOut.
    """
    ranks = ranks_by_definition(indices)
    top_k = indices.shape[1] if indices.ndim == 2 else 1
    rows = kept(number, len(ranks))
    permuted = np.zeros((rows, *tokens.shape[1:]), tokens.dtype)
    for slot, rank in enumerate(ranks):
        if rank < rows:
            permuted[rank] = tokens[slot // top_k]
    return permuted, np.array(ranks, np.int32)


def value(
    name: str,
    tokens: NDArray[Any],
    indices: NDArray[Any],
    number: int,
    machine: tuple[int, int] | None = (1, 1024),
) -> Value:
    permuted, ranks = by_definition(tokens, indices, number)
    shape = permuted.shape if permuted.ndim > 1 else (*permuted.shape, 1)
    outputs = {"permuted": (shape, tokens.dtype.name), "ranks": (ranks.shape, "int32")}
    inputs = {"tokens": tokens, "indices": indices}
    attributes = {"num_out_tokens": number, "padded": 0}
    case = call(PERMUTE, inputs, attributes, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, {"permuted": permuted, "ranks": ranks})


def numbers(slots: int) -> tuple[int, ...]:
    """Every kind of numOutTokens: all, some of the first, none of the last, nothing at all."""
    return (0, slots // 2, 1 - slots, -(slots // 3), slots, 1, slots + 9, -1, -slots, -slots - 9)


def drawn() -> Iterator[Value]:
    """Every dtype, machine and size; kinds of indices and numbers of kept rows in turn."""
    kinds, every = cycle(KINDS), product(MOVED, MACHINES, SIZES)
    for seed, (dtype, machine, (tokens, top_k, hidden)) in enumerate(every):
        slots = tokens * top_k
        indices = experts(next(kinds), slots, seed).reshape(tokens, top_k)
        wide = indices.astype((np.int32, np.int64)[seed // 2 % 2])
        number = numbers(slots)[seed % len(numbers(slots))]
        name = f"{dtype}, {tokens} tokens of {top_k} slots, {number} kept, hidden {hidden}"
        yield value(name, random_bits((tokens, hidden), dtype, seed), wide, number, machine)


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    three = np.array([[1, 2], [3, 1], [2, 3]], np.int32)
    yield value("three tokens of two experts", random_bits((3, 5), "float32", 1), three, 0)
    for number in numbers(6):
        yield value(f"{number} of six", random_bits((3, 5), "int8", 1), three, number, (2, 1024))
    one = np.array([5, 0, 5, -3, 2], np.int64)
    yield value("indices of rank 1", random_bits((5, 9), "bfloat16", 2), one, 3)
    yield value("tokens of rank 1", random_bits((5,), "int8", 3), one, 0)
    yield value("tokens of rank 4", random_bits((5, 2, 3, 7), "int8", 4), one, -2, (3, 1024))
    yield value("no columns", random_bits((5, 0), "float16", 5), one, 0)
    most = experts("two", 2 * 512).reshape(2, 512)
    yield value("512 slots", random_bits((2, 3), "int8", 6), most, 0, (2, 2048))
    far = np.array([1 << 40, 1 << 33, (1 << 32) + 7, 3, -(1 << 35), 9], np.int64)
    yield value("indices of 64 bits", random_bits((6, 3), "int8", 7), far, 0)
    for hidden in (*range(30, 35), *range(62, 67), 479, 480, 481, 960, 961):
        yield value(f"int8 of {hidden} columns", random_bits((3, hidden), "int8", hidden), three, 0)


def far() -> Value:
    """Rows whose elements lie beyond 2^31 and 2^32 of the first one, where few are kept."""
    shape, held = (40_000, 120_000), (5, 20_000, 33_000, 39_999)
    rows = random_bits((len(held), shape[1]), "int8", 5)
    indices = np.full(shape[0], 9, np.int32)
    indices[list(held)] = (2, 0, 3, 1)
    case = Case(
        operator=PERMUTE.name,
        mode="",
        dtype="int8",
        attributes={"num_out_tokens": len(held), "padded": 0},
        inputs={
            "tokens": Tensor(shape, "int8", values=tuple(rows.reshape(-1).tolist()), rows=held),
            "indices": Tensor(indices.shape, "int32", values=tuple(indices.tolist())),
        },
        outputs={
            "permuted": Tensor((len(held), shape[1]), "int8"),
            "ranks": Tensor(indices.shape, "int32"),
        },
    )
    ranks = np.array(ranks_by_definition(indices), np.int32)
    return Value("far rows", case, {"permuted": rows[[1, 3, 0, 2]], "ranks": ranks})


def values() -> Iterator[Value]:
    yield from special()
    yield from drawn()
    yield far()
