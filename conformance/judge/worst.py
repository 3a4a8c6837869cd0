"""The sentences about one element of a sum: what was seen, what is accepted, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import worst_element as say
from conformance.catalogue.marks import COMMA, OR
from conformance.catalogue.message import row
from conformance.judge.verdict import Derivation, WorstElement
from conformance.numerics.accepted import AcceptedSet
from conformance.numerics.addends import Addends
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.elements import ends_in_float64
from conformance.numerics.every_order import applicable, every_tree, outcomes, reachable
from conformance.numerics.exactly import accepted_exactly
from conformance.numerics.figures import Sums, summarize
from conformance.numerics.output import Operands
from reference.floats import Format, from_bits, from_ordered, ordered

SHOWN_TERMS = 12
SHOWN_VALUES = 8


@dataclass(frozen=True, kw_only=True)
class Element:
    """One element of output ``name``: where it is, what was seen, and what was added.

    ``operands``, ``addends`` and ``source_rows`` [slots] belong to it; ``named`` says where a
    source row lies; ``declared`` is the pattern of the declared order, if there is one; ``wider``
    is that of the contract.
    """

    name: str
    position: tuple[int, ...]
    observed: int
    operands: Operands
    addends: Addends
    source_rows: NDArray[np.int64]
    named: Callable[[int], str]
    declared: int | None = None
    wider: bool = False


def worst_element(
    element: Element, accumulate: Format, storage: Format, arithmetic: Arithmetic = IEEE
) -> WorstElement:
    """The element's patterns, its figures and three lines about it."""
    addends, observed, declared = element.addends, element.observed, element.declared
    legal = accepted_exactly(addends, accumulate, storage, arithmetic=arithmetic)
    bits = np.array([observed], storage.storage_dtype)
    inside = bool(legal.holds(ordered(bits, storage), storage).item())
    words, ranges = _set(legal, storage), _ranges(legal, storage)
    sums = summarize(addends, accumulate, arithmetic)
    few = _several(legal, storage) and applicable(sums, accumulate, storage, arithmetic).item()
    if few:
        given = addends.low
        inside = inside and bool(reachable(given, bits, accumulate, storage, arithmetic).item())
        places = outcomes(given, accumulate, storage, arithmetic)
        if element.wider and np.isfinite(given).all():
            places = np.union1d(places, np.ravel([*ends_in_float64(sums, accumulate, storage)]))
        words, ranges = _listed(places, storage), _each(places, storage)
    order: str = ""
    if declared is not None and _several(legal, storage):
        order = say.DECLARED(value=show(declared, storage))
    lead = say.OFF_THE_ORDER if inside else say.WORST
    figures = Derivation(
        step=_step(addends, sums, few=bool(few)),
        terms=int(sums.count.item()),
        unit_roundoff=accumulate.unit_roundoff,
        exact=sums.exact.item(),
        magnitude=sums.magnitude.item(),
        error=sums.error(accumulate).item(),
    )
    where = f"{element.name}[{', '.join(map(str, element.position))}]"
    text = [
        lead(place=where, seen=show(observed, storage), accepted=words, order=order),
        "  " + say.ADDED(terms=_added(element.operands, element.source_rows, element.named)),
        "  " + _words(figures, accumulate),
    ]
    return WorstElement(element.position, observed, ranges, row(text, "\n"), figures)


def show(bits: int, storage: Format) -> str:
    """A storage pattern and its value: ``0x3c00 (1.0)``."""
    value = from_bits(np.array([bits], storage.storage_dtype), storage).item()
    return f"0x{bits:0{storage.storage_bits // 4}x} ({value!r})"


def _several(legal: AcceptedSet, storage: Format) -> bool:
    return bool(legal.size(storage)[0] != 1)


def _ranges(legal: AcceptedSet, storage: Format) -> tuple[tuple[int, int], ...]:
    """The accepted set as ranges of patterns by rising value."""
    infinity = storage.infinity_bits
    low, high = int(legal.low[0]), int(legal.high[0])
    places = [(low, high)] if low <= high else []
    alone = {-infinity: legal.minus_infinity[0], 0: legal.zero[0], infinity: legal.plus_infinity[0]}
    places += [(at, at) for at, holds in alone.items() if holds and not low <= at <= high]
    places.sort()
    ends = from_ordered([end for pair in places for end in pair], storage).tolist()
    nan = [(storage.nan_bits, storage.nan_bits)] if legal.nan[0] else []
    return (*zip(ends[::2], ends[1::2], strict=True), *nan)


def _each(places: NDArray[np.int64], storage: Format) -> tuple[tuple[int, int], ...]:
    """Single values as ranges."""
    finite = places[places <= storage.infinity_bits]
    nan = [(storage.nan_bits, storage.nan_bits)] if finite.size < places.size else []
    return (*((int(bits), int(bits)) for bits in from_ordered(finite, storage)), *nan)


def _listed(places: NDArray[np.int64], storage: Format) -> str:
    """What the orders of an element give, in words."""
    infinity = storage.infinity_bits
    shown = [show(int(bits), storage) for bits in from_ordered(places[places <= infinity], storage)]
    shown += [say.ANY_NAN()] if places[-1] > infinity else []
    return say.ALONE(values=shown) if len(shown) == 1 else _cut(shown[:SHOWN_VALUES], len(shown))


def _set(legal: AcceptedSet, storage: Format) -> str:
    """The accepted set in words."""
    low, high = int(legal.low[0]), int(legal.high[0])
    parts: list[str] = []
    if low <= high:
        ends = [show(int(b), storage) for b in from_ordered([low, high], storage)]
        several = say.BETWEEN(low=ends[0], high=ends[-1], count=high - low + 1)
        parts.append(ends[0] if low == high else several)
    infinity = storage.infinity_bits
    if legal.plus_infinity[0] and high < infinity:
        parts.append("+inf")
    if legal.minus_infinity[0] and low > -infinity:
        parts.append("-inf")
    if legal.zero[0] and not low <= 0 <= high:
        parts.append(say.ZERO())
    if legal.nan[0]:
        parts.append(say.ANY_NAN())
    every = row(parts, OR)
    return say.ALONE(values=every) if legal.size(storage)[0] == 1 else every


def _added(operands: Operands, source_rows: NDArray[np.int64], named: Callable[[int], str]) -> str:
    """The terms by slot and source row, with their coefficients."""
    live = np.flatnonzero(source_rows >= 0)
    if not live.size:
        return say.NO_TERMS()
    weights = operands.factors

    def term(slot: int) -> str:
        weight = "" if weights is None else f"{weights[slot, 0]!s} * "
        value = f"{weight}{operands.values[slot, 0]!s}"
        return say.TERM(source=named(int(source_rows[slot])), value=value, slot=slot)

    return _cut([term(slot) for slot in live[:SHOWN_TERMS].tolist()], live.size)


def _cut(shown: list[str], count: int) -> str:
    """The first of so many, and how many more there are."""
    some = row(shown, COMMA)
    return say.AND_MORE(values=some, count=count - len(shown)) if count > len(shown) else some


def _step(addends: Addends, sums: Sums, *, few: bool) -> str:
    """What decided, with a reason."""
    if not (np.isfinite(addends.low).all() and np.isfinite(addends.high).all()):
        return say.NOT_FINITE()
    if sums.order_free.item():
        return say.CERTIFICATE()
    if few:
        return say.ALL_ORDERS_TRIED(count=len(every_tree(int(sums.count.item()))))
    return say.INTERVAL()


def _words(figures: Derivation, accumulate: Format) -> str:
    """The figures as a line."""
    return say.FIGURES(
        exact=repr(figures.exact),
        magnitude=repr(figures.magnitude),
        terms=figures.terms,
        unit=f"2^-{accumulate.precision}",
        error=repr(figures.error),
        step=figures.step,
    )
