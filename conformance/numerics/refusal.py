"""What is wrong first with the ids of a row that `selection.legal` refuses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.numerics import group_choice
from conformance.numerics.selection import (
    Integers,
    Mask,
    Ties,
    above,
    descend,
    from_slot,
    kept_groups,
    legal,
    links_of,
    precedes,
)
from conformance.record.computed import Box, Keys

Span = tuple[float, float]
Kind = Literal["given", "range", "twice", "order", "left out", "tie", "group"]


@dataclass(frozen=True)
class Refusal:
    """Why ids are not legal, told of one slot (``place``), and of one or two experts.

    ``kind``: "given", ``other`` is stated in the place of ``expert``; "range", there is no such
    expert; "twice", it is at an earlier slot, too; "order", ``other`` comes later and has a larger
    key; "left out", it is in no slot and has; "tie", it comes later or in no slot, has the lower
    id, and cannot have the smaller key; "group", the group of ``expert`` cannot be kept before that
    of ``other``. ``boxes`` are the keys of both, or the scores of their groups; None beside ids
    that have no key. Boxes of "order" and "left out" may meet: then a chain of experts does not
    fit, of which these two are neighbours.
    """

    kind: Kind
    place: int
    expert: int
    other: int | None = None
    boxes: tuple[Span, Span] | None = None


def explain(ids: NDArray[Any], keys: Keys, row: int, ties: Ties = "lowest") -> Refusal | None:
    """What is wrong with the ids [k] of a row, the plainest fault first; None if they are legal."""
    one = _row(keys, row)
    if legal(ids[None], one, ties)[0]:
        return None
    if one.given is not None and (one.given != -1).any():
        place = int(np.flatnonzero(one.given[0] != ids)[0])
        return Refusal("given", place, int(ids[place]), int(one.given[0, place]))
    experts = one.box.low.shape[1]
    outside = np.flatnonzero((ids < 0) | (ids >= experts))
    if outside.size:
        return Refusal("range", int(outside[0]), int(ids[outside[0]]))
    for place, expert in enumerate(ids):
        earlier = np.flatnonzero(ids[:place] == expert)
        if earlier.size:
            return Refusal("twice", place, int(expert), int(expert))
    slots = ids[None].astype(np.int64)
    chosen = np.zeros((1, experts), np.bool_)
    chosen[0, slots[0]] = True
    return (
        _of_two(slots[0], chosen, one, ties)
        or _of_many(slots, chosen, one, ties)
        or _of_groups(slots, chosen, one, ties)
    )


def _row(keys: Keys, row: int) -> Keys:
    """The keys of one row."""

    def box(whole: Box) -> Box:
        return Box(whole.low[row : row + 1], whole.high[row : row + 1])

    def part(array: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if array is None else array[row : row + 1]

    groups = keys.groups
    if groups is not None:
        groups = replace(groups, score=box(groups.score), classes=part(groups.classes))
    return Keys(
        box(keys.box),
        part(keys.classes),
        part(keys.order),
        groups,
        keys.on_grid,
        part(keys.given),
        part(keys.open),
    )


def _rivals(chosen: Mask, keys: Keys) -> Mask:
    """The experts [experts] that are left out of a group with a chosen one; without groups, of all
    experts."""
    if keys.groups is None:
        return np.asarray(~chosen[0])
    groups = keys.groups.score.low.shape[1]
    needed = chosen.reshape(groups, -1).any(axis=1)
    return np.asarray(np.repeat(needed, chosen.shape[1] // groups) & ~chosen[0])


def _of_two(ids: Integers, chosen: Mask, keys: Keys, ties: Ties) -> Refusal | None:
    """Two experts in the wrong order, whatever the other keys are."""
    low, high = keys.box.low[0], keys.box.high[0]
    left = _rivals(chosen, keys)
    equal_at_most = np.zeros(len(low), np.bool_)
    for strict in (True, False):
        for place, expert in enumerate(ids):
            later = left.copy()
            later[ids[place + 1 :]] = True
            over = low > high[expert]
            if not strict:
                if ties == "any":
                    return None
                equal_at_most = low == high[expert]
                if keys.classes is not None:
                    equal_at_most |= keys.classes[0] == keys.classes[0, expert]
                if keys.order is not None:
                    equal_at_most |= keys.order[0] > keys.order[0, expert]
                over = equal_at_most & (np.arange(len(low)) < expert)
            found = np.flatnonzero(later & over)
            if found.size:
                other = int(found[np.argmax(low[found])])
                kind: Kind = "left out" if left[other] else "order"
                return _pair(kind if strict else "tie", place, int(expert), other, keys)
    return None


def _of_many(slots: Integers, chosen: Mask, keys: Keys, ties: Ties) -> Refusal | None:
    """Two neighbours in a chain of experts that do not fit, though any two of them would."""
    k, left, links = slots.shape[1], _rivals(chosen, keys), links_of(slots, chosen, keys)
    joined = links.joined
    if links.first is not None:
        joined = joined | from_slot(np.where(left, links.first, k).min(axis=1), k)
    low, high = (end[:, slots[0]] for end in (keys.box.low, keys.box.high))
    chain = descend(low, high, slots, joined, keys.on_grid, ties)
    fits = (low < chain.value) | ((low == chain.value) & ~chain.below)
    if not fits.all() and k > 1:
        place = max(int(np.argmin(fits[0])), 1)
        return _pair("order", place - 1, int(slots[0, place - 1]), int(slots[0, place]), keys)
    over = above(keys.box.low, chosen, chain, slots, ties)[0] & left
    if links.first is not None:
        over |= precedes(links.first, slots, ties)[0] & left
    if over.any():
        other = int(np.argmax(np.where(over, keys.box.low[0], -np.inf)))
        other = other if over[other] else int(np.argmax(over))
        return _pair("left out", k - 1, int(slots[0, -1]), other, keys)
    falls = np.flatnonzero(joined[0] & (slots[0, 1:] < slots[0, :-1]))
    if falls.size and ties == "lowest":
        place = int(falls[0])
        return _pair("tie", place, int(slots[0, place]), int(slots[0, place + 1]), keys)
    return None


def _of_groups(slots: Integers, chosen: Mask, keys: Keys, ties: Ties) -> Refusal:
    """The needed group of the smallest score, and the one of the largest score that is left."""
    assert keys.groups is not None
    score, classes = keys.groups.score, keys.groups.classes
    links = links_of(slots, chosen, keys)
    _, needed, admissible = kept_groups(slots, chosen, keys, links, ties)
    ranks = group_choice.ranks(score, ties == "lowest")
    size = chosen.shape[1] // needed.shape[1]
    shown = np.asarray(chosen.reshape(1, needed.shape[1], size).any(axis=2))
    weak = int(np.argmin(np.where(shown, ranks.high, ranks.high.max() + 1)))
    rest = ~needed & ~admissible if (~needed & ~admissible).any() else ~needed
    if classes is not None and ties == "lowest" and (needed & ~shown).any():
        rest = needed & ~shown
        forced = classes[0, np.flatnonzero(rest[0])]
        weak = int(np.flatnonzero(np.isin(classes[0], forced) & shown[0])[-1])
    rest = rest if rest.any() else needed & (np.arange(needed.shape[1]) != weak)
    other = int(np.argmax(np.where(rest, ranks.low, -1)))
    place = int(np.flatnonzero(slots[0] // size == weak)[0])
    spans = tuple((float(score.low[0, one]), float(score.high[0, one])) for one in (weak, other))
    return Refusal("group", place, int(slots[0, place]), other * size, (spans[0], spans[1]))


def _pair(kind: Kind, place: int, expert: int, other: int, keys: Keys) -> Refusal:
    """A refusal that tells the keys of both experts."""
    first, second = (
        (float(keys.box.low[0, one]), float(keys.box.high[0, one])) for one in (expert, other)
    )
    return Refusal(kind, place, expert, other, (first, second))
