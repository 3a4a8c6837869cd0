"""Seeded recipes for tensors: which families of values, striped over the columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import case as say
from conformance.standards import STANDARDS
from conformance.standards.data import DataRule, listed_values
from conformance.values.address_code import AddressCode, address_code
from conformance.values.integers import FAMILIES as OF_INTEGERS
from conformance.values.integers import codes
from conformance.values.rounding_boundaries import knife
from conformance.values.special_rows import PLANTED, planted
from reference.floats import Format, format_of, to_bits

Columns = NDArray[np.float64]
AT_ONCE = 1 << 17
"""Elements of a tensor that are made at a time."""

SIGNS = np.array([-1.0, 1.0])
ONES = np.array([1.0, -1.0, 0.5])

Family = Callable[[np.random.Generator, tuple[int, int], Format, int], Columns]


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
    generator = np.random.Generator(np.random.Philox(key=fill.seed))
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
    patterns: list[tuple[slice, NDArray[Any]]] = []
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
            patterns.append((mine, _patterns(generator, size, fmt)))
        else:
            draw = (FAMILIES | PRESCRIBED)[family]
            values[:, mine] = draw(generator, size, fmt, fill.terms)
    stored = made.view(fmt.storage_dtype)
    stored[:] = to_bits(values, fmt)
    for mine, bits in patterns:
        stored[:, mine] = bits


def _rows_at_once(columns: int, terms: int) -> int:
    """How many rows are made at a time: whole sums, in a few MiB whatever the tensor's size."""
    sums = AT_ONCE // max(1, columns * terms)
    return max(1, sums) * max(1, terms)


def address_code_of(
    fill: Fill, columns: int, dtype: np.dtype[Any]
) -> tuple[AddressCode | None, NDArray[np.bool_]]:
    """The code of a tensor's address-coded columns, and which these are."""
    generator = np.random.Generator(np.random.Philox(key=fill.seed))
    family = np.array([family == ADDRESS for family in fill.stripes], np.bool_)
    coded = family[np.resize(_order(generator, fill), columns)]
    code = address_code(fill.seed, format_of(dtype), fill.terms) if coded.any() else None
    return code, coded


def families_of(fill: Fill, columns: int) -> tuple[str, ...]:
    """The families that a tensor of so many columns really holds, in the order of its stripes."""
    if columns >= len(fill.stripes):
        return fill.stripes
    generator = np.random.Generator(np.random.Philox(key=fill.seed))
    present = _order(generator, fill)[:columns]
    return tuple(family for at, family in enumerate(fill.stripes) if at in present)


def _order(generator: np.random.Generator, fill: Fill) -> list[int]:
    """The first draw of a recipe: the stripes of its first columns, which the others repeat."""
    stripes: list[int] = generator.permutation(len(fill.stripes)).tolist()
    return stripes


def _gaussian(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Plain normal values: what users feed; shows wide errors and a changed order of addition."""
    return generator.standard_normal(shape)


def _scaled(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Normal values times a power of two each: absorption, few significant bits in common."""
    reach = min(12, -fmt.emin - 2)
    return generator.standard_normal(shape) * np.exp2(generator.integers(-reach, reach + 1, shape))


def _lattice(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Integers so small that any order of adding ``terms`` of them in fp32 is exact.

    Every column has its own number of bits, up to what storage and the sum can hold. None is zero:
    a slot too many or too few always shows.
    """
    most = max(1, min(fmt.precision, 24 - max(terms - 1, 0).bit_length()))
    limit = 2 ** generator.integers(1, most + 1, shape[1])
    signs = _chosen(generator, SIGNS, shape)
    signed: Columns = generator.integers(1, limit, shape) * signs
    return signed


def _cancellation(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Big values of both signs among small ones: the sum lives in what a coarse sum loses."""
    big = 2.0 ** (fmt.precision if fmt.precision < 24 else 20)
    kind = generator.integers(0, 3, shape)
    small = generator.standard_normal(shape)
    return np.where(kind == 0, small, np.where(kind == 1, big, -big))


def _special(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Zeros of both signs, subnormals, the largest finite values, infinities and NaN among ones."""
    tiny, largest = (
        2.0 ** (fmt.emin - fmt.precision + 1),
        (2.0 - 2.0 ** (1 - fmt.precision)) * 2.0**fmt.emax,
    )
    rare = [0.0, -0.0, tiny, -tiny, 2.0**fmt.emin, largest, -largest, np.inf, -np.inf, np.nan]
    chosen = _chosen(generator, np.array(rare), shape)
    return np.where(generator.random(shape) < 0.3, chosen, _chosen(generator, ONES, shape))


def _chosen(generator: np.random.Generator, among: Columns, shape: tuple[int, int]) -> Columns:
    """What `Generator.choice` draws, which checks its arguments for longer than it draws."""
    return among[generator.integers(0, len(among), shape)]


NOT_DRAWN = b"\xfb\x7f"
"""A pattern, repeated, that no recipe draws. Judges need it no more, but a recipe gives the values
that it gave: cases are kept by what they hold."""


def _patterns(generator: np.random.Generator, shape: tuple[int, int], fmt: Format) -> NDArray[Any]:
    """Storage patterns of every kind, for values that are moved and not computed with.

    One in four has an exponent of ones: NaNs, quiet and signalling, of every payload and sign; one
    in four an exponent of zeros: subnormals, one in eight of which is a zero of either sign. The
    others are any pattern but `NOT_DRAWN`.
    """
    dtype = to_bits(np.zeros(1), fmt).dtype
    bits = generator.integers(0, 2 ** (8 * dtype.itemsize), shape, dtype)
    kind = generator.integers(0, 4, shape)
    exponent = dtype.type(fmt.infinity_bits)
    bits = np.where(kind == 0, bits | exponent, np.where(kind == 1, bits & ~exponent, bits))
    sign = dtype.type(1 << (8 * dtype.itemsize - 1))
    bits = np.where((kind == 1) & (generator.random(shape) < 1 / 8), bits & sign, bits)
    left_out = np.frombuffer(NOT_DRAWN * (dtype.itemsize // 2), dtype)[0]
    return np.asarray(np.where(bits == left_out, left_out ^ dtype.type(1), bits), dtype)


FAMILIES: dict[str, Family] = {
    "gaussian": _gaussian,
    "scaled": _scaled,
    "lattice": _lattice,
    "cancellation": _cancellation,
    "special": _special,
    "knife": knife,
}
"""Families by name: from generator, shape, format and term count to float64 columns."""

ADDRESS = "address"
"""The family whose values tell their row and column (conformance/values/address_code.py)."""

NAMES = (*FAMILIES, ADDRESS)
"""Everything that a strategy may draw as a stripe."""

INTEGERS = (*OF_INTEGERS, ADDRESS)
"""Those of tensors of integers."""

BITS = "bits"
"""The family of all storage patterns: for values that an operator moves, as sums have no use for
payloads of NaNs."""


def _prescribed(rule: DataRule) -> Family:
    """Values of one case as a published standard draws them, of one distribution."""

    def draw(
        generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
    ) -> Columns:
        return rule.draw(generator, shape[0] * shape[1]).reshape(shape)

    return draw


def _every_value(case: tuple[float, ...]) -> Family:
    """A special case of a published standard: nothing but its values, in turn."""

    def draw(
        generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
    ) -> Columns:
        return np.resize(np.array(case), shape)

    return draw


def prescribed_family(standard: str, seed: int) -> str:
    """The family that a standard prescribes for the recipe of a seed: its draw or a special case.

    Raises KeyError where the standard prescribes no data.
    """
    rule = RULES[standard]
    case = rule.special_case(seed)
    return standard if case is None else _special_name(standard, case)


def _special_name(standard: str, case: tuple[float, ...]) -> str:
    return f"{standard} all {listed_values(case)}"


RULES = {name: one.data for name, one in STANDARDS.items() if one.data}

PRESCRIBED: dict[str, Family] = {
    **{name: _prescribed(rule) for name, rule in RULES.items()},
    **{
        _special_name(name, case): _every_value(case)
        for name, rule in RULES.items()
        for case in rule.special
    },
}
"""Families that published standards prescribe: by the standard's name, and its special cases."""
