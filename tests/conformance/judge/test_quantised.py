"""Integers of a quantisation are held to what is rounded, by the scales that were observed."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from conformance.call.case import Tensor
from conformance.judge.agreement import ReferenceDisagreement, check
from conformance.judge.calls import judge
from conformance.judge.computed import judge_bounded
from conformance.judge.legality import IllegalCase, check_call
from conformance.judge.question import Question
from conformance.judge.right_answer import right_answer
from conformance.numerics.quantisation import quotients, scale_of, scaled_rows
from conformance.record.clause import document
from conformance.record.computed import Box
from conformance.record.contract import Bounded, Quantised
from conformance.values.fill import Fill
from tests.conformance.quantise_rows import case, operator
from tests.snapshots import pinned

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
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
    assert verdict.headroom is None
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
        "  before rounding: 0.0, with scale[1] observed as 0x40000000 (2.0)"
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


def test_no_integer_is_nan_so_that_a_box_of_nan_bounds_nothing():
    nan = replace(Q, box=lambda call: Box(np.full(X.shape, np.nan), np.full(X.shape, np.nan)))
    verdict = q_of(RIGHT, contract=nan)
    assert (verdict.ok, verdict.unbounded) == (True, 8)


def test_an_output_of_floats_is_no_quantised_one():
    with pytest.raises(ValueError, match="contract Quantised: float32 must be of integers"):
        q_of(RIGHT, dtype=np.float32)


def test_the_text_of_a_wrong_scale_and_of_an_integer_that_it_does_not_explain():
    record, made = operator(), case((3, 40), "float16", fill=Fill(("gaussian",), 2))
    seen = right_answer(record, made)
    assert judge(record, made, seen).ok
    outputs = {name: array.copy() for name, array in seen.outputs.items()}
    outputs["scale"][1] *= 1.25
    outputs["q"][1] = np.rint(made.arrays["x"][1] / outputs["scale"][1])
    outputs["q"][2, 33] += 1
    verdict = judge(record, made, replace(seen, outputs=outputs))
    assert {name: one.mismatches for name, one in verdict.outputs.items()} == {"scale": 1, "q": 1}
    pinned(SNAPSHOTS / "wrong_scale_and_integer.txt", verdict.text)


def test_rows_of_zeros_may_hold_any_integers_but_their_scale_is_zero():
    record, made = operator(), case((2, 3), values=(0,) * 6)
    seen = right_answer(record, made)
    anything = replace(seen, outputs={**seen.outputs, "q": np.full((2, 3), 77, np.int8)})
    assert judge(record, made, anything).ok
    tiny = replace(seen, outputs={**seen.outputs, "scale": np.full(2, 2.0**-149, np.float32)})
    assert judge(record, made, tiny).outputs["scale"].mismatches == 2


@pytest.mark.parametrize("scale", [None, np.ones(3, np.float32), np.ones((2, 2), np.float32)])
def test_integers_are_not_judged_by_a_scale_that_came_back_in_another_shape_or_not_at_all(scale):
    record, made = operator(), case((2, 2), fill=Fill(("gaussian",), 2))
    seen = right_answer(record, made)
    outputs = {"q": seen.outputs["q"]} | ({} if scale is None else {"scale": scale})
    verdict = judge(record, made, replace(seen, outputs=outputs))
    assert not verdict.ok
    assert verdict.headline.count("scale") == 1
    assert (verdict.outputs["q"].elements, verdict.outputs["q"].step) == (0, "shape and dtype")


def test_a_formula_that_rounds_otherwise_than_the_contract_says_contradicts_the_record():
    made = case((2, 40), fill=Fill(("ties",), 2))
    record = replace(operator("even"), formula=operator("away").formula)
    with pytest.raises(ReferenceDisagreement, match="disagree on output q"):
        check(record, made)
    check(operator("away"), made)


def test_an_output_of_another_shape_than_the_formula_s_is_no_legal_case():
    made = case((2, 4), fill=Fill(("gaussian",), 2))
    check_call(made, operator())
    other = replace(made, outputs={**made.outputs, "q": Tensor((2, 3), "int8")})
    with pytest.raises(IllegalCase, match=r"q\.shape"):
        check_call(other, operator())
