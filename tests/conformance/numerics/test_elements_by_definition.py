"""Judgements over a toy format, at every pattern, against the definitions in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from conformance.numerics.accepted import AcceptedSet, assemble
from conformance.numerics.arithmetic import IEEE, SATURATE, Arithmetic
from conformance.numerics.elements import Judged, accepted, judge_elements
from conformance.numerics.exactly import round_fraction
from conformance.numerics.figures import summarize
from reference.floats import Format, from_bits, from_ordered, ordered
from tests.conformance.numerics.by_definition import COLUMNS, TOY, Column, columns
from tests.proofs.soundness_run import ARITHMETICS

NARROW = Format("p2", 2, -1, 1)
EVERY = {"IEEE": IEEE, **ARITHMETICS}
PATTERNS = np.arange(TOY.infinity_bits + 2)
PATTERNS = np.concatenate([PATTERNS, PATTERNS + TOY.sign_bit]).astype(TOY.storage_dtype)


def members(found: AcceptedSet, storage: Format) -> list[list[bool]]:
    """Which values each element's set holds, infinities and NaN among them."""
    places = range(-storage.infinity_bits - 1, storage.infinity_bits + 2)
    return [found.holds(np.full(found.low.shape, place), storage).tolist() for place in places]


def ends(
    column: Column, arithmetic: Arithmetic, growth: Fraction, factor: Fraction
) -> tuple[float, float]:
    """The interval before the cast to storage: s* - E and s* + E, grown, cut and rounded."""
    error = column.error() * factor
    if error:
        error += growth * (column.count + 2) * Fraction(1, 2**52) * (column.magnitude + error)
        error = max(error, Fraction(0))
    low = sum(one for one, _ in column.ends) - error
    high = sum(one for _, one in column.ends) + error
    largest = Fraction(TOY.largest_finite)
    plus, minus = (column.overflows(sign, growth, factor) for sign in (1, -1))
    if SATURATE in arithmetic.overflows:
        if plus:
            low = min(low, largest - sum(column.one_sided(-1)) - error)
        if minus:
            high = max(high, sum(column.one_sided(1)) - largest + error)
        low, high = min(low, largest), max(high, -largest)
    high, low = high if plus else min(high, largest), low if minus else max(low, -largest)
    return round_fraction(low, TOY), round_fraction(high, TOY)


@pytest.mark.parametrize(
    "name", ["IEEE", "overflow saturates", "overflow unknown", "nothing known"]
)
@pytest.mark.parametrize(("growth", "factor"), [(0, 1), (2**49, 1), (-(2**49), 1), (2**49, 2)])
@pytest.mark.parametrize(("known", "special"), [(True, True), (False, False)])
def test_the_accepted_set_is_the_rounded_interval_around_the_exact_sum(
    name: str, growth: int, factor: int, known: bool, special: bool
) -> None:
    arithmetic = EVERY[name]
    given = columns(known=known, bare=True, special=special, slots=5, seed=3)
    sums = summarize(given, TOY, arithmetic)
    truth = [Column(given, element, arithmetic) for element in range(COLUMNS)]
    low, high = np.array([ends(c, arithmetic, Fraction(growth), Fraction(factor)) for c in truth]).T
    for storage in (TOY, NARROW):
        expected = assemble(
            low,
            high,
            overflows=tuple(
                np.array([c.overflows(sign, Fraction(growth), Fraction(factor)) for c in truth])
                for sign in (1, -1)
            ),
            found=sums.found,
            accumulate=TOY,
            storage=storage,
            arithmetic=arithmetic,
        )
        found = accepted(sums, TOY, storage, float(growth), float(factor), arithmetic)
        assert members(found, storage) == members(expected, storage)


@pytest.fixture(scope="module", params=EVERY)
def arithmetic(request: pytest.FixtureRequest) -> Arithmetic:
    return EVERY[request.param]


@pytest.fixture(scope="module")
def judged(arithmetic: Arithmetic) -> Judged:
    """Every pattern as the sum of every column; of the shorter ones every order is tried."""
    given = columns(known=True, bare=False, special=True, slots=7, seed=2)
    every = np.repeat(np.arange(COLUMNS), PATTERNS.size)
    return judge_elements(given.of(every), np.tile(PATTERNS, COLUMNS), TOY, TOY, 1.0, arithmetic)


def seen() -> list[float]:
    """The values of the patterns of one column."""
    return from_bits(PATTERNS, TOY).tolist()


def test_a_value_is_legal_if_the_set_holds_it_and_exact_if_it_alone_is(
    judged: Judged, arithmetic: Arithmetic
) -> None:
    places = np.tile(ordered(PATTERNS, TOY), COLUMNS)
    # Over a toy format float64 does not err: nothing need be added to E for it.
    exact_ends = accepted(judged.sums, TOY, TOY, arithmetic=arithmetic)
    held = exact_ends.holds(places, TOY)
    some = ~judged.few
    assert (judged.ok[some] == held[some]).all()
    assert not (judged.ok & ~held).any(), "trying every order only takes away"
    assert (judged.exact == (judged.accepted.size(TOY) == 1)).all()
    assert judged.few.any() != arithmetic.may_flush
    # What it tells is the set that float64 cannot have made too small: ends on a tie take in both.
    told, least = members(judged.accepted, TOY), members(exact_ends, TOY)
    assert told == members(accepted(judged.sums, TOY, TOY, 1.0, arithmetic=arithmetic), TOY)
    assert told != least


def test_the_distance_of_an_illegal_value_counts_the_places_to_the_interval(
    judged: Judged,
) -> None:
    places = np.tile(ordered(PATTERNS, TOY), COLUMNS).tolist()
    low, high = judged.accepted.low.tolist(), judged.accepted.high.tolist()
    for element, place in enumerate(places):
        if judged.ok[element]:
            expected = -1
        elif abs(place) > TOY.infinity_bits or low[element] > high[element]:
            expected = TOY.sign_bit
        else:
            expected = max(low[element] - place, place - high[element], 0)
        assert judged.distance[element] == expected


def test_the_headroom_is_the_least_share_that_a_legal_value_left_unused() -> None:
    given = columns(known=True, bare=False, special=True, slots=7, seed=2)
    for name in ("IEEE", "nothing known"):
        arithmetic = EVERY[name]
        for element in range(0, COLUMNS, 6):
            for pattern in PATTERNS:
                one = judge_elements(
                    given.of(np.array([element])), pattern[None], TOY, TOY, 1.0, arithmetic
                )
                assert one.headroom == headroom_of(one, pattern), (name, element, pattern)


def headroom_of(one: Judged, pattern: np.integer) -> float | None:
    """The headroom of one element by its definition."""
    low, high = one.accepted.low.item(), one.accepted.high.item()
    if not one.ok.item() or one.few.item() or low >= high:
        return None
    largest = TOY.infinity_bits - 1
    cut = [min(max(place, -largest), largest) for place in (low, high)]
    least, most = from_bits(from_ordered(np.array(cut), TOY), TOY).tolist()
    value, exact = from_bits(pattern[None], TOY).item(), one.sums.exact.item()
    if value == exact:
        return 1.0
    allowed = most - exact if value >= exact else exact - least
    if not math.isfinite(value) or allowed <= 0:
        return 0.0
    return min(max(1.0 - abs(value - exact) / allowed, 0.0), 1.0)


def test_of_several_legal_values_the_least_headroom_counts() -> None:
    given = columns(known=True, bare=False, special=False, slots=7, seed=2)
    every = np.repeat(np.arange(COLUMNS), PATTERNS.size)
    patterns = np.tile(PATTERNS, COLUMNS)
    whole = judge_elements(given.of(every), patterns, TOY, TOY)
    alone = [
        judge_elements(given.of(every[i : i + 1]), patterns[i : i + 1], TOY, TOY).headroom
        for i in range(0, every.size, 17)
    ]
    assert whole.headroom is not None
    assert whole.headroom <= min(one for one in alone if one is not None)
    assert 0.0 in alone or whole.headroom > 0
