"""An accepted set holds what its parts name, and counts it; infinite terms leave no interval."""

import itertools

import numpy as np
import pytest

from conformance.numerics.accepted import AcceptedSet, assemble, specials
from conformance.numerics.arithmetic import Arithmetic
from reference.floats import Format, from_bits

TINY = Format("p2", 2, 0, 1)
INFINITY = TINY.infinity_bits
PLACES = range(-INFINITY - 1, INFINITY + 2)
"""Every value as an ordered pattern, with one NaN of each sign."""

SATURATES = Arithmetic(overflows=frozenset({"saturate"}))
FLUSHES = Arithmetic(flushes=frozenset({False, True}))
SPECIAL = [
    terms
    for terms in itertools.product([1.0, np.inf, -np.inf, np.nan], repeat=2)
    if not np.isfinite(terms).all()
]


def array(value):
    return np.array([value])


def everything():
    """Every interval, empty ones too, with every choice of what else is legal."""
    ends = [
        (low, high) for low, high in itertools.product(range(-INFINITY, INFINITY + 1), repeat=2)
    ]
    return itertools.product(ends, itertools.product((False, True), repeat=4))


def named(low, high, plus, minus, nan, zero):
    """The members, spelled out."""
    members = set(range(low, high + 1))
    members |= {INFINITY} if plus else set()
    members |= {-INFINITY} if minus else set()
    members |= {0} if zero else set()
    return members | ({-INFINITY - 1, INFINITY + 1} if nan else set())


def test_a_set_holds_its_interval_and_what_is_legal_beside_it_and_counts_each_value_once():
    for (low, high), flags in everything():
        found = AcceptedSet(array(low), array(high), *map(array, flags))
        members = named(low, high, *flags)
        held = {place for place in PLACES if found.holds(array(place), TINY).item()}
        assert held == members
        nans = {-INFINITY - 1, INFINITY + 1}
        assert found.size(TINY).item() == len(members - nans) + bool(members & nans)


def of_terms(terms, arithmetic=Arithmetic(), overflows=False, underflows=False):  # noqa: B008
    """The members of the set of a sum with special terms."""
    found = assemble(
        array(1.0),
        array(1.5),
        overflows=(array(overflows), array(underflows)),
        found=specials(np.array(terms)[:, None]),
        accumulate=TINY,
        storage=TINY,
        arithmetic=arithmetic,
    )
    return {place for place in PLACES if found.holds(array(place), TINY).item()}


@pytest.mark.parametrize("terms", SPECIAL, ids=str)
def test_a_special_term_decides_alone(terms):
    with np.errstate(invalid="ignore"):
        total = np.sum(terms)
    nans = {-INFINITY - 1, INFINITY + 1}
    assert of_terms(terms) == (nans if np.isnan(total) else {int(np.sign(total)) * INFINITY})


@pytest.mark.parametrize("terms", SPECIAL, ids=str)
def test_a_saturating_device_may_make_anything_of_a_special_term(terms):
    assert of_terms(terms, SATURATES) == set(PLACES)


def test_a_finite_overflow_against_an_infinite_term_may_be_nan_and_nothing_finite():
    nans = {-INFINITY - 1, INFINITY + 1}
    assert of_terms([np.inf, 1.0], underflows=True) == {INFINITY} | nans
    assert of_terms([-np.inf, 1.0], overflows=True) == {-INFINITY} | nans
    assert of_terms([np.nan, 1.0], overflows=True) == nans


def between(low, high, arithmetic, storage=TINY, accumulate=TINY):
    """The accepted values of a finite sum with an interval, by value."""
    found = assemble(
        array(low),
        array(high),
        overflows=(array(high == np.inf), array(low == -np.inf)),
        found=specials(np.zeros((2, 1))),
        accumulate=accumulate,
        storage=storage,
        arithmetic=arithmetic,
    )
    infinity = storage.infinity_bits
    places = [p for p in range(-infinity, infinity + 1) if found.holds(array(p), storage).item()]
    values = from_bits(np.abs(places), storage) * np.sign(places)
    return values.tolist()


@pytest.mark.parametrize(
    ("low", "high", "flushed"),
    [(0.5, 0.5, True), (0.5, 3.0, True), (1.0, 1.0, False), (1.0, 3.0, False), (2.0, 2.0, False)],
)
def test_zero_is_legal_where_the_result_may_be_subnormal(low, high, flushed):
    for sign in (1.0, -1.0):
        ends = sorted([sign * low, sign * high])
        assert (0.0 in between(*ends, FLUSHES)) is flushed
        assert 0.0 not in between(*ends, Arithmetic())
    assert 0.0 in between(-1.0, 1.0, Arithmetic())


def test_a_subnormal_of_either_format_may_be_flushed():
    coarse = Format("coarse", 2, 1, 1)  # normal from 2 on
    for accumulate, storage in ((TINY, coarse), (coarse, TINY)):
        assert 0.0 in between(1.0, 1.0, FLUSHES, storage, accumulate)
        assert 0.0 not in between(2.0, 2.0, FLUSHES, storage, accumulate)
        assert 0.0 not in between(-2.0, -2.0, FLUSHES, storage, accumulate)


def test_special_terms_are_not_flushed():
    assert of_terms([np.inf, 1.0], FLUSHES) == {INFINITY}
    assert of_terms([np.nan, np.inf], FLUSHES) == {-INFINITY - 1, INFINITY + 1}


def test_the_ends_are_cast_as_the_device_may_cast_them():
    fine = Format("fine", 5, 0, 1)
    for casts, expected in (
        ({"nearest"}, [1.5]),
        ({"truncate"}, [1.0]),
        ({"nearest", "truncate"}, [1.0, 1.5]),
    ):
        arithmetic = Arithmetic(casts=frozenset(casts))
        assert between(1.375, 1.375, arithmetic, accumulate=fine) == expected
        assert between(-1.375, -1.375, arithmetic, accumulate=fine) == [-v for v in expected[::-1]]
        assert between(1.5, 1.5, arithmetic, accumulate=fine) == [1.5]
        assert between(1.5, 1.5, arithmetic) == [1.5]


@pytest.mark.parametrize(
    ("low", "high", "saturating", "either"),
    [
        (2.0, 3.0, [2.0, 3.0], [2.0, 3.0]),
        (2.0, np.inf, [2.0, 3.0], [2.0, 3.0, np.inf]),
        (np.inf, np.inf, [3.0], [3.0, np.inf]),
    ],
)
def test_an_end_beyond_the_largest_value_saturates_on_a_device_that_does(
    low, high, saturating, either
):
    either_way = Arithmetic(overflows=frozenset({"saturate", "infinity"}))
    for arithmetic, expected in ((SATURATES, saturating), (either_way, either)):
        assert between(low, high, arithmetic) == expected
        assert between(-high, -low, arithmetic) == [-value for value in expected[::-1]]


def test_an_infinity_that_two_reasons_allow_is_one():
    assert of_terms([np.inf, 1.0], overflows=True) == {INFINITY}
    assert of_terms([-np.inf, 1.0], underflows=True) == {-INFINITY}
    assert of_terms([np.nan, 1.0], overflows=True, underflows=True) == {-INFINITY - 1, INFINITY + 1}


def test_a_finite_sum_keeps_its_interval_beside_the_infinities_that_orders_reach():
    inside = {place for place in range(INFINITY) if 1.0 <= from_bits([place], TINY)[0] <= 1.5}
    assert of_terms([1.0, 0.5]) == inside
    assert of_terms([1.0, 0.5], overflows=True) == inside | {INFINITY}
    assert of_terms([1.0, 0.5], underflows=True) == inside | {-INFINITY}
