"""The sentences about one element of a sum: what was seen, what is accepted, and why."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.accepted import AcceptedSet, Floats
from conformance.numerics.exactly import accepted_exactly
from conformance.numerics.interval import summarize
from reference.floats import Format, from_bits, from_ordered, ordered

SHOWN_TERMS = 12


def describe(
    *,
    name: str,
    observed: int,
    terms: Floats,
    source_rows: NDArray[np.int64],
    source: str,
    accumulate: Format,
    storage: Format,
    declared: int | None,
) -> str:
    """Three lines: the observed and the accepted patterns, the terms, the figures of the bound.

    ``terms`` [slots] and ``source_rows`` [slots] belong to the element; ``declared`` is the pattern
    of the declared order, if there is one.
    """
    legal = accepted_exactly(terms, accumulate, storage)
    place = ordered(np.array([observed], storage.storage_dtype), storage)
    inside = bool(legal.holds(place, storage).item())
    order = ""
    if declared is not None and legal.size(storage)[0] != 1:
        order = f"; the declared order gives {show(declared, storage)}"
    lead = "legal but off the order" if inside else "worst element"
    return "\n".join(
        [
            f"{lead}: {name} is {show(observed, storage)}, accepted: {_set(legal, storage)}{order}",
            f"  added were {_added(terms, source_rows, source)}",
            f"  {_figures(terms, accumulate)}",
        ]
    )


def show(bits: int, storage: Format) -> str:
    """A storage pattern and its value: ``0x3c00 (1.0)``."""
    value = from_bits(np.array([bits], storage.storage_dtype), storage).item()
    return f"0x{bits:0{storage.storage_bits // 4}x} ({value!r})"


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
    if legal.nan[0]:
        parts.append("any NaN")
    alone = " alone" if legal.size(storage)[0] == 1 else ""
    return " or ".join(parts) + alone


def _added(terms: Floats, source_rows: NDArray[np.int64], source: str) -> str:
    """The terms by slot and source row."""
    live = np.flatnonzero(source_rows >= 0)
    if not live.size:
        return "no terms, all slots of the row add nothing"
    shown = [
        f"{source}[{int(source_rows[slot])}] = {terms[slot]!s} (slot {int(slot)})"
        for slot in live[:SHOWN_TERMS]
    ]
    more = f" and {live.size - SHOWN_TERMS} more" if live.size > SHOWN_TERMS else ""
    return ", ".join(shown) + more


def _figures(terms: Floats, accumulate: Format) -> str:
    """s*, A, n and E, and which step of numerics N.1 applies."""
    sums = summarize(terms.reshape(-1, 1), accumulate)
    exact, magnitude = sums.exact.item(), sums.magnitude.item()
    error, count = sums.error(accumulate).item(), int(sums.count.item())
    if not np.isfinite(terms).all():
        step = "infinite or NaN terms decide"
    elif sums.order_free.item():
        step = "certificate: every order gives the same sum"
    else:
        step = "interval: the order may matter"
    terms_text = f"{count} nonzero term{'' if count == 1 else 's'}"
    return (
        f"exact sum {exact!r}, sum of magnitudes {magnitude!r}, {terms_text},"
        f" error bound {error!r} ({step})"
    )
