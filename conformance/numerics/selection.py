"""Selections by keys of which only boxes are known: which ids may be the k largest, in order.

`legal` accepts ids if and only if some keys within the boxes give them. It needs no sort: the
largest keys that the ids allow follow from slot to slot (docs/explanation/numerics.md, "Functions
and selections"). `refusal.explain` tells what is wrong with ids that it refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.numerics import group_choice
from conformance.record.computed import Box, Keys

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Ties = Literal["lowest", "any"]


def legal(ids: NDArray[Any], keys: Keys, ties: Ties = "lowest") -> Mask:
    """Whether ids [rows, k], k >= 1, are those of the k largest keys in descending order: [rows].

    A row is legal if and only if some keys in the boxes, with scores of groups in theirs, select
    it. Of equal keys the one of the lower id comes first, or with ``ties`` "any" either. Sound for
    all keys. Exact if experts of one class have one box and one number of ``order``, and if neither
    end of a box falls when ``order`` rises; else a few rows more are legal. Scores of groups count
    as independent of keys, and so do keys of different classes: what joins them is not known here.
    ``open`` rows and rows with a NaN among their boxes are legal.
    """
    rows, experts = keys.box.low.shape
    inside = np.asarray((ids >= 0) & (ids < experts))
    slots = np.where(inside, ids, 0).astype(np.int64)
    chosen = np.zeros((rows, experts), np.bool_)
    np.put_along_axis(chosen, slots, True, axis=1)
    proper = inside.all(axis=1) & (np.count_nonzero(chosen, axis=1) == ids.shape[1])
    found = proper & _selected(slots, chosen, keys, ties)
    if keys.given is not None:
        stated = (keys.given != -1).any(axis=1)
        found = np.where(stated, (keys.given == ids).all(axis=1), found)
    if keys.given is not None:
        return np.asarray(found | (unpromised(keys) & ~stated))
    return np.asarray(found | unpromised(keys))


def unpromised(keys: Keys) -> Mask:
    """The rows [rows] of which nothing is promised: ``open`` ones, and those with NaN in a box."""
    nothing = _has_nan(keys.box)
    if keys.groups is not None:
        nothing |= _has_nan(keys.groups.score)
    return nothing if keys.open is None else nothing | keys.open


def certified(ids: NDArray[Any], keys: Keys, ties: Ties = "lowest") -> Mask:
    """Whether ids [rows, k] are the one legal vector; exact whenever `legal` is: [rows].

    With ``ties`` "any" equal keys make a row uncertain.
    """
    experts = keys.box.low.shape[1]
    slots = np.clip(ids, 0, experts - 1).astype(np.int64)
    left = np.ones(keys.box.low.shape, np.bool_)
    certain = np.asarray((slots == ids).all(axis=1))
    if keys.groups is not None:
        size = experts // keys.groups.score.low.shape[1]
        ranks = group_choice.ranks(keys.groups.score, ties == "lowest")
        surely, reachable = group_choice.sides(ranks, keys.groups.keep)
        left = np.repeat(reachable, size, axis=1)
        certain &= np.take_along_axis(surely, slots // size, axis=1).all(axis=1)
    np.put_along_axis(left, slots, False, axis=1)
    # Each beats the next one, and the last one all that are left: so each beats all behind it.
    certain &= ~_may_precede(keys, slots[:, :-1], slots[:, 1:], ties).any(axis=1)
    certain &= ~(_may_precede(keys, slots[:, -1:], None, ties) & left).any(axis=1)
    certain &= ~unpromised(keys)
    if keys.given is not None:
        stated = (keys.given != -1).any(axis=1)
        certain = np.where(stated, (keys.given == ids).all(axis=1), certain)
    return certain


def _may_precede(keys: Keys, ones: Integers, others: Integers | None, ties: Ties) -> Mask:
    """Whether a key of ``others`` may come before that of the expert of ``ones`` beside it.

    Both are experts [rows, n], or one column for all; ``others`` None: every expert.
    """

    def of_ones(values: NDArray[Any]) -> NDArray[Any]:
        return np.take_along_axis(values, ones, axis=1)

    def of_others(values: NDArray[Any]) -> NDArray[Any]:
        return values if others is None else np.take_along_axis(values, others, axis=1)

    least, most = of_ones(keys.box.low), of_others(keys.box.high)
    if ties == "any":
        return np.asarray(most >= least)
    later = (np.arange(keys.box.low.shape[1]) if others is None else others) > ones
    never = (most == least) & later
    if keys.classes is not None:
        never |= later & (of_others(keys.classes) == of_ones(keys.classes))
    if keys.order is not None:
        never |= later & (of_others(keys.order) < of_ones(keys.order))
    return np.asarray((most >= least) & ~never)


def _has_nan(box: Box) -> Mask:
    """Which rows have a NaN."""
    found = np.asarray(np.isnan(box.low).any(axis=1))
    return found if box.high is box.low else np.asarray(found | np.isnan(box.high).any(axis=1))


@dataclass(frozen=True)
class Chain:
    """The largest keys that chosen experts may have, slot by slot: [rows, k].

    A key may be at most ``value``, and less than it if ``below``. ``holds`` [rows]: there are some.
    """

    value: Floats
    below: Mask
    holds: Mask


@dataclass(frozen=True)
class Links:
    """What equal keys force. Slot t and slot t + 1 have equal keys if ``joined`` [rows, k - 1].

    ``first`` [rows, experts] is the first slot to whose key that of an expert left out must be
    equal; k if there is none. None: for no expert there is.
    """

    joined: Mask
    first: NDArray[np.int16] | None


def _selected(slots: Integers, chosen: Mask, keys: Keys, ties: Ties) -> Mask:
    """`legal` for distinct ids within range."""
    links = links_of(slots, chosen, keys)
    low, high = (np.take_along_axis(end, slots, axis=1) for end in (keys.box.low, keys.box.high))
    if keys.groups is None:
        joined, tied = links.joined, np.zeros(len(slots), np.bool_)
        if links.first is not None:
            joined = joined | from_slot(links.first.min(axis=1), slots.shape[1])
            tied = np.asarray(precedes(links.first, slots, ties).any(axis=1))
        chain = descend(low, high, slots, joined, keys.on_grid, ties)
        beaten = above(keys.box.low, chosen, chain, slots, ties).any(axis=1)
        return np.asarray(chain.holds & ~tied & ~beaten)
    score = group_choice.ranks(keys.groups.score, ties == "lowest")
    chain, needed, admissible = kept_groups(slots, chosen, keys, links, ties)
    kept = group_choice.explained(score, keys.groups.keep, needed, admissible)
    return np.asarray(chain.holds & kept)


def kept_groups(
    slots: Integers, chosen: Mask, keys: Keys, links: Links, ties: Ties
) -> tuple[Chain, Mask, Mask]:
    """The largest keys, the groups that must be kept, and others that may be: [rows, groups] both.

    A group may be kept if all its keys may come after the last chosen one. It may force the keys
    of all slots from one on to be equal. That moves no bound of the last key, as ids then ascend
    from there on. So whether a group may be kept depends on no other group. Of groups with equal
    scores those before a kept one are kept.
    """
    assert keys.groups is not None
    (rows, k), groups = slots.shape, keys.groups.score.low.shape[1]

    def any_of(mask: Mask) -> Mask:
        return np.asarray(mask.reshape(rows, groups, -1).any(axis=2))

    low, high = (np.take_along_axis(end, slots, axis=1) for end in (keys.box.low, keys.box.high))
    needed, joined = any_of(chosen), links.joined
    barred = np.zeros((rows, groups), np.bool_)
    if links.first is not None:
        starts = links.first.reshape(rows, groups, -1).min(axis=2)
        joined = joined | from_slot(np.min(starts, axis=1, where=needed, initial=k), k)
        barred = any_of(precedes(links.first, slots, ties))
    chain = descend(low, high, slots, joined, keys.on_grid, ties)
    if links.first is not None:
        barred |= starts < _equal_from(low, slots, joined, chain, ties)[:, None]
    barred |= any_of(above(keys.box.low, chosen, chain, slots, ties))
    if keys.groups.classes is not None and ties == "lowest":
        needed = needed | group_choice.before_equals(needed, keys.groups.classes)
    holds = chain.holds & ~(barred & needed).any(axis=1)
    return Chain(chain.value, chain.below, holds), needed, ~needed & ~barred


def _equal_from(low: Floats, slots: Integers, joined: Mask, chain: Chain, ties: Ties) -> Integers:
    """The first slot from which all keys may be equal to the last one: [rows]."""
    apart = low > chain.value[:, -1:]
    for slot in range(1, slots.shape[1]):
        apart[:, slot] |= joined[:, slot - 1] & apart[:, slot - 1]
    if ties == "lowest":
        apart[:, :-1] |= slots[:, 1:] < slots[:, :-1]
    after = np.where(apart, np.arange(1, slots.shape[1] + 1), 0)
    return np.asarray(after.max(axis=1))


def from_slot(start: NDArray[Any], k: int) -> Mask:
    """Which slots t [rows, k - 1] are joined to t + 1 if all are equal from ``start`` [rows] on."""
    return np.asarray(np.arange(k - 1) >= start[:, None])


def links_of(slots: Integers, chosen: Mask, keys: Keys) -> Links:
    """Which keys must be equal, as those between two equal keys are.

    A key after a slot is never larger than that of the slot. So it is equal, and so are those
    between, if it is of the same class, or if ``order`` says that it is not smaller.
    """
    rows, k = slots.shape
    joined = np.zeros((rows, max(k - 1, 0)), np.bool_)
    if keys.classes is None and keys.order is None:
        return Links(joined, None)
    first = np.full(chosen.shape, k, np.int16)
    if keys.classes is not None:
        classes = np.take_along_axis(keys.classes, slots, axis=1)
        earliest = np.empty((rows, k), np.int64)
        for slot in reversed(range(k)):
            earliest[:, slot] = np.argmax(classes == classes[:, slot, None], axis=1)
            np.copyto(first, slot, where=keys.classes == classes[:, slot, None])
        # Slots t and t + 1 lie between two of a class if one after t begins at t or before.
        after = np.minimum.accumulate(earliest[:, ::-1], axis=1)[:, ::-1]
        joined |= after[:, 1:] <= np.arange(k - 1)
    if keys.order is not None:
        order = np.take_along_axis(keys.order, slots, axis=1)
        least = np.minimum.accumulate(order, axis=1)
        most = np.maximum.accumulate(order[:, ::-1], axis=1)[:, ::-1]
        joined |= most[:, 1:] > least[:, :-1]
        for slot in reversed(range(k)):
            earlier = (keys.order > least[:, slot, None]) & (first > slot)
            np.copyto(first, slot, where=earlier)
    np.put_along_axis(first, slots, k, axis=1)
    return Links(joined, first)


def precedes(first: NDArray[np.int16], slots: Integers, ties: Ties) -> Mask:
    """Experts left out [rows, experts] whose key equals the last chosen one, and whose id is lower.

    The tie would have put them before it.
    """
    if ties == "any":
        return np.zeros(first.shape, np.bool_)
    return np.asarray((first < slots.shape[1]) & (np.arange(first.shape[1]) < slots[:, -1:]))


def descend(
    low: Floats, high: Floats, slots: Integers, joined: Mask, on_grid: bool, ties: Ties
) -> Chain:
    """The largest keys of chosen experts with boxes [rows, k] that come in this order.

    By induction: a key is bounded by its box and by its predecessor, strictly if its id is lower,
    and by nothing else. So keys in this order exist if and only if the largest ones are in their
    boxes. Off the grid "strictly" is no other number, so ``below`` says it.
    """
    falls = slots[:, 1:] < slots[:, :-1]
    if ties == "any":
        falls = np.zeros_like(falls)
    cap = high.copy()
    for slot in reversed(range(slots.shape[1] - 1)):
        shared = np.minimum(cap[:, slot], cap[:, slot + 1])
        np.copyto(cap[:, slot], shared, where=joined[:, slot])
    below = np.zeros(cap.shape, np.bool_)
    for slot in range(1, slots.shape[1]):
        bound, under = cap[:, slot - 1], below[:, slot - 1].copy()
        strict = falls[:, slot - 1] & ~joined[:, slot - 1]
        if on_grid:
            under |= strict & np.isneginf(bound)  # there is no smaller value
            less = np.nextafter(bound.astype(np.float32), np.float32(-np.inf))
            bound = np.where(strict, less.astype(np.float64), bound)
        else:
            under |= strict
        below[:, slot] = under & ~(cap[:, slot] < bound)
        np.minimum(cap[:, slot], bound, out=cap[:, slot])
    reached = (low < cap) | ((low == cap) & ~below)
    return Chain(cap, below, reached.all(axis=1) & ~(joined & falls).any(axis=1))


def above(low: Floats, chosen: Mask, chain: Chain, slots: Integers, ties: Ties) -> Mask:
    """Experts left out [rows, experts] whose every key comes before the last chosen one's."""
    last, below = chain.value[:, -1:], chain.below[:, -1:]
    found = low > last
    equal = low == last
    if ties == "lowest":
        equal &= (np.arange(low.shape[1]) < slots[:, -1:]) | below
    else:
        equal &= below
    found |= equal
    found &= ~chosen
    return np.asarray(found)
