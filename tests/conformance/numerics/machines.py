"""Devices that compute scores in numpy's float32, each with other functions and sums."""

import numpy as np

from reference.floats import FP32, from_bits, from_ordered, ordered


def moved(values, steps):
    """fp32 values so many neighbours away; none below 0."""
    places = np.maximum(ordered(values.view(np.uint32), FP32) + steps, 0)
    found = from_bits(from_ordered(np.minimum(places, FP32.infinity_bits), FP32), FP32)
    return np.where(np.isfinite(values), found, values).astype(np.float32)


def correct(function):
    """A function rounded once, from numpy's widest type."""

    def of(values):
        with np.errstate(all="ignore"):
            return function(values.astype(np.longdouble)).astype(np.float32)

    return of


def off(function, steps):
    def of(values):
        found = function(values)
        return np.where(np.isinf(values), found, moved(found, steps))

    return of


def hashed(function):
    """Moved by -1, 0 or 1 as the bits of the operand have it: not monotone."""

    def of(values):
        mixed = values.view(np.uint32).astype(np.uint64) * np.uint64(0x9E3779B1) >> np.uint64(13)
        found = function(values)
        steps = (mixed % np.uint64(3)).astype(np.int64) - 1
        return np.where(np.isinf(values), found, moved(found, steps))

    return of


def flushing(function):
    def of(values):
        found = function(values)
        return np.where(np.abs(found) < np.float32(2.0**-126), np.float32(0), found)

    return of


def by_table(values):
    """exp by 32 powers of two and a polynomial, in float32 throughout."""
    one = np.float32
    with np.errstate(all="ignore"):
        near = np.clip(values, -105, 89)
        whole = np.rint(near * one(32 / np.log(2)))
        rest = (near.astype(float) - whole.astype(float) * (np.log(2) / 32)).astype(one)
        entry, power = np.mod(whole, 32), np.floor(whole / 32)
        table = np.exp2(np.arange(32) / 32).astype(one)
        series = one(1) + rest * (one(1) + rest * (one(0.5) + rest * one(1 / 6)))
        found = np.ldexp(table[entry.astype(int)] * series, power.astype(int)).astype(one)
        return np.where(np.isneginf(values), one(0), np.where(values > 88.9, one(np.inf), found))


EXP = correct(np.exp)
EXPS = {
    "correct": EXP,
    "up": off(EXP, 1),
    "down": off(EXP, -1),
    "hash": hashed(EXP),
    "table": by_table,
    "flush": flushing(EXP),
}
"""exp of each device."""


def left_to_right(terms):
    total = terms[:, 0].copy()
    for column in terms.T[1:]:
        total += column
    return total


def pairwise(terms):
    while terms.shape[1] > 1:
        if terms.shape[1] % 2:
            terms = np.concatenate([terms, np.zeros((len(terms), 1), np.float32)], axis=1)
        terms = terms[:, ::2] + terms[:, 1::2]
    return terms[:, 0]


def in_lanes(terms):
    """16 lanes as a tree, the repeats in sequence."""
    return left_to_right(
        np.stack([pairwise(terms[:, at : at + 16]) for at in range(0, terms.shape[1], 16)], axis=1)
    )


SUMS = {
    "left to right": left_to_right,
    "right to left": lambda terms: left_to_right(terms[:, ::-1]),
    "ascending": lambda terms: left_to_right(np.sort(terms, axis=1)),
    "pairwise": pairwise,
    "lanes": in_lanes,
}
"""Orders of addition."""


def furthest(function, truth, values):
    """Steps of a function: how far its results on the values lie from the correctly rounded ones,
    where these are normal or it does not flush."""
    found, right = (one(values).view(np.uint32) for one in (function, correct(truth)))
    distance = np.abs(ordered(found, FP32) - ordered(right, FP32))
    return int(distance[(found != 0) | (right >= 1 << 23)].max(initial=0))
