"""Sums over a toy format in fractions: their figures by the definitions of numerics N.2."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from conformance.numerics.addends import Addends
from conformance.numerics.arithmetic import Arithmetic
from reference.floats import Format

TOY = Format("p3", 3, -2, 1)
ETA, LAMBDA, U = map(Fraction, (TOY.smallest_subnormal, TOY.smallest_normal, TOY.unit_roundoff))
FLUSHING = Arithmetic(flushes=frozenset({False, True}))
SPECIAL = (math.inf, -math.inf, math.nan)
COLUMNS = 120


def columns(*, known: bool, bare: bool, special: bool, slots: int, seed: int) -> Addends:
    """Random columns, most of them short of the slots; steps of eta, of eta / 2 where bare."""
    generator = np.random.default_rng(seed)
    steps = 14 if seed % 2 else 3
    low = generator.integers(-steps, steps + 1, (slots, COLUMNS)) * float(ETA)
    low *= generator.random(low.shape) < 0.8
    mask = generator.random(low.shape) < 0.4 if bare else None
    if mask is not None:
        low += mask * generator.integers(-1, 2, low.shape) * float(ETA / 2)
    high = low if known else low + generator.integers(0, 3, low.shape) * float(ETA)
    if special:
        some = generator.random(low.shape) < 0.05
        drawn = generator.choice(SPECIAL, low.shape)
        low = np.where(some, drawn, low)
        high = low if known else np.where(generator.random(low.shape) < 0.05, drawn, high)
    return Addends(low, high, mask)


class Column:
    """One element's terms, and its figures by their definitions."""

    def __init__(self, given: Addends, element: int, arithmetic: Arithmetic) -> None:
        low, high = given.low[:, element], given.high[:, element]
        self.nan = bool(np.isnan(low).any() or np.isnan(high).any())
        self.plus, self.minus = (
            any(math.inf * sign in end for end in (low, high)) for sign in (1, -1)
        )
        self.ends = [
            tuple(Fraction(end) if math.isfinite(end) else Fraction(0) for end in pair)
            for pair in zip(low.tolist(), high.tolist(), strict=True)
        ]
        marks = [False] * len(low) if given.bare is None else given.bare[:, element].tolist()
        farther = [max(abs(one), abs(other)) for one, other in self.ends]
        self.magnitude = sum(farther)
        self.count = sum(size > 0 for size in farther)
        self.bare = any(marks)
        off_grid = [one % ETA != 0 for one, _ in self.ends]
        self.underflows = sum(m and off for m, off in zip(marks, off_grid, strict=True))
        off_normal = any(end % LAMBDA != 0 for pair in self.ends for end in pair)
        may_flush = arithmetic.may_flush and off_normal
        self.flushes = max(self.count - 2, 0) if may_flush else 0
        exact = all(one == other for one, other in self.ends)
        alone = self.count <= 1 or self.count + self.bare <= 2
        self.order_free = exact and (alone or (not self.flushes and self.certified()))

    def certified(self) -> bool:
        """Every partial sum is a multiple of a g with A <= 2^p g, and finite."""
        grid = Fraction(TOY.smallest_subnormal)
        while grid * 2**TOY.precision < self.magnitude:
            grid *= 2
        on_grid = all(one % grid == 0 for one, _ in self.ends)
        return on_grid and self.magnitude <= Fraction(TOY.largest_finite)

    def error(self) -> Fraction:
        """E."""
        if self.order_free or self.count <= 1:
            return Fraction(0)
        lost = self.flushes * LAMBDA + self.underflows * ETA / 2
        roundings = max(self.count - 2 + self.bare + self.flushes, 0)
        return roundings * U * (self.magnitude + lost) + lost

    def one_sided(self, sign: int) -> list[Fraction]:
        """The magnitudes that terms of one sign may have."""
        return [max(pair[sign > 0] * sign, Fraction(0)) for pair in self.ends]

    def overflows(self, sign: int, growth: Fraction, factor: Fraction) -> bool:
        """Whether partial sums of the terms of one sign may reach the threshold."""
        threshold = Fraction(TOY.overflow_threshold)
        if self.magnitude * (1 + (self.count + self.flushes) * U) < threshold / 2:
            return False
        same = self.one_sided(sign)
        total, count = sum(same), sum(size > 0 for size in same)
        error = Fraction(0)
        if not (self.order_free or count <= 1):
            lost = self.underflows * ETA / 2
            error = (max(count - 2 + self.bare, 0) * U * (total + lost) + lost) * factor
        if error:
            error += growth * (count + 2) * Fraction(1, 2**52) * (total + error)
        return total + error >= threshold
