"""Data as the standards prescribe it."""

import numpy as np
import pytest

from conformance.standards.data import (
    COMMERCIAL_L0,
    COMMERCIAL_L1,
    ECOSYSTEM_V2,
    dimensions,
    normal,
    uniform,
    with_outliers,
)

RULES = [ECOSYSTEM_V2, COMMERCIAL_L0, COMMERCIAL_L1]


@pytest.mark.parametrize("rule", RULES)
def test_a_case_repeats_itself_and_no_other(rule):
    assert np.array_equal(rule.values(7, 100), rule.values(7, 100))
    assert not np.array_equal(rule.values(7, 100), rule.values(8, 100))


@pytest.mark.parametrize("rule", RULES)
def test_cases_take_the_distributions_in_their_shares(rule):
    """Counted by replacing every draw with its own number; 5 sigma of 4000 cases."""
    numbered = tuple(
        (share, lambda generator, count, number=number: np.full(count, float(number)))
        for number, (share, _) in enumerate(rule.mixture)
    )
    drawn = [type(rule)("", numbered).values(seed, 1)[0] for seed in range(4000)]
    for number, (share, _) in enumerate(rule.mixture):
        seen = np.mean(np.array(drawn) == number)
        assert abs(seen - share) < 5 * np.sqrt(share * (1 - share) / 4000)
    assert sum(share for share, _ in rule.mixture) == pytest.approx(1.0)


def test_uniform_and_normal_values_lie_where_they_must():
    generator = np.random.default_rng(0)
    values = uniform(-5.0, 5.0)(generator, 10000)
    assert -5 <= values.min() < -4.99
    assert 4.99 < values.max() < 5
    cases = [normal((-5.0, 5.0), (0.1, 2.0))(generator, 2000) for _ in range(400)]
    means, deviations = [c.mean() for c in cases], [c.std() for c in cases]
    assert -5.2 < min(means) < -4.5
    assert 4.5 < max(means) < 5.2
    assert 0.09 < min(deviations) < 0.2
    assert 1.8 < max(deviations) < 2.1


@pytest.mark.parametrize(("count", "outliers"), [(6, 1), (999, 1), (1999, 1), (2000, 2)])
def test_one_element_in_a_thousand_is_an_outlier_and_at_least_one(count, outliers):
    values = with_outliers(uniform(1.0, 2.0))(np.random.default_rng(1), count)
    assert np.count_nonzero(values >= 1000) == outliers
    assert np.count_nonzero(values < 2) == count - outliers


def test_axes_are_powers_of_two_and_one_less():
    assert dimensions(8) == (1, 2, 3, 4, 7, 8)
    assert dimensions()[-2:] == (2**20 - 1, 2**20)


def test_special_cases_take_turns_and_leave_small_seeds_alone():
    cases = [ECOSYSTEM_V2.special_case(seed) for seed in range(64)]
    chosen = [seed for seed, case in enumerate(cases) if case is not None]
    assert chosen == [15, 31, 47, 63]
    assert [cases[seed] for seed in chosen] == list(ECOSYSTEM_V2.special)
    assert not any(rule.special_case(seed) for rule in RULES[1:] for seed in range(64))
