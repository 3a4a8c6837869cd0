"""The accepted set, in pairs: just inside is accepted, just outside is rejected."""

from fractions import Fraction

import numpy as np
import pytest

from conformance.numerics.elements import accepted, judge_elements, summarize
from conformance.numerics.exactly import accepted_exactly, round_fraction
from reference.floats import BF16, FP16, FP32, from_ordered, ordered, round_once, to_bits

FORMATS = pytest.mark.parametrize("storage", [FP16, BF16, FP32], ids=lambda fmt: fmt.name)


def takes(terms, observed, storage, accumulate=FP32):
    """Whether `observed` is accepted as the sum of `terms`."""
    values = np.array(terms, np.float64).reshape(-1, 1)
    bits = to_bits(np.array([observed]), storage)
    return bool(judge_elements(values, bits, accumulate, storage).ok.item())


def step(value, by, storage):
    """The value `by` places up the grid of `storage`."""
    place = ordered(to_bits(np.array([value]), storage), storage) + by
    bits = from_ordered(place, storage)
    return (
        (bits.astype(np.uint32) << (32 - storage.storage_bits)).view(np.float32).item()
        if storage != FP16
        else bits.view(np.float16).item()
    )


@FORMATS
def test_one_term_is_itself(storage):
    value = 1.5
    assert takes([value], value, storage)
    assert not takes([value], step(value, 1, storage), storage)
    assert not takes([value], step(value, -1, storage), storage)


@FORMATS
def test_sums_of_subnormals_are_exact(storage):
    tiny = storage.smallest_subnormal
    assert takes([tiny] * 3, 3 * tiny, storage)
    assert not takes([tiny] * 3, 2 * tiny, storage)
    assert not takes([tiny] * 3, 4 * tiny, storage)


@FORMATS
def test_below_a_power_of_two_the_finer_grid_counts(storage):
    below = 1 - storage.unit_roundoff
    assert takes([1.0, -storage.unit_roundoff], below, storage)
    assert not takes([1.0, -storage.unit_roundoff], 1.0, storage)
    assert not takes([1.0, -storage.unit_roundoff], step(below, -1, storage), storage)


@FORMATS
def test_a_tie_goes_to_the_even_neighbour_alone(storage):
    assert takes([1.0, storage.unit_roundoff], 1.0, storage)
    assert not takes([1.0, storage.unit_roundoff], step(1.0, 1, storage), storage)


@pytest.mark.parametrize("storage", [FP16, BF16], ids=lambda fmt: fmt.name)
def test_just_above_a_tie_goes_up_alone(storage):
    terms = [1.0, storage.unit_roundoff, storage.unit_roundoff**2]
    assert takes(terms, step(1.0, 1, storage), storage)
    assert not takes(terms, 1.0, storage)


@FORMATS
def test_two_terms_have_one_correctly_rounded_sum_however_far_apart(storage):
    terms = [2.0**30 if storage != FP16 else 2.0**15, 2.0**-20]
    assert takes(terms, terms[0], storage)
    assert not takes(terms, step(terms[0], 1, storage), storage)
    assert not takes(terms, step(terms[0], -1, storage), storage)


def test_six_fp32_terms_may_differ_by_the_error_of_four_inner_additions():
    terms = [1.0, *[2.0**-24] * 5]
    for inside in (1.0, 1 + 5 * 2.0**-23):
        assert takes(terms, inside, FP32)
    for outside in (1 - 2.0**-24, 1 + 6 * 2.0**-23):
        assert not takes(terms, outside, FP32)


@pytest.mark.parametrize("storage", [FP16, BF16], ids=lambda fmt: fmt.name)
def test_an_inner_error_beside_a_tie_allows_both_neighbours_and_no_third(storage):
    terms = [1.0, storage.unit_roundoff, 2.0**-24, *[2.0**-26] * 3]
    for inside in (1.0, step(1.0, 1, storage)):
        assert takes(terms, inside, storage)
    for outside in (step(1.0, -1, storage), step(1.0, 2, storage)):
        assert not takes(terms, outside, storage)


@FORMATS
def test_overflow_begins_at_the_threshold(storage):
    largest, half = storage.largest_finite, storage.overflow_threshold - storage.largest_finite
    assert takes([largest, half / 2], largest, storage)
    assert not takes([largest, half / 2], np.inf, storage)
    assert takes([largest, half], np.inf, storage)
    assert not takes([largest, half], largest, storage)
    assert takes([-largest, -half], -np.inf, storage)
    assert not takes([-largest, -half], np.inf, storage)


@FORMATS
def test_zeros_of_both_signs_are_one_value_for_sums(storage):
    for terms in ([], [0.0], [-0.0, -0.0], [1.0, -1.0]):
        assert takes(terms, 0.0, storage)
        assert takes(terms, -0.0, storage)
        assert not takes(terms, storage.smallest_subnormal, storage)
        assert not takes(terms, -storage.smallest_subnormal, storage)


@FORMATS
def test_infinities_and_nans_propagate(storage):
    assert takes([1.0, np.inf], np.inf, storage)
    assert not takes([1.0, np.inf], storage.largest_finite, storage)
    assert not takes([1.0, np.inf], np.nan, storage)
    assert takes([-np.inf, 1.0], -np.inf, storage)
    assert not takes([-np.inf, 1.0], np.inf, storage)
    assert takes([np.inf, -np.inf], np.nan, storage)
    assert not takes([np.inf, -np.inf], np.inf, storage)
    assert takes([np.nan, np.inf, 1.0], np.nan, storage)
    assert not takes([np.nan, np.inf, 1.0], np.inf, storage)
    assert not takes([1.0], np.nan, storage)


@FORMATS
def test_any_nan_pattern_is_a_nan(storage):
    values = np.array([[np.nan]])
    for pattern in (storage.infinity_bits + 1, storage.nan_bits, 2 * storage.sign_bit - 1):
        bits = np.array([pattern], storage.storage_dtype)
        assert judge_elements(values, bits, FP32, storage).ok.item()
    infinity = np.array([storage.infinity_bits], storage.storage_dtype)
    assert not judge_elements(values, infinity, FP32, storage).ok.item()


def test_an_order_that_overflows_on_the_way_is_legal_on_that_side_only():
    largest = FP32.largest_finite
    terms = [largest, largest, -largest]
    assert takes(terms, largest, FP32)
    assert takes(terms, np.inf, FP32)
    assert not takes(terms, -np.inf, FP32)
    assert not takes(terms, np.nan, FP32)


def test_a_nan_needs_an_overflow_on_both_sides():
    largest = FP32.largest_finite
    both = [largest, largest, -largest, -largest]
    for legal in (0.0, np.inf, -np.inf, np.nan):
        assert takes(both, legal, FP32)


def test_an_infinite_term_meets_a_finite_overflow_of_the_other_sign_as_nan():
    largest = FP32.largest_finite
    assert takes([np.inf, -largest, -largest], np.nan, FP32)
    assert takes([np.inf, -largest, -largest], np.inf, FP32)
    assert not takes([np.inf, -largest, -largest], -np.inf, FP32)
    assert not takes([np.inf, largest, largest], np.nan, FP32)


def test_zero_terms_do_not_widen_the_set():
    terms = [1.0, 2.0**-24] + [0.0] * 30
    assert takes(terms, 1.0, FP32)
    assert not takes(terms, 1 + 2.0**-23, FP32)


def test_accumulation_in_the_storage_format_is_wider():
    terms = [1.0, 2.0**-11, 2.0**-11]
    assert takes(terms, 1.0, FP16, accumulate=FP16)
    assert not takes(terms, 1.0, FP16, accumulate=FP32)
    assert not takes(terms, 1 - 2.0**-11, FP16, accumulate=FP16)


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (Fraction(1) + Fraction(1, 2**24), 1.0),
        (Fraction(1) + Fraction(3, 2**24), 1 + 2.0**-22),
        (Fraction(1) + Fraction(1, 2**24) + Fraction(1, 2**200), 1 + 2.0**-23),
        (Fraction(1, 2**150), 0.0),
        (Fraction(-3, 2**150), -(2.0**-148)),
        (Fraction(2**128) - 2**103, np.inf),
        (Fraction(2**128) - 2**103 - 1, FP32.largest_finite),
        (Fraction(-(2**200)), -np.inf),
        (Fraction(0), 0.0),
    ],
)
def test_fractions_round_once_with_ties_to_even(value, rounded):
    assert round_fraction(value, FP32) == rounded


@FORMATS
def test_the_float64_set_and_the_exact_one_agree(storage):
    generator = np.random.default_rng(5)
    values = generator.standard_normal((6, 400)) * np.exp2(generator.integers(-12, 4, (6, 400)))
    values[generator.random(values.shape) < 0.2] = 0.0
    values[:, :100] *= storage.smallest_normal
    values = round_once(values, storage)
    found = accepted(summarize(values, FP32), FP32, storage)
    for element in range(values.shape[1]):
        exact = accepted_exactly(values[:, element], FP32, storage)
        assert (found.low[element], found.high[element]) == (exact.low[0], exact.high[0])


def test_an_edge_closer_than_the_error_of_float64_is_decided_exactly():
    # With a last term d, s* - E is 1 + 2^-24 + (1 - 2^-22) d - 5 * 2^-68: on one side of a tie or
    # on the other, by less than float64 can tell.
    terms, last = [1.0, 2.0**-22, 2.0**-24, 2.0**-44, 2.0**-46], 5 * 2.0**-68
    assert takes([*terms, last], 1.0, FP32)
    assert not takes([*terms, last * (1 + 2.0**-21)], 1.0, FP32)


def test_a_certified_sum_near_the_threshold_cannot_overflow():
    terms = [2.0**127, 2.0**126, 2.0**126 - 2.0**104]
    assert takes(terms, FP32.largest_finite, FP32)
    assert not takes(terms, np.inf, FP32)


@FORMATS
def test_an_element_with_one_accepted_value_counts_as_exact(storage):
    values = np.array([[1.0], [0.5]])
    judged = judge_elements(values, to_bits(np.array([1.5]), storage), FP32, storage)
    assert judged.exact.all()
    assert judged.headroom is None


def test_headroom_is_the_unused_share_of_the_accepted_error():
    values = np.array([1.0, *[2.0**-24] * 5]).reshape(-1, 1)

    def headroom(observed):
        return judge_elements(values, to_bits(np.array([observed]), FP32), FP32, FP32).headroom

    for value, unused in ((0, 0.0), (2, 0.4), (4, 0.8), (6, 0.8), (10, 0.0)):
        assert headroom(1 + value * 2.0**-24) == pytest.approx(unused)
