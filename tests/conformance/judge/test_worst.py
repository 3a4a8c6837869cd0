"""The worst element as an object: a reviewer can check every figure of it."""

from fractions import Fraction

import numpy as np
import pytest

from conformance.judge.worst import Element, show, worst_element
from conformance.numerics.addends import Addends, exactly
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.output import Operands
from reference.floats import BF16, FP32, to_bits


def looked_at(terms, observed, storage, declared=None, arithmetic=IEEE, **fields):
    values = np.array(terms, np.float64).reshape(-1, 1)
    fields = {
        "operands": Operands(np.zeros(1, np.int64), values, None),
        "addends": exactly(values),
        "source_rows": np.arange(len(values)),
    } | fields
    element = Element(
        name="y",
        position=(2, 5),
        observed=bits_of(observed, storage),
        named="x[{}]".format,
        declared=None if declared is None else bits_of(declared, storage),
        **fields,
    )
    return worst_element(element, FP32, storage, arithmetic)


def said(worst):
    """What is accepted, in words."""
    return worst.text.splitlines()[0].partition("accepted: ")[2]


def bits_of(value, storage):
    return int(to_bits(np.array([value], np.float64), storage)[0])


LARGEST = FP32.largest_finite
FLUSHING = Arithmetic(flushes=frozenset({False, True}))
SATURATING = Arithmetic(overflows=frozenset({"saturate"}))
PLUS, MINUS, NAN = 0x7F800000, 0xFF800000, FP32.nan_bits
EVERYTHING = "0xff800000 (-inf) to 0x7f800000 (inf), 4278190081 values or any NaN"


@pytest.mark.parametrize(
    ("terms", "arithmetic", "words", "ranges"),
    [
        ([3.0], IEEE, "0x40400000 (3.0) alone", [(0x40400000, 0x40400000)]),
        ([np.nan, 1.0], IEEE, "any NaN alone", [(NAN, NAN)]),
        ([np.inf, 1.0], IEEE, "+inf alone", [(PLUS, PLUS)]),
        ([-np.inf], IEEE, "-inf alone", [(MINUS, MINUS)]),
        ([np.inf], SATURATING, EVERYTHING, [(MINUS, PLUS), (NAN, NAN)]),
        ([-np.inf], SATURATING, EVERYTHING, [(MINUS, PLUS), (NAN, NAN)]),
        ([2.0**-140], FLUSHING, "0x00000200 (%r) or zero" % 2.0**-140, [(0, 0), (512, 512)]),
        (
            [-(2.0**-140)],
            FLUSHING,
            "0x80000200 (%r) or zero" % -(2.0**-140),
            [(0x80000200, 0x80000200), (0, 0)],
        ),
        ([2.0**-149], FLUSHING, "0x00000001 (%r) or zero" % 2.0**-149, [(0, 0), (1, 1)]),
        ([0.0], FLUSHING, "0x00000000 (0.0) alone", [(0, 0)]),
        ([1.0], FLUSHING, "0x3f800000 (1.0) alone", [(0x3F800000, 0x3F800000)]),
    ],
    ids=str,
)
def test_an_accepted_set_is_told_in_words_and_by_its_ranges(terms, arithmetic, words, ranges):
    worst = looked_at(terms, 7.0, FP32, arithmetic=arithmetic)
    assert said(worst) == words
    assert worst.accepted == tuple(ranges)


@pytest.mark.parametrize(("sign", "infinite", "word"), [(1, PLUS, "+inf"), (-1, MINUS, "-inf")])
def test_an_interval_is_told_with_its_size_and_the_infinity_beside_it(sign, infinite, word):
    terms = sign * np.array([LARGEST, LARGEST / 4, *[-LARGEST / 8] * 4])
    worst = looked_at(terms, 0.0, FP32)
    finite = [ends for ends in worst.accepted if ends != (infinite, infinite)]
    ((low, high),) = finite
    shown = [show(bits, FP32) for bits in (low, high)]
    assert said(worst) == f"{shown[0]} to {shown[1]}, {abs(high - low) + 1} values or {word}"
    beside = worst.accepted.index((infinite, infinite))
    assert beside == (1 if sign > 0 else 0)


def test_a_sum_that_may_overflow_either_way_may_be_anything_special():
    terms = [LARGEST, LARGEST, -LARGEST, -LARGEST, LARGEST / 2, -LARGEST / 2]
    worst = looked_at(terms, 0.5, FP32)
    assert said(worst).endswith(" values or +inf or -inf or any NaN")
    assert [ends for ends in worst.accepted if ends[0] == ends[1]] == [
        (MINUS, MINUS),
        (PLUS, PLUS),
        (NAN, NAN),
    ]
    assert worst.text.startswith("legal but off the order: ")


@pytest.mark.parametrize(
    ("terms", "values"),
    [
        ([LARGEST, LARGEST, -LARGEST], [LARGEST, np.inf]),
        ([-LARGEST, -LARGEST, LARGEST], [-np.inf, -LARGEST]),
        ([LARGEST, LARGEST, -LARGEST, -LARGEST], [-np.inf, 0.0, np.inf, np.nan]),
        ([1.0, 2.0**-25, 2.0**-25], [1.0]),
        ([1.0, 2.0**-24, 2.0**-24], [1.0, 1 + 2.0**-23]),
    ],
    ids=str,
)
def test_the_results_of_few_terms_are_told_one_by_one(terms, values):
    worst = looked_at(terms, 0.5, FP32)
    shown = ["any NaN" if np.isnan(v) else show(bits_of(v, FP32), FP32) for v in values]
    assert said(worst) == ", ".join(shown) + (" alone" if len(values) == 1 else "")
    patterns = [NAN if np.isnan(value) else bits_of(value, FP32) for value in values]
    assert worst.accepted == tuple((bits, bits) for bits in patterns)


def test_up_to_eight_results_are_told_and_more_are_counted():
    eight = [2.0, 43.0, 3 * 2.0**24, -4 * 2.0**24, 1.5 * 2.0**24]
    nine = [13.0, 59.0, 5 * 2.0**24, -4 * 2.0**24, -0.75 * 2.0**24]
    for terms, more in ((eight, ""), (nine, " and 1 more")):
        worst = looked_at(terms, 0.5, FP32)
        assert len(worst.accepted) == 8 + (more != "")
        shown = [show(bits, FP32) for bits, _ in worst.accepted[:8]]
        assert said(worst) == ", ".join(shown) + more


def test_a_result_of_no_order_is_wrong_though_it_lies_in_the_interval():
    terms = [1.0, 2.0**-24, 2.0**-24]
    for observed, lead in (
        (1.0, "legal but off the order"),
        (1 + 2.0**-22, "worst element"),
        (2.0, "worst element"),
    ):
        assert looked_at(terms, observed, FP32).text.startswith(f"{lead}: y[2, 5] is ")


def test_the_declared_order_is_told_only_where_it_is_a_choice():
    tie = [1.0, BF16.unit_roundoff, 2.0**-24, *[2.0**-26] * 3]
    two = looked_at(tie, 0.5, BF16, declared=1.0)
    assert said(two).endswith(", 2 values; the declared order gives 0x3f80 (1.0)")
    assert "declared" not in looked_at([3.0, 1.0], 0.5, FP32, declared=4.0).text


def added(worst):
    """The line about the terms."""
    return worst.text.splitlines()[1].partition("  added were ")[2]


def test_terms_are_told_by_slot_and_source_row_with_their_coefficients():
    values, weights = np.array([[1.5], [0.0], [2.0]]), np.array([[0.5], [0.0], [3.0]])
    rows = np.array([0, -1, 4])
    plain = looked_at(values, 7.0, FP32, source_rows=rows)
    assert added(plain) == "x[0] = 1.5 (slot 0), x[4] = 2.0 (slot 2)"
    operands = Operands(np.zeros(1, np.int64), values, weights)
    weighted = looked_at(values * weights, 7.0, FP32, source_rows=rows, operands=operands)
    assert added(weighted) == "x[0] = 0.5 * 1.5 (slot 0), x[4] = 3.0 * 2.0 (slot 2)"
    nothing = looked_at(values * 0, 7.0, FP32, source_rows=np.full(3, -1))
    assert added(nothing) == "no terms, all slots of the row add nothing"


def test_up_to_twelve_terms_are_told_and_more_are_counted():
    for count, more in ((12, ""), (13, " and 1 more"), (15, " and 3 more")):
        shown = [f"x[{slot}] = 1.0 (slot {slot})" for slot in range(12)]
        assert added(looked_at(np.ones(count), 0.0, FP32)) == ", ".join(shown) + more


def test_the_figures_are_told_in_a_line():
    assert looked_at([0.0, 3.0], 0.0, FP32).text.splitlines()[2] == (
        "  exact sum 3.0, sum of magnitudes 3.0, 1 nonzero term, unit roundoff 2^-24,"
        " error bound 0.0 (certificate: every order gives the same sum)"
    )
    error = float(4 * Fraction(1, 2**24) * (1 + Fraction(5, 2**24)))
    assert looked_at([1.0, *[2.0**-24] * 5], 0.0, FP32).text.splitlines()[2] == (
        f"  exact sum {1 + 5 * 2.0**-24!r}, sum of magnitudes {1 + 5 * 2.0**-24!r}, 6 nonzero"
        f" terms, unit roundoff 2^-24, error bound {error!r} (interval: the order may matter)"
    )


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_one_special_end_of_one_addend_decides(special):
    for ends in (([special, 1.0], [special, 1.0]), ([special, 1.0], [1.0, 1.0])):
        low, high = (np.array(end)[:, None] for end in ends)
        for made in (Addends(low, high), Addends(high, low)):
            worst = looked_at([1.0, 1.0], 7.0, FP32, addends=made)
            assert worst.derivation.step == "infinite or NaN terms decide"


def test_a_certified_sum_has_one_accepted_pattern_and_no_error():
    worst = looked_at([1.5, 2.25, 0.0, -0.75], 3.5, BF16)
    assert worst.accepted == ((0x4040, 0x4040),)
    assert (worst.position, worst.observed) == ((2, 5), 0x4060)
    figures = worst.derivation
    assert (figures.terms, figures.exact, figures.magnitude, figures.error) == (3, 3.0, 4.5, 0.0)
    assert figures.unit_roundoff == 2.0**-24
    assert figures.step.startswith("certificate")
    assert str(worst).startswith("worst element: y[2, 5] is 0x4060 (3.5), accepted: 0x4040 (3.0)")


def test_an_interval_is_one_range_of_patterns():
    worst = looked_at([1.0, *[2.0**-24] * 5], 2.0, FP32)
    one = bits_of(1.0, FP32)
    assert worst.accepted == ((one, one + 5),)
    assert worst.derivation.error == pytest.approx(4 * 2.0**-24, rel=1e-6)
    assert worst.derivation.step.startswith("interval")


def test_of_few_terms_every_reachable_pattern_is_listed():
    terms = [2.0**24, 3.0, 1.0, -(2.0**24)]
    worst = looked_at(terms, 0.0, FP32, declared=4.0)
    assert worst.accepted == tuple((bits_of(v, FP32),) * 2 for v in (3.0, 4.0, 5.0))
    assert worst.derivation.step == "every order was tried: 15 trees"
    assert "(3.0), 0x40800000 (4.0), 0x40a00000 (5.0); the declared order gives" in str(worst)


def test_infinities_beside_the_interval_and_nan_are_ranges_of_their_own():
    largest = FP32.largest_finite
    infinite = bits_of(np.inf, FP32)
    worst = looked_at([largest, largest / 4, *[-largest / 8] * 4], 0.0, FP32)
    assert (infinite, infinite) in worst.accepted
    assert worst.accepted[0][1] < infinite
    both = looked_at([np.inf, -np.inf], 1.0, FP32)
    assert both.accepted == ((FP32.nan_bits, FP32.nan_bits),)
    assert both.derivation.step == "infinite or NaN terms decide"


def test_what_float64_gives_is_told_of_a_sum_that_may_be_added_in_it():
    terms = [1.0, 1 + 2.0**-23, 2.0**-25]
    assert said(looked_at(terms, 3.0, FP32)) == "0x40000000 (2.0) alone"
    both = "0x40000000 (2.0), 0x40000001 (2.000000238418579)"
    assert said(looked_at(terms, 3.0, FP32, wider=True)) == both
