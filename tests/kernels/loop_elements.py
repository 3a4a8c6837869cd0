"""What the loops of tests/definitions are given: rows of which each is one element.

A `Row` adds and multiplies all its columns at once, in fp32, with each result rounded. An operator
that moves values is given their bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case

Array = NDArray[Any]
LANES = 64


@dataclass(frozen=True)
class Row:
    """The columns of a row in fp32; the int 0 adds nothing to it and takes all from a product."""

    columns: Array

    def __add__(self, other: Row | int) -> Row:
        return Row(self.columns + other.columns) if isinstance(other, Row) else self

    __radd__ = __add__

    def __mul__(self, other: Row | int) -> Row | int:
        return Row(self.columns * other.columns) if isinstance(other, Row) else 0

    __rmul__ = __mul__


@dataclass(frozen=True)
class Slots:
    """The rows of a token's slots, None for one without a row, before they are added."""

    rows: tuple[Row | None, ...]

    def __add__(self, other: Slots | int) -> Slots:
        return Slots(self.rows + other.rows) if isinstance(other, Slots) else self

    __radd__ = __add__

    def added(self) -> Row:
        """Bins start as the even slots, take the later even ones and the odd ones in turn, and are
        added in pairs: the order that the kernel's source states.
        """
        count = len(self.rows)
        size = min(64, 1 << max(0, count.bit_length() - 2))
        nothing = Row(np.zeros((), np.float32))
        bins = [one or nothing for one in self.rows[: 2 * size : 2]]
        for slot in (*range(2 * size, count, 2), *range(1, count, 2)):
            bins[slot // 2 % size] += self.rows[slot] or 0
        while len(bins) > 1:
            bins = [one + other for one, other in zip(bins[::2], bins[1::2], strict=True)]
        return bins[0]


class Call:
    """The tensors of a case as the loops want them."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.attributes: Mapping[str, Any] = case.attributes
        self.arrays = case.arrays

    def __contains__(self, name: str) -> bool:
        return name in self.case.inputs

    def table(self, name: str, as_bits: bool = False) -> list[Any]:
        """The rows, each a list of its one element, None if it does not exist."""
        tensor = self.case.inputs[name]
        count = math.prod(tensor.shape[:-1]) if len(tensor.shape) > 1 else tensor.size
        held = range(count) if tensor.rows is None else tensor.rows
        array = self.arrays[name].reshape(count, -1) if count else ()
        made: list[Any] = [[None]] * count
        for row in held:
            made[row] = [stored(array[row]) if as_bits else Row(array[row].astype(np.float32))]
        return made

    def rows(self, name: str, as_bits: bool = False) -> list[Any] | None:
        """The table, by blocks if the tensor has three axes; None if it is not given."""
        if name not in self:
            return None
        table, shape = self.table(name, as_bits), self.case.inputs[name].shape
        return blocks(table, shape[1]) if len(shape) == 3 else table

    def numbers(self, name: str, as_bits: bool = False) -> Any:
        """Elements one by one, in nested lists: integers, bits, or fp32 numbers."""
        if name not in self:
            return None
        array = self.arrays[name]
        if as_bits:
            return stored(array).tolist()
        if array.dtype.kind in "iub":
            return array.tolist()
        wide = array.astype(np.float32)
        return [[Row(one) for one in line] for line in wide]


def stored(array: Array) -> Array:
    """The elements by their bits."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def blocks(table: list[Any], size: int) -> list[Any]:
    return [table[at : at + size] for at in range(0, len(table), size)]


def started(sums: list[Any], firsts: Sequence[bool]) -> list[Any]:
    """Sums of one element, each of which starts with a row or, not ``firsts``, with zeros: of a
    minus zero these leave a zero.
    """
    return [
        [total if first or not isinstance(total, Row) else Row(total.columns + np.float32(0))]
        for (total,), first in zip(sums, firsts, strict=True)
    ]


def lanes(total: Any) -> Any:
    """Products of all columns: number c goes to lane c % 64, and then neighbours are added."""
    if not isinstance(total, Row):
        return total
    padded = np.zeros(-(-total.columns.size // LANES) * LANES, np.float32)
    padded[: total.columns.size] = total.columns
    found = np.zeros(LANES, np.float32)
    for part in padded.reshape(-1, LANES):
        found = found + part
    while found.size > 1:
        found = found[::2] + found[1::2]
    return Row(found[0])
