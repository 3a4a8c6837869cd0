"""Order recovery: the summation tree of whatever adds up one token's row (numerics N.5).

After Xie et al., "FPRev: revealing floating-point accumulation order". For slots i < j one column
holds M in slot i, -M in slot j and one unit everywhere else. A unit that meets M or -M before the
two meet each other is absorbed; the others are counted by the result. So K(K-1)/2 columns of one
row tell, for every pair of slots, how many slots lie under the addition that brings it together,
and those counts are the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import orders as say
from conformance.numerics.order import Merges, emulate
from conformance.numerics.tree import drawing, name_of, tree_of
from conformance.values.fill import Fill, expand
from reference.floats import (
    FP16,
    FP32,
    Format,
    bits_of,
    format_of,
    numpy_dtype,
    ordered,
    to_bits,
    widen,
)

RowSum = Callable[[NDArray[Any]], NDArray[Any]]
"""From x [slots, columns], in a storage dtype, to the sum of each column [columns], same dtype."""

VERIFIED_COLUMNS = 1000
CHUNK_ELEMENTS = 1 << 18
"""Elements that are given to one call."""

VERIFIED_WITH = ("gaussian", "scaled", "cancellation")


class Unrecoverable(Exception):  # noqa: N818 - a finding about a device, not a mistake
    """No tree of rounded additions explains what came back; the text says why."""


@dataclass(frozen=True)
class Recovered:
    """The order in which ``slots`` values of ``dtype`` are added.

    ``merges`` is the representation of `conformance.record.operator.Sum.merges`, every pair into
    the lower slot. ``accumulate`` is the format in which the additions, in that order, with one
    rounding to ``dtype`` at the end, gave the bits of all ``verified`` random columns.
    """

    slots: int
    dtype: str
    merges: Merges
    accumulate: str
    verified: int

    @property
    def name(self) -> str:
        """The order in a word: `tree.name_of`."""
        return name_of(self.merges, self.slots)

    @property
    def drawing(self) -> str:
        """The tree as text."""
        return drawing(self.merges, self.slots)


def recover(row_sum: RowSum, slots: int, dtype: str, seed: int = 0) -> Recovered:
    """Recover the tree of ``row_sum`` for ``slots`` values, and verify it on random columns.

    Raises Unrecoverable where the answers are those of no tree, or where the tree does not give the
    bits of the random columns; ValueError for more slots than the dtype can count.
    """
    merges = recover_tree(row_sum, slots, dtype)
    columns = random_columns(slots, dtype, seed)
    seen = _in_chunks(row_sum, slots, columns.shape[1], lambda part: columns[:, part])
    storage = format_of(dtype)
    wrong: dict[str, int] = {}
    for accumulate in dict.fromkeys((FP32, storage)):
        wrong[accumulate.name] = int(
            np.count_nonzero(~_equal(replay(merges, columns, accumulate), seen, storage))
        )
        if not wrong[accumulate.name]:
            return Recovered(slots, dtype, merges, accumulate.name, len(seen))
    counted = [say.COUNTED(count=count, format=name) for name, count in wrong.items()]
    tree = name_of(merges, slots)
    raise Unrecoverable(say.OTHER_BITS(tree=tree, columns=len(seen), counted=counted))


def recover_tree(row_sum: RowSum, slots: int, dtype: str) -> Merges:
    """The tree alone, unverified; raises as `recover` does."""
    storage = format_of(dtype)
    if not 1 <= slots <= most_slots(storage):
        raise ValueError(
            f"slots={slots}: must lie in [1, {most_slots(storage)}], "
            f"the counts that {storage.name} holds exactly [numerics N.5]"
        )
    if slots == 1:
        return ()
    low, high = np.triu_indices(slots, 1)
    mask, unit = masks(storage, slots)
    seen = _in_chunks(
        row_sum, slots, low.size, lambda part: probes(slots, dtype, low[part], high[part])
    )
    units = widen(seen, np.float64) / unit
    good = (units >= 0) & (units <= slots - 2) & (units == np.rint(units))
    if not good.all():
        pair = int(np.flatnonzero(~good)[0])
        raise Unrecoverable(
            say.NO_COUNT(
                mask=f"{mask:g}",
                low=low[pair],
                high=high[pair],
                unit=f"{unit:g}",
                sum=str(widen(seen, np.float64)[pair]),
                most=slots - 2,
            )
        )
    counts = np.ones((slots, slots), np.int64)
    counts[low, high] = counts[high, low] = slots - units.astype(np.int64)
    merges = tree_of(counts)
    if merges is None:
        raise Unrecoverable(say.NO_TREE())
    return merges


def masks(storage: Format, slots: int) -> tuple[float, float]:
    """M and the unit for a row of ``slots``: M absorbs the sum of all units, counts are exact.

    fp16 has a narrow range. Its M is no power of two, because below one the grid is twice as fine
    and -M would absorb only half as many units (2^15 of numerics N.5 fails above 258 slots). Up to
    34 slots its unit is a normal number, so that a device which flushes subnormals is probed alike;
    above, it is the 2^-18 of N.5, a subnormal.
    """
    if storage != FP16:
        return 2.0**100, 1.0
    return 1.5 * 2.0**15, 2.0**-14 if slots <= 34 else 2.0**-18


def most_slots(storage: Format) -> int:
    """The longest row: counts up to 2^p are exact, and half an fp32 ulp of M bounds the units."""
    absorbed = 512 if storage == FP16 else 2046
    return int(2 + min(1 << storage.precision, absorbed))


def probes(slots: int, dtype: str, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[Any]:
    """The columns of the pairs (low, high): [slots, pairs] in ``dtype``."""
    storage = format_of(dtype)
    mask, unit = masks(storage, slots)
    values = np.full((slots, low.size), unit)
    pairs = np.arange(low.size)
    values[low, pairs], values[high, pairs] = mask, -mask
    return to_bits(values, storage).view(numpy_dtype(storage))


def random_columns(slots: int, dtype: str, seed: int = 0) -> NDArray[Any]:
    """Columns on which orders differ: plain, widely scaled and cancelling ones, in turn."""
    fill = Fill(VERIFIED_WITH, seed, terms=slots)
    return expand(fill, (slots, VERIFIED_COLUMNS), numpy_dtype(format_of(dtype)))


def replay(merges: Merges, columns: NDArray[Any], accumulate: Format) -> NDArray[Any]:
    """What additions in that order, each rounded to ``accumulate``, then once to storage, give."""
    storage = format_of(columns.dtype)
    total = emulate(merges, widen(columns).copy(), accumulate)
    return to_bits(total.astype(np.float64), storage)


def _equal(bits: NDArray[Any], seen: NDArray[Any], storage: Format) -> NDArray[np.bool_]:
    """Equal values: both zeros are one, all NaNs are one."""
    one, other = ordered(bits, storage), ordered(bits_of(seen), storage)
    infinity = storage.infinity_bits
    return np.asarray((one == other) | ((np.abs(one) > infinity) & (np.abs(other) > infinity)))


def _in_chunks(
    row_sum: RowSum, slots: int, columns: int, made: Callable[[slice], NDArray[Any]]
) -> NDArray[Any]:
    """The sums of all columns, a bounded number of elements in one call."""
    step = max(CHUNK_ELEMENTS // slots, 1)
    parts = [row_sum(made(slice(start, start + step))) for start in range(0, columns, step)]
    return np.concatenate(parts) if parts else row_sum(made(slice(0, 0)))
