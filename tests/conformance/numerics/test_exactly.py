"""The set in rationals: by hand at its edges, and that of float64 where float64 is exact."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from conformance.numerics.addends import Addends, addends
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.elements import accepted
from conformance.numerics.exactly import accepted_exactly, round_fraction
from conformance.numerics.figures import summarize
from reference.floats import FP32, from_bits, from_ordered
from tests.conformance.numerics import exhaustive as toys

SMALL, NARROW, WIDE = toys.toy(3, -2, 1), toys.toy(2, -1, 1), toys.toy(4, -2, 2)
TRUE = frozenset({False, True})
ARITHMETICS = {
    "IEEE": IEEE,
    "flushes": Arithmetic(flushes=TRUE),
    "saturates": Arithmetic(overflows=frozenset({"saturate"})),
    "saturates or not": Arithmetic(overflows=frozenset({"saturate", "infinity"})),
    "nothing known": Arithmetic(
        frozenset({"nearest", "truncate"}), frozenset({"saturate", "infinity"}), TRUE
    ),
}
RULES = {
    "terms": toys.plain(SMALL, NARROW),
    "terms kept as they are": toys.plain(SMALL, SMALL),
    "products": toys.plain(SMALL, NARROW, coefficient=SMALL),
    "rounded products": toys.plain(SMALL, SMALL, coefficient=SMALL, fused="never"),
    "cast terms": toys.plain(SMALL, NARROW, source=WIDE, cast=SMALL),
}


def drawn(rule, slots, columns=12):
    """Addends of random toy values, zeros and some infinities among them; the rule's operands."""
    generator = np.random.default_rng(slots)
    pool = toys.grid(rule.source)
    values = generator.choice(pool, (slots, columns))
    values[generator.random(values.shape) < 0.03] = np.inf
    values[generator.random(values.shape) < 0.03] = -np.inf
    small = generator.random(columns) < 0.5
    values[:, small] = generator.choice(pool[np.abs(pool) <= 1], (slots, np.count_nonzero(small)))
    weights = generator.choice(toys.grid(SMALL), (slots, columns))
    return values, None if rule.coefficient is None else weights


@pytest.mark.parametrize("arithmetic", ARITHMETICS.values(), ids=ARITHMETICS)
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_over_toy_formats_it_is_the_set_of_float64_which_is_exact_there(rule, arithmetic):
    for slots, factor in itertools.product((1, 2, 3, 4, 6), (1.0, 0.25)):
        added = addends(*drawn(rule, slots), rule, arithmetic)
        sums = summarize(added, rule.accumulate, arithmetic)
        formats = rule.accumulate, rule.storage
        whole = accepted(sums, *formats, 0.0, factor, arithmetic)
        for place in range(added.low.shape[1]):
            one = accepted_exactly(added.of(np.array([place])), *formats, factor, arithmetic)
            for field in ("low", "high", "plus_infinity", "minus_infinity", "nan", "zero"):
                assert getattr(one, field)[0] == getattr(whole, field)[place], (field, place)


@pytest.mark.parametrize("fmt", [SMALL, WIDE], ids=lambda fmt: fmt.name)
def test_a_rational_goes_to_the_nearest_value_and_from_a_tie_to_the_even_pattern(fmt):
    patterns = range(fmt.infinity_bits + 1)
    grid = [Fraction(value) for value in from_bits(np.arange(fmt.infinity_bits), fmt)]
    grid.append(2 * Fraction(2) ** fmt.emax)  # where the next value would be
    for numerator, denominator in itertools.product(range(150), (16, 17, 64)):
        value = Fraction(numerator, denominator)
        place = min(patterns, key=lambda place: (abs(grid[place] - value), place % 2))
        expected = from_bits(np.array([place]), fmt).item()
        assert round_fraction(value, fmt) == expected
        assert round_fraction(-value, fmt) == -expected


def ends(terms, fmt=SMALL, **fields):
    """The interval of the terms by value, accumulated and stored in one format."""
    found = accepted_exactly(terms, fmt, fmt, **fields)
    patterns = from_ordered(np.array([found.low[0], found.high[0]]), fmt)
    return from_bits(patterns, fmt).tolist(), found


def test_the_ends_lie_an_error_away_on_either_side():
    # (3 - 2) u A is 2^-3 * 1.5625: from 1.367 to 1.758, then rounded to a grid of quarters
    terms = np.array([1.0, 0.3125, 0.25])
    assert ends(terms)[0] == [1.25, 1.75]
    assert ends(-terms)[0] == [-1.75, -1.25]
    assert ends(terms, factor=4.0)[0] == [0.75, 2.5]
    assert ends([1.0, 0.5])[0] == [1.5, 1.5]


def test_addends_that_are_not_known_reach_from_their_least_to_their_largest_sum():
    low, high = np.array([[1.0], [-0.5]]), np.array([[1.5], [0.25]])
    assert ends(Addends(low, high))[0] == [0.5, 1.75]
    assert ends(Addends(-high, -low))[0] == [-1.75, -0.5]


def test_an_overflow_begins_at_the_threshold_and_the_bound_counts():
    # the threshold is 3.75; the last three sum to 3.4375, and their error is an eighth of that
    for terms, over in (([3.5, 0.25], True), ([3.0, 0.5], False), ([3.0, 0.25, 0.1875], True)):
        assert ends(terms)[1].plus_infinity.item() is over
        assert not ends(terms)[1].minus_infinity.item()
        assert ends([-term for term in terms])[1].minus_infinity.item() is over
        assert not ends([-term for term in terms])[1].plus_infinity.item()
    assert not ends([3.0, 0.25, 0.1875], factor=0.0)[1].plus_infinity.item()


def test_terms_are_given_as_any_numbers_and_none_sum_to_zero():
    for terms in ([], [0.0], (0.0, -0.0), iter([1.0, -1.0])):
        found = accepted_exactly(terms, FP32, FP32)
        assert (found.low.tolist(), found.high.tolist()) == ([0], [0])
