"""Judging fp32 outputs against bounds that were worked out elsewhere, at the speed of memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 15
"""Elements compared at a time: three inputs and two masks of that size stay in the cache."""


def outside(
    observed: NDArray[np.float32], low: NDArray[np.float32], high: NDArray[np.float32]
) -> NDArray[np.int64]:
    """The places in C order, int64, of the elements that do not lie in [low, high].

    All three are C-contiguous float32 of one shape. Both zeros are one value; a NaN is right where
    both bounds are NaN, and nothing else is right there. Beside the result, memory for one chunk is
    taken. Raises ValueError for another shape, dtype or layout.
    """
    for name, array in (("observed", observed), ("low", low), ("high", high)):
        if array.dtype != np.float32 or array.shape != observed.shape:
            raise ValueError(
                f"{name}: is {array.dtype.name}{list(array.shape)}, must be"
                f" float32{list(observed.shape)}"
            )
        if not array.flags.c_contiguous:
            raise ValueError(f"{name}: strides {array.strides} must be those of C order")
    seen, least, most = (array.reshape(-1) for array in (observed, low, high))
    above, below = np.empty(CHUNK, np.bool_), np.empty(CHUNK, np.bool_)
    found = [np.empty(0, np.int64)]
    for start in range(0, seen.size, CHUNK):
        chunk = slice(start, min(start + CHUNK, seen.size))
        inside, other = above[: chunk.stop - start], below[: chunk.stop - start]
        np.less_equal(least[chunk], seen[chunk], out=inside)
        np.less_equal(seen[chunk], most[chunk], out=other)
        np.logical_and(inside, other, out=inside)
        if not inside.all():
            expected = np.isnan(least[chunk]) & np.isnan(most[chunk])
            inside |= expected & np.isnan(seen[chunk])
            found.append(np.flatnonzero(~inside) + start)
    return np.concatenate(found)
