"""Sums as contracts state them: coefficients, casts, accumulators, and the device's arithmetic."""

from dataclasses import replace

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from conformance.call.case import Tensor, numpy_dtype
from conformance.call.observation import Observation, Outcome
from conformance.judge.calls import judge
from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.order import sequential
from conformance.record.contract import Sum
from reference.terms import Terms, stacked
from tests.conformance.segment_sum import ORDER, SUM, case, observe, operator

DTYPES = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])


def weighted(factors, **fields):
    """The record whose terms have these coefficients, and whose formula knows them."""
    factors = np.array(factors, np.float32)

    def formula(inputs, attributes):
        x = inputs["x"].astype(np.float64)
        live = np.where(inputs["rows"] >= 0, factors, 0.0)
        return {"y": np.einsum("rk,rkh->rh", live, x[inputs["rows"]])}

    contract = Sum(SUM, lambda inputs, _: Terms(inputs["rows"], "x", factors), **fields)
    return operator(formula=formula, contracts={"y": contract})


@DTYPES
def test_a_weighted_sum_is_judged_and_its_coefficients_are_told(dtype):
    made = case([[1.0], [2.0], [4.0]], [[0, 1], [2, -1]], dtype)
    record = weighted([[0.5, 3.0], [0.25, np.nan]])
    y = np.array([[6.5], [1.0]], numpy_dtype(dtype))
    assert judge(record, made, observe(y)).ok
    y[0, 0] = 6.0
    verdict = judge(record, made, observe(y))
    assert "x[0] = 0.5 * 1.0 (slot 0), x[1] = 3.0 * 2.0 (slot 1)" in str(verdict)


@pytest.mark.parametrize(
    ("fused", "legal"), [("never", {0.0}), ("always", {2.0**-24}), ("either", {0.0, 2.0**-24})]
)
def test_a_declared_order_says_whether_products_are_fused(fused, legal):
    # (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which a rounded product has lost.
    made = case([[-1 - 2.0**-11], [1 + 2.0**-12]], [[0, 1]], "float32")
    record = weighted([[1.0, 1 + 2.0**-12]], fused=fused, merges=sequential, order_clause=SUM)
    for value in (0.0, 2.0**-24):
        verdict = judge(record, made, observe(np.array([[value]], np.float32)))
        assert verdict.ok is (value in legal)


def test_a_device_that_saturates_is_judged_as_one():
    made = case([[65504.0], [65504.0]], [[0, 1]])
    saturated = observe(np.array([[65504.0]], np.float16))
    assert not judge(operator(), made, saturated).ok
    saturating = Arithmetic(overflows=frozenset({"saturate"}))
    assert judge(operator(), made, saturated, saturating).ok
    assert not judge(operator(), made, observe(np.array([[np.inf]], np.float16)), saturating).ok


def test_a_sum_in_storage_precision_is_right_where_the_contract_says_so():
    made = case([[1.0], [2.0**-11], [2.0**-11]], [[0, 1, 2]])
    y = np.array([[1.0]], np.float16)
    assert not judge(operator(), made, observe(y)).ok
    inner = Sum(SUM, lambda inputs, _: Terms(inputs["rows"], "x"), accumulate="float16")
    assert judge(operator(contracts={"y": inner}), made, observe(y)).ok
    outside = np.array([[1.0 - 2.0**-11]], np.float16)
    assert not judge(operator(contracts={"y": inner}), made, observe(outside)).ok


def test_terms_are_cast_before_the_sum_where_the_contract_says_so():
    made = case([[1 + 2.0**-8 + 2.0**-20], [2.0**-9]], [[0, 1]], "float32")
    cast = Sum(SUM, lambda inputs, _: Terms(inputs["rows"], "x", cast="bfloat16"))
    y = np.array([[1 + 2.0**-7 + 2.0**-9]], np.float32)
    assert judge(operator(contracts={"y": cast}), made, observe(y)).ok
    assert not judge(operator(), made, observe(y)).ok


@pytest.mark.parametrize("merges", [None, sequential])
@DTYPES
def test_a_sum_over_no_slots_is_zero(dtype, merges):
    made = case([[1.0, 2.0]], np.zeros((3, 0)), dtype)
    y = np.zeros((3, 2), numpy_dtype(dtype))
    assert judge(operator(merges), made, observe(y)).ok
    y[1, 1] = 1.0
    verdict = judge(operator(merges), made, observe(y))
    assert verdict.outputs["y"].mismatches == 1
    assert "y[1, 1]" in verdict.outputs["y"].worst.text
    assert "no terms, all slots of the row add nothing" in verdict.outputs["y"].worst.text


@pytest.mark.parametrize(
    ("slots", "columns", "step"),
    [(3, [0], "certificate"), (3, [0, 1], "every order"), (6, [0, 1], "interval")],
)
def test_the_last_step_that_some_element_needed_is_told(slots, columns, step):
    small = 2.0**-24
    x = np.array([[1.0, 1.0], *[[1.0, small]] * 5])[:, columns]
    made = case(x.tolist(), [list(range(slots))], "float32")
    y = np.array([[slots, 1.0]], np.float32)[:, columns]
    verdict = judge(operator(merges=None), made, observe(y))
    assert verdict.ok
    assert verdict.outputs["y"].step == step


def test_beside_a_wrong_element_one_off_the_order_is_not_the_worst():
    made = case([[1.0, 1.0], [2.0**-24, 1.0], [2.0**-24, 1.0]], [[0, 1, 2]], "float32")
    drifted, right = 1 + 2.0**-23, 3.0
    for y, position in (([drifted, 5.0], (0, 1)), ([drifted, right], (0, 0))):
        verdict = judge(operator(), made, observe(np.array([y], np.float32)))
        worst = verdict.outputs["y"].worst
        assert worst is not None
        assert worst.position == position


def test_a_certified_element_off_a_declared_order_is_refused_by_certificate():
    made = case([[1.0, 1.0], [2.0, 2.0]], [[0, 1]], "float32")
    verdict = judge(operator(), made, observe(np.array([[3.0, 4.0]], np.float32)))
    assert verdict.outputs["y"].step == "certificate"
    assert judge(operator(), made, observe(np.array([[3.0, 3.0]], np.float32))).ok


def test_the_clause_of_a_verdict_is_the_orders_only_where_nothing_is_wrong():
    made = case([[1.0, 1.0], [2.0**-24, 1.0], [2.0**-24, 1.0]], [[0, 1, 2]], "float32")
    drifted = 1 + 2.0**-23
    for y, clause in (([drifted, 5.0], SUM), ([drifted, 3.0], ORDER), ([1.0, 3.0], SUM)):
        verdict = judge(operator(), made, observe(np.array([y], np.float32)))
        assert verdict.outputs["y"].clause == clause


def test_drift_in_the_last_partial_block_is_told_as_such():
    x = np.tile(np.array([[1.0], [2.0**-24], [2.0**-24]]), (1, 10))
    made = case(x.tolist(), [[0, 1, 2]], "float32")
    y = np.ones((1, 10), np.float32)
    y[0, 8:] += np.float32(2.0**-23)
    verdict = judge(operator(), made, observe(y)).outputs["y"]
    assert (verdict.order_drift, verdict.mismatches) == (2, 0)
    assert "32" in verdict.pattern


def test_what_is_as_declared_on_a_saturating_device_is_neither_wrong_nor_off_the_order():
    made = case([[1.0, 1.0], [2.0**-24, 1.0], [2.0**-24, 1.0]], [[0, 1, 2]], "float32")
    saturating = Arithmetic(overflows=frozenset({"saturate"}))
    verdict = judge(operator(), made, observe(np.array([[1.0, 5.0]], np.float32)), saturating)
    assert (verdict.outputs["y"].mismatches, verdict.outputs["y"].order_drift) == (1, 0)


def test_rows_of_one_segment_are_told_where_the_source_has_segments():
    values = tuple(np.arange(1, 17, dtype=np.float32).view(np.int32).tolist())
    grad = (2, 2, 4)
    made = call("drop_pad", "float32", source=grad, indices=(0, 1, 2, 3), top_k=1, values=values)
    y = np.arange(1, 17, dtype=np.float32).reshape(4, 4)
    y[2:] += 1
    verdict = judge(OPERATOR, made, Observation(Outcome.COMPLETED, outputs={"grad_x": y}))
    pattern = verdict.outputs["grad_x"].pattern
    assert "all rows that add from grad_expanded_x[1] and no other" in pattern


def test_a_source_of_rows_has_no_segments():
    made = case([[1.0] * 4, [2.0] * 4], [[0], [-1], [1]], "float32")
    y = np.array([[7.0] * 4, [0.0] * 4, [7.0] * 4], np.float32)
    assert "add from" not in judge(operator(), made, observe(y)).outputs["y"].pattern


def dots(factors):
    """The record of y[r, 0] = sum over the columns of x[rows[r, 0]], times factors[r]."""
    factors = np.array(factors, np.float32)

    def elements(inputs, attributes):
        rows, columns = inputs["rows"], inputs["x"].shape[1]
        return np.where(rows >= 0, rows * columns + np.arange(columns), -1)

    def formula(inputs, attributes):
        x = inputs["x"].astype(np.float64).reshape(-1)
        found = elements(inputs, attributes)
        return {"y": np.where(found >= 0, factors * x[found], 0.0).sum(axis=1, keepdims=True)}

    contract = Sum(SUM, lambda *given: Terms(elements(*given), "x", factors, columns=1))
    return operator(formula=formula, contracts={"y": contract})


def dot_case(x, rows, dtype):
    """A case whose output has one column."""
    made = case(x, rows, dtype)
    return replace(made, outputs={"y": Tensor((len(rows), 1), dtype)})


@DTYPES
def test_a_sum_along_a_row_is_judged_and_its_elements_are_told(dtype):
    made = dot_case([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]], [[1], [-1], [0]], dtype)
    record = dots([[1.0, 0.5, -1.0], [1.0, 1.0, 1.0], [3.0, 0.0, 0.25]])
    y = np.array([[-16.0], [0.0], [4.0]], numpy_dtype(dtype))
    assert judge(record, made, observe(y)).ok
    y[2, 0] = 3.0
    verdict = judge(record, made, observe(y))
    assert verdict.outputs["y"].mismatches == 1
    assert "x[0, 0] = 3.0 * 1.0 (slot 0), x[0, 1] = 0.0 * 2.0 (slot 1)" in str(verdict)


def test_a_sum_along_a_row_errs_as_much_as_any_order_of_its_products():
    small = 2.0**-24
    made = dot_case([[1.0, *[small] * 6]], [[0]], "float32")
    record = dots([[1.0] * 7])
    for value, legal in ((1.0, True), (1 + 6 * small, True), (1 + 2.0**-20, False)):
        verdict = judge(record, made, observe(np.array([[value]], np.float32)))
        assert verdict.ok is legal, value


@pytest.mark.parametrize("merges", [None, sequential])
@DTYPES
def test_what_a_sum_leaves_open_may_hold_anything(dtype, merges):
    made = case([[1.0, 2.0], [4.0, 8.0]], [[0, 1], [-1, -1], [1, -1]], dtype)
    contract = Sum(
        SUM,
        lambda inputs, _: Terms(inputs["rows"], "x"),
        merges=merges,
        specified=lambda inputs, _: inputs["rows"][:, :1] >= 0,
    )
    record = operator(contracts={"y": contract})
    y = np.array([[5.0, 10.0], [7.0, np.nan], [4.0, 8.0]], numpy_dtype(dtype))
    verdict = judge(record, made, observe(y, unwritten={"y": 0}))
    assert verdict.ok, verdict
    assert (verdict.outputs["y"].elements, verdict.outputs["y"].exact) == (4, 4)
    y[2, 1] = 9.0
    verdict = judge(record, made, observe(y))
    assert "1 of 4 elements of y is wrong" in verdict.headline


def device_of_sums(s, x, b, skip):
    """sum over k of s[k] * (x[k] + b[k]), from left to right after ``skip``, all in float32."""
    total = skip
    with np.errstate(all="ignore"):
        for k in range(len(s)):
            total = total + s[k] * (x[k] + b[k])
    return total


def sums_case(s, x, b, skip):
    """Its terms: the rows of x and b with the same coefficients, and the skipped row with 1."""
    k = len(s)
    record = weighted([[*s, *s, 1.0]], fused="sums", merges=None)
    return record, case([[v] for v in (*x, *b, skip)], [list(range(2 * k + 1))], "float32")


def test_a_coefficient_may_multiply_a_sum_where_the_contract_says_so():
    # 1 + 2^-24 is rounded to 1, and 3 times that is 3; three products of their own give 3 + 2^-22.
    s, x, b = np.float32([3]), np.float32([1]), np.float32([2.0**-24])
    record, made = sums_case(s, x, b, np.float32(0))
    y = device_of_sums(s, x, b, np.float32(0))
    assert y == 3
    assert judge(record, made, observe(np.array([[y]], np.float32))).ok
    assert judge(record, made, observe(np.array([[3 + 2.0**-22]], np.float32))).ok
    assert not judge(record, made, observe(np.array([[3 + 2.0**-20]], np.float32))).ok
    apart = weighted([[3.0, 3.0, 1.0]], fused="either", merges=None)
    assert not judge(apart, made, observe(np.array([[y]], np.float32))).ok


@pytest.mark.parametrize("scale", [1.0, 2.0**-130, 2.0**100])
def test_sums_times_their_coefficient_are_always_accepted(scale):
    generator = np.random.default_rng(7)
    for _ in range(300):
        k = int(generator.integers(1, 6))
        s, x, b = (generator.normal(size=k).astype(np.float32) for _ in range(3))
        b = np.where(generator.random(k) < 0.3, -x, b).astype(np.float32)
        x, b = (np.float32(scale) * x, np.float32(scale) * b)
        skip = np.float32(scale * generator.normal()) if generator.random() < 0.5 else np.float32(0)
        record, made = sums_case(s, x, b, skip)
        y = device_of_sums(s, x, b, skip)
        assert judge(record, made, observe(np.array([[y]], np.float32))).ok


def test_no_order_is_declared_where_coefficients_multiply_sums():
    with pytest.raises(ValueError, match="merges: no order"):
        weighted([[1.0]], fused="sums", merges=sequential, order_clause=SUM)


@DTYPES
def test_rows_of_several_tensors_are_added_and_each_is_told_by_its_own(dtype):
    made = case([[1.0, 2.0], [4.0, 8.0]], [[0], [1]], dtype)
    bias = Tensor((1, 2), dtype, values=made.inputs["x"].values[:2])
    made = replace(made, inputs={**made.inputs, "bias": bias})
    own = Terms(np.zeros((2, 1), np.int32), "bias")

    def terms(inputs, _):
        return stacked((Terms(inputs["rows"], "x", np.float32([[3], [-1]])), own), (2, 1))

    def formula(inputs, attributes):
        return {"y": np.float64([[3], [-1]]) * inputs["x"] + inputs["bias"]}

    record = operator(formula=formula, contracts={"y": Sum(SUM, terms)})
    y = np.array([[4.0, 8.0], [-3.0, -6.0]], numpy_dtype(dtype))
    assert judge(record, made, observe(y)).ok
    y[1, 0] = 3.0
    verdict = judge(record, made, observe(y))
    assert verdict.outputs["y"].mismatches == 1
    assert "x[1] = -1.0 * 4.0 (slot 0), bias[0] = 1.0 * 1.0 (slot 1)" in str(verdict)
