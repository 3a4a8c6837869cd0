"""Data made to be hard to sum, orders to sum it in, and the judge's answer to all of them."""

from collections import Counter

import numpy as np

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.call.case import Tensor, numpy_dtype
from conformance.judge.question import Question
from conformance.judge.sums import judge_sum
from conformance.numerics.order import emulate, sequential
from conformance.record.clause import document
from conformance.record.contract import Sum
from reference.floats import FP32, format_of, round_once, to_bits
from reference.terms import Terms

CLAUSE = document("a sum", "tests")
CHUNK = 1 << 15


class Call:
    """As much of a case as a judge of sums asks for."""

    def __init__(self, source, dtype, shape):
        self.arrays = {"x": source}
        self.attributes = {}
        self.outputs = {"y": Tensor(shape, dtype)}


def wide(generator, shape, fmt):
    """Normal values over sixty binades: absorption everywhere."""
    return generator.standard_normal(shape) * np.exp2(generator.integers(-30, 31, shape))


def absorbers(generator, shape, fmt):
    """One unit, and terms that it absorbs one by one but not together."""
    values = np.full(shape, 2.0**-24) * generator.integers(1, 4, shape)
    values[generator.integers(0, shape[0], shape[1]), np.arange(shape[1])] = 1.0
    return values


def ties(generator, shape, fmt):
    """Full significands, half of them one accumulator's precision below the others."""
    values = 1.0 + generator.integers(0, 2**23, shape) * 2.0**-23
    values[generator.random(shape) < 0.5] *= 2.0**-24
    return values


def cancellation(generator, shape, fmt):
    """Big values of both signs with small integers on top."""
    return generator.choice([-1.0, 1.0], shape) * 2.0**24 + generator.integers(-3, 4, shape)


def near_overflow(generator, shape, fmt):
    """Values of both signs whose partial sums overflow in some orders."""
    share = generator.choice([1.0, 1.0 - 2.0**-23, 0.75, 0.5, 2.0**-24, 2.0**-25], shape)
    return FP32.largest_finite * share * generator.choice([-1.0, 1.0, 1.0], shape)


def at_threshold(generator, shape, fmt):
    """The storage format's largest value with what may push it over."""
    values = generator.choice([0.0, 2.0**-1, 2.0**-2, -(2.0**-2)], shape)
    values *= fmt.overflow_threshold - fmt.largest_finite
    values[0] = fmt.largest_finite
    return values


def subnormals(generator, shape, fmt):
    """Subnormals of the accumulator and of storage, and normals next to them."""
    small = generator.choice([FP32.smallest_normal, fmt.smallest_normal], shape)
    return small * generator.integers(-(2**24), 2**24, shape) * 2.0**-23


def small_integers(generator, shape, fmt):
    """Data that most orders add exactly."""
    return generator.integers(-200, 201, shape).astype(float)


def gaussian(generator, shape, fmt):
    """What users feed."""
    return generator.standard_normal(shape)


HARD = (
    wide,
    absorbers,
    ties,
    cancellation,
    near_overflow,
    at_threshold,
    subnormals,
    small_integers,
)


def columns(generator, family, slots, elements, fmt):
    """Columns of a family on the grid of a format, one slot in eight zero, half the columns with
    a zero slot or none: float64 [slots, elements].
    """
    values = family(generator, (slots, elements), fmt)
    values[(generator.random(values.shape) < 0.25) & (generator.random(elements) < 0.5)] = 0.0
    return round_once(values, fmt)


def reversed_order(slots):
    return tuple((slot - 1, slot) for slot in range(slots - 1, 0, -1))


def pairwise(slots):
    gaps = [1 << level for level in range(slots.bit_length())]
    return tuple((low, low + gap) for gap in gaps for low in range(0, slots - gap, 2 * gap))


def drawn_tree(generator, slots):
    alive, merges = list(range(slots)), []
    while len(alive) > 1:
        into, origin = sorted(generator.choice(alive, 2, replace=False).tolist())
        merges.append((into, origin))
        alive.remove(origin)
    return tuple(merges)


def orders(generator, slots):
    """Left to right, right to left, pairwise, bins and two drawn trees."""
    yield sequential(slots)
    yield reversed_order(slots)
    yield pairwise(slots)
    yield bin_tree(slots)
    yield drawn_tree(generator, slots)
    yield drawn_tree(generator, slots)


def verdict(source, terms, observed, dtype, **contract):
    """The judge's verdict on an output of the sums of ``terms``."""
    made = Sum(CLAUSE, lambda inputs, attributes: terms, **contract)
    call = Call(source, dtype, observed.shape)
    return judge_sum(Question("y", made, call, observed, formula=None))


def refused_sums(generator, family, slots, elements, dtype):
    """Right sums of a family in every order, judged in any order and each in its own.

    Returns (refused, off their own declared order, judged).
    """
    fmt, counts = format_of(dtype), Counter()
    values = columns(generator, family, slots, elements, fmt)
    source = to_bits(values, fmt).view(numpy_dtype(dtype))
    terms = Terms(np.arange(slots)[None], "x")
    for merges in orders(generator, slots):
        total = emulate(merges, values.astype(np.float32))
        observed = to_bits(total.astype(np.float64), fmt).view(source.dtype)[None]
        free = verdict(source, terms, observed, dtype)
        own = verdict(source, terms, observed, dtype, merges=lambda slots, m=merges: m)
        counts += Counter(
            refused=free.mismatches + own.mismatches, drift=own.order_drift, judged=elements
        )
    return counts["refused"], counts["drift"], counts["judged"]


def refused_products(generator, family, slots, elements, dtype, weight_dtype):
    """The same for sums of products, rounded first or fused."""
    fmt, weights = format_of(dtype), format_of(weight_dtype)
    values = columns(generator, family, slots, elements, fmt)
    factors = columns(generator, gaussian, slots, elements, weights)
    half = generator.random(factors.shape) < 0.5
    factors = np.where(half, factors, round_once(1.0 + factors * 2.0**-12, weights))
    source = to_bits(values.T.reshape(-1, 1), fmt).view(numpy_dtype(dtype))
    coefficients = to_bits(factors.T, weights).view(numpy_dtype(weight_dtype))
    rows = np.arange(elements * slots).reshape(elements, slots)
    terms = Terms(rows, "x", coefficients=np.ascontiguousarray(coefficients))
    refused = drift = judged = 0
    with np.errstate(all="ignore"):
        products = values * factors
    for merges in orders(generator, slots):
        for bare in (False, True):
            start = products.copy() if bare else round_once(products, FP32)
            total = emulate(merges, start, FP32, bare=bare)
            observed = to_bits(total, fmt).view(source.dtype)[:, None]
            free = verdict(source, terms, observed, dtype)
            own = verdict(source, terms, observed, dtype, merges=lambda slots, m=merges: m)
            refused += free.mismatches + own.mismatches
            drift += own.order_drift
            judged += elements
    return refused, drift, judged
