"""The judge accepts what a contract allows, rejects the rest, and says why."""

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from conformance.call.case import Tensor, numpy_dtype
from conformance.call.observation import GuardDamage, Observation, Outcome
from conformance.judge.agreement import ReferenceDisagreement
from conformance.judge.calls import judge
from conformance.numerics import output
from conformance.record.contract import Sum
from reference.terms import Terms
from tests.conformance.segment_sum import (
    ABSORBING,
    FLAW,
    ROWS,
    SUM,
    bits,
    case,
    drifting,
    lattice,
    observe,
    operator,
    right,
    whole,
)

DTYPES = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])


@DTYPES
def test_the_right_answer_is_accepted_bit_for_bit(dtype):
    made = whole(dtype)
    verdict = judge(operator(), made, observe(right(made)))
    assert verdict.ok
    assert verdict.outputs["y"].step == "declared order"
    assert verdict.outputs["y"].exact == verdict.outputs["y"].elements == 144
    assert str(verdict).startswith(f"segment_sum, plain, {dtype}: accepted; y: 144 elements, all")


@DTYPES
def test_one_wrong_last_bit_is_rejected_and_located(dtype):
    made = whole(dtype)
    y = right(made)
    bits(y)[2, 17] ^= 1
    verdict = judge(operator(), made, observe(y))
    assert not verdict.ok
    assert verdict.outputs["y"].mismatches == 1
    assert "1 of 144 elements of y is wrong" in verdict.headline
    assert "y[2, 17]" in verdict.outputs["y"].worst.text
    assert verdict.outputs["y"].pattern == "one element, row 2, column 17"


@DTYPES
def test_without_a_declared_order_the_certificate_decides(dtype):
    made = whole(dtype)
    verdict = judge(operator(merges=None), made, observe(right(made)))
    assert verdict.ok
    assert verdict.outputs["y"].step == "certificate"
    y = right(made)
    bits(y)[0, 0] ^= 1
    assert not judge(operator(merges=None), made, observe(y)).ok


@DTYPES
def test_the_sign_of_a_zero_does_not_count_for_sums(dtype):
    made = case([[1.0], [-1.0], [0.0]], [[0, 1], [2, 2]], dtype)
    y = np.array([[-0.0], [-0.0]], numpy_dtype(dtype))
    assert judge(operator(), made, observe(y)).ok
    assert judge(operator(merges=None), made, observe(y)).ok


@DTYPES
def test_any_nan_stands_for_a_nan(dtype):
    made = case([[np.nan], [1.0]], [[0, 1]], dtype)
    y = np.array([[np.nan]], numpy_dtype(dtype))
    bits(y)[...] ^= 1
    assert judge(operator(), made, observe(y)).ok
    assert not judge(operator(), made, observe(np.ones_like(y))).ok


def test_canaries_of_unread_rows_do_not_reach_the_sum():
    x = lattice().astype(float)
    x[5] = np.nan
    made = case(x, [[0, 1, -1]])
    assert judge(operator(), made, observe(right(made))).ok
    y = right(made)
    y[...] = np.nan
    verdict = judge(operator(), made, observe(y))
    assert "guess: a dropped slot is read as the last row" in str(verdict)


def test_another_order_than_the_promised_one_is_rejected_as_drift():
    made, y = drifting()
    verdict = judge(operator(), made, observe(y))
    assert not verdict.ok
    assert verdict.outputs["y"].step == "order-drift"
    assert (verdict.outputs["y"].mismatches, verdict.outputs["y"].order_drift) == (0, 1)
    assert verdict.clause.text == "The terms are added from left to right."


def test_another_order_than_a_merely_declared_one_is_accepted_and_counted():
    made, y = drifting()
    verdict = judge(operator(order_clause=None), made, observe(y))
    assert verdict.ok
    assert verdict.outputs["y"].order_drift == 1
    assert verdict.outputs["y"].step == "order-drift"


def test_any_order_is_accepted_where_none_is_declared():
    made, y = drifting()
    verdict = judge(operator(merges=None), made, observe(y))
    assert verdict.ok
    assert verdict.outputs["y"].step == "every order"
    assert verdict.outputs["y"].exact == 0
    assert verdict.outputs["y"].headroom is None
    assert "accepted; y: 1 elements, 0 bit-exact (every order)." in verdict.headline
    outside = np.array([[1 + 2 * 2.0**-23]], np.float32)
    assert not judge(operator(merges=None), made, observe(outside)).ok


def test_more_terms_than_orders_can_be_tried_for_are_judged_by_the_interval():
    x = np.array([1.0, *[2.0**-24] * 5], np.float32).reshape(-1, 1)
    made = case(x, [range(6)], "float32")
    verdict = judge(operator(merges=None), made, observe(np.array([[1 + 2.0**-22]], np.float32)))
    assert verdict.ok
    assert verdict.outputs["y"].step == "interval"
    assert verdict.outputs["y"].headroom == pytest.approx(0.8)


def test_the_blocks_of_a_large_output_are_put_together_rightly():
    generator = np.random.default_rng(3)
    x = generator.integers(-8, 9, (64, 7001)).astype(np.float32)
    made = case(x, generator.integers(-1, 64, (40, 8)), "bfloat16")
    y = right(made)
    assert judge(operator(), made, observe(y)).ok
    bits(y)[37, 6999] ^= 1
    bits(y)[5, 3] ^= 0x4000
    verdict = judge(operator(), made, observe(y))
    assert verdict.outputs["y"].mismatches == 2
    assert "y[5, 3]" in verdict.outputs["y"].worst.text


def test_an_output_of_three_axes_is_addressed_by_three_indices():
    made = whole()
    made = replace(made, outputs={"y": Tensor((2, 2, 36), "float16")})
    y = right(made).reshape(2, 2, 36)
    bits(y)[1, 0, 4] ^= 1
    record = operator(formula=lambda inputs, _: {"y": right64(inputs).reshape(2, 2, 36)})
    assert "y[1, 0, 4]" in str(judge(record, made, observe(y)))


def right64(inputs):
    return operator().formula(inputs, {})["y"]


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_empty_outputs_are_right(shape):
    made = case(np.zeros((2, shape[1])), np.zeros((shape[0], 2), int))
    assert judge(operator(), made, observe(right(made))).ok


def test_a_missing_output_fails_and_none_of_it_was_judged():
    made = whole()
    verdict = judge(operator(), made, observe(right(made), outputs={}))
    assert not verdict.ok
    assert verdict.headline == "segment_sum, plain, float16: the device returned no output y."
    found = verdict.outputs["y"]
    assert not found.ok
    assert (found.elements, found.exact, found.mismatches) == (0, 0, 0)
    assert found.step == "shape and dtype"
    assert verdict.clause is found.clause is SUM


@pytest.mark.parametrize(
    ("y", "seen"),
    [
        (np.zeros((4, 35), np.float16), "float16[4, 35]"),
        (np.zeros((4, 36), ml_dtypes.bfloat16), "bfloat16[4, 36]"),
        (np.zeros((36, 4), np.float16), "float16[36, 4]"),
    ],
)
def test_another_shape_or_dtype_fails(y, seen):
    verdict = judge(operator(), whole(), observe(y))
    assert not verdict.ok
    assert f"came back as {seen}, must be float16[4, 36]" in verdict.headline


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32"])
def test_another_dtype_fails_though_it_holds_every_value(dtype):
    made = whole("float32")
    verdict = judge(operator(), made, observe(right(made).astype(dtype)))
    assert f"y came back as {dtype}[4, 36], must be float32[4, 36]" in verdict.headline


def test_an_error_diagnostic_fails_right_values():
    made = whole()
    verdict = judge(operator(), made, observe(right(made), diagnostics=(FLAW, FLAW)))
    assert not verdict.ok
    assert (
        "the values are right, but the machine reports 2 errors, first gm-out-of-bounds"
        in verdict.headline
    )
    assert "segment_sum.cpp:41" in verdict.findings[0]
    assert ", 2 times" in verdict.findings[0]


def test_the_first_of_several_errors_is_named_and_no_warning():
    made = whole()
    flaws = [replace(FLAW, code=code) for code in ("first", "second", "third")]
    flaws = (replace(FLAW, severity="warning"), *flaws)
    verdict = judge(operator(), made, observe(right(made) * 2, diagnostics=flaws))
    assert "; the machine reports 3 errors, first first." in verdict.headline


def test_a_warning_is_told_and_does_not_fail():
    made = whole()
    verdict = judge(
        operator(), made, observe(right(made), diagnostics=(replace(FLAW, severity="warning"),))
    )
    assert verdict.ok
    assert "warning gm-out-of-bounds" in str(verdict)


def test_damage_outside_the_buffers_fails():
    made = whole()
    verdict = judge(
        operator(), made, observe(right(made), guard_damage=(GuardDamage("y", 288, 32),))
    )
    assert not verdict.ok
    assert "32 bytes outside y were written" in verdict.headline
    assert "from offset 288" in str(verdict)


def test_changed_inputs_fail():
    made = whole()
    verdict = judge(operator(), made, observe(right(made), inputs_changed=("x",)))
    assert not verdict.ok
    assert "inputs were changed: x" in verdict.headline


def test_untouched_elements_fail_even_if_their_poison_passes_for_a_legal_nan():
    made = case([[np.nan], [1.0]], [[0, 1]])
    y = np.full((1, 1), np.nan, np.float16)
    verdict = judge(operator(), made, observe(y, unwritten={"y": 1}))
    assert not verdict.ok
    assert "1 of 1 elements of y was never written" in verdict.headline


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.COMPLETED])
def test_a_call_that_does_not_complete_fails_whatever_it_left(outcome):
    made = whole()
    verdict = judge(operator(), made, observe(right(made), outcome=outcome))
    assert not verdict.ok
    assert not verdict.outputs


def test_only_a_row_sparse_call_may_be_not_possible_and_is_then_not_judged():
    made = whole()
    sparse = replace(
        made, inputs={**made.inputs, "x": replace(made.inputs["x"], rows=tuple(range(6)))}
    )
    for asked, outcome, judged in (
        (sparse, Outcome.NOT_POSSIBLE, False),
        (sparse, Outcome.FAILED, True),
        (sparse, Outcome.CRASHED, True),
        (made, Outcome.NOT_POSSIBLE, True),
    ):
        verdict = judge(operator(), asked, Observation(outcome))
        assert (verdict.judged, verdict.ok) == (judged, not judged)


def test_a_device_that_does_not_count_the_unwritten_is_blamed_for_that_alone():
    made = whole()
    verdict = judge(operator(), made, observe(right(made), unwritten={}))
    said = "segment_sum, plain, float16: the device did not say how much of y was written."
    assert verdict.headline == said


def test_the_places_of_a_mismatch_and_of_a_drift_go_by_their_own_names():
    made, y = drifting()
    for seen, name in ((y, "order drift"), (y * 2, "pattern")):
        findings = judge(operator(), made, observe(seen)).findings
        assert [line for line in findings if line.endswith(": all elements")] == [
            f"{name}: all elements"
        ]


def test_elements_in_another_order_are_counted_beside_wrong_ones():
    made = case(ABSORBING, [[0, 1, 2], [0, 1, 2], [0, 1, 2]], "float32")
    _, y = drifting()
    verdict = judge(operator(), made, observe(np.concatenate([y * 2, y, y])))
    assert verdict.headline == "segment_sum, plain, float32: 1 of 3 elements of y is wrong."
    assert verdict.findings[-1] == (
        "order drift: 2 more elements, which another order than the declared one gives"
    )


def test_a_formula_that_contradicts_the_terms_is_an_error_of_the_suite():
    made = whole()
    twice = operator(formula=lambda inputs, _: {"y": 2 * right64(inputs)})
    with pytest.raises(ReferenceDisagreement, match="the formula gives"):
        judge(twice, made, observe(right(made)))


def test_of_a_case_that_is_not_checked_a_contradiction_is_told_before_the_call_is_refused():
    made = whole()
    twice = operator(formula=lambda inputs, _: {"y": 2 * right64(inputs)})
    assert judge(twice, made, observe(right(made)), checked=False).ok
    wrong = right(made)
    wrong[0, 0] += 1
    assert not judge(operator(), made, observe(wrong), checked=False).ok
    with pytest.raises(ReferenceDisagreement, match="the formula gives"):
        judge(twice, made, observe(wrong), checked=False)


def test_a_formula_that_reads_a_canary_is_an_error_of_the_suite():
    x = lattice().astype(float)
    x[5] = np.nan
    made = case(x, [[0, 1, -1]])
    last_row = operator(formula=lambda inputs, _: {"y": inputs["x"][inputs["rows"]].sum(axis=1)})
    with pytest.raises(ReferenceDisagreement, match="formula gives nan"):
        judge(last_row, made, observe(right(made)))


def test_a_declared_order_that_leaves_the_accepted_set_is_an_error_of_the_suite(monkeypatch):
    made = whole()
    monkeypatch.setattr(output, "emulate", lambda merges, values, *rest: values.sum(axis=0) + 1)
    with pytest.raises(ReferenceDisagreement, match="which no order of the terms"):
        judge(operator(), made, observe(right(made)))


def test_terms_and_formula_are_not_compared_on_large_cases():
    made = case(lattice(4000), ROWS)
    twice = operator(formula=lambda inputs, _: {"y": 2 * right64(inputs)})
    assert judge(twice, made, observe(right(made))).ok


def test_an_order_that_is_no_tree_is_refused():
    made = whole()
    with pytest.raises(ValueError, match="slot 2 is never added"):
        judge(operator(merges=lambda slots: [(0, 1)]), made, observe(right(made)))


def test_terms_that_do_not_make_the_output_are_refused():
    made = whole()
    short = Sum(SUM, lambda inputs, _: Terms(inputs["rows"][1:], "x"))
    with pytest.raises(ValueError, match="do not make an output of shape"):
        judge(operator(contracts={"y": short}), made, observe(right(made)))


def test_an_output_without_a_contract_is_refused():
    made = whole()
    with pytest.raises(ValueError, match="lacks y"):
        judge(operator(contracts={}), made, observe(right(made)))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"unwritten": {}}, "the device did not say how much of y was written"),
        ({"status": 507015}, "the call completed with status 507015"),
        ({"status": -1}, "the call completed with status -1"),
        ({"diagnostics": (replace(FLAW, severity="fatal"),)}, "the machine reports 1 error"),
    ],
)
def test_an_observation_that_contradicts_itself_is_not_accepted(fields, said):
    made = whole()
    verdict = judge(operator(), made, observe(right(made), **fields))
    assert not verdict.ok
    assert said in verdict.headline


def test_an_output_that_the_operator_does_not_have_is_not_accepted():
    made = whole()
    outputs = {"y": right(made), "z": right(made)}
    verdict = judge(operator(), made, observe(right(made), outputs=outputs))
    assert not verdict.ok
    assert "the device returned z, which is no output" in verdict.headline
