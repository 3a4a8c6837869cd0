"""A part of an item: a share of its draws, by their numbers, for runs on several hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from conformance.names import bracket, marked, marks, unmarked

Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Part:
    """The ``index``-th (from 1) of ``count`` parts of an item; the whole is 1/1."""

    index: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.index}of{self.count}"

    def of(self, draws: Sequence[Drawn]) -> Sequence[Drawn]:
        """The draws of this part, in order. Over all parts each draw is in exactly one, and no part
        has two more than another.
        """
        return draws[self.index - 1 :: self.count]

    def named(self, item: str) -> str:
        """The name of this part of an item."""
        return item if self == WHOLE_ITEM else marked(item, str(self))

    @staticmethod
    def of_item(item: str) -> Part:
        """The part that an item's name tells of."""
        for mark in marks(item):
            if found := re.fullmatch(r"(\d{1,4})of(\d{1,4})", mark, re.ASCII):
                return Part(int(found[1]), int(found[2]))
        return WHOLE_ITEM


WHOLE_ITEM = Part()


def all_parts(items: Iterable[str]) -> bool:
    """Whether of each of these items all parts are among them."""
    found: dict[str, set[Part]] = {}
    for item in items:
        found.setdefault(unmarked(item), set()).add(Part.of_item(item))
    return all(len(parts) >= max(one.count for one in parts) for parts in found.values())


def lacking_parts(items: Iterable[str]) -> set[str]:
    """What stands in the brackets of items of which another part is not among them."""
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(bracket(item), []).append(item)
    return {name for name, alike in found.items() if not all_parts(alike)}
