"""Copies are judged by every bit, indices by every integer."""

from dataclasses import replace
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from conformance.call.case import Tensor
from conformance.judge.calls import judge
from conformance.judge.copies import judge_copy, judge_index
from conformance.judge.question import Question
from conformance.record.clause import document
from conformance.record.contract import Copy, Index
from tests.conformance.segment_sum import bits, case, observe, operator

CLAUSE = document("row r of y is row rows[r] of x", "gather.md")
DTYPES = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])


def formula(inputs, attributes):
    x, rows = inputs["x"], inputs["rows"]
    return {"y": np.where(rows >= 0, x[rows[:, 0]], x.dtype.type(0)), "order": rows[:, 0]}


def question(x, rows, observed, contract=None, name="y", formula=formula):
    made = SimpleNamespace(arrays={"x": x, "rows": np.array(rows, np.int32)}, attributes={})
    return Question(name, contract or Copy(CLAUSE), made, observed, formula)


def patterns(dtype):
    """Every kind of value, with NaNs quiet and signalling: [rows, 4]."""
    wide = {"float16": np.uint16, "bfloat16": np.uint16, "float32": np.uint32}[dtype]
    infinity = {"float16": 0x7C00, "bfloat16": 0x7F80, "float32": 0x7F800000}[dtype]
    sign = 0x80000000 if wide is np.uint32 else 0x8000
    row = np.array([[0, sign, 1, infinity], [infinity + 1, 2 * sign - 1, 3, infinity + sign]], wide)
    return row.view(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


@DTYPES
def test_every_pattern_is_moved_as_it_is(dtype):
    x = patterns(dtype)
    verdict = judge_copy(question(x, [[1], [0]], x[::-1]))
    assert verdict.ok
    assert (verdict.step, verdict.exact, verdict.elements) == ("every byte", 8, 8)


def test_moved_integers_are_told_as_they_are():
    x = np.array([[1, -1]], np.int8)
    verdict = judge_copy(question(x, [[0]], np.array([[1, -128]], np.int8)))
    assert verdict.worst.text == "first wrong element: y[0, 1] is -128, must be -1"
    assert (verdict.worst.observed, verdict.worst.accepted) == (-128, ((-1, -1),))


@DTYPES
def test_one_bit_of_any_element_counts_also_in_a_nan_or_a_zero(dtype):
    x = patterns(dtype)
    for row in range(2):
        for column in range(4):
            observed = x.copy()
            bits(observed)[row, column] ^= 1
            verdict = judge_copy(question(x, [[0], [1]], observed))
            assert verdict.mismatches == 1
            assert f"y[{row}, {column}] is 0x" in verdict.worst.text
            assert verdict.pattern == f"one element, row {row}, column {column}"


@DTYPES
def test_a_positive_zero_for_a_negative_one_is_wrong(dtype):
    x = patterns(dtype)
    observed = x.copy()
    observed[0, 1] = 0.0
    verdict = judge_copy(question(x, [[0], [1]], observed))
    assert "is 0x" in verdict.worst.text
    assert "must be 0x8" in verdict.worst.text


def test_a_row_that_names_nothing_is_filled_with_positive_zeros():
    x = patterns("float16")
    observed = np.zeros((1, 4), np.float16)
    assert judge_copy(question(x, [[-1]], observed)).ok
    bits(observed)[0, 2] = 0x8000
    assert not judge_copy(question(x, [[-1]], observed)).ok


def test_integers_are_exact():
    x = np.zeros((3, 2), np.float32)
    asked = question(x, [[2], [0]], np.array([2, 0], np.int32), Index(CLAUSE), "order")
    assert judge_index(asked).ok
    verdict = judge_index(replace(asked, observed=np.array([2, 1], np.int32)))
    assert verdict.worst.text == "first wrong element: order[1] is 1, must be 0"
    assert (verdict.step, verdict.mismatches) == ("exact integers", 1)


def test_a_large_index_off_by_one_is_wrong():
    x, rows = np.zeros((1, 1), np.float32), [[2**30 + 1]]

    def only_order(inputs, attributes):
        return {"order": inputs["rows"][:, 0]}

    for observed, ok in ((2**30 + 1, True), (2**30, False)):
        asked = question(
            x, rows, np.array([observed], np.int32), Index(CLAUSE), "order", only_order
        )
        assert judge_index(asked).ok is ok


def test_integers_of_another_width_are_compared_by_value_and_must_fit():
    x = np.zeros((3, 2), np.float32)
    seen = np.array([2, 0], np.int64)
    assert judge_index(question(x, [[2], [0]], seen, Index(CLAUSE), "order")).ok

    def wide(inputs, attributes):
        return {"order": np.array([2**40, 0])}

    with pytest.raises(ValueError, match="must fit int32"):
        judge_index(question(x, [[2], [0]], np.zeros(2, np.int32), Index(CLAUSE), "order", wide))


@pytest.mark.parametrize(
    ("dtype", "least", "most"),
    [(np.int8, -128, 127), (np.uint8, 0, 255), (np.int32, -(2**31), 2**31 - 1), (np.bool_, 0, 1)],
)
def test_integers_fit_up_to_both_ends_of_the_observed_dtype(dtype, least, most):
    x, seen = np.zeros((1, 1), np.float32), np.array([least, most]).astype(dtype)

    def judged(*integers):
        def wide(inputs, attributes):
            return {"order": np.array(integers)}

        return judge_index(question(x, [[0]], seen, Index(CLAUSE), "order", wide))

    assert judged(least, most).ok
    assert judged(most, least).mismatches == 2
    for integers in ((least - 1, most), (least, most + 1), (most + 1, least), (most, least - 1)):
        with pytest.raises(ValueError, match=f"from {min(integers)} to {max(integers)} must fit"):
            judged(*integers)


def test_no_integers_fit_everywhere():
    def none(inputs, attributes):
        return {"order": np.zeros(0, np.int64)}

    seen = np.zeros(0, np.int8)
    x = np.zeros((1, 1), np.float32)
    assert judge_index(question(x, [[0]], seen, Index(CLAUSE), "order", none)).ok


def test_a_single_integer_without_axes_is_judged():
    def four(inputs, attributes):
        return {"n": np.array(4)}

    x = np.zeros((1, 1), np.float32)
    verdict = judge_index(question(x, [[0]], np.array(3), Index(CLAUSE), "n", four))
    assert verdict.worst.text == "first wrong element: n[] is 3, must be 4"
    assert verdict.worst.accepted == ((4, 4),)
    assert (verdict.worst.position, verdict.worst.observed) == ((), 3)
    assert verdict.pattern == "all elements"


def test_elements_that_are_right_are_counted_beside_the_wrong_ones():
    x = patterns("float16")
    observed = x.copy()
    bits(observed)[0, :3] ^= 1
    verdict = judge_copy(question(x, [[0], [1]], observed))
    assert (verdict.elements, verdict.exact, verdict.mismatches) == (8, 5, 3)
    assert verdict.worst.position == (0, 0)
    assert (verdict.worst.observed, verdict.worst.accepted) == (1, ((0, 0),))


def test_an_index_contract_on_floats_is_refused():
    x = patterns("float16")
    with pytest.raises(ValueError, match="contract Index of y: its dtype float16"):
        judge_index(question(x, [[0], [1]], x, Index(CLAUSE)))


def test_a_formula_that_computes_is_no_copy():
    x = patterns("float16")

    def halved(inputs, attributes):
        return {"y": inputs["x"] / 2}

    with pytest.raises(ValueError, match="run on integers it gives float"):
        judge_copy(question(x, [[0], [1]], x, formula=halved))


def test_a_formula_of_another_shape_is_an_error_of_the_record():
    x = patterns("float16")
    with pytest.raises(ValueError, match=r"must be integers of \[1, 4\]"):
        judge_copy(question(x, [[0], [1]], x[:1]))
    with pytest.raises(ValueError, match=r"must be integers of \[2, 4\]"):
        judge_copy(question(x, [[0]], x))


def test_only_the_moved_inputs_are_read_as_integers():
    x = patterns("float32")

    def by_value(inputs, attributes):
        assert inputs["weights"].dtype == np.float32
        return {"y": inputs["x"][np.argsort(inputs["weights"])]}

    weights = np.array([2.5, -1.0], np.float32)
    made = SimpleNamespace(arrays={"x": x, "weights": weights}, attributes={})
    asked = Question("y", Copy(CLAUSE, moved=("x",)), made, x[::-1], by_value)
    assert judge_copy(asked).ok
    with pytest.raises(ValueError, match="z must be an input, of x, weights"):
        judge_copy(replace(asked, contract=Copy(CLAUSE, moved=("z",))))


def test_an_empty_copy_is_right():
    x = np.zeros((2, 0), np.float16)
    assert judge_copy(question(x, [[0], [1]], x)).ok


def test_the_judge_of_a_call_takes_copies_and_tells_of_them():
    made = case([[1.0, np.nan], [-0.0, 4.0]], [[1], [0]])
    record = operator(
        formula=lambda inputs, attributes: {"y": inputs["x"][inputs["rows"][:, 0]]},
        contracts={"y": Copy(CLAUSE)},
    )
    y = made.arrays["x"][::-1].copy()
    verdict = judge(record, made, observe(y))
    assert verdict.ok
    assert "4 elements, all bit-exact (every byte)" in str(verdict)
    y[0, 0] = 0.0
    verdict = judge(record, made, observe(y))
    assert "1 of 4 elements of y is wrong" in verdict.headline
    assert "gather.md" in str(verdict)


def head(inputs, attributes):
    """The rows of y that ``rows`` does not leave open."""
    return inputs["rows"] >= 0


@DTYPES
def test_what_a_copy_leaves_open_may_hold_anything(dtype):
    x = patterns(dtype)
    made = case(np.zeros((2, 4)), [[1], [-1], [0]], dtype)
    contract = Copy(CLAUSE, specified=head)
    record = operator(contracts={"y": contract}, formula=formula)
    y = np.zeros((3, 4), x.dtype)
    bits(y)[1] = 0x1234
    verdict = judge(record, made, observe(y))
    assert verdict.ok, verdict
    assert (verdict.outputs["y"].elements, verdict.outputs["y"].exact) == (8, 8)
    bits(y)[2, 3] = 1
    verdict = judge(record, made, observe(y))
    assert not verdict.ok
    assert "1 of 8 elements of y is wrong" in verdict.headline
    assert "y[2, 3] is 0x" in str(verdict)


@DTYPES
def test_elements_left_open_need_not_be_written_and_all_others_must(dtype):
    x = patterns(dtype)
    made = case(np.zeros((2, 4)), [[1], [-1], [0]], dtype)
    record = operator(contracts={"y": Copy(CLAUSE, specified=head)}, formula=formula)
    y = np.zeros((3, 4), x.dtype)
    left = np.zeros(y.shape, np.bool_)
    left[1, :3] = True
    assert judge(record, made, observe(y, unwritten={"y": 3}, unwritten_at={"y": left})).ok
    left[0, 0] = True
    verdict = judge(record, made, observe(y, unwritten={"y": 4}, unwritten_at={"y": left}))
    assert not verdict.ok
    assert "1 of 8 elements of y was never written" in verdict.headline
    for count, ok in ((4, True), (5, False)):  # which they are is not said: four are open
        assert judge(record, made, observe(y, unwritten={"y": count})).ok == ok
    whole = operator(contracts={"y": Copy(CLAUSE)}, formula=formula)
    assert "4 of 12 elements of y were never written" in str(
        judge(whole, made, observe(y, unwritten={"y": 4}))
    )


def test_an_index_may_leave_elements_open_too():
    made = case(np.zeros((2, 4)), [[1], [-1], [0]])
    made = replace(made, outputs={"order": Tensor((3,), "int32")})
    contract = Index(CLAUSE, specified=lambda inputs, attributes: head(inputs, attributes)[:, 0])
    record = operator(contracts={"order": contract}, formula=formula)
    order = np.array([1, 77, 0], np.int32)
    seen = observe(None, outputs={"order": order}, unwritten={"order": 0})
    assert judge(record, made, seen).ok
    order[2] = 5
    assert "1 of 2 elements of order is wrong" in judge(record, made, seen).headline


def test_an_output_that_the_call_has_not_is_not_judged():
    made = case(np.zeros((2, 4)), [[1], [0]])
    contracts = {"y": Copy(CLAUSE), "order": Index(CLAUSE)}
    record = operator(contracts=contracts, formula=formula)
    verdict = judge(record, made, observe(np.zeros((2, 4), np.float16)))
    assert verdict.ok, verdict
    assert list(verdict.outputs) == ["y"]


def test_a_mask_that_does_not_fit_the_output_is_an_error_of_the_record():
    made = case(np.zeros((2, 4)), [[1], [0]])
    contract = Copy(CLAUSE, specified=lambda inputs, attributes: np.ones((3, 4), np.bool_))
    with pytest.raises(ValueError, match="broadcast"):
        judge(
            operator(contracts={"y": contract}, formula=formula),
            made,
            observe(np.zeros((2, 4), np.float16)),
        )


def test_elements_are_counted_in_every_part(monkeypatch):
    monkeypatch.setattr("conformance.judge.copies.AT_ONCE", 5)
    x = np.arange(28, dtype=np.float32).reshape(7, 4)
    made = case(x, [[0], [-1], [2], [3], [4], [5], [6]], "float32")
    record = operator(contracts={"y": Copy(CLAUSE, specified=head)}, formula=formula)
    y = x.copy()
    y[0, 3] = y[1, 1] = y[6, 0] = -5
    verdict = judge(record, made, observe(y)).outputs["y"]
    assert (verdict.elements, verdict.exact, verdict.mismatches) == (24, 22, 2)
