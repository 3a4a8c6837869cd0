"""Integers of a quantisation are held to what is rounded, by the scales that were observed."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from conformance.judge.computed import judge_bounded
from conformance.judge.question import Question
from conformance.numerics.quantisation import quotients, scale_of, scaled_rows
from conformance.record.clause import document
from conformance.record.computed import Box
from conformance.record.contract import Bounded, Quantised

CLAUSE = document("x divided by the scale of its row, rounded", "toy.md")
X = np.array([[127.0, 0.5, -1.5, 3.25], [254.0, -7.0, 0.0, 40.0]], np.float32)
SCALES = np.array([1, 2], np.float32)
RIGHT = np.array([[127, 0, -2, 3], [127, -4, 0, 20]])

SCALE = Bounded(CLAUSE, lambda call: scale_of(scaled_rows(call.inputs["x"]), call.functions))
Q = Quantised(
    CLAUSE,
    lambda call: quotients(scaled_rows(call.inputs["x"]), call.outputs["scale"], call.functions),
    given=("scale",),
)


def q_of(observed, scales=SCALES, contract=Q, dtype=np.int8, **more):
    case = SimpleNamespace(arrays={"x": X}, attributes={})
    outputs = {"scale": np.asarray(scales, np.float32)}
    observed = np.asarray(observed, dtype)
    return judge_bounded(Question("q", contract, case, observed, None, outputs=outputs, **more))


def with_first(*row):
    return np.array([row, RIGHT[1]])


def test_nearest_integers_are_accepted_and_of_a_tie_both_that_a_rule_gives():
    verdict = q_of(RIGHT)
    assert (verdict.ok, verdict.elements, verdict.exact, verdict.step) == (
        True,
        8,
        7,  # not 1/2
        "derived bounds",
    )
    assert q_of(with_first(127, 1, -2, 3)).ok
    assert q_of(with_first(127, 0, -1, 3)).mismatches == 1
    assert q_of(with_first(127, -1, -2, 3)).mismatches == 1


@pytest.mark.parametrize(("ties", "kept"), [("even", 0), ("away", 1)])
def test_a_rule_for_ties_leaves_one_integer(ties, kept):
    contract = replace(Q, ties=ties)
    others = [127, -4, 0, 20]
    assert q_of([[127, kept, -2, 3], others], contract=contract).ok
    assert q_of([[127, 1 - kept, -2, 3], others], contract=contract).mismatches == 1


def test_the_worst_element_is_told_with_what_was_rounded_and_the_scale_of_its_row():
    verdict = q_of([[127, 0, -2, 3], [127, -4, 9, 20]])
    assert verdict.worst.accepted == ((0, 0),)
    assert verdict.worst.text == (
        "worst element: q[1, 2] is 9, accepted: 0 alone\n"
        "  rounded was 0.0, beside scale[1], observed as 0x40000000 (2.0)"
    )
    assert verdict.pattern == "one element, row 1, column 2"
    tie = q_of(with_first(127, 2, -2, 3)).worst
    assert tie.accepted == ((0, 1),)
    assert "accepted: 0 to 1, 2 values" in tie.text


def test_values_are_judged_by_the_scale_that_was_observed_though_it_is_wrong():
    wrong = {"scale": np.array([True, False])}
    doubled = [[64, 0, -1, 2], RIGHT[1]]
    verdict = q_of(doubled, [2, 2], wrong=wrong)
    assert (verdict.ok, verdict.elements) == (True, 8)
    assert not q_of(RIGHT, [2, 2], wrong=wrong).ok


@pytest.mark.parametrize("scale", [0, -1, np.inf, np.nan])
def test_a_scale_that_is_no_positive_number_bounds_nothing(scale):
    verdict = q_of([[9, 9, 9, 9], RIGHT[1]], [scale, 2])
    assert (verdict.ok, verdict.elements, verdict.unbounded) == (True, 4, 4)


def test_beyond_the_range_of_the_dtype_is_its_end():
    far = replace(Q, box=lambda call: Box(np.full(X.shape, -300.0), np.full(X.shape, -300.0)))
    assert q_of(np.full(X.shape, -128), contract=far).ok
    assert q_of(np.full(X.shape, -300), contract=far, dtype=np.int16).ok
    assert q_of(np.full(X.shape, -127), contract=far).mismatches == 8


def test_an_output_of_floats_is_no_quantised_one():
    with pytest.raises(ValueError, match="contract Quantised: float32 must be of integers"):
        q_of(RIGHT, dtype=np.float32)
