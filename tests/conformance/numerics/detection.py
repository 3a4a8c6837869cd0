"""Sums that are added wrongly, data on which that must show, and what the judge says of them.

The judge knows no order: a value is rejected only where no order of fp32 additions explains it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.numerics.elements import judge_elements
from conformance.numerics.order import sequential
from conformance.numerics.tree import pairwise, reversed_order
from conformance.values.fill import Fill, expand
from reference.floats import (
    FP32,
    format_of,
    numpy_dtype,
    round_once,
    to_bits,
    truncate,
    widen,
)

ROW = 16
"""Elements of the row that must tell."""

ORDERS = {
    "sequential": sequential,
    "reversed": reversed_order,
    "pairwise": pairwise,
    "bins": bin_tree,
}
"""Orders in which a mistaken kernel may add."""


def added(values, merges, rounded: Callable[[np.ndarray], np.ndarray]):
    """Sums of ``values`` [slots, elements], every addition ``rounded``; float64 [elements]."""
    parts = values.copy()
    for into, origin in merges:
        parts[into] = rounded(parts[into] + parts[origin])
    return parts[0]


def right(values, merges, fmt):
    """Nearest additions in fp32, one nearest cast: what a kernel must give."""
    return to_bits(added(values, merges, lambda x: round_once(x, FP32)), fmt)


def storage_additions(values, merges, fmt):
    """Every addition rounded to storage."""
    return to_bits(added(values, merges, lambda x: round_once(x, fmt)), fmt)


def truncating_cast(values, merges, fmt):
    """Right additions, a cast that truncates."""
    return to_bits(truncate(added(values, merges, lambda x: round_once(x, FP32)), fmt), fmt)


def truncating_additions(values, merges, fmt):
    """fp32 additions that truncate, a right cast."""
    return to_bits(added(values, merges, lambda x: truncate(x, FP32)), fmt)


def refused(values, bits, fmt):
    """Where no order gives the patterns: bool [elements]."""
    return ~judge_elements(values, bits, FP32, fmt).ok


def worst_share(mistake, values, dtype, width):
    """The share of draws, of ``width`` columns each, in which an element is rejected; for the
    order of additions that hides the mistake best.
    """
    fmt, slots = format_of(dtype), len(values)
    with np.errstate(all="ignore"):
        return min(
            refused(values, mistake(values, order(slots), fmt), fmt)
            .reshape(-1, width)
            .any(axis=1)
            .mean()
            for order in ORDERS.values()
        )


def gaussian_rows(slots, draws, dtype):
    """Terms of rows of 16 normal values each, on the dtype's grid: float64 [slots, draws * 16]."""
    generator = np.random.default_rng(slots)
    return round_once(generator.standard_normal((slots, draws * ROW)), format_of(dtype))


def family_rows(stripes, slots, draws, dtype, columns=ROW):
    """The suite's own data, one recipe for each draw: float64 [slots, draws * columns]."""
    shape, numpy_type = (slots, columns), numpy_dtype(format_of(dtype))
    drawn = [expand(Fill(stripes, seed, slots), shape, numpy_type) for seed in range(draws)]
    return widen(np.concatenate(drawn, axis=1), np.float64)


def witness(slots, dtype):
    """Two columns, one of which convicts additions in storage whatever their tree: [slots, 2].

    A head and two terms h of 15/32 of its ulp, in slots 0, 1, 2; in the second column the head is
    in slot 1. The other slots hold dust, so that all terms are live. For a tree that does not
    add both h before they meet the head, the head takes in each h alone and stays what it is; the
    sum is 15/16 of an ulp above it, and every fp32 order rounds it up. Among three slots one pair
    meets first: it is not {1, 2} or not {0, 2}, so one of the columns convicts.

    Up to 64 dusts together are below half the last bit of h: no sum in storage sees them. What
    fp32 may make of them, (slots - 2) u A, is far below the 7/16 of an ulp to the next boundary.
    """
    if not 3 <= slots <= 67:
        raise ValueError(f"slots={slots}: must be in 3..67, one or two sums show nothing")
    fmt = format_of(dtype)
    ulp = 1.0  # of heads in [2^(p-1), 2^p)
    columns = np.full((slots, 2), ulp * 2.0 ** (-fmt.precision - 9))
    columns[:3] = 15 / 32 * ulp
    columns[0, 0] = columns[1, 1] = 2.0 ** (fmt.precision - 1) * ulp
    return columns
