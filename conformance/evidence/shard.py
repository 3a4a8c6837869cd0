"""One of several runs that together judge everything."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from conformance.catalogue.folder_of_run import ALLOWED_SHARDS
from conformance.errors import UsageError

Item = TypeVar("Item")


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
            raise UsageError("shard", text, ALLOWED_SHARDS())
        return shard

    def part(
        self,
        items: Sequence[Item],
        mandatory: Callable[[Item], bool],
        together: Callable[[Item], object] | None = None,
    ) -> list[Item]:
        """The items of this shard, in order: every mandatory one, and of the others each N-th.

        Items of which ``together`` says the same stay together and count as one. Over all shards
        every other item is in exactly one, and no shard has two more than another.
        """
        kept: list[Item] = []
        places: dict[object, int] = {}
        for number, item in enumerate(items):
            if mandatory(item):
                kept.append(item)
                continue
            group = number if together is None else together(item)
            if places.setdefault(group, len(places)) % self.count == self.index - 1:
                kept.append(item)
        return kept


WHOLE = Shard()
