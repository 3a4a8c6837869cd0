"""Of few terms exactly the results of some order are accepted, and nothing between them."""

import numpy as np
import pytest

from conformance.numerics.addends import Addends, Rule, addends, exactly
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.elements import judge_elements
from conformance.numerics.every_order import MOST_TERMS, applicable, every_tree, outcomes
from conformance.numerics.figures import summarize
from conformance.numerics.order import sequential, validate
from conformance.numerics.tree import lowest_common
from reference.floats import BF16, FP16, FP32, from_bits, ordered, to_bits
from tests.conformance.numerics import exhaustive as toys

TOY, NARROW, SMALL = toys.toy(3, -2, 1), toys.toy(2, -1, 1), toys.toy(3, 0, 1)
UNKNOWN = Arithmetic(
    frozenset({"nearest", "truncate"}),
    frozenset({"infinity", "saturate"}),
    frozenset({False, True}),
)


def judged(terms, observed, storage=FP32, arithmetic=IEEE):
    values = np.repeat(np.array(terms, np.float64)[:, None], len(observed), axis=1)
    bits = to_bits(np.array(observed, np.float64), storage)
    return judge_elements(values, bits, FP32, storage, arithmetic=arithmetic)


def canonical(merges, slots):
    return lowest_common(merges, slots).tobytes()


@pytest.mark.parametrize(("terms", "count"), [(1, 1), (2, 1), (3, 3), (4, 15), (5, 105)])
def test_every_tree_is_there_once_and_left_to_right_comes_first(terms, count):
    trees = every_tree(terms)
    for merges in trees:
        validate(merges, terms)
    assert len({canonical(merges, terms) for merges in trees}) == len(trees) == count
    assert canonical(trees[0], terms) == canonical(sequential(terms), terms)


@pytest.mark.parametrize("terms", [2, 3])
@pytest.mark.parametrize("storage", [TOY, NARROW], ids=lambda fmt: fmt.name)
def test_over_whole_toy_formats_a_value_is_accepted_if_and_only_if_some_tree_gives_it(
    terms, storage
):
    values = toys.multisets(toys.grid(TOY, specials=True), terms)
    reach = [
        toys.stored(toys.evaluate(tree, values, TOY), TOY, storage)
        for tree in toys.trees(tuple(range(terms)))
    ]
    places = canonical_places(np.array(reach), storage)
    patterns = np.arange(2 * storage.sign_bit).astype(storage.storage_dtype)
    accepted_ones = 0
    for pattern in patterns[ordered(patterns, storage) >= -storage.infinity_bits - 1]:
        observed = np.full(values.shape[1], pattern)
        found = judge_elements(exactly(values), observed, TOY, storage).ok
        expected = (places == canonical_places(observed, storage)).any(axis=0)
        assert np.array_equal(found, expected), from_bits(np.array([pattern]), storage)
        accepted_ones += np.count_nonzero(found)
    assert accepted_ones > values.shape[1]


def canonical_places(bits, storage):
    places = ordered(bits, storage)
    return np.where(np.abs(places) > storage.infinity_bits, storage.infinity_bits + 1, places)


def test_a_value_inside_the_interval_that_no_order_gives_is_rejected():
    terms = [1.0, 2.0**-24, 2.0**-24]
    assert judged(terms, [1.0, 1 + 2.0**-23]).ok.all()
    found = judged(terms, [1 + 2.0**-22])
    assert not found.ok.any()
    assert found.few.all()
    assert found.distance.tolist() == [0]


def test_dropped_slots_do_not_count_as_terms():
    terms = [0.0, 1.0, 0.0, 2.0**-24, 0.0, 0.0, 2.0**-24, 0.0]
    assert judged(terms, [1.0, 1 + 2.0**-23, 1 + 2.0**-22]).ok.tolist() == [True, True, False]


def test_with_six_terms_the_interval_decides():
    terms = [1.0, *[2.0**-24] * MOST_TERMS]
    found = judged(terms, [1 + 2.0**-21])
    assert found.ok.all()
    assert not found.few.any()


def test_a_sum_that_no_order_makes_overflow_is_not_infinite():
    largest = FP32.largest_finite
    found = judged([largest, -largest / 2, 2.0**102, 2.0**101], [np.inf])
    ((plus, _),) = found.sums.overflows(FP32)
    assert plus.all()
    assert not found.ok.any()


def test_six_terms_that_cannot_overflow_in_any_order_are_not_infinite():
    largest = FP32.largest_finite
    terms = [largest * (1 - 2.0**-20), *[-(2.0**90)] * 5]
    assert judged(terms, [terms[0]]).ok.all()
    assert not judged(terms, [np.inf]).ok.any()
    assert not judged([-term for term in terms], [-np.inf]).ok.any()


def test_an_infinite_term_beside_partial_sums_that_overflow_the_other_way_may_give_nan():
    largest = FP32.largest_finite
    found = judged([np.inf, -largest, -largest], [np.inf, np.nan, -np.inf, largest])
    assert found.ok.tolist() == [True, True, False, False]


@pytest.mark.parametrize("storage", [FP16, BF16], ids=lambda fmt: fmt.name)
def test_both_casts_of_a_device_of_unknown_cast_are_accepted_and_nothing_beyond(storage):
    casts = Arithmetic(casts=frozenset({"nearest", "truncate"}))
    step = 2 * storage.unit_roundoff
    terms = [1.0, step * 0.75, 2.0**-30, 2.0**-31]
    observed = [1.0, 1 + step, 1 + 2 * step, 1 - step / 2]
    assert judged(terms, observed, storage, casts).ok.tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("terms", "decided"),
    [
        ([1.0, 2.0**-24, 2.0**-24], True),
        ([2.0**-125, 2.0**-149, 2.0**-148], False),
        ([FP32.largest_finite, 2.0**103, 2.0**102], False),
        ([np.inf, 1.0, 2.0**-24], False),
    ],
)
def test_what_a_device_of_unknown_arithmetic_may_mix_stays_with_the_interval(terms, decided):
    assert judged(terms, [1.0], arithmetic=UNKNOWN).few.tolist() == [decided]


@pytest.mark.parametrize(("accumulate", "storage"), [(FP32, FP16), (FP16, FP32), (FP16, FP16)])
def test_few_terms_are_tried_below_half_the_largest_value_where_overflows_are_not_infinite(
    accumulate, storage
):
    saturating = Arithmetic(overflows=frozenset({"saturate"}))
    either = Arithmetic(overflows=frozenset({"saturate", "infinity"}))
    values = np.array([[32736.0, 32752.0, 32768.0, -32736.0, -32752.0, np.inf, -np.inf, np.nan]])
    for arithmetic in (saturating, either):
        sums = summarize(values, accumulate, arithmetic)
        found = applicable(sums, accumulate, storage, arithmetic)
        assert found.tolist() == [True, False, False, True, False, False, False, False]
        both = np.array([[np.inf, np.nan, np.nan], [-np.inf, np.inf, -np.inf]])
        sums = summarize(both, accumulate, arithmetic)
        assert not applicable(sums, accumulate, storage, arithmetic).any()
    assert applicable(summarize(values, accumulate), accumulate, storage, IEEE).all()


@pytest.mark.parametrize(("accumulate", "storage"), [(FP32, FP16), (FP16, FP32), (FP16, FP16)])
def test_few_terms_are_tried_where_nothing_can_be_subnormal_on_a_device_that_flushes(
    accumulate, storage
):
    flushing = Arithmetic(flushes=frozenset({False, True}))
    values = np.array([[2.0**-14, 2.0**-15, 1 + 2.0**-10, 0.0], [1.0, 1.0, 2.0**-14, 2.0**-13]])
    for sign in (1, -1):
        sums = summarize(sign * values, accumulate, flushing)
        found = applicable(sums, accumulate, storage, flushing)
        assert found.tolist() == [True, False, True, True]
    assert applicable(summarize(values, accumulate), accumulate, storage, IEEE).all()


def test_up_to_five_terms_that_are_known_are_tried():
    low, high = np.ones((6, 4)), np.ones((6, 4))
    low[5, :3] = high[5, :3] = 0.0
    high[0, 1] = 2.0
    low[0, 2] = high[0, 2] = np.nan
    sums = summarize(Addends(low, high), FP32)
    assert applicable(sums, FP32, FP32, IEEE).tolist() == [True, False, True, False]


def test_fused_products_stay_with_the_interval():
    rule = Rule(coefficient=FP32)
    values = np.array([[1 + 2.0**-23], [2.0**-24], [2.0**-24]])
    added = addends(values, values, rule)
    assert not judge_elements(added, to_bits(np.ones(1), FP32), FP32, FP32).few.any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_no_order_of_up_to_five_random_terms_is_refused(dtype):
    storage = {"float16": FP16, "bfloat16": BF16, "float32": FP32}[dtype]
    generator = np.random.default_rng(5)
    for terms in range(2, MOST_TERMS + 1):
        values = generator.standard_normal((terms, 50)) * 2.0 ** generator.integers(
            -9, 9, (terms, 1)
        )
        values = from_bits(to_bits(values, storage), storage).astype(np.float64)
        for tree in toys.trees(tuple(range(terms))):
            bits = toys.stored(toys.evaluate(tree, values, FP32), FP32, storage)
            assert judge_elements(values, bits, FP32, storage).ok.all()


def test_outcomes_are_listed_in_rising_order_and_once():
    values = np.array([[1.0], [2.0**-24], [2.0**-24]])
    one = int(ordered(to_bits(np.ones(1), FP32), FP32)[0])
    assert outcomes(values, FP32, FP32, IEEE).tolist() == [one, one + 1]
