"""The sentences about one element of a sum: what was seen, what is accepted, and why."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.accepted import AcceptedSet
from conformance.numerics.addends import Addends
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.exactly import accepted_exactly
from conformance.numerics.figures import summarize
from conformance.numerics.output import Operands
from reference.floats import Format, from_bits, from_ordered, ordered

SHOWN_TERMS = 12


def describe(
    *,
    name: str,
    observed: int,
    operands: Operands,
    addends: Addends,
    source_rows: NDArray[np.int64],
    source: str,
    accumulate: Format,
    storage: Format,
    declared: int | None,
    arithmetic: Arithmetic = IEEE,
) -> str:
    """Three lines: the observed and the accepted patterns, the terms, the figures of the bound.

    ``operands``, ``addends`` and ``source_rows`` [slots] belong to the element; ``declared`` is the
    pattern of the declared order, if there is one.
    """
    legal = accepted_exactly(addends, accumulate, storage, arithmetic=arithmetic)
    place = ordered(np.array([observed], storage.storage_dtype), storage)
    inside = bool(legal.holds(place, storage).item())
    order = ""
    if declared is not None and legal.size(storage)[0] != 1:
        order = f"; the declared order gives {show(declared, storage)}"
    lead = "legal but off the order" if inside else "worst element"
    return "\n".join(
        [
            f"{lead}: {name} is {show(observed, storage)}, accepted: {_set(legal, storage)}{order}",
            f"  added were {_added(operands, source_rows, source)}",
            f"  {_figures(addends, accumulate, arithmetic)}",
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
    if legal.zero[0] and not low <= 0 <= high:
        parts.append("zero")
    if legal.nan[0]:
        parts.append("any NaN")
    alone = " alone" if legal.size(storage)[0] == 1 else ""
    return " or ".join(parts) + alone


def _added(operands: Operands, source_rows: NDArray[np.int64], source: str) -> str:
    """The terms by slot and source row, with their coefficients."""
    live = np.flatnonzero(source_rows >= 0)
    if not live.size:
        return "no terms, all slots of the row add nothing"
    weights = operands.factors

    def term(slot: int) -> str:
        weight = "" if weights is None else f"{weights[slot, 0]!s} * "
        value = f"{source}[{int(source_rows[slot])}] = {weight}{operands.values[slot, 0]!s}"
        return f"{value} (slot {slot})"

    shown = [term(slot) for slot in live[:SHOWN_TERMS].tolist()]
    more = f" and {live.size - SHOWN_TERMS} more" if live.size > SHOWN_TERMS else ""
    return ", ".join(shown) + more


def _figures(addends: Addends, accumulate: Format, arithmetic: Arithmetic) -> str:
    """s*, A, n and E, and which step of numerics N.1 applies."""
    sums = summarize(addends, accumulate, arithmetic)
    exact, magnitude = sums.exact.item(), sums.magnitude.item()
    error, count = sums.error(accumulate).item(), int(sums.count.item())
    if not (np.isfinite(addends.low).all() and np.isfinite(addends.high).all()):
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
