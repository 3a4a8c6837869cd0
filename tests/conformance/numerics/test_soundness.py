"""No legal outcome is ever refused, and the bound cannot be made much smaller.

A sample of `soundness_run` (``make proofs RUN=soundness``), and witnesses against smaller bounds.
"""

import numpy as np
import pytest

from conformance.numerics.addends import Rule, addends, exactly
from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.elements import judge_elements
from conformance.numerics.order import emulate, sequential
from reference.floats import BF16, FP16, FP32, round_once, to_bits
from tests.conformance.numerics import exhaustive as toys
from tests.conformance.numerics.hard_data import (
    HARD,
    gaussian,
    refused_products,
    refused_sums,
)

TOY, NARROW, SMALL = toys.toy(3, -2, 1), toys.toy(2, -1, 1), toys.toy(3, 0, 1)
EVERYTHING = Arithmetic(
    frozenset({"nearest", "truncate"}),
    frozenset({"infinity", "saturate"}),
    frozenset({False, True}),
)
ACCUMULATE = pytest.mark.parametrize("accumulate", [FP16, BF16, FP32], ids=lambda fmt: fmt.name)


def test_there_are_fifteen_trees_over_four_slots_and_six_ways_to_fuse_a_chain_of_three():
    assert len(set(toys.trees((0, 1, 2, 3)))) == 15
    assert len(toys.fusings(((0, 1), 2))) == 6
    assert len(toys.fusings(0)) == 1


@pytest.mark.parametrize("terms", [1, 2, 3])
@pytest.mark.parametrize("storage", [TOY, NARROW], ids=lambda fmt: fmt.name)
def test_no_outcome_of_any_tree_over_a_whole_toy_format_is_refused(terms, storage):
    values = toys.multisets(toys.grid(TOY, specials=True), terms)
    refused, judged = toys.sums(values, TOY, storage)
    assert judged >= values.shape[1]
    assert not refused


@pytest.mark.parametrize(("fmt", "terms"), [(SMALL, 4), (toys.toy(4, 0, 0), 3)])
def test_no_outcome_of_more_terms_or_more_bits_is_refused(fmt, terms):
    values = toys.multisets(toys.grid(fmt, specials=True), terms)
    assert toys.sums(values, fmt, fmt)[0] == 0


@pytest.mark.parametrize("terms", [1, 2, 3])
def test_no_sum_of_toy_products_rounded_or_fused_is_refused(terms):
    fmt = toys.toy(3, 0, 0) if terms == 3 else SMALL
    rule = toys.plain(fmt, fmt, coefficient=fmt)
    assert toys.product_sums(*toys.product_multisets(fmt, terms), rule)[0] == 0


@pytest.mark.parametrize("inputs", [True, False])
@pytest.mark.parametrize("storage", [TOY, NARROW], ids=lambda fmt: fmt.name)
def test_no_outcome_of_a_device_of_unknown_arithmetic_is_refused(storage, inputs):
    values = toys.multisets(toys.grid(TOY), 3)
    rule = toys.plain(TOY, storage)
    assert toys.behaving(values, rule, EVERYTHING, inputs=inputs)[0] == 0


def test_no_sum_of_cast_toy_terms_is_refused():
    wide = toys.toy(4, -1, 1)
    rule = toys.plain(TOY, TOY, source=wide, cast=TOY)
    assert toys.behaving(toys.multisets(toys.grid(wide), 2), rule, EVERYTHING)[0] == 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("family", [*HARD, gaussian], ids=lambda family: family.__name__)
def test_no_order_of_hard_data_raises_a_false_alarm(family, dtype):
    generator = np.random.default_rng(11)
    for slots in (3, 8):
        assert refused_sums(generator, family, slots, 2000, dtype)[:2] == (0, 0)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("family", [*HARD, gaussian], ids=lambda family: family.__name__)
def test_no_chain_of_products_raises_a_false_alarm(family, dtype):
    generator = np.random.default_rng(12)
    assert refused_products(generator, family, 5, 300, dtype, "float32")[:2] == (0, 0)


def refuses(values, accumulate, factor, rule=None, factors=None):
    """Whether the sum from left to right is refused under a scaled bound."""
    column = np.array(values, np.float64).reshape(-1, 1)
    added = exactly(column)
    if rule is not None:
        weights = np.array(factors, np.float64).reshape(-1, 1)
        added = addends(column, weights, rule)
        column = column * weights
    total = emulate(sequential(len(column)), round_once(column, accumulate), accumulate)
    bits = to_bits(total, accumulate)
    return not judge_elements(added, bits, accumulate, accumulate, factor).ok.item()


def counts(least, accumulate):
    """Numbers of terms up to 64 for which the second-order part of E is under a tenth of it."""
    return [n for n in range(least, 65) if n * accumulate.unit_roundoff < 0.1]


@ACCUMULATE
def test_nine_tenths_of_the_error_would_refuse_a_legal_sum_of_any_number_of_terms(accumulate):
    u = accumulate.unit_roundoff
    for terms in counts(3, accumulate):
        values = [1.0] + [u] * (terms - 1)  # every addition is a tie that loses u
        assert not refuses(values, accumulate, 1.0)
        assert refuses(values, accumulate, 0.9)
        assert refuses(values, accumulate, 0.0)


@ACCUMULATE
def test_nine_tenths_of_the_error_would_refuse_a_legal_sum_of_products(accumulate):
    u = accumulate.unit_roundoff
    rule = Rule(accumulate, accumulate, accumulate, coefficient=accumulate)
    for terms in counts(2, accumulate):
        # (1 + 2u)(1 - u) = 1 + u - 2uu rounds to 1, and every u that is added to that is lost too.
        values, factors = [1 + 2 * u] + [u] * (terms - 1), [1 - u] + [1.0] * (terms - 1)
        assert not refuses(values, accumulate, 1.0, rule, factors)
        assert refuses(values, accumulate, 0.9, rule, factors)
        assert refuses(values, accumulate, 0.0, rule, factors)


def test_a_whole_format_of_five_bits_refutes_nine_tenths_of_the_error():
    fmt = toys.toy(5, -1, 0)
    values = toys.grid(fmt)
    values = toys.multisets(values[np.abs(values) < 1.25], 3)
    assert toys.sums(values, fmt, fmt)[0] == 0
    assert toys.sums(values, fmt, fmt, factor=0.9)[0] > 0
