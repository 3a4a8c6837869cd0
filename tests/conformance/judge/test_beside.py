"""Of two implementations it is told which is wrong, and whether two right ones are the same."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cases.operators import moe_gating_top_k_softmax_v2
from conformance.call.observation import Observation, Outcome
from conformance.devices.pair import Pair
from conformance.errors import OperatorUnavailable
from conformance.judge.beside import (
    BOTH,
    FIRST,
    OTHER_BITS,
    SAME,
    SECOND,
    Beside,
    as_example,
    as_rejection,
    in_sequence,
    judged_beside,
    related_beside,
)
from conformance.judge.calls import judge
from conformance.judge.rejections import judge_rejection
from conformance.judge.relate import related
from conformance.judge.right_answer import right_answer
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import UNKNOWN
from conformance.record.clause import document
from conformance.record.operator import Example
from conformance.record.relation import Relation
from tests.conformance.segment_sum import (
    bits,
    case,
    observe,
    operator,
    refusal,
    refused,
    right,
    whole,
)

RECORD = operator(order_clause=None)
MADE = whole()
TWO = Beside({RECORD.name: RECORD}, first="old", second="new")


def wrong() -> Observation:
    y = right(MADE)
    bits(y)[2, 17] ^= 1
    return observe(y)


def beside(
    one: Observation, other: Observation | None, two: Beside = TWO, made: Any = MADE
) -> tuple[Observation, Verdict]:
    verdict = judge(RECORD, made, one)
    return judged_beside(two, RECORD, made, replace(one, beside=other), verdict)


def test_the_same_bits_are_told() -> None:
    _, verdict = beside(observe(right(MADE)), observe(right(MADE)))
    assert (verdict.ok, verdict.beside) == (True, SAME)
    assert "accepted, with the same bits from old and new." in verdict.headline


def test_the_second_alone_is_wrong_and_its_answer_is_shown() -> None:
    seen, verdict = beside(observe(right(MADE)), wrong())
    assert (verdict.ok, verdict.beside) == (False, SECOND)
    assert "wrong is new, not old: 1 of 144 elements of y is wrong." in verdict.headline
    assert np.array_equal(bits(seen.outputs["y"]), bits(wrong().outputs["y"]))
    assert "y: 1 of 144 elements differ in bits, first [2, 17]: " in str(verdict)


def test_the_first_alone_is_wrong() -> None:
    _, verdict = beside(wrong(), observe(right(MADE)))
    assert (verdict.ok, verdict.beside) == (False, FIRST)
    assert "wrong is old, not new: 1 of 144 elements of y is wrong." in verdict.headline


def test_both_are_wrong_alike() -> None:
    _, verdict = beside(wrong(), wrong())
    assert (verdict.ok, verdict.beside) == (False, BOTH)
    assert "both are wrong, old and new; the first: 1 of 144" in verdict.headline
    assert "differ in bits" not in str(verdict)


def test_a_second_that_does_not_end_is_wrong() -> None:
    _, verdict = beside(observe(right(MADE)), Observation(Outcome.TIMED_OUT, seconds=2.0))
    assert verdict.beside == SECOND
    assert "wrong is new, not old: the call timed out after 2.00 s." in verdict.headline


@pytest.mark.parametrize("same_bits", [False, True])
def test_other_bits_of_two_right_ones_fail_if_the_same_are_asked(same_bits: bool) -> None:
    made = case([[1.0], [-1.0], [0.0]], [[0, 1], [2, 2]])
    one, other = (observe(np.array([[zero], [0.0]], np.float16)) for zero in (0.0, -0.0))
    two = replace(TWO, same_bits=same_bits)
    _, verdict = beside(one, other, two, made)
    assert (verdict.ok, verdict.beside) == (not same_bits, OTHER_BITS)
    assert "both are accepted, old and new, and differ in bits." in verdict.headline
    assert "y: 1 of 2 elements differ in bits, first [0, 0]: 0x0000 (0.0) and 0x8000 (-0.0)" in str(
        verdict
    )


def test_what_is_left_open_may_differ() -> None:
    contract = replace(RECORD.contracts["y"], specified=lambda inputs, attributes: OPEN)
    record = replace(RECORD, contracts={"y": contract})
    one, other = observe(right(MADE)), wrong()
    verdict = judge(record, MADE, one)
    two = replace(TWO, records={record.name: record})
    _, verdict = judged_beside(two, record, MADE, replace(one, beside=other), verdict)
    assert verdict.beside == SAME


OPEN = np.ones((4, 36), np.bool_)
OPEN[2, 17] = False


def test_what_nothing_bounds_of_the_second_is_counted() -> None:
    gating = moe_gating_top_k_softmax_v2.OPERATOR
    case = next(one.case for one in gating.examples if one.case.mode == "softmax_first")
    seen = right_answer(gating, case)
    first = judge(gating, case, seen)
    two = Beside({gating.name: gating}, UNKNOWN, "old", "new")
    _, told = judged_beside(two, gating, case, replace(seen, beside=seen), first)
    assert first.outputs["y"].unbounded == 0
    assert told.outputs["y"].unbounded == seen.outputs["y"].size


@pytest.mark.parametrize("other", [None, Observation(Outcome.NOT_POSSIBLE)])
def test_without_a_second_answer_the_verdict_is_that_of_the_first(
    other: Observation | None,
) -> None:
    sparse = replace(RECORD, unreached=lambda case: "no way to say it")
    _, verdict = beside(observe(right(MADE)), other, replace(TWO, records={RECORD.name: sparse}))
    assert (verdict.ok, verdict.beside) == (True, "")
    assert "accepted; y: 144 elements" in verdict.headline


def test_the_second_is_held_to_what_a_document_prints() -> None:
    values = tuple(right(MADE).astype(float).ravel())
    example = Example("printed", MADE, "toy", {"y": values})
    for other, which in ((observe(right(MADE)), SAME), (wrong(), SECOND)):
        one = replace(observe(right(MADE)), beside=other)
        verdict = judge(RECORD, MADE, one)
        _, found = judged_beside(TWO, RECORD, MADE, one, verdict, as_example(example))
        assert found.beside == which
    assert "wrong is new, not old: 1 of 144 elements of y are not what the document" in str(found)


def rejected(one: Observation, other: Observation, records: Any) -> Verdict:
    asked = refusal()
    seen = replace(one, beside=other)
    two = replace(TWO, records=records)
    verdict = judge_rejection(asked, one)
    return judged_beside(two, RECORD, asked.case, seen, verdict, as_rejection(asked))[1]


def test_the_second_must_reject_what_its_record_says() -> None:
    same = {RECORD.name: replace(RECORD, rejections=(refusal(),))}
    both = rejected(refused(), refused(), same)
    assert (both.ok, both.beside) == (True, "")
    done = Observation(Outcome.COMPLETED, outputs_untouched=True)
    verdict = rejected(refused(), done, same)
    assert verdict.headline == (
        "segment_sum, plain, float16, negative_top_k: wrong is new, not old: the call was carried"
        " out, it must be rejected with status 161002."
    )
    assert rejected(refused(), done, {RECORD.name: RECORD}).ok


def test_a_second_that_carries_out_what_it_may_is_on_record() -> None:
    asked = refusal()
    there = replace(asked, breaks=MADE)
    two = replace(TWO, records={RECORD.name: replace(RECORD, rejections=(there,))})
    done = Observation(Outcome.COMPLETED)
    verdict, second = judge_rejection(asked, refused()), as_rejection(asked, lenient=True)
    seen = replace(refused(), beside=done)
    observation, verdict = judged_beside(two, RECORD, asked.case, seen, verdict, second)
    assert (verdict.ok, observation) == (True, done)


def test_a_call_in_a_sequence_is_judged_as_what_it_is() -> None:
    asked = refusal()
    first = replace(RECORD, rejections=(asked,))
    for records, ok in (({RECORD.name: first}, False), ({RECORD.name: RECORD}, True)):
        done = Observation(Outcome.COMPLETED, outputs_untouched=True)
        seen, two = replace(refused(), beside=done), replace(TWO, records=records)
        verdict = judge_rejection(asked, refused())
        second = in_sequence(first)
        assert judged_beside(two, first, asked.case, seen, verdict, second)[1].ok is ok


def pair(first: Any, second: Any) -> Pair:
    """Two devices that answer so."""
    devices: list[Any] = [SimpleNamespace(run=one) for one in (first, second)]
    return Pair(*devices, TWO.records)


LAW = document("all sums are positive", "toy")
POSITIVE = Relation("positive", LAW, lambda _, made, run: [] if made["y"].min() > 0 else ["a sum."])


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_a_relation_is_asked_of_both(signs: tuple[int, int]) -> None:
    made = case([[1.0]], [[0]])

    def sign(sign: int) -> Any:
        return lambda record, one: observe(right(one) * np.float16(sign))

    _, verdict = related_beside(TWO, POSITIVE, TWO.records, made, pair(*map(sign, signs)))
    expected = {(1, 1): "", (1, -1): SECOND, (-1, 1): FIRST, (-1, -1): BOTH}[signs]
    assert (verdict.ok, verdict.beside) == (signs == (1, 1), expected)
    if expected == SECOND:
        assert "wrong is new, not old: positive does not hold: a sum." in verdict.headline


def test_a_relation_with_an_operator_that_the_second_has_not_is_asked_of_the_first() -> None:
    def absent(record: Any, one: Any) -> Observation:
        raise OperatorUnavailable("absent")

    both = pair(lambda record, one: observe(right(one)), absent)
    _, alone = related(POSITIVE, TWO.records, MADE, both.first.run)
    assert related_beside(TWO, POSITIVE, TWO.records, MADE, both)[1] == alone
