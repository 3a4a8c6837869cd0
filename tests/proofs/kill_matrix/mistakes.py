"""Numerical mistakes of a gather-and-sum kernel, each a function from a problem to output bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.numerics.order import emulate, sequential
from conformance.numerics.tree import pairwise, reversed_order
from reference.floats import (
    BF16,
    FP16,
    FP32,
    Format,
    from_ordered,
    ordered,
    round_once,
    to_bits,
    truncate,
)
from tests.proofs.kill_matrix.problem import HIDDEN, SLOTS, TOKENS, Problem

Bits = np.ndarray


@dataclass(frozen=True)
class Mistake:
    """``compute`` gives the output of the mistaken kernel; ``right`` ones are no mistakes at all.

    ``mode`` is the mode in which it shows. ``promise`` says that it breaks nothing but a promised
    order of additions; ``special`` that it shows in NaN and infinities only.
    """

    name: str
    compute: Callable[[Problem], Bits]
    mode: str = "drop_pad"
    right: bool = False
    promise: bool = False
    special: bool = False


def summed(p: Problem, values=None, add=None, rows=None) -> np.ndarray:
    """The sums before the cast, float64; ``add`` rounds every addition, to fp32 if not given."""
    if values is None:
        values = p.values if rows is None else p.gather(rows)
    merges = bin_tree(len(values)) if len(values) == SLOTS else sequential(len(values))
    if add is None:
        return emulate(merges, values.astype(np.float32)).astype(np.float64)
    parts = values.astype(np.float64)
    with np.errstate(all="ignore"):
        for into, origin in merges:
            parts[into] = add(parts[into] + parts[origin])
    return parts[0]


def rounding_to(fmt):
    return lambda x: round_once(x, fmt)


def away(x, fmt):
    """Nearest, ties away from zero."""
    low = truncate(x, fmt)
    with np.errstate(invalid="ignore"):
        high = np.copysign(truncate(np.abs(x) + np.abs(x - low), fmt), x)
    return np.where(np.isfinite(x) & np.isfinite(round_once(x, fmt)), high, round_once(x, fmt))


def upward(x, fmt):
    """Toward plus infinity."""
    near = round_once(x, fmt)
    raised = from_ordered(np.minimum(ordered(to_bits(near, fmt), fmt) + 1, fmt.infinity_bits), fmt)
    bits = np.where(near < x, raised, to_bits(near, fmt))
    return np.where(np.isfinite(x) & np.isfinite(near), bits, to_bits(x, fmt))


def moved(bits, fmt, steps):
    """Patterns some places further on the grid; what is not finite stays."""
    places = ordered(bits, fmt)
    there = np.clip(places + steps, -fmt.infinity_bits, fmt.infinity_bits)
    return np.where(np.abs(places) < fmt.infinity_bits, from_ordered(there, fmt), bits)


def other_half(p: Problem) -> Bits:
    """fp32 to storage by way of the other 16-bit format."""
    half = FP16 if p.storage == BF16 else BF16
    return p.stored(round_once(summed(p), half))


def twice(p: Problem) -> Bits:
    """fp32 to storage by way of three more bits than storage has."""
    wide = Format("wide", min(p.storage.precision + 3, 22), -126, 127, 32)
    return p.stored(round_once(summed(p), wide))


def swapped(p: Problem) -> Bits:
    rows = p.rows.copy()
    rows[[0, 9]] = rows[[9, 0]]
    return p.stored(summed(p, rows=rows))


def one_missing(p: Problem) -> Bits:
    rows = p.rows.copy()
    rows[0, SLOTS - 1] = -1
    return p.stored(summed(p, rows=rows))


def once_more(p: Problem) -> Bits:
    rows = np.c_[p.rows, np.where(np.arange(TOKENS) == 0, p.rows[:, 0], -1)]
    return p.stored(summed(p, rows=rows))


def one_too_many(p: Problem) -> Bits:
    return p.stored(summed(p, rows=np.c_[p.rows, np.append(p.rows.ravel()[SLOTS::SLOTS], -1)]))


def off_by_one(p: Problem) -> Bits:
    beyond = np.minimum(p.rows + 1, len(p.x) - 1)
    return p.stored(summed(p, rows=np.where(p.rows >= 0, beyond, -1)))


def without_nan(values):
    return np.where(np.isnan(values), 0, values)


def clamped(p: Problem) -> Bits:
    bits = p.right()
    infinite = np.abs(ordered(bits, p.storage)) == p.storage.infinity_bits
    return bits - infinite.astype(bits.dtype)  # one pattern below infinity, of either sign


def flushed(values, fmt):
    return np.where(np.abs(values) < fmt.smallest_normal, 0, values)


def tail(p: Problem) -> slice:
    """The columns of the last partial 32 bytes of a row."""
    return slice(HIDDEN - HIDDEN % (256 // p.storage.storage_bits), None)


def tail_of_zeros(p: Problem) -> Bits:
    bits = p.right().copy()
    bits[:, tail(p)] = 0
    return bits


def stale_tail(p: Problem) -> Bits:
    bits = p.right().copy()
    width = HIDDEN - tail(p).start
    bits[:, tail(p)] = bits[:, tail(p).start - width : tail(p).start]
    return bits


def last_row_unwritten(p: Problem) -> Bits:
    bits = p.right().copy()
    bits[-8] = 0
    return bits


def one_ulp_once(p: Problem) -> Bits:
    bits = p.right().copy()
    finite = np.argwhere(np.abs(ordered(bits[:1], p.storage)) < p.storage.infinity_bits)
    row, column = finite[len(finite) // 2]
    bits[row, column] = moved(bits[row : row + 1, column], p.storage, 1)[0]
    return bits


BITS_23 = Format("23 bits", 23, -126, 127, 32)

RIGHT = (
    Mistake("right: declared order", lambda p: p.right(), right=True),
    Mistake("right: left to right", lambda p: p.right(sequential(SLOTS)), right=True, promise=True),
    Mistake("right: reversed", lambda p: p.right(reversed_order(SLOTS)), right=True, promise=True),
    Mistake("right: pairwise", lambda p: p.right(pairwise(SLOTS)), right=True, promise=True),
)

WRONG = (
    Mistake(
        "accumulate in storage",
        lambda p: p.stored(summed(p, add=rounding_to(p.storage))),
    ),
    Mistake("truncating cast", lambda p: p.stored(truncate(summed(p), p.storage))),
    Mistake("cast, ties away from zero", lambda p: p.stored(away(summed(p), p.storage))),
    Mistake("cast, rounded up", lambda p: upward(summed(p), p.storage)),
    Mistake("cast by way of the other half", other_half),
    Mistake("cast rounded twice", twice),
    Mistake("additions keep 23 bits", lambda p: p.stored(summed(p, add=rounding_to(BITS_23)))),
    Mistake("additions truncate", lambda p: p.stored(summed(p, add=lambda x: truncate(x, FP32)))),
    Mistake("terms cut to bf16", lambda p: p.stored(summed(p, round_once(p.values, BF16)))),
    Mistake("terms truncated to 11 bits", lambda p: p.stored(summed(p, cut(p.values)))),
    Mistake("two rows swapped", swapped),
    Mistake("one slot left out once", one_missing),
    Mistake("one slot added twice once", once_more),
    Mistake("K+1 terms", one_too_many),
    Mistake("index off by one", off_by_one),
    Mistake(
        "dropped slot read as row 0", lambda p: p.stored(summed(p, rows=np.maximum(p.rows, 0)))
    ),
    Mistake(
        "argsort for rank",
        lambda p: p.stored(summed(p, rows=np.argsort(p.rows.ravel()).reshape(p.rows.shape))),
        mode="dropless",
    ),
    Mistake("NaN swallowed", lambda p: p.stored(summed(p, without_nan(p.values))), special=True),
    Mistake("infinity clamped", clamped, special=True),
    Mistake("subnormal terms flushed", lambda p: p.stored(summed(p, flushed(p.values, p.storage)))),
    Mistake(
        "subnormal results flushed",
        lambda p: p.stored(flushed(round_once(summed(p), p.storage), p.storage)),
    ),
    Mistake("every value 1 ulp up", lambda p: moved(p.right(), p.storage, 1)),
    Mistake("one value 1 ulp up", one_ulp_once),
    Mistake("tail is zero", tail_of_zeros),
    Mistake("tail is stale", stale_tail),
    Mistake("one row is not written", last_row_unwritten),
    Mistake("mean for sum", lambda p: p.stored(summed(p) / SLOTS)),
)


def cut(values):
    """To 11 significant bits, as a matrix unit may take its operands."""
    return truncate(values.astype(np.float64), Format("tf32", 11, -126, 127, 32))


MISTAKES = (*RIGHT, *WRONG)
