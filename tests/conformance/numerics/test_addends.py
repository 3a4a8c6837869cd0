"""Addends: known where contract and arithmetic leave no choice; an interval or bare elsewhere."""

import numpy as np
import pytest

from conformance.numerics.addends import Addends, Rule, addends, embeds
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.elements import judge_elements
from reference.floats import BF16, FP16, FP32, Format, to_bits

FLUSHING = Arithmetic(flushes=frozenset({False, True}))
SATURATING = Arithmetic(overflows=frozenset({"saturate"}))
EITHER = Arithmetic(overflows=frozenset({"infinity", "saturate"}))
TRUNCATING = Arithmetic(casts=frozenset({"truncate"}))
ANY_CAST = Arithmetic(casts=frozenset({"nearest", "truncate"}))
WEIGHTED = Rule(coefficient=FP32)


def column(*terms):
    return np.array(terms, np.float64).reshape(-1, 1)


def takes(observed, values, weights=None, rule=WEIGHTED, arithmetic=IEEE):
    """Whether `observed` is accepted as the sum of the values, times the weights if there are."""
    factors = None if weights is None else column(*weights)
    added = addends(column(*values), factors, rule, arithmetic)
    bits = to_bits(np.array([observed]), rule.storage)
    judged = judge_elements(added, bits, rule.accumulate, rule.storage, arithmetic=arithmetic)
    return bool(judged.ok.item())


@pytest.mark.parametrize(
    ("inner", "outer", "inside"),
    [(FP16, FP32, True), (BF16, FP32, True), (FP16, BF16, False), (FP32, FP32, True)],
)
def test_half_formats_embed_in_fp32_and_not_in_each_other(inner, outer, inside):
    assert embeds(inner, outer) is inside


@pytest.mark.parametrize(
    ("inner", "inside"),
    [
        (Format("p11", 11, -139, 127), True),
        (Format("finer", 11, -140, 127), False),
        (Format("wider", 11, -139, 128), False),
        (Format("more bits", 24, -126, 127), True),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_subnormals_and_the_largest_value_must_embed_too(inner, inside):
    assert embeds(inner, FP32) is inside


def test_some_of_the_addends_keep_their_ends_and_their_products():
    low, high = np.array([[1.0, 2.0, 3.0]]), np.array([[4.0, 5.0, 6.0]])
    some = Addends(low, high, np.array([[True, False, False]])).of(np.array([2, 0]))
    assert (some.low.tolist(), some.high.tolist()) == ([[3.0, 1.0]], [[6.0, 4.0]])
    assert some.bare.tolist() == [[False, True]]
    known = Addends(low, low).of(np.array([1]))
    assert known.known
    assert (known.low.tolist(), known.bare) == ([[2.0]], None)


def test_operands_off_the_grid_of_the_accumulator_are_refused_unless_they_are_cast():
    with pytest.raises(ValueError, match="source=fp32: must lie on the grid of the accumulator"):
        Rule(accumulate=FP16, source=FP32)
    with pytest.raises(ValueError, match="coefficient=bf16"):
        Rule(accumulate=FP16, source=FP16, coefficient=BF16)
    with pytest.raises(ValueError, match="cast=bf16"):
        Rule(accumulate=FP16, source=FP16, cast=BF16)
    assert Rule(accumulate=FP16, source=FP32, cast=FP16).cast == FP16


def test_plain_terms_are_known():
    values = column(1.0, 2.0**-140)
    assert addends(values, None, Rule()).known
    assert not addends(values, None, Rule(), FLUSHING).known
    assert addends(column(1.0, 2.0), None, Rule(), FLUSHING).known
    assert addends(column(np.nan, np.inf), None, Rule()).known


def test_products_on_the_grid_are_not_bare():
    rule = Rule(source=BF16, coefficient=BF16)
    assert addends(column(1 + 2.0**-7), column(1 - 2.0**-7), rule).bare is None
    assert addends(column(2.0**-100), column(2.0**-100), rule).bare.item()
    assert addends(column(1 + 2.0**-23), column(1 + 2.0**-23), WEIGHTED).bare.item()


def test_one_product_is_rounded_once():
    exact = (1 + 2.0**-23) * (1 + 2.0**-23)
    rounded = 1 + 2.0**-22
    assert rounded != exact
    assert takes(rounded, [1 + 2.0**-23], [1 + 2.0**-23])
    for off in (-(2.0**-23), 2.0**-23):
        assert not takes(rounded + off, [1 + 2.0**-23], [1 + 2.0**-23])


def test_two_products_may_be_fused_and_no_more_than_that():
    # (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24: rounded products lose it, a fused one keeps it.
    values, weights = [1 + 2.0**-12, -1 - 2.0**-11], [1 + 2.0**-12, 1.0]
    never = Rule(coefficient=FP32, fused="never")
    assert takes(2.0**-24, values, weights)
    assert takes(0.0, values, weights)
    assert takes(0.0, values, weights, never)
    assert not takes(2.0**-24, values, weights, never)
    assert not takes(2.0**-22, values, weights)


def test_exact_products_are_judged_like_plain_terms():
    rule = Rule(source=FP16, coefficient=FP16)
    values, weights = [3.0, 1.0, 2.0**-24], [2.0**15, 2.0**10, 1.0]
    exact = 3 * 2.0**15 + 2.0**10
    assert takes(exact, values, weights, rule)
    assert not takes(exact + 2.0**-6, values, weights, rule)


def test_products_that_underflow_may_each_lose_half_the_smallest_value():
    tiny = [2.0**-75] * 2  # each product is 2^-150: a tie that is rounded to 0
    assert takes(0.0, [*tiny, 0.0], [2.0**-75] * 3)
    assert takes(2.0**-149, [*tiny, 0.0], [2.0**-75] * 3)
    assert not takes(2.0**-147, [*tiny, 0.0], [2.0**-75] * 3)


def test_a_product_that_overflows_may_be_saved_by_fusing_it():
    values, weights = [2.0**127, -(2.0**127)], [2.0, 1.0]
    assert takes(2.0**127, values, weights)
    assert takes(np.inf, values, weights)
    assert not takes(-np.inf, values, weights)
    never = Rule(coefficient=FP32, fused="never")
    assert not takes(2.0**127, values, weights, never)
    assert takes(np.inf, values, weights, never)


def ends(added):
    """Least and largest addends of one element."""
    return added.low[:, 0].tolist(), added.high[:, 0].tolist()


def test_an_underflowing_product_that_may_be_flushed_lies_between_itself_and_zero():
    values, weights = column(2.0**-70, -(2.0**-70), 1.0), column(2.0**-70, 2.0**-70, 3.0)
    added = addends(values, weights, WEIGHTED, FLUSHING)
    assert ends(added) == ([0.0, -(2.0**-140), 3.0], [2.0**-140, 0.0, 3.0])
    assert ends(addends(values, weights, WEIGHTED)) == ([2.0**-140, -(2.0**-140), 3.0],) * 2


def test_where_casts_differ_an_addend_lies_between_the_two_on_either_side_of_zero():
    value = 1 + 1.5 * 2.0**-8
    added = addends(column(value, -value, 1.0), None, Rule(cast=BF16), ANY_CAST)
    assert ends(added) == ([1.0, -1 - 2.0**-7, 1.0], [1 + 2.0**-7, -1.0, 1.0])
    assert addends(column(1.5, -2.0), None, Rule(cast=BF16), ANY_CAST).known


def test_an_overflow_that_may_saturate_ends_just_beyond_and_an_infinite_term_stays_one():
    never, largest = Rule(coefficient=FP32, fused="never"), FP32.largest_finite
    values, weights = column(2.0**127, -(2.0**127), np.inf, -np.inf, 1.0), column(4, 4, 1, 1, 1)
    low, high = ends(addends(values, weights, never, EITHER))
    assert low == [largest, -(2.0**128), np.inf, -np.inf, 1.0]
    assert high == [2.0**128, -largest, np.inf, -np.inf, 1.0]


def test_a_saturating_product_stays_at_the_largest_value():
    never, largest = Rule(coefficient=FP32, fused="never"), FP32.largest_finite
    assert takes(largest, [2.0**127], [4.0], never, SATURATING)
    assert not takes(np.inf, [2.0**127], [4.0], never, SATURATING)
    for legal in (largest, np.inf):
        assert takes(legal, [2.0**127], [4.0], never, EITHER)
    assert not takes(2.0**127, [2.0**127], [4.0], never, EITHER)


def test_a_cast_rounds_every_term_before_the_sum():
    rule = Rule(cast=BF16)
    values = [1 + 2.0**-8 + 2.0**-20, 2.0**-9]
    assert takes(1 + 2.0**-7 + 2.0**-9, values, None, rule)
    assert not takes(1 + 2.0**-8 + 2.0**-9 + 2.0**-20, values, None, rule)
    assert takes(1 + 2.0**-9, values, None, rule, TRUNCATING)
    assert not takes(1 + 2.0**-7 + 2.0**-9, values, None, rule, TRUNCATING)


def test_a_product_is_cast_also_to_the_format_of_its_operands():
    rule, value = Rule(source=FP16, coefficient=FP16, cast=FP16), column(1 + 2.0**-10)
    assert ends(addends(value, value, rule)) == ([1 + 2.0**-9],) * 2


def test_an_unknown_cast_mode_allows_either_end_of_every_term():
    rule, values = Rule(cast=BF16), [1 + 2.0**-8 + 2.0**-20] * 2
    for legal in (2.0, 2 + 2.0**-7, 2 + 2.0**-6):
        assert takes(legal, values, None, rule, ANY_CAST)
    for illegal in (2 - 2.0**-22, 2 + 2.0**-6 + 2.0**-22):
        assert not takes(illegal, values, None, rule, ANY_CAST)


def test_a_cast_product_is_rounded_twice_and_not_fused():
    rule = Rule(coefficient=FP32, cast=BF16)
    assert not rule.bare
    # just above a tie of bf16, by less than fp32 can hold: the first rounding makes it a tie
    values, weights = [1 + 2.0**-8], [1 + 2.0**-23]
    assert takes(1.0, [1.0], [1 + 2.0**-8], rule)
    assert takes(1 + 2.0**-7, values, weights, rule)


def test_a_flushed_term_widens_the_sum_on_its_own_side_only():
    tiny = 2.0**-130
    for legal in (0.0, tiny):
        assert takes(legal, [tiny], None, Rule(), FLUSHING)
    for illegal in (-tiny, 2 * tiny):
        assert not takes(illegal, [tiny], None, Rule(), FLUSHING)
    assert not takes(0.0, [tiny], None, Rule())
    assert takes(0.0, [2.0**-127, -(2.0**-128)], None, Rule(), FLUSHING)


def test_a_subnormal_of_the_source_format_may_be_flushed_before_it_is_widened():
    rule = Rule(source=FP16, storage=FP32)
    assert takes(0.0, [2.0**-20], None, rule, FLUSHING)
    assert not takes(0.0, [2.0**-14], None, rule, FLUSHING)


@pytest.mark.parametrize("operand", ["source", "coefficient"])
def test_either_operand_of_a_product_may_be_flushed_in_its_own_format(operand):
    rule = Rule(**{"source": FP32, "coefficient": FP32, operand: FP16})
    tiny, other = column(2.0**-20, 2.0**-14, 0.0), column(4.0, 4.0, 4.0)
    operands = (tiny, other) if operand == "source" else (other, tiny)
    added = addends(*operands, rule, FLUSHING)
    assert ends(added) == ([0.0, 2.0**-12, 0.0], [2.0**-18, 2.0**-12, 0.0])


def test_a_flushed_partial_sum_is_lost_to_the_terms_that_follow():
    """Numerics N.3 widens by flushed inputs and results; an inner result may be flushed too."""
    normal = FP32.smallest_normal
    terms = [1.5 * normal, -normal, 5 * normal]
    assert takes(5 * normal, terms, None, Rule(), FLUSHING)
    assert takes(5.5 * normal, terms, None, Rule(), FLUSHING)
    assert not takes(5 * normal, terms, None, Rule())
    assert not takes(4 * normal, terms, None, Rule(), FLUSHING)


def test_accumulation_in_storage_is_a_rule_of_its_own():
    inner = Rule(accumulate=FP16, storage=FP16, source=FP16)
    outer = Rule(accumulate=FP32, storage=FP16, source=FP16)
    terms = [1.0, 2.0**-11, 2.0**-11]
    assert takes(1.0, terms, None, inner)
    assert not takes(1.0, terms, None, outer)
    assert takes(1 + 2.0**-10, terms, None, outer)


def test_saturated_partial_sums_come_back_from_the_largest_value():
    largest = FP32.largest_finite
    terms = [largest, largest, -largest]
    for legal in (0.0, largest):
        assert takes(legal, terms, None, Rule(), SATURATING)
    for illegal in (np.inf, -largest, np.nan):
        assert not takes(illegal, terms, None, Rule(), SATURATING)


def test_what_a_saturating_device_makes_of_infinities_is_nowhere_written():
    for anything in (0.0, np.inf, np.nan, 7.0):
        assert takes(anything, [np.inf, 1.0], None, Rule(), SATURATING)
        assert takes(anything, [np.inf, 1.0], None, Rule()) is (anything == np.inf)


@pytest.mark.parametrize("storage", [FP16, BF16], ids=lambda fmt: fmt.name)
def test_an_overflowing_cast_is_infinite_or_saturates_as_the_device_says(storage):
    beyond, rule = [storage.overflow_threshold], Rule(storage=storage)
    largest = storage.largest_finite
    for arithmetic, finite, infinite in (
        (IEEE, False, True),
        (SATURATING, True, False),
        (EITHER, True, True),
    ):
        assert takes(largest, beyond, None, rule, arithmetic) is finite
        assert takes(np.inf, beyond, None, rule, arithmetic) is infinite
        assert not takes(-largest, beyond, None, rule, arithmetic)


@pytest.mark.parametrize("storage", [FP16, BF16], ids=lambda fmt: fmt.name)
def test_a_result_is_cut_only_where_the_device_truncates(storage):
    rule, value = Rule(storage=storage), [1 + 1.5 * storage.unit_roundoff]
    up = 1 + 2 * storage.unit_roundoff
    for arithmetic, legal in ((IEEE, {up}), (TRUNCATING, {1.0}), (ANY_CAST, {1.0, up})):
        for observed in (1.0, up):
            assert takes(observed, value, None, rule, arithmetic) is (observed in legal)


def test_a_rule_with_coefficients_needs_them():
    with pytest.raises(ValueError, match="factors=None"):
        addends(column(1.0), None, WEIGHTED)
