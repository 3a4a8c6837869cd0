"""Which groups of experts may have been kept, of which only score boxes are known.

A group with a score in [low, high] may be kept before another one if its high end is above the
other's low end. On a tie the lower group comes first. `Ranks` turns that into a comparison of
integers. (docs/explanation/numerics.md, "Functions and selections".)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conformance.record.computed import Box

Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Ranks:
    """Score ends as integers [rows, groups]: group g may come before group f, g not f, if and only
    if ``high[g] > low[f]``."""

    low: Integers
    high: Integers


def ranks(score: Box, lowest_first: bool) -> Ranks:
    """The ends of ``score`` [rows, groups] in ascending order, ties included.

    ``lowest_first``: of two groups with equal scores the lower one comes first; else either may.
    """
    rows, groups = score.low.shape
    if lowest_first:
        # A stable sort gives equal ends in the order of columns: the highest group is the smallest.
        ends = np.stack([score.low[:, ::-1], score.high[:, ::-1]], axis=2).reshape(rows, -1)
    else:
        ends = np.concatenate([score.low, score.high], axis=1)
    order = np.argsort(ends, axis=1, kind="stable")
    place = np.empty(order.shape, np.int64)
    np.put_along_axis(place, order, np.arange(2 * groups)[None, :], axis=1)
    if lowest_first:
        pairs = place.reshape(rows, groups, 2)[:, ::-1]
        return Ranks(pairs[:, :, 0], pairs[:, :, 1])
    return Ranks(place[:, :groups], place[:, groups:])


def explained(score: Ranks, keep: int, needed: Mask, admissible: Mask) -> Mask:
    """Whether some scores keep every ``needed`` group, and beside them only ``admissible`` ones.

    Masks are [rows, groups]; no group is both. Exact: those of the largest low ends are the best
    ones to complete the ``keep`` groups. An exchange of a kept one for one with a larger low end
    never raises what is left, and never lowers what is kept below what is left.
    """
    groups = needed.shape[1]
    missing = np.minimum(keep, groups) - np.count_nonzero(needed, axis=1)
    barred = ~needed & ~admissible
    bar = np.max(score.low, axis=1, where=barred, initial=-1)
    eligible = admissible & (score.high > bar[:, None])
    candidates = np.sort(np.where(eligible, score.low, -1), axis=1)
    place = np.clip(groups - missing, 0, groups - 1)[:, None]
    least = np.take_along_axis(candidates, place, axis=1)[:, 0]
    least = np.where(missing > 0, least, 2 * groups)
    kept = needed | (eligible & (score.low >= least[:, None]))
    smallest = np.min(score.high, axis=1, where=kept, initial=2 * groups)
    largest = np.max(score.low, axis=1, where=~kept, initial=-1)
    return np.asarray((missing >= 0) & (least >= 0) & (smallest > largest))


def before_equals(needed: Mask, classes: Integers) -> Mask:
    """The groups that are kept because a later one of an equal score is: [rows, groups].

    Of equal scores that of the lower group comes first.
    """
    forced = np.zeros(needed.shape, np.bool_)
    for group in range(1, needed.shape[1]):
        equal = classes[:, :group] == classes[:, group, None]
        forced[:, :group] |= equal & needed[:, group, None]
    return np.asarray(forced & ~needed)


def sides(score: Ranks, keep: int) -> tuple[Mask, Mask]:
    """Which groups are kept whatever the scores are, and which are for some: [rows, groups] each.

    A group is kept surely if fewer than ``keep`` others may come before it, and possibly if fewer
    than ``keep`` others surely do.
    """
    surely, possibly = np.empty((2, *score.low.shape), np.bool_)
    for group in range(score.low.shape[1]):
        may_precede = score.high > score.low[:, group, None]
        may_precede[:, group] = False
        surely[:, group] = np.count_nonzero(may_precede, axis=1) < keep
        precede = score.low >= score.high[:, group, None]
        possibly[:, group] = np.count_nonzero(precede, axis=1) < keep
    return surely, possibly
