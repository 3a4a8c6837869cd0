"""Which items are split into parts, so that shards have as much to do as each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import pytest

from conformance.evidence.part import Part

LONGEST_SHARE = 0.2
"""Of the mean seconds of a shard, what a group of items takes that is not split."""
MOST_PARTS = 999


def parts_by_seconds(seconds: Mapping[Hashable, float], shards: int) -> dict[Hashable, int]:
    """Into how many parts each group of items is split, by its seconds: so that none takes more
    than `LONGEST_SHARE` of a shard."""
    most = sum(seconds.values()) / shards * LONGEST_SHARE
    return {
        group: min(MOST_PARTS, max(1, math.ceil(spent / most))) if most else 1
        for group, spent in seconds.items()
    }


def split(
    items: Sequence[pytest.Item],
    together: Callable[[pytest.Item], Hashable],
    count: Callable[[Hashable], int],
) -> list[pytest.Item]:
    """The items with parts in place of those that are split.

    ``count`` tells into how many parts a group is split, of whose items ``together`` says the same.
    The first parts of a group's items follow each other, then the second ones, as they share rows.
    """
    return [one for group, some in groupby(items, together) for one in _parts(some, count(group))]


def _parts(items: Iterator[pytest.Item], count: int) -> Iterator[pytest.Item]:
    if count == 1:
        yield from items
        return
    every = [*items]
    for index in range(1, count + 1):
        for item in every:
            yield _part(item, Part(index, count)) if isinstance(item, pytest.Function) else item


def _part(item: pytest.Function, part: Part) -> pytest.Function:
    """The part of an item as an item of its own."""
    # Newer versions of pytest make the node id of these, and not of the name.
    ids = item.callspec._idlist
    last = part.named(f"{ids[-1]}]").removesuffix("]")
    made: pytest.Function = pytest.Function.from_parent(
        item.parent,
        name=part.named(item.name),
        callspec=replace(item.callspec, _idlist=[*ids[:-1], last]),
        callobj=item.obj,
        fixtureinfo=item._fixtureinfo,
        originalname=item.originalname,
    )
    made.own_markers[:] = item.own_markers
    made.keywords.update({mark.name: mark for mark in item.own_markers})
    return made
