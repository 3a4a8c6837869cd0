"""The sentences about one element of a sum: what was seen, what is accepted, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conformance.judge.verdict import Derivation, WorstElement
from conformance.numerics.accepted import AcceptedSet
from conformance.numerics.addends import Addends
from conformance.numerics.arithmetic import IEEE, Arithmetic
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
    source row lies; ``declared`` is the pattern of the declared order, if there is one.
    """

    name: str
    position: tuple[int, ...]
    observed: int
    operands: Operands
    addends: Addends
    source_rows: NDArray[np.int64]
    named: Callable[[int], str]
    declared: int | None = None


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
        words, ranges = _listed(places, storage), _each(places, storage)
    order = ""
    if declared is not None and _several(legal, storage):
        order = f"; the declared order gives {show(declared, storage)}"
    lead = "legal but off the order" if inside else "worst element"
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
        f"{lead}: {where} is {show(observed, storage)}, accepted: {words}{order}",
        f"  added were {_added(element.operands, element.source_rows, element.named)}",
        f"  {_words(figures, accumulate)}",
    ]
    return WorstElement(element.position, observed, ranges, "\n".join(text), figures)


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
    shown += ["any NaN"] if places[-1] > infinity else []
    some = ", ".join(shown[:SHOWN_VALUES])
    if len(shown) > SHOWN_VALUES:
        return f"{some} and {len(shown) - SHOWN_VALUES} more"
    return some + (" alone" if len(shown) == 1 else "")


def _set(legal: AcceptedSet, storage: Format) -> str:
    """The accepted set in words."""
    low, high = int(legal.low[0]), int(legal.high[0])
    parts: list[str] = []
    if low <= high:
        ends = [show(int(b), storage) for b in from_ordered([low, high], storage)]
        parts.append(ends[0] if low == high else f"{ends[0]} to {ends[1]}, {high - low + 1} values")
    infinity = storage.infinity_bits
    if legal.plus_infinity[0] and high < infinity:
        parts.append("+inf")
    if legal.minus_infinity[0] and low > -infinity:
        parts.append("-inf")
    if legal.zero[0] and not low <= 0 <= high:
        parts.append("zero")
    if legal.nan[0]:
        parts.append("any NaN")
    alone = " alone" if legal.size(storage)[0] == 1 else ""
    return " or ".join(parts) + alone


def _added(operands: Operands, source_rows: NDArray[np.int64], named: Callable[[int], str]) -> str:
    """The terms by slot and source row, with their coefficients."""
    live = np.flatnonzero(source_rows >= 0)
    if not live.size:
        return "no terms, all slots of the row add nothing"
    weights = operands.factors

    def term(slot: int) -> str:
        weight = "" if weights is None else f"{weights[slot, 0]!s} * "
        value = f"{named(int(source_rows[slot]))} = {weight}{operands.values[slot, 0]!s}"
        return f"{value} (slot {slot})"

    shown = [term(slot) for slot in live[:SHOWN_TERMS].tolist()]
    more = f" and {live.size - SHOWN_TERMS} more" if live.size > SHOWN_TERMS else ""
    return ", ".join(shown) + more


def _step(addends: Addends, sums: Sums, *, few: bool) -> str:
    """What decided, with a reason."""
    if not (np.isfinite(addends.low).all() and np.isfinite(addends.high).all()):
        return "infinite or NaN terms decide"
    if sums.order_free.item():
        return "certificate: every order gives the same sum"
    if few:
        return f"every order was tried: {len(every_tree(int(sums.count.item())))} trees"
    return "interval: the order may matter"


def _words(figures: Derivation, accumulate: Format) -> str:
    """The figures as a line."""
    terms = f"{figures.terms} nonzero term{'' if figures.terms == 1 else 's'}"
    return (
        f"exact sum {figures.exact!r}, sum of magnitudes {figures.magnitude!r}, {terms},"
        f" unit roundoff 2^-{accumulate.precision}, error bound {figures.error!r} ({figures.step})"
    )
