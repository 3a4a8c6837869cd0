"""One of several runs that together judge everything."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from conformance.catalogue.sharding import ALLOWED
from conformance.errors import UsageError

Item = TypeVar("Item")
MOST_SHARDS = 9_999


@dataclass(frozen=True)
class Shard:
    """The ``index``-th (from 1) of ``count`` parts; the whole is 1/1."""

    index: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @staticmethod
    def of(text: str | None) -> Shard:
        """The shard that a text such as 2/4 names; the whole where there is none.

        Raises `UsageError`.
        """
        if text is None:
            return WHOLE
        written = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text, re.ASCII)
        shard = Shard(int(written[1]), int(written[2])) if written else Shard(0, 0)
        if not 1 <= shard.index <= shard.count:
            raise UsageError("shard", text, ALLOWED())
        return shard

    def part(
        self,
        items: Sequence[Item],
        mandatory: Callable[[Item], bool],
        together: Callable[[Item], object] | None = None,
        seconds: Callable[[Item], float] | None = None,
    ) -> list[Item]:
        """The items of this shard, in order: every mandatory one, and a share of the others.

        Items of which ``together`` says the same stay together. Over all shards every other item is
        in exactly one. Groups go to the shard that has the fewest seconds by then, the longest
        first; without ``seconds`` a group counts as one second, and they are dealt out in turn.
        """
        groups: dict[object, float] = {}
        group_of: list[object] = []
        for number, item in enumerate(items):
            group = number if together is None else together(item)
            group_of.append(group)
            if not mandatory(item):
                groups[group] = 1.0 if seconds is None else groups.get(group, 0.0) + seconds(item)
        shard_of = self._dealt(groups)
        return [
            item
            for item, group in zip(items, group_of, strict=True)
            if mandatory(item) or shard_of[group] == self.index
        ]

    def _dealt(self, groups: Mapping[object, float]) -> dict[object, int]:
        """The shard of each group, from 1; of equal groups the first one comes first."""
        loads = [(0.0, index) for index in range(1, self.count + 1)]
        dealt: dict[object, int] = {}
        for group in sorted(groups, key=groups.__getitem__, reverse=True):
            load, index = heapq.heappop(loads)
            heapq.heappush(loads, (load + groups[group], index))
            dealt[group] = index
        return dealt


WHOLE = Shard()
