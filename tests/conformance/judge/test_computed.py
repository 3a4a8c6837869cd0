"""Values are held to their boxes, selections to their keys, and what depends on both to what is
right of them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from conformance.judge.computed import in_order, judge_bounded
from conformance.judge.question import Question
from conformance.judge.selected import judge_selected
from conformance.numerics.arithmetic import IEEE
from conformance.record.clause import document
from conformance.record.computed import Box, Keys
from conformance.record.contract import Bounded, Selected
from conformance.record.functions import ALL_UNKNOWN

CLAUSE = document("the k largest of x", "toy.md")
X = np.array([[1.0, 3.0, 2.0], [5.0, 5.0, 4.0]])
BEST = np.array([[1, 2], [0, 1]], np.int32)


def exact(values):
    return Box(np.asarray(values, np.float64), np.asarray(values, np.float64))


def keys(call):
    return (Keys(exact(call.inputs["x"])),)


def values(call):
    """Of each selected position x itself, or a bit more."""
    taken = np.take_along_axis(call.inputs["x"], call.outputs["ids"].clip(0, 2), axis=1)
    return Box(taken, taken + 2.0**-22)


def formula(inputs, attributes):
    order = np.argsort(-inputs["x"], axis=1, kind="stable")[:, :2]
    return {"ids": order, "y": np.take_along_axis(inputs["x"], order, axis=1)}


IDS = Selected(CLAUSE, keys)
Y = Bounded(CLAUSE, values, given=("ids",))


def ids_of(observed, contract=IDS, x=X, **more):
    observed = np.asarray(observed, np.int32)
    case = SimpleNamespace(arrays={"x": x}, attributes={}, widened=lambda dtype: {"x": x})
    return judge_selected(Question("ids", contract, case, observed, formula, **more))


def y_of(observed, ids=BEST, contract=Y, **more):
    observed = np.asarray(observed, np.float32)
    case = SimpleNamespace(arrays={"x": X}, attributes={}, widened=lambda dtype: {"x": X})
    more = {"outputs": {"ids": np.asarray(ids)}, **more}
    return judge_bounded(Question("y", contract, case, observed, formula, **more))


def test_the_largest_in_order_are_accepted_and_each_row_has_one_answer():
    verdict = ids_of(BEST)
    assert verdict.ok
    assert (verdict.rows, verdict.certain_rows, verdict.exact, verdict.step) == (
        2,
        2,
        4,
        "selection",
    )


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ([2, 1], "slot 0 holds 2 with a key of 2.0, and 1 with a key of 3.0 comes later"),
        ([1, 0], "2 is left out with a key of 2.0, 0 in slot 1 has one of 1.0"),
        ([1, 1], "position 1 is selected twice, the second time in slot 1"),
        ([1, 3], "3 is no position: the row has 3"),
        ([1, -1], "-1 is no position: the row has 3"),
    ],
)
def test_a_wrong_row_is_told_with_the_rule_that_it_breaks(row, why):
    verdict = ids_of([row, BEST[1]])
    assert not verdict.ok
    assert why in verdict.worst.text
    assert verdict.worst.text.startswith("first wrong selection: ids[0, ")
    assert verdict.certain_rows == 2


def test_equal_keys_are_selected_by_their_positions():
    verdict = ids_of([BEST[0], [1, 0]])
    told = "1 in slot 0 has a key of 5.0, 0 one of 5.0: of equal keys the lower"
    assert told in verdict.worst.text
    assert ids_of([BEST[0], [1, 0]], replace(IDS, ties="any")).ok


def test_only_the_elements_that_differ_from_the_formula_are_wrong():
    verdict = ids_of([[1, 0], BEST[1]])
    assert verdict.mismatches == 1
    assert verdict.wrong.tolist() == [[False, True], [False, False]]
    assert verdict.pattern == "one element, row 0, column 1"


def test_one_of_several_keys_must_explain_a_row():
    other = replace(IDS, keys=lambda call: (Keys(exact(-X)), Keys(exact(X))))
    assert ids_of(BEST, other).ok
    assert ids_of([[0, 2], [2, 0]], other).ok
    assert not ids_of([[0, 1], BEST[1]], other).ok


def test_keys_of_other_rows_than_the_output_has_are_a_mistake_of_the_record():
    with pytest.raises(ValueError, match=r"keys: their shape \(1, 3\) must be \[2, positions\]"):
        ids_of(BEST, replace(IDS, keys=lambda call: (Keys(exact(X[:1])),)))


def test_a_value_within_its_box_is_accepted_and_the_next_beyond_it_is_not():
    right = np.take_along_axis(X, BEST, axis=1).astype(np.float32)
    assert y_of(right).ok
    beyond = right.copy()
    beyond[0, 1] = np.nextafter(np.float32(2.0 + 2.0**-22), np.float32(3))
    verdict = y_of(beyond)
    assert (verdict.mismatches, verdict.step) == (1, "derived bounds")
    told = "worst element: y[0, 1] is 0x40000002 (2.000000476837158), accepted: 0x40000000 (2.0) to"
    assert verdict.worst.text.startswith(told)
    assert y_of(np.nextafter(right, np.float32(0))).mismatches == 4


def test_a_value_is_that_of_the_position_beside_it():
    swapped = BEST[:, ::-1]
    values = np.take_along_axis(X, BEST, axis=1)
    assert y_of(values[:, ::-1], swapped).ok
    assert not y_of(values, swapped).ok


def test_values_of_a_row_whose_positions_are_wrong_are_not_judged():
    wrong = {"ids": np.array([[False, True], [False, False]])}
    values = np.take_along_axis(X, BEST, axis=1)
    values[0] = 99
    verdict = y_of(values, wrong=wrong)
    assert (verdict.ok, verdict.elements) == (True, 2)


def test_what_nothing_bounds_is_counted_apart_and_never_as_judged():
    everything = Box(np.full(BEST.shape, -np.inf), np.full(BEST.shape, np.inf))
    open_ = replace(Y, box=lambda call: everything)
    verdict = y_of(np.full(BEST.shape, 7.0), contract=open_)
    assert (verdict.ok, verdict.step) == (True, "not bounded")
    assert (verdict.elements, verdict.exact, verdict.unbounded) == (0, 0, 4)


def test_a_row_of_whose_keys_nothing_is_known_is_not_accepted_but_counted_apart():
    nothing = Box(np.full(X.shape, -np.inf), np.full(X.shape, np.inf))
    open_ = replace(IDS, keys=lambda call: (Keys(nothing),))
    verdict = ids_of(BEST, open_)
    assert (verdict.ok, verdict.step) == (True, "not bounded")
    assert (verdict.rows, verdict.elements, verdict.unbounded) == (0, 0, 4)
    twice = ids_of([[1, 1], BEST[1]], open_)
    assert (twice.ok, twice.rows, twice.unbounded) == (False, 1, 2)
    finished = np.array([[3, 3], [-1, -1]])
    stated = replace(IDS, keys=lambda call: (Keys(nothing, given=finished),))
    assert (ids_of([[3, 3], BEST[1]], stated).rows, ids_of(BEST, stated).ok) == (1, False)


def test_a_row_that_only_unknown_keys_explain_is_counted_apart():
    def known_or_not(call):
        (known,) = keys(call)
        return (known, Keys(Box(np.full(X.shape, -np.inf), np.full(X.shape, np.inf))))

    either = replace(IDS, keys=known_or_not)
    best, other = ids_of(BEST, either), ids_of(BEST[:, ::-1], either)
    assert (best.ok, best.rows, best.unbounded) == (True, 2, 0)
    assert (other.ok, other.rows, other.unbounded) == (True, 0, 4)


def test_a_box_of_nan_demands_a_nan():
    nan = replace(Y, box=lambda call: exact(np.full(BEST.shape, np.nan)))
    assert y_of(np.full(BEST.shape, np.nan), contract=nan).ok
    verdict = y_of(np.full(BEST.shape, np.inf), contract=nan)
    assert verdict.mismatches == 4
    assert "accepted: any NaN alone" in verdict.worst.text


def test_a_contract_sees_of_the_outputs_only_what_it_is_given():
    def box(call):
        assert set(call.outputs) == {"ids"}
        return values(call)

    y = np.take_along_axis(X, BEST, axis=1)
    assert y_of(y, contract=replace(Y, box=box), outputs={"ids": BEST, "other": BEST}).ok


def test_a_contract_sees_what_is_known_of_the_device():
    def box(call):
        assert call.functions == ALL_UNKNOWN
        return values(call)

    y = np.take_along_axis(X, BEST, axis=1)
    assert y_of(y, contract=replace(Y, box=box), arithmetic=replace(IEEE, functions=ALL_UNKNOWN)).ok


def test_outputs_that_others_are_given_are_judged_first_and_a_circle_is_a_mistake_of_the_record():
    contracts = {"y": Y, "ids": IDS}
    operator = SimpleNamespace(name="toy", contract=lambda name, case: contracts[name])
    case = SimpleNamespace(outputs={"y": None, "ids": None})
    assert in_order(operator, case) == ["ids", "y"]
    contracts["ids"] = replace(IDS, given=("y",))
    with pytest.raises(ValueError, match="contracts of toy: y, ids are in a circle"):
        in_order(operator, case)
