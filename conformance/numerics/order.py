"""Declared orders of summation: a tree of additions over slots, emulated one rounding at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.arithmetic import Behaviour
from conformance.numerics.rounding import IEEE_BEHAVIOUR, after, arithmetic_result, fused
from reference.floats import FP32, Format, round_once

Merges = Sequence[tuple[int, int]]
"""Additions in order: ``(into, from)`` leaves their sum, rounded, in slot ``into``."""


def sequential(slots: int) -> Merges:
    """The order from left to right: slot 1 into slot 0, then slot 2, and so on."""
    return tuple((0, slot) for slot in range(1, slots))


def validate(merges: Merges, slots: int) -> None:
    """Raise ValueError unless the merges are a tree over all slots that ends in slot 0."""
    merged: set[int] = set()
    for place, (into, origin) in enumerate(merges):
        where = f"merges[{place}]=({into}, {origin})"
        if not (0 <= into < slots and 0 <= origin < slots):
            raise ValueError(f"{where}: slots must lie in [0, {slots})")
        if into == origin:
            raise ValueError(f"{where}: a slot cannot be added to itself")
        for slot in (into, origin):
            if slot in merged:
                raise ValueError(f"{where}: slot {slot} is already merged into another")
        merged.add(origin)
    left = [slot for slot in range(slots) if slot not in merged]
    if len(left) == 1 and left != [0]:
        raise ValueError(f"merges must leave the sum in slot 0, not in slot {left[0]}")
    if len(left) > 1:
        raise ValueError(f"merges must add every slot, but slot {left[1]} is never added")


def emulate(
    merges: Merges,
    values: NDArray[Any],
    accumulate: Format = FP32,
    behaviour: Behaviour = IEEE_BEHAVIOUR,
    bare: bool = False,
) -> NDArray[Any]:
    """The sum over the first axis in the declared order, each addition rounded to ``accumulate``.

    ``values`` is [slots, ...], float32 (float64 for other accumulators is welcome), every value on
    the grid of ``accumulate``; it is used up. Other accumulators than fp32 add in float64 and
    round, which is one rounding for precisions up to 25 bits (53 >= 2 p + 2). Without slots the sum
    is zero.

    ``bare`` values are exact products, float64, not yet rounded. An addition fuses one of them,
    which is then rounded with the sum only: the one that is added where both sides are bare.
    """
    if not len(values):
        return np.zeros(values.shape[1:], values.dtype)
    natively = accumulate == FP32 and values.dtype == np.float32 and behaviour == IEEE_BEHAVIOUR
    with np.errstate(all="ignore"):
        if bare:
            return _fused(merges, values, accumulate, behaviour)
        for into, origin in merges:
            if natively:
                np.add(values[into], values[origin], out=values[into])
            else:
                total = values[into].astype(np.float64) + values[origin]
                infinite = np.isinf(values[into]) | np.isinf(values[origin])
                rounded = round_once(total, accumulate)
                values[into] = after(rounded, accumulate, behaviour, infinite)
    return np.asarray(values[0])


def _fused(
    merges: Merges, products: NDArray[Any], accumulate: Format, behaviour: Behaviour
) -> NDArray[Any]:
    """The sum of exact products, one of them rounded with every addition that it enters."""
    pending = [True] * len(products)

    def rounded(slot: int) -> NDArray[Any]:
        if not pending[slot]:
            return np.asarray(products[slot])
        return arithmetic_result(products[slot], accumulate, behaviour)

    for into, origin in merges:
        product, addend = (into, origin) if not pending[origin] else (origin, into)
        infinite = np.isinf(products[into]) | np.isinf(products[origin])
        if pending[product]:
            total = fused(products[product], rounded(addend), accumulate)
        else:
            total = round_once(products[into] + products[origin], accumulate)
        products[into] = after(total, accumulate, behaviour, infinite)
        pending[into] = False
    return rounded(0)
