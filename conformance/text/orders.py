"""Orders of additions in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.evidence.lines import OrderLine


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
            yield f"{operator}, {', '.join(dtypes)}: {orders}"
            yield from (f"  {remark}" for remark in remarks)


def _told(lines: list[OrderLine]) -> tuple[str, ...]:
    """The orders of one dtype in a line, then the remarks on them."""
    lengths: dict[str, list[str]] = {}
    for line in lines:
        accumulated = "" if line.accumulate in ("fp32", "") else f" in {line.accumulate}"
        lengths.setdefault(line.order + accumulated, []).append(str(line.slots))
    told = [", ".join(f"{order} (K={' '.join(some)})" for order, some in lengths.items())]
    for line in lines:
        if line.as_declared is False:
            told.append(f"K={line.slots}: the record declares another order")
        if line.reason:
            told.append(f"K={line.slots}: {line.reason}")
        told += [f"K={line.slots}: {branch}" for branch in line.drawing.splitlines()]
    return tuple(told)
