"""Which worker judges which items next, and which items are judged once more."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

CHUNK = 16
"""Items without draws that a worker is given at once: each takes milliseconds."""

TRIES = 3
"""Workers that one item may lose: it may be what ends them."""


@dataclass(frozen=True)
class Group:
    """Items that one worker judges best, in their order.

    ``whole``: they are given at once. Items that are not whole share rows, which are worked out
    once in each process; they are given one by one.
    """

    items: tuple[str, ...]
    whole: bool


def grouped(items: Iterable[tuple[str, object, bool]]) -> list[Group]:
    """Groups of items in a row: each an id, what it shares with others, and whether it draws."""
    groups: list[Group] = []
    before: object = None
    for item, shared, drawn in items:
        last = groups[-1] if groups else Group((), whole=True)
        joins = (
            not last.whole and shared == before
            if drawn
            else last.whole and 0 < len(last.items) < CHUNK
        )
        if joins:
            groups[-1] = Group((*last.items, item), whole=not drawn)
        else:
            groups.append(Group((item,), whole=not drawn))
        before = shared
    return groups


class Dealing:
    """The items of a run that have not ended, and who judges them."""

    def __init__(self, groups: Sequence[Group], ended: Collection[str] = ()) -> None:
        """``ended`` are items that are not judged."""
        left = (Group(tuple(i for i in g.items if i not in ended), g.whole) for g in groups)
        self._fresh = deque(group for group in left if group.items)
        self._own: dict[str, deque[str]] = {}
        self._again: deque[str] = deque()
        self._open = {item for group in self._fresh for item in group.items}
        self._lost: Counter[str] = Counter()
        self._failed: set[str] = set()

    @property
    def open(self) -> int:
        """How many items have not ended."""
        return len(self._open)

    def next(self, worker: str) -> list[str]:
        """The items that a worker is to judge now; none if all have been given to somebody.

        A worker keeps to its group. Where no group is left, it takes from the end of the longest.
        """
        if self._again:
            return [self._again.popleft()]
        if mine := self._own.get(worker):
            return [mine.popleft()]
        if self._fresh:
            group = self._fresh.popleft()
            if group.whole:
                return list(group.items)
            mine = self._own[worker] = deque(group.items)
            return [mine.popleft()]
        longest = max(self._own.values(), key=len, default=None)
        return [longest.pop()] if longest else []

    def ended(self, item: str) -> None:
        """An item has ended."""
        self._open.discard(item)

    def may_fail(self, item: str) -> bool:
        """Whether an item whose device failed is judged once more: it is the first time."""
        first = item not in self._failed
        self._failed.add(item)
        return first

    def lose(self, worker: str, given: Sequence[str]) -> list[str]:
        """Have others judge what a worker was given and has not ended, the first of it begun.

        The items that have lost so many workers that nobody judges them again.
        """
        begun, *waiting = given or [""]
        given_up = []
        if begun:
            self._lost[begun] += 1
            if self._lost[begun] < TRIES:
                self._again.append(begun)
            else:
                given_up = [begun]
        self._again.extend(waiting)
        if mine := self._own.pop(worker, None):
            self._fresh.appendleft(Group(tuple(mine), whole=False))
        return given_up
