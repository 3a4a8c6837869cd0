"""Boxes of single operations: ends, special values, what is not known."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from conformance.numerics.arithmetic import INFINITY, NEAREST, SATURATE, TRUNCATE, Arithmetic
from conformance.numerics.boxes import (
    added,
    cast_ends,
    computed,
    exact,
    exp_of,
    factor_of,
    group_max,
    group_top2,
    hull,
    rounded_difference,
    scaled,
    shares,
    stepped,
    sum_of,
    unbounded,
)
from conformance.numerics.scores import root_of_softplus, sigmoid, softmax, softmax_keys
from conformance.numerics.selection import legal
from conformance.record.computed import Box, Keys
from conformance.record.functions import (
    ALL_CORRECT,
    ALL_UNKNOWN,
    CORRECT,
    UNKNOWN,
    Functions,
    FunctionTraits,
)
from reference.floats import BF16, FP16, FP32
from tests.conformance.numerics.exhaustive import evaluate, trees
from tests.conformance.numerics.machines import correct

INF, NAN = np.inf, np.nan
TINY = 2.0**-149
FLUSHING = Functions(*[FunctionTraits(steps=1, flush=True)] * 5)


def box(low, high=None):
    return Box(np.array(low, float), np.array(low if high is None else high, float))


def same(found, low, high=None):
    np.testing.assert_array_equal(found.low, low)
    np.testing.assert_array_equal(found.high, low if high is None else high)


def fp32(*values):
    return np.array(values, np.float32)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ml_dtypes.bfloat16])
def test_inputs_are_exact(dtype):
    values = np.array([1.5, -INF, NAN, 0], dtype)
    same(exact(values), values.astype(float))


def test_a_difference_is_one_rounding():
    found = rounded_difference(fp32(1, INF, 1), fp32(2.0**-25, INF, -(2.0**-23)))
    np.testing.assert_array_equal(found, [1, NAN, 1 + 2.0**-23])


def test_steps_cross_binades_and_end_at_zero_and_infinity():
    values = np.array([0, TINY, 3 * TINY, 1, 1 + 2.0**-25, NAN, 2.0**-126])
    down = [0, 0, TINY, 1 - 2.0**-23, 1 - 2.0**-23, NAN, 2.0**-126 - 2 * TINY]
    np.testing.assert_array_equal(stepped(values, -2), down)
    ends = np.array([INF, FP32.largest_finite, 0, 1])
    np.testing.assert_array_equal(stepped(ends, 1), [INF, INF, TINY, 1 + 2.0**-23])


def test_results_of_a_function():
    z = np.array([1.0, 2.0**-126, 0.0, INF, NAN])
    same(computed(z, z, CORRECT), z)
    found = computed(z, z, FunctionTraits(steps=2, flush=False))
    below, above = 2.0**-126 - 2 * TINY, 2.0**-126 + 2 * TINY
    same(found, [1 - 2.0**-23, below, 0, INF, NAN], [1 + 2.0**-22, above, 0, INF, NAN])
    assert computed(z, z, FunctionTraits(steps=1)).low[1] == 0
    assert computed(z, z, UNKNOWN).unbounded.all()


def test_exp_of_finite_values_is_never_exactly_zero_or_infinite():
    found = exp_of(np.array([-800.0, 800.0, -INF, INF]), FunctionTraits(steps=1))
    same(found, [0, stepped(np.array([INF]), -1)[0], 0, INF], [TINY, INF, 0, INF])


def test_sums_of_every_tree_are_in_the_box():
    rng = np.random.default_rng(4)
    for terms in (1, 2, 3, 4, 5):
        values = np.exp(rng.standard_normal((400, terms)) * 8).astype("f4").astype("f8")
        found = sum_of(exact(values))
        for tree in trees(tuple(range(terms))):
            total = evaluate(tree, values.T, FP32)
            assert ((found.low <= total) & (total <= found.high)).all()
        if terms <= 2:
            same(found, found.low)


def test_a_low_tree_has_a_smaller_error_and_zeros_have_none():
    values = np.ones((1, 1024)) + 2.0**-23
    wide, low = sum_of(exact(values)), sum_of(exact(values), height=10)
    assert (low.high - low.low < (wide.high - wide.low) / 50).all()
    values[:, 2:] = 0
    same(sum_of(exact(values)), sum_of(exact(values)).low)


@pytest.mark.parametrize("terms", [4, 16, 64])
def test_nine_tenths_of_the_bound_of_a_sum_refuse_a_right_sum(terms):
    values = np.full((1, terms), 2.0**-24)
    values[0, 0] = 1
    found = sum_of(exact(values))
    middle, half = (found.low + found.high) / 2, (found.high - found.low) / 2
    assert found.low <= 1 <= found.high  # left to right each addition is a tie, and stays 1
    assert not (middle - 0.9 * half <= 1).all()


def test_nine_tenths_of_the_steps_of_exp_refuse_a_right_exp():
    values = np.linspace(-80, 0, 999).astype("f4").astype("f8")
    found = exp_of(values, FunctionTraits(steps=1, flush=False))
    right = correct(np.exp)(values.astype("f4")).astype("f8")
    for off, end in ((-1, found.low), (1, found.high)):
        np.testing.assert_array_equal(stepped(right, off), end)


def test_sums_of_what_is_negative_or_not_known():
    same(sum_of(box([[1.0, -1.0]])), [0])
    assert sum_of(unbounded((1, 3))).unbounded.all()
    same(sum_of(box([[1.0, NAN]])), [NAN])
    same(sum_of(box([[1.0, INF]])), [INF])


def test_shares_special_rows():
    def of(low, high=None, eps=0.0):
        return shares(box([low], high and [high]), CORRECT, CORRECT, eps, by="division")

    same(of([0.0, 0.0]), [[NAN, NAN]])
    same(of([0.0, 0.0], eps=1e-20), [[0, 0]])
    same(of([3.0]), [[1]])
    assert of([1.0, INF]).unbounded.all()
    assert of([0.0, 0.0], [1.0, 1.0]).unbounded.all()
    assert of([-1.0, 3.0]).unbounded.all()
    same(of([1.0, NAN]), [[NAN, NAN]])
    assert shares(box([[1.0, 2]]), UNKNOWN, CORRECT).unbounded.all()
    assert not shares(box([[1.0, 2]]), UNKNOWN, CORRECT, by="reciprocal").unbounded.any()


def test_shares_of_some_terms_are_those_of_all():
    terms = np.exp(np.random.default_rng(1).standard_normal((20, 9))).astype("f4").astype("f8")
    whole = shares(exact(terms), CORRECT, CORRECT)
    some = shares(exact(terms[:, 2:5]), CORRECT, CORRECT, over=exact(terms))
    same(some, whole.low[:, 2:5], whole.high[:, 2:5])


def test_factor_covers_roundings_and_steps():
    for steps in (0, 1, 5):
        for z in (1 - 2.0**-25, 1 + 2.0**-24, 1.9999999):
            low, high = (stepped(np.float32(z) * np.ones(1), move)[0] for move in (-steps, steps))
            assert z / factor_of(steps) <= low
            assert high <= z * factor_of(steps)


def test_scaled_and_added():
    same(scaled(box([1.0, 2], [3.0, 4]), -0.5), [-1.5, -2], [-0.5, -1])
    assert scaled(box([1.0], [INF]), 0.0).unbounded.all()
    assert scaled(unbounded((1,)), -2.0).unbounded.all()
    same(scaled(box([NAN]), 2.0), [NAN])
    same(added(box([1.0, 1], [2.0, 1]), fp32(1, 2.0**-24)), [2, 1], [3, 1])
    same(added(box([1.0, NAN, 1]), fp32(-INF, 0, NAN)), [-INF, NAN, NAN])
    assert added(unbounded((1,)), fp32(-INF)).unbounded.all()
    assert added(unbounded((1,)), fp32(1)).unbounded.all()


def test_groups():
    keys = box([[1.0, 5, 3, 2]], [[6.0, 5, 3, 7]])
    same(group_max(keys, 2), [[5, 3]], [[6, 7]])
    same(group_top2(keys, 2), [[6, 5]], [[11, 10]])
    assert group_top2(unbounded((1, 4)), 2).unbounded.all()
    same(group_top2(box([[NAN, 1, 2, 3]]), 2), [[NAN, 5]])


def test_hull():
    same(hull(box([1.0, NAN, NAN]), box([0.0, NAN, 1.0])), [0, NAN, -INF], [1, NAN, INF])


@pytest.mark.parametrize(
    ("words", "ties_away", "low", "high"),
    [
        ({}, False, 1.0, 1.0),
        ({}, True, 1.0, 1 + 2.0**-7),
        ({"casts": {TRUNCATE}}, True, 1.0, 1.0),
        ({"casts": {NEAREST, TRUNCATE}}, True, 1.0, 1 + 2.0**-7),
    ],
)
def test_casts_of_a_tie(words, ties_away, low, high):
    words = {name: frozenset(word) for name, word in words.items()}
    for sign in (1, -1):
        found = cast_ends(box([sign * (1 + 2.0**-8)]), BF16, Arithmetic(**words), ties_away)
        assert sorted(abs(end[0]) for end in found) == [low, high]


def test_casts_saturate_and_flush_if_they_may():
    values = box([1e6, 2.0**-20, -(2.0**-20), NAN])
    anything = Arithmetic(
        overflows=frozenset({INFINITY, SATURATE}), flushes=frozenset({True, False})
    )
    low, high = cast_ends(values, FP16, anything)
    np.testing.assert_array_equal(low, [65504, 0, -(2.0**-20), NAN])
    np.testing.assert_array_equal(high, [INF, 2.0**-20, 0, NAN])
    low, high = cast_ends(unbounded((1,)), FP16, anything)
    assert (low, high) == (-INF, INF)


@pytest.mark.parametrize("functions", [ALL_CORRECT, FLUSHING])
def test_softmax_of_special_rows(functions):
    rows = fp32([1, NAN, 0], [1, INF, 0], [-INF, -INF, -INF])
    for of in (softmax, softmax_keys):
        same(of(rows, functions), np.full((3, 3), NAN))
        found = of(fp32([-INF, 1, -INF]), functions)
        assert (found.low[0, 0], found.high[0, 0]) == (0, 0)
        assert found.low[0, 1] > 0.9


def test_a_sigmoid_of_special_values():
    found = sigmoid(fp32(INF, -INF, NAN, 0, 17, -90), ALL_CORRECT, by="division")
    same(found, [1, 0, NAN, 0.5, 1, 0])


def test_a_softplus_of_special_values():
    x = fp32(-INF, -17, INF, NAN, 100)
    same(root_of_softplus(x, ALL_CORRECT, form="naive"), [0, 0, INF, NAN, INF])
    found = root_of_softplus(x, ALL_CORRECT)
    assert found.low.tolist()[:2] == [0, 0]
    assert abs(found.high[1] - np.exp(-8.5)) < 1e-10
    assert (found.low[4], found.high[4]) == (10, INF)


@pytest.mark.parametrize("of", [softmax, softmax_keys, sigmoid, root_of_softplus])
def test_of_unknown_functions_nothing_is_known(of):
    x = fp32([1, 2, 3])
    assert of(x, ALL_UNKNOWN).unbounded.all()
    parts = {"exp": CORRECT, "ln": CORRECT, "sqrt": CORRECT, "div": CORRECT, "reciprocal": CORRECT}
    assert not of(x, Functions(**parts)).unbounded.any()
    used = ("exp", "ln", "sqrt") if of is root_of_softplus else ("exp", "div", "reciprocal")
    for name in used:
        assert of(x, Functions(**{**parts, name: UNKNOWN})).unbounded.all()


def test_a_reciprocal_of_unknown_steps_is_not_asked_for_if_the_device_divides():
    functions = Functions(exp=CORRECT, div=CORRECT)
    for of in (softmax, softmax_keys, sigmoid):
        assert not of(fp32([1, 2, 3]), functions, by="division").unbounded.any()


@pytest.mark.parametrize(("exponents", "flush"), [((-98.704, -98.22), False), ((-85.5, -85), True)])
def test_scores_that_are_subnormal_tie_although_their_exponentials_do_not(exponents, flush):
    """A relative bound alone would refuse these: scores near 2^-149 are multiples of it."""
    x = np.zeros((1, 66), np.float32)
    x[0, 64:] = exponents
    terms = correct(np.exp)(x)
    score = terms / terms.sum(dtype=np.float32)
    score[score < 2.0**-126] *= not flush
    assert score[0, 64] == score[0, 65]
    assert terms[0, 65] > terms[0, 64] * 1.5
    ids = np.argsort(-score, axis=1, kind="stable")
    for of in (softmax_keys, softmax):
        found = of(x, Functions(*[FunctionTraits(0, flush)] * 5), by="division")
        on_grid = of is softmax
        assert legal(ids, Keys(found, x.view("i4").astype("i8"), on_grid=on_grid)).all()


def test_the_sum_with_eps_is_rounded():
    found = shares(box([[1.0]]), CORRECT, CORRECT, 2.0**-24, by="division")
    assert found.low < found.high == 1  # 1 + 2^-24 is a tie, and stays 1


def test_a_subnormal_term_may_be_flushed_though_its_share_is_normal():
    found = shares(box([[2.0**-127, 2.0**-99]]), *[FunctionTraits(0, flush=True)] * 2)
    assert found.low[0, 0] == 0
    assert found.high[0, 0] >= 2.0**-28


def test_every_height_and_way_is_no_wider_than_any():
    x = np.random.default_rng(0).standard_normal((50, 64)).astype("f4")
    whole = softmax(x, FLUSHING)
    for by, height in itertools.product(("division", "reciprocal"), (None, 6)):
        some = softmax(x, FLUSHING, by=by, height=height)
        assert ((whole.low <= some.low) & (some.high <= whole.high)).all()


def test_many_subnormal_terms_may_vanish_in_a_sum_of_normal_ones():
    terms = np.full((1, 2048), 2.0**-127)
    terms[0, 0] = 2.0**-99
    found = shares(box(terms), *[FunctionTraits(steps=0)] * 2, height=11)
    assert terms[0, 0] / terms.sum() < 1 - 2.0**-18
    assert found.high[0, 0] >= 1  # what a device computes that adds zeros in place of the others
