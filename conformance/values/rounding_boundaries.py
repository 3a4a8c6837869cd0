"""The knife family: sums that stand on a rounding boundary, so that one lost bit tells.

Each column deals roles to its rows: a head, a half, two tails, zeros. Every block of as many
consecutive rows as the operator may add has one head and one half, as far as it is long enough; so
a sum of one block always stands on the edge, and a sum of rows from anywhere sometimes does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference.floats import FP32, Format

Columns = NDArray[np.float64]

HEAD, HALF, TAIL, OTHER_TAIL = range(4)
"""Roles by their number; from 4 on a row is zero."""

PATTERNS = 3
"""Columns take these in turn."""

NEARLY = 31 / 32
"""A tail in fp32 ulps of the head: lost where additions truncate, one ulp where they round."""


def knife(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Heads, halves of a storage ulp, tails of an fp32 ulp, and zeros; float64 ``shape``.

    Half formats: head + half is a tie that goes down to the head, and the tails decide that the sum
    goes up. Each order of nearest additions keeps them. Additions that truncate, or keep 23 bits,
    lose every tail that meets the head before it meets the other tail; the second pattern swaps
    head and one tail, and no order brings tails together in both. The third pattern has 3/4 of an
    ulp for a half, which a truncating cast loses, with two live terms already.

    In fp32 the half is that of an fp32 ulp, with a little more, a little less, or with more of it
    in the tails; without tails two terms are live, and the only legal sum is the rounded one.
    """
    roles = _roles(generator, shape, terms)
    pattern = np.arange(shape[1]) % PATTERNS
    if fmt.precision >= FP32.precision:
        head, half, tail = _single(generator, shape, fmt, pattern)
    else:
        head, half, tail = _storage(generator, shape, fmt, pattern)
    sign = generator.choice([-1.0, 1.0], shape[1])
    kind = np.minimum(np.where(roles == OTHER_TAIL, TAIL, roles), OTHER_TAIL)
    return np.asarray(np.choose(kind, [head, half, tail, 0.0]) * sign)


def _roles(generator: np.random.Generator, shape: tuple[int, int], terms: int) -> NDArray[np.int64]:
    """The role of every row in every column, int64 ``shape``: a permutation for each block."""
    rows, columns = shape
    block = max(1, min(terms, rows))
    dealt = np.empty((-(-rows // block), block, columns), np.int64)
    dealt[:] = np.arange(block)[:, None]
    roles = generator.permuted(dealt, axis=1).reshape(len(dealt) * block, columns)[:rows]
    first, second = roles[:, 0::PATTERNS], roles[:, 1::PATTERNS]
    exchanged = first[:, : second.shape[1]]
    second[:] = np.select(
        [exchanged == HEAD, exchanged == TAIL], [TAIL if block > TAIL else HEAD, HEAD], exchanged
    )
    return roles


def _storage(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, pattern: NDArray[np.int64]
) -> tuple[Columns, Columns, Columns]:
    """Head, half and tail of every element, for a half format.

    The last bit of a head is 0. It is below 5/4 of its binade, so that the error of three additions
    leaves more than half an fp32 ulp of two tails: 31/16 - 2 * 5/8.
    """
    unit = 2.0 ** min(fmt.emax - 5, fmt.precision - 1)
    steps = generator.integers(0, 2 ** (fmt.precision - 4), shape).astype(np.float64)
    head = unit * (1 + 2 * steps * 2.0 ** (1 - fmt.precision))
    half = np.where(pattern == 2, 1.5, 1.0) * unit * fmt.unit_roundoff
    return head, half, np.full(shape[1], NEARLY * unit * 2 * FP32.unit_roundoff)


def _single(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, pattern: NDArray[np.int64]
) -> tuple[Columns, Columns, Columns]:
    """The same for fp32, whose ulp is 1 between 2^23 and 2^24."""
    top = 2 ** (fmt.precision - 1)
    head = (top + generator.integers(0, top, shape)).astype(np.float64)
    beside = 2.0 ** -generator.integers(2, 20, shape)
    half = 0.5 + np.where(pattern == 1, -beside, beside)
    return head, half, np.where(pattern == 2, beside, 0.0)
