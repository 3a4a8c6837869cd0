"""Combinations of levels of a cell: which go together, and which some cases show.

They are arrays of bits [levels of the first axis, ...] by the numbers of their axes.
"""

from __future__ import annotations

import math
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from conformance.catalogue import corrupted as say
from conformance.record.tuples import Feasible, Tuples, bits_of, held

Shown = Mapping[str, tuple[str, ...]]
Axes = Sequence[tuple[str, tuple[str, ...]]]
MOST_STRENGTH = 4
MOST_RATIO = 2**11
"""zlib makes nothing smaller than by half of it."""


def numbered(case: Shown, declared: Axes) -> Iterator[tuple[int, ...]]:
    """The rows of level numbers, one for each axis, that a case shows.

    One that shows no level of an axis has a number beyond, and may show other pairs.
    """
    return product(
        *(
            [levels.index(level) for level in case.get(name, ()) if level in levels]
            or [len(levels)]
            for name, levels in declared
        )
    )


def count(missing: Tuples) -> int:
    """How many combinations there are."""
    return sum(int(np.count_nonzero(left)) for left in missing.values())


def strike(missing: Tuples, shown_rows: Sequence[tuple[int, ...]]) -> None:
    """Take what rows of level numbers show out of what is missing, in place."""
    if not shown_rows:
        return
    rows = np.array(shown_rows, np.intp)
    for axes, left in missing.items():
        shown = held(rows, axes, [size + 1 for size in left.shape])
        left &= ~shown[tuple(slice(size) for size in left.shape)]


def in_words(declared: Axes, missing: Tuples) -> list[str]:
    """Each missing combination as a person reads it."""
    return [
        ", ".join(
            f"{declared[axis][0]} {declared[axis][1][level]}"
            for axis, level in zip(axes, levels, strict=True)
        )
        for axes, left in missing.items()
        for levels in np.argwhere(left).tolist()
    ]


def packed(tuples: Tuples) -> str:
    """Which tuples there are, as a short text: their bits in the order of their axes."""
    return b64encode(zlib.compress(bits_of(tuples), 9)).decode()


def unpacked(text: str, axes: Axes, strength: int) -> dict[tuple[int, ...], Feasible]:
    """The tuples that `packed` wrote. Raises `ValueError` for another text."""
    if not 0 < strength <= MOST_STRENGTH:
        raise ValueError(say.NOT_THE_STRENGTH(strength=strength))
    chosen = [*combinations(range(len(axes)), min(strength, len(axes)))]
    shapes = [[len(axes[axis][1]) for axis in some] for some in chosen]
    ends = np.cumsum([0, *map(math.prod, shapes)])
    size = -(-int(ends[-1]) // 8)
    if size > MOST_RATIO * (len(text) + 1):
        raise ValueError(say.NOT_THE_TUPLES(bytes=len(text), size=size))
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(b64decode(text, validate=True), size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(raw) != size or not unpacker.eof or unpacker.unused_data:
        raise ValueError(say.NOT_THE_TUPLES(bytes=len(raw), size=size))
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), count=int(ends[-1])).astype(np.bool_)
    return {
        some: bits[begin:end].reshape(shape)
        for some, shape, begin, end in zip(chosen, shapes, ends, ends[1:], strict=False)
    }
