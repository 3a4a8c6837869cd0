"""The addends of a sum: what each slot brings to the first addition (numerics N.2, N.3).

An addend is a source value, or a coefficient times it, possibly cast to a storage format first. It
is known exactly where the contract and the device's arithmetic leave no choice. Otherwise it lies
in an interval, or is a product that must be rounded once, alone or fused with an addition.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.arithmetic import IEEE, Arithmetic, Behaviour
from conformance.numerics.rounding import arithmetic_result, cast_result, flushed
from reference.floats import FP32, Format

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Fused = Literal["never", "always", "either", "sums"]


@dataclass(frozen=True)
class Rule:
    """How a contract adds: formats of the sum, of its operands, of a cast before the sum.

    ``fused`` says whether products are rounded to ``accumulate`` before they are added ("never"),
    enter the additions exactly ("always": a fused multiply-add), or either; with "sums" a
    coefficient may also multiply the sum of two terms that share it. A cast product is rounded to
    ``accumulate`` and then to ``cast``, so nothing is fused.
    """

    accumulate: Format = FP32
    storage: Format = FP32
    source: Format = FP32
    coefficient: Format | None = None
    cast: Format | None = None
    fused: Fused = "either"

    def __post_init__(self) -> None:
        for parameter in ("source", "coefficient"):
            operand = getattr(self, parameter)
            unrounded = operand is not None and (self.cast is None or parameter == "coefficient")
            if unrounded and not embeds(operand, self.accumulate):
                raise ValueError(
                    f"{parameter}={operand.name}: must lie on the grid of the accumulator,"
                    f" {self.accumulate.name}, or be cast to it (Terms.cast)"
                )
        if self.cast is not None and not embeds(self.cast, self.accumulate):
            raise ValueError(
                f"cast={self.cast.name}: must lie on the grid of the accumulator,"
                f" {self.accumulate.name}"
            )

    @property
    def bare(self) -> bool:
        """Whether products may enter an addition before they are rounded."""
        return self.coefficient is not None and self.cast is None and self.fused != "never"

    def flushable(self, values: Floats, factors: Floats | None) -> Mask:
        """Where an operand is subnormal on its way into the sum."""
        small = flushed(values, self.source, self.accumulate)
        if factors is not None:
            small |= flushed(factors, self.coefficient or self.source, self.accumulate)
        return small


def embeds(inner: Format, outer: Format) -> bool:
    """Whether every finite value of ``inner`` is one of ``outer``."""
    return (
        inner.precision <= outer.precision
        and inner.smallest_subnormal >= outer.smallest_subnormal
        and inner.largest_finite <= outer.largest_finite
    )


@dataclass(frozen=True)
class Addends:
    """What elements of a sum add: float64 [slots, elements], slot by slot.

    An addend lies between ``low`` and ``high``, which are one array where all are known. ``bare``
    marks products that are not on the accumulator's grid and are rounded once, alone or in a fused
    addition; None: there are none.
    """

    low: Floats
    high: Floats
    bare: Mask | None = None

    @property
    def known(self) -> bool:
        """Whether every addend is known."""
        return self.low is self.high

    def of(self, elements: NDArray[Any]) -> Addends:
        """The addends of some elements."""
        low = self.low[:, elements]
        high = low if self.known else self.high[:, elements]
        return Addends(low, high, None if self.bare is None else self.bare[:, elements])


def exactly(values: Floats) -> Addends:
    """Addends that are known: float64 [slots, elements] on the accumulator's grid."""
    return Addends(values, values)


def delivered(
    values: Floats, factors: Floats | None, rule: Rule, behaviour: Behaviour, *, bare: bool
) -> Floats:
    """The addends of a device that behaves so; ``bare`` leaves products exact and unrounded."""
    with np.errstate(all="ignore"):
        terms = values if factors is None else values * factors
        if behaviour.flush:
            terms = np.where(rule.flushable(values, factors), np.copysign(0.0, terms), terms)
        if bare:
            return terms
        if factors is not None:
            terms = arithmetic_result(terms, rule.accumulate, behaviour)
        if rule.cast is not None and (factors is not None or rule.cast != rule.source):
            terms = cast_result(terms, rule.cast, behaviour)
        return terms


def addends(
    values: Floats, factors: Floats | None, rule: Rule, arithmetic: Arithmetic = IEEE
) -> Addends:
    """The addends of source ``values`` and ``factors`` (None: all 1), float64 [slots, elements].

    Products of two formats of up to 24 bits are exact in float64.
    """
    ways = list(arithmetic.behaviours())
    bare = rule.bare
    low, high = _hull(
        (delivered(values, factors, rule, way, bare=bare) for way in ways), rule.accumulate
    )
    if not bare:
        return Addends(low, high)
    if factors is None:
        raise ValueError("factors=None: a rule with a coefficient format needs coefficients")
    with np.errstate(all="ignore"):
        # nothing but a flush changes a product that is not rounded
        product = values * factors if arithmetic.may_flush else low
        rounded = arithmetic_result(product, rule.accumulate, Behaviour())
    off_grid = rounded != product
    if rule.fused == "sums":  # s (x + y) rounds x + y, also where s x and s y are exact
        off_grid |= product != 0
    off_grid &= np.isfinite(product)
    if arithmetic.may_flush:  # a product that underflows may be rounded to a subnormal, or to zero
        small = flushed(product, rule.accumulate)
        low = np.where(small, np.minimum(low, 0.0), low)
        high = np.where(small, np.maximum(high, 0.0), high)
    return Addends(low, high if arithmetic.may_flush else low, off_grid if off_grid.any() else None)


def _hull(ways: Iterable[Floats], accumulate: Format) -> tuple[Floats, Floats]:
    """Least and largest addend over all ways; one array where they are the same.

    An overflow to infinity beside one that saturates becomes a value just beyond the threshold: it
    makes sums overflow without being an infinite term.
    """
    arrays = list(ways)
    if len(arrays) == 1:
        return arrays[0], arrays[0]
    low, high = arrays[0], arrays[0]
    for array in arrays[1:]:
        low, high = np.minimum(low, array), np.maximum(high, array)
    if (low == high).all():  # a NaN keeps the two apart, which costs nothing but tightness
        return low, low
    beyond = math.ldexp(1.0, accumulate.emax + 1)
    low = np.where(np.isneginf(low) & ~np.isneginf(high), -beyond, low)
    high = np.where(np.isposinf(high) & ~np.isposinf(low), beyond, high)
    return low, high
