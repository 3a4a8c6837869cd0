"""Summation trees: their canonical form, their name, and their drawing as text.

A tree is held as merges (numerics/order.py). Additions commute, so one tree has many sequences of
merges; two sequences are the same tree where their counts are equal (`lowest_common`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import orders as say
from conformance.catalogue.message import row
from conformance.numerics.order import Merges, sequential

SHOWN_LINES = 40


def reversed_order(slots: int) -> Merges:
    """From right to left: the last two slots first, slot 0 last."""
    return tuple((slot - 1, slot) for slot in range(slots - 1, 0, -1))


def pairwise(slots: int) -> Merges:
    """Neighbours first, then neighbouring sums: (0, 1), (2, 3), ..., (0, 2), ..."""
    gaps = [1 << level for level in range(max(slots - 1, 0).bit_length())]
    return tuple(
        (low, low + gap) for gap in gaps for low in range(0, slots, 2 * gap) if low + gap < slots
    )


def halving(slots: int) -> Merges:
    """The upper half onto the lower half, again and again, as a vector reduction folds a block."""
    merges: list[tuple[int, int]] = []
    while slots > 1:
        half = (slots + 1) // 2
        merges += [(slot, slot + half) for slot in range(slots - half)]
        slots = half
    return tuple(merges)


PLAIN: dict[str, Callable[[int], Merges]] = {
    "sequential": sequential,
    "reversed": reversed_order,
    "pairwise": pairwise,
    "halving": halving,
}
"""Orders that have a name of their own; where two are the same tree, the first gives the name."""


def lowest_common(merges: Merges, slots: int) -> NDArray[np.int64]:
    """For slots i and j the number of slots under the addition that brings them together.

    int64 [slots, slots], 1 on the diagonal. ``merges`` must be a tree (`order.validate`).
    """
    counts = np.ones((slots, slots), np.int64)
    members = {slot: [slot] for slot in range(slots)}
    for into, origin in merges:
        joined = members.pop(origin)
        size = len(members[into]) + len(joined)
        counts[np.ix_(members[into], joined)] = size
        counts[np.ix_(joined, members[into])] = size
        members[into] += joined
    return counts


def tree_of(counts: NDArray[np.int64]) -> Merges | None:
    """The tree whose `lowest_common` is ``counts``, smaller sums first, always into the lower slot.

    None where no tree of two-operand additions has those counts.
    """
    slots = len(counts)
    root = list(range(slots))
    merges: list[tuple[int, int]] = []
    low, high = np.triu_indices(slots, 1)
    for pair in np.lexsort((high, low, counts[low, high])):
        one, other = sorted((_find(root, int(low[pair])), _find(root, int(high[pair]))))
        if one != other:
            merges.append((one, other))
            root[other] = one
    if np.array_equal(lowest_common(merges, slots), counts):
        return tuple(merges)
    return None


def _find(root: list[int], slot: int) -> int:
    while root[slot] != slot:
        root[slot] = root[root[slot]]
        slot = root[slot]
    return slot


def name_of(merges: Merges, slots: int) -> str:
    """``sequential``, ``reversed``, ``pairwise``, ``halving``, ``bins(B)`` or ``other``.

    bins(B): B partial sums, each adding one slot after the other, then neighbouring bins pairwise;
    bins(1) is one such sum in another order than from left to right or from right to left. Three
    slots are too few to speak of halves.
    """
    if slots <= 1:
        return "no addition"
    counts = lowest_common(merges, slots)
    for name, order in PLAIN.items():
        if slots < 4 and order is halving:
            continue
        if np.array_equal(counts, lowest_common(order(slots), slots)):
            return name
    bins, over = bins_of(merges, slots)
    found = np.array_equal(
        lowest_common(over, len(bins)), lowest_common(pairwise(len(bins)), len(bins))
    )
    return f"bins({len(bins)})" if found else "other"


def bins_of(merges: Merges, slots: int) -> tuple[tuple[tuple[int, ...], ...], Merges]:
    """The partial sums that add one slot after the other, as large as can be, and the tree over
    them: slots of every bin in the order of their addition, and merges of bin numbers.

    A bin is numbered by its lowest slot. ``merges`` must be a tree.
    """
    canonical = tree_of(lowest_common(merges, slots)) or ()
    chains = {slot: [slot] for slot in range(slots)}
    bins: dict[int, list[int]] = {}
    over: list[tuple[int, int]] = []
    for into, origin in canonical:
        one, other = chains.pop(into, None), chains.pop(origin, None)
        if one and other and min(len(one), len(other)) == 1:
            chains[into] = one + other if len(other) == 1 else other + one
            continue
        bins |= {slot: chain for slot, chain in ((into, one), (origin, other)) if chain}
        over.append((into, origin))
    bins |= chains
    place = {slot: number for number, slot in enumerate(sorted(bins))}
    ordered_bins = tuple(tuple(bins[slot]) for slot in sorted(bins))
    return ordered_bins, tuple((place[into], place[origin]) for into, origin in over)


def drawing(merges: Merges, slots: int) -> str:
    """The tree as text: a sum of single slots on one line, other sums as branches.

    Deep or wide trees are cut after some lines.
    """
    lines = list(_lines(merges, slots))
    hidden = len(lines) - SHOWN_LINES
    if hidden > 0:
        lines = [*lines[:SHOWN_LINES], say.MORE_LINES(count=hidden)]
    return row(lines, "\n")


@dataclass
class _Node:
    """A partial sum: slots added one after the other, to a sum of further sums if there are any."""

    slots: list[int]
    parts: Sequence[_Node] = ()

    @property
    def single(self) -> bool:
        return len(self.slots) == 1 and not self.parts

    @property
    def text(self) -> str:
        return " + ".join(f"x{slot}" for slot in self.slots)


def _lines(merges: Merges, slots: int) -> Iterator[str]:
    nodes = {slot: _Node([slot]) for slot in range(slots)}
    for into, origin in merges:
        one, other = nodes.pop(into), nodes.pop(origin)
        if one.single and not other.single:
            one, other = other, one
        if other.single:
            nodes[into] = _Node([*one.slots, *other.slots], one.parts)
        else:
            nodes[into] = _Node([], (one, other))
    for root in nodes.values():
        pending = [(root, "", "")]
        while pending:
            node, lead, below = pending.pop()
            if not node.parts:
                yield lead + node.text
                continue
            yield lead + (say.SUM_THEN(terms=node.text) if node.slots else say.SUM())
            ends = [("├─ ", "│  ")] * (len(node.parts) - 1) + [("└─ ", "   ")]
            for part, (lead_of, below_of) in zip(node.parts[::-1], ends[::-1], strict=True):
                pending.append((part, below + lead_of, below + below_of))
