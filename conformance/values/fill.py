"""Seeded recipes for tensors: which families of values, striped over the columns."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import case as say
from conformance.values.address_code import AddressCode, address_code
from conformance.values.floats import FAMILIES, patterns
from conformance.values.gates import GATES
from conformance.values.integers import FAMILIES as OF_INTEGERS
from conformance.values.integers import codes
from conformance.values.prescribed import PRESCRIBED
from conformance.values.quantised import QUANTISED
from conformance.values.scores import SCORES
from conformance.values.special_rows import PLANTED, planted
from reference.floats import format_of, to_bits

AT_ONCE = 1 << 17
"""Elements of a tensor that are made at a time."""


class _OfThread(threading.local):
    """A generator that no other thread sets back."""

    def __init__(self) -> None:
        self.source = np.random.Philox(key=0)
        self.numbers = np.random.Generator(self.source)


_KEPT = _OfThread()


@dataclass(frozen=True, repr=False)
class Fill:
    """A recipe: column c of the tensor, seen as rows x columns, holds ``stripes[order[c]]``.

    The order of the stripes is drawn from ``seed`` too, so that every family can meet the first,
    the last and the tail columns. ``terms`` is the largest number of elements of one column that
    the operator may add: the lattice family keeps every partial sum of that many exact.

    A tensor of integers may have the families lattice (small numbers), address, bits (any pattern,
    and the ends of the data type) and special (ends among small numbers); one of bool has none.
    """

    stripes: tuple[str, ...]
    seed: int
    terms: int = 1

    @property
    def text(self) -> str:
        """The families and the seed."""
        return say.FILL(families="/".join(self.stripes), seed=self.seed)

    def __repr__(self) -> str:
        return str(self.text)


def expand(
    fill: Fill,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    numbers: NDArray[np.int64] | None = None,
) -> NDArray[np.generic]:
    """Make the tensor of a recipe: C-contiguous, of ``shape`` and ``dtype``.

    ``numbers`` are those of its rows in a larger tensor, which address-coded values tell. Raises
    KeyError for a family that tensors of integers do not have, see `INTEGERS`.
    """
    columns = shape[-1] if shape else 1
    rows = math.prod(shape[:-1])
    generator = _seeded(fill.seed)
    order = _order(generator, fill)
    stripes = [
        (family, slice(order.index(stripe), None, len(order)))
        for stripe, family in enumerate(fill.stripes)
    ]
    own = np.arange(rows) if numbers is None else numbers
    put = _put_integers if dtype.kind in "iu" else _put_floats
    made = np.empty((rows, columns), dtype)
    at_once = _rows_at_once(columns, fill.terms)
    for first in range(0, rows, at_once):
        part = slice(first, first + at_once)
        put(made[part], stripes, _Part(generator, fill, own[part], first, rows))
    return made.reshape(shape)


@dataclass(frozen=True)
class _Part:
    """Rows of a tensor that are made at a time: their numbers, the first one's place, and how many
    the tensor has."""

    generator: np.random.Generator
    fill: Fill
    numbers: NDArray[np.int64]
    first: int
    of: int


def _put_integers(made: NDArray[Any], stripes: list[tuple[str, slice]], part: _Part) -> None:
    columns = np.arange(made.shape[1])
    for family, mine in stripes:
        if family == ADDRESS:
            made[:, mine] = codes(part.fill.seed, part.numbers, columns[mine], made.dtype)
        else:
            size = len(made), len(columns[mine])
            made[:, mine] = OF_INTEGERS[family](part.generator, size, made.dtype)


def _put_floats(made: NDArray[Any], stripes: list[tuple[str, slice]], part: _Part) -> None:
    fmt = format_of(made.dtype.name)
    rows, columns = made.shape
    fill, generator = part.fill, part.generator
    values = np.empty(made.shape, np.float64)
    bits: list[tuple[slice, NDArray[Any]]] = []
    for family, mine in stripes:
        size = rows, len(range(*mine.indices(columns)))
        if family == ADDRESS:
            code = address_code(fill.seed, fmt, fill.terms)
            values[:, mine] = code.values(part.numbers[:, None], np.arange(columns)[mine])
        elif family == PLANTED:
            here = np.arange(part.first, part.first + rows)
            values[:, mine] = planted(here, columns, part.of, fmt, fill.seed)[:, mine]
        elif family == BITS:
            values[:, mine] = 0
            bits.append((mine, patterns(generator, size, fmt)))
        else:
            draw = (FAMILIES | UNMIXED)[family]
            values[:, mine] = draw(generator, size, fmt, fill.terms)
    stored = made.view(fmt.storage_dtype)
    stored[:] = to_bits(values, fmt)
    for mine, pattern in bits:
        stored[:, mine] = pattern


def _rows_at_once(columns: int, terms: int) -> int:
    """How many rows are made at a time: whole sums, in a few MiB whatever the tensor's size."""
    sums = AT_ONCE // max(1, columns * terms)
    return max(1, sums) * max(1, terms)


def address_code_of(
    fill: Fill, columns: int, dtype: np.dtype[Any]
) -> tuple[AddressCode | None, NDArray[np.bool_]]:
    """The code of a tensor's address-coded columns, and which these are."""
    generator = _seeded(fill.seed)
    family = np.array([family == ADDRESS for family in fill.stripes], np.bool_)
    coded = family[np.resize(_order(generator, fill), columns)]
    code = address_code(fill.seed, format_of(dtype), fill.terms) if coded.any() else None
    return code, coded


def families_of(fill: Fill, columns: int) -> tuple[str, ...]:
    """The families that a tensor of so many columns really holds, in the order of its stripes."""
    if columns >= len(fill.stripes):
        return fill.stripes
    generator = _seeded(fill.seed)
    present = _order(generator, fill)[:columns]
    return tuple(family for at, family in enumerate(fill.stripes) if at in present)


def _seeded(seed: int) -> np.random.Generator:
    """The generator of a seed, as `np.random.Philox` makes it; it holds until the thread asks for
    the next.

    To set a state takes a fifth of the time of a new one, which is as long as a small tensor's
    values take.
    """
    words = [seed >> 64 * word & (1 << 64) - 1 for word in range(2)]
    _KEPT.source.state = {
        "bit_generator": "Philox",
        "state": {"counter": np.zeros(4, np.uint64), "key": np.array(words, np.uint64)},
        "buffer": np.zeros(4, np.uint64),
        "buffer_pos": 4,
        "has_uint32": 0,
        "uinteger": 0,
    }
    return _KEPT.numbers


def _order(generator: np.random.Generator, fill: Fill) -> list[int]:
    """The first draw of a recipe: the stripes of its first columns, which the others repeat."""
    stripes: list[int] = generator.permutation(len(fill.stripes)).tolist()
    return stripes


UNMIXED = {**PRESCRIBED, **SCORES, **GATES, **QUANTISED}
"""The families of floats that no strategy mixes with others, by name."""

ADDRESS = "address"
"""The family whose values tell their row and column (conformance/values/address_code.py)."""

NAMES = (*FAMILIES, ADDRESS)
"""Everything that a strategy may draw as a stripe."""

INTEGERS = (*OF_INTEGERS, ADDRESS)
"""Those of tensors of integers."""

BITS = "bits"
"""The family of all storage patterns: for values that an operator moves, as sums have no use for
payloads of NaNs."""
