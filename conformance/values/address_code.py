"""Address-coded data: every element tells the row and the column it was made for.

The code of an element is (a r (2 r + 1) + b c) mod 2^bits, a and b odd and drawn per recipe; as a
value it is one more, so that none is zero. As lattice integers the values can be added up exactly
(numerics N.5, "address code"). The code of N.5 is linear in r too, which tells copies apart, but
not sums: rows 30 and 31 add up to what rows 34 and 27 do. r (2 r + 1) runs through all residues
as r does, and has no such sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference.floats import FP32, Format

MOST_BITS = 16
"""Bits of a code at most: decoding tries every code."""

STREAM = 0xADD7E55
"""Keeps the draw of a and b apart from a recipe's other draws."""


@dataclass(frozen=True)
class AddressCode:
    """The code of one tensor: a, b and the number of bits."""

    row_factor: int
    column_factor: int
    bits: int

    def values(self, rows: ArrayLike, columns: ArrayLike) -> NDArray[np.float64]:
        """The values at rows and columns, broadcast against each other."""
        return self.shifted(self.start(rows), columns)

    def start(self, rows: ArrayLike) -> NDArray[np.int64]:
        """The code in column 0 of rows."""
        row = np.asarray(rows, np.int64)
        residue = (row * (2 * row + 1)) & ((1 << self.bits) - 1)
        return np.asarray((residue * self.row_factor) & ((1 << self.bits) - 1))

    def shifted(self, start: ArrayLike, columns: ArrayLike) -> NDArray[np.float64]:
        """The values along columns of a row whose code in column 0 is ``start``."""
        code = np.asarray(start, np.int64) + np.asarray(columns, np.int64) * self.column_factor
        return np.asarray((code & ((1 << self.bits) - 1)) + 1, np.float64)

    def places(
        self, start: int, rows: NDArray[np.int64], hidden: int, near: int
    ) -> Iterator[tuple[int, int]]:
        """Rows and column offsets whose code in column 0 is ``start``: whole rows first, then the
        row ``near`` moved by some columns, then others.

        ``rows`` are those of the source, each of ``hidden`` columns; only places in them count. An
        offset d reads column c + d for c.
        """
        size = 1 << self.bits
        for row in rows[self.start(rows) == start].tolist():
            yield row, 0
        inverse = pow(self.column_factor, -1, size)
        beside = (near, *(near + sign * step for step in range(1, 9) for sign in (1, -1)))
        for other in (row for row in beside if row in rows):
            offset = (start - int(self.start(other))) * inverse % size
            for signed in sorted((offset, offset - size), key=abs):
                if 0 < abs(signed) < hidden:
                    yield other, signed


def address_code(seed: int, fmt: Format, terms: int) -> AddressCode:
    """The code of the recipe with this seed: as many bits as storage and an exact sum can hold."""
    carried = max(terms - 1, 0).bit_length()
    return code_of(seed, max(1, min(fmt.precision, FP32.precision - carried, MOST_BITS)))


def code_of(seed: int, bits: int) -> AddressCode:
    """The code of so many bits that the recipe with this seed has."""
    generator = np.random.Generator(np.random.Philox(key=[seed, STREAM]))
    row_factor, column_factor = (2 * generator.integers(0, 1 << (bits - 1), 2) + 1).tolist()
    return AddressCode(row_factor, column_factor, bits)
