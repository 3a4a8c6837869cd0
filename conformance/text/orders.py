"""Orders of additions in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.catalogue import orders as say
from conformance.catalogue.marks import COMMA
from conformance.catalogue.message import row
from conformance.evidence.lines import OrderLine

WORDS = {
    "unrecoverable": say.UNRECOVERABLE,
    "no answer": say.NO_ANSWER,
    "no addition": say.NO_ADDITION,
}
"""Words for what is no order, by the name that evidence has for it; orders keep their names."""


def order_lines(found: Iterable[OrderLine]) -> Iterator[str]:
    """What was found in words: a line for each operator, dtypes that add alike together."""
    groups: dict[str, dict[str, list[OrderLine]]] = {}
    for line in found:
        groups.setdefault(line.operator, {}).setdefault(line.dtype, []).append(line)
    for operator, by_dtype in groups.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for dtype, lines in by_dtype.items():
            alike.setdefault(_told(lines), []).append(dtype)
        for (orders, *remarks), dtypes in alike.items():
            yield say.FOUND(operator=operator, dtypes=dtypes, orders=orders)
            yield from ("  " + remark for remark in remarks)


def _told(lines: list[OrderLine]) -> tuple[str, ...]:
    """The orders of one dtype in a line, then the remarks on them."""
    lengths: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        accumulate = "" if line.accumulate == "fp32" else line.accumulate
        lengths.setdefault((line.order, accumulate), []).append(str(line.slots))
    told = [row([_order(*order, " ".join(some)) for order, some in lengths.items()], COMMA)]
    for line in lines:
        remarks: list[str] = [say.NOT_AS_DECLARED()] if line.as_declared is False else []
        remarks += [line.reason] if line.reason else []
        remarks += line.drawing.splitlines()
        told += [say.REMARK(slots=line.slots, remark=one) for one in remarks]
    return tuple(told)


def _order(order: str, accumulate: str, slots: str) -> str:
    """An order, and of how many slots it was found."""
    told = WORDS[order]() if order in WORDS else order
    if not accumulate:
        return say.ORDER(order=told, slots=slots)
    return say.ORDER_IN(order=told, accumulate=accumulate, slots=slots)
