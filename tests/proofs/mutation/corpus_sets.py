"""Parts of the corpus below an output: accepted sets, addends, certificates, roundings."""

import itertools
from fractions import Fraction

import numpy as np

from conformance.numerics.accepted import assemble, specials
from conformance.numerics.addends import Rule, addends, embeds, exactly
from conformance.numerics.arithmetic import IEEE, Arithmetic, Behaviour
from conformance.numerics.certificate import certified
from conformance.numerics.elements import accepted, judge_elements
from conformance.numerics.exactly import accepted_exactly, round_fraction
from conformance.numerics.figures import summarize
from conformance.numerics.rounding import after, cast_result, flushed, fused
from reference.floats import BF16, FP16, FP32, from_bits, round_once, to_bits
from tests.conformance.numerics import exhaustive as toys
from tests.conformance.numerics.hard_data import HARD, columns, gaussian
from tests.proofs.mutation.attempt import attempt
from tests.proofs.soundness_run import ARITHMETICS

SMALL, NARROW, WIDE = toys.toy(3, -2, 1), toys.toy(2, -1, 1), toys.toy(4, -2, 2)
EVERY = {"IEEE": IEEE, **ARITHMETICS}
FAMILIES = (*HARD, gaussian)


def some(values, most, seed=1):
    """Some columns of ``values`` [slots, columns], drawn once and for all."""
    if values.shape[1] <= most:
        return values
    chosen = np.random.default_rng(seed).choice(values.shape[1], most, replace=False)
    return values[:, np.sort(chosen)]


def members(found, storage):
    """An accepted set by what it holds: how an empty interval is written is no outcome."""
    infinity = storage.infinity_bits
    empty = found.low > found.high
    ends = np.where(empty, 1, found.low), np.where(empty, 0, found.high)
    edges = (
        -infinity - 1,
        -infinity,
        -infinity + 1,
        -1,
        0,
        1,
        infinity - 1,
        infinity,
        infinity + 1,
    )
    held = [found.holds(np.full(empty.shape, place), storage) for place in edges]
    return ends, held, found.size(storage)


def at_every_pattern(added, accumulate, storage, arithmetic, factor=1.0):
    """The judgement of every storage pattern as the sum of every column."""
    count = added.low.shape[1]
    finite = np.arange(storage.infinity_bits + 2)
    patterns = np.concatenate([finite, finite + storage.sign_bit]).astype(storage.storage_dtype)
    columns = np.repeat(np.arange(count), patterns.size)
    return seen(
        judge_elements(
            added.of(columns), np.tile(patterns, count), accumulate, storage, factor, arithmetic
        ),
        storage,
    )


def seen(judged, storage):
    """What a judgement tells; its figures are a part of their own."""
    told = (judged.ok, judged.exact, judged.headroom, judged.distance)
    return told, members(judged.accepted, storage)


def toy_sums():
    for arithmetic, storage in itertools.product(EVERY.values(), (SMALL, NARROW)):
        for terms in (1, 2, 3, 4):
            values = toys.multisets(toys.grid(SMALL, specials=terms < 4)[::2], terms)
            added = exactly(some(values, 40, terms))
            yield at_every_pattern(added, SMALL, storage, arithmetic)
    for family in FAMILIES:
        values = columns(np.random.default_rng(2), family, 6, 5, SMALL)
        yield at_every_pattern(exactly(values), SMALL, SMALL, IEEE, factor=0.5)


def toy_products():
    pairs = toys.product_pairs(SMALL)
    for arithmetic, fuse in itertools.product(EVERY.values(), ("never", "always", "either")):
        rule = toys.plain(SMALL, NARROW, coefficient=SMALL, fused=fuse)
        for terms in (1, 2, 3):
            which = np.random.default_rng(terms).integers(0, pairs[0].size, (terms, 8))
            values, factors = (operand[which] for operand in pairs)
            added = addends(values, factors, rule, arithmetic)
            yield added, at_every_pattern(added, SMALL, NARROW, arithmetic)
    for arithmetic, cast in itertools.product(EVERY.values(), (None, NARROW)):
        rule = toys.plain(WIDE, NARROW, source=SMALL, coefficient=NARROW, cast=cast)
        values = columns(np.random.default_rng(4), gaussian, 4, 6, SMALL)
        factors = columns(np.random.default_rng(5), gaussian, 4, 6, NARROW)
        added = addends(values, factors, rule, arithmetic)
        yield added, at_every_pattern(added, WIDE, NARROW, arithmetic)


def toy_casts():
    for arithmetic in EVERY.values():
        rule = toys.plain(SMALL, NARROW, source=WIDE, cast=SMALL)
        values = columns(np.random.default_rng(6), gaussian, 3, 40, WIDE)
        values[0, :3] = np.inf, -np.inf, np.nan
        values[1, :6:2] = WIDE.largest_finite
        added = addends(values, None, rule, arithmetic)
        yield added, at_every_pattern(added, SMALL, NARROW, arithmetic)


def figures():
    for family, storage in itertools.product(FAMILIES, (FP16, BF16, FP32)):
        for slots in (1, 2, 3, 9):
            values = columns(np.random.default_rng(slots), family, slots, 12, storage)
            values[0, 0] = np.inf if slots > 1 else -np.inf
            values[-1, 1] = np.nan
            values[-1, 2] = -np.inf
            for arithmetic in (IEEE, EVERY["nothing known"]):
                sums = summarize(values, FP32, arithmetic)
                yield sums, sums.exact, sums.error(FP32), sums.of(np.array([2, 0]))
                yield members(accepted(sums, FP32, storage, 1.0, 1.0, arithmetic), storage)
                yield sums.overflows(FP32, (1.0, -1.0), 0.5)


def exact_sets():
    for name, arithmetic in EVERY.items():
        for family in FAMILIES:
            values = columns(np.random.default_rng(len(name)), family, 5, 3, FP16)
            for column in values.T:
                for accumulate, factor in ((FP32, 1.0), (FP16, 0.75)):
                    found = accepted_exactly(column, accumulate, FP16, factor, arithmetic)
                    yield members(found, FP16)
            rule = toys.plain(FP32, FP16, source=FP16, coefficient=FP16)
            added = addends(values, values[::-1], rule, arithmetic)
            for place in range(3):
                one = added.of(np.array([place]))
                yield members(accepted_exactly(one, FP32, FP16, 1.0, arithmetic), FP16)
    for numerator in range(-70, 71, 3):
        for denominator in (1, 3, 8, 24):
            yield round_fraction(Fraction(numerator, denominator), SMALL)


def edges_of_float64():
    """Ends of the interval closer to a boundary than float64 can tell."""
    tiny = 2.0**-47
    for terms in (
        [1.0, 2.0**-23, tiny * (1 + 2.0**-23)],
        [1.0, 2.0**-23, tiny],
        [-1.0, -(2.0**-23), -tiny],
        [2.0**127, 2.0**127 * (1 - 2.0**-23), 2.0**103 * (1 - 2.0**-23)],
        [2.0**127, 2.0**127 * (1 - 2.0**-22), 2.0**80],
    ):
        around = to_bits(np.array([sum(terms)]), FP32).astype(np.int64) + np.arange(-3, 4)
        values = np.repeat(np.array(terms)[:, None], 7, axis=1)
        for arithmetic in EVERY.values():
            judged = judge_elements(values, around.astype(np.uint32), FP32, FP32, 1.0, arithmetic)
            yield seen(judged, FP32)


def assembled():
    ends = from_bits(np.arange(SMALL.infinity_bits + 1), SMALL)
    ends = np.concatenate([-ends[::-1], ends])
    low, high = (axis.reshape(-1) for axis in np.meshgrid(ends, ends))
    low, high = low[low <= high], high[low <= high]
    draw = np.random.default_rng(8)
    values = draw.choice([1.0, np.inf, -np.inf, np.nan], (2, low.size), p=[0.7, 0.1, 0.1, 0.1])
    over, under = draw.random((2, low.size)) < 0.3
    for arithmetic, storage in itertools.product(EVERY.values(), (SMALL, NARROW)):
        found = assemble(
            low,
            high,
            overflows=(over, under),
            found=specials(values),
            accumulate=SMALL,
            storage=storage,
            arithmetic=arithmetic,
        )
        yield members(found, storage)
        for place in range(-storage.infinity_bits - 1, storage.infinity_bits + 2):
            yield found.holds(np.full(low.shape, place), storage)


def roundings():
    values = np.concatenate([from_bits(np.arange(1 << 7), WIDE), [np.inf, 1e9]])
    values = np.concatenate([values, -values, values * 0.75, [np.nan]])
    for truncate, saturate, flush in itertools.product((False, True), repeat=3):
        behaviour = Behaviour(truncate, saturate, flush)
        with np.errstate(all="ignore"):
            yield cast_result(values, SMALL, behaviour), after(values, SMALL, behaviour)
    yield flushed(values, SMALL), flushed(values, SMALL, WIDE), flushed(-values, FP16)
    draw = np.random.default_rng(9)
    one = round_once(draw.standard_normal(400), FP32) * round_once(draw.standard_normal(400), FP32)
    other = round_once(one * draw.choice([1, 2.0**24, 2.0**-24, -1, 2.0**30], 400), FP32)
    yield fused(one, other, FP32), fused(one, -other, FP16), fused(-one, other, SMALL)


def certificates():
    for family, fmt in itertools.product(FAMILIES, (SMALL, FP16, BF16, FP32)):
        values = columns(np.random.default_rng(10), family, 4, 60, fmt)
        values[0, :2] = np.inf, np.nan
        for accumulate in (SMALL, FP16, FP32):
            yield certified(values, accumulate)
    scales = np.ldexp(np.array([1.0, 0.75, 0.5]), np.arange(-26, 27)[:, None]).reshape(-1)
    yield certified(np.stack([scales, np.ones_like(scales), np.ones_like(scales)]), FP32)


def rules():
    formats = (SMALL, NARROW, WIDE, FP16, BF16, FP32)
    yield [[embeds(one, other) for one in formats] for other in formats]
    for source, weight, cast in itertools.product(formats[3:], (None, *formats), (None, *formats)):
        yield attempt(Rule, FP32, FP16, source, weight, cast)
        yield attempt(Rule, FP16, FP16, source, weight, cast, "never")
    yield attempt(addends, np.ones((2, 2)), None, Rule(coefficient=FP16))
    casts, overflows = ("nearest", "truncate", "odd"), ("infinity", "saturate", "wrap")
    for one, two in itertools.product(range(4), repeat=2):
        yield attempt(Arithmetic, frozenset(casts[:one]), frozenset(overflows[two:]))
        yield attempt(Arithmetic, flushes=frozenset([True, False, 3][one:two]))


PARTS = (
    rules,
    roundings,
    certificates,
    assembled,
    edges_of_float64,
    toy_casts,
    figures,
    exact_sets,
    toy_sums,
    toy_products,
)
