"""What is taken for one mistake, and what is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.call.observation import Diagnostic, GuardDamage, Outcome
from conformance.failure.alike import diagnosis
from conformance.judge.calls import judge
from conformance.judge.judged import Judged
from conformance.judge.rejections import judge_rejection
from conformance.judge.verdict import Verdict
from tests.conformance.segment_sum import FLAW, observe, operator, refusal, right, whole


def of(judged_as: Any = "values", name: str = "", **seen: Any) -> str:
    made = whole()
    observation = observe(right(made), **seen)
    verdict = judge(operator(), made, observation)
    return diagnosis(Judged(made, observation, verdict, judged_as, name))


def wrong(columns: int) -> str:
    made = whole(columns=columns)
    y = right(made)
    y[0, 0] += 1
    verdict = judge(operator(), made, observe(y))
    assert not verdict.ok
    return diagnosis(Judged(made, observe(y), verdict))


def test_wrong_outputs_are_one_diagnosis_wherever_they_are_wrong() -> None:
    assert wrong(36) == wrong(5) == "segment_sum: y wrong"


def test_what_is_guessed_is_part_of_a_diagnosis() -> None:
    made = whole()
    y = right(made)
    y[...] = 0
    verdict = judge(operator(), made, observe(y))
    seen = diagnosis(Judged(made, observe(y), verdict))
    assert seen == "segment_sum: y wrong, terms left out"


def test_a_diagnostic_says_more_than_what_came_out_wrong() -> None:
    seen = of(diagnostics=(FLAW,))
    assert seen.startswith(f"segment_sum: {FLAW.code} at {FLAW.file}:{FLAW.line}")
    assert of(diagnostics=(replace(FLAW, line=FLAW.line + 1),)) != seen
    assert of(diagnostics=(FLAW, FLAW)) == seen


@pytest.mark.parametrize("outcome", [Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.FAILED])
def test_how_a_call_ended_is_its_diagnosis(outcome: Outcome) -> None:
    seen = of(outcome=outcome, outputs={}, status=11, seconds=0.5)
    assert seen == f"segment_sum: the call {outcome.value}"


def test_damage_and_changed_inputs_are_diagnoses() -> None:
    assert "guard zone of y" in of(guard_damage=(GuardDamage("y", 4, 2),))
    assert "input x changed" in of(inputs_changed=("x",))


def test_a_broken_law_is_named() -> None:
    assert of("relation", "determinism") == "segment_sum: determinism does not hold"


def test_a_law_whose_first_call_breaks_down_is_told_as_any_call_that_does() -> None:
    crash: Any = {"outcome": Outcome.CRASHED, "outputs": {}, "status": 11}
    assert of("relation", "determinism", **crash) == of(**crash)
    assert of("relation", "layout", diagnostics=(FLAW,)) == of(diagnostics=(FLAW,))


def test_calls_that_must_be_refused_are_one() -> None:
    observation = observe(right(whole()))
    verdict = judge_rejection(refusal(), observation)
    seen = diagnosis(Judged(refusal().case, observation, verdict, "rejection", "rows"))
    assert seen == "segment_sum: a call that must be rejected"


def test_what_has_no_other_sign_is_told_by_its_headline_without_numbers() -> None:
    made, observation = whole(), observe(right(whole()))
    told = [
        diagnosis(Judged(made, observation, Verdict(False, f"toy, plain, int8: {n} of 9 rows")))
        for n in (1, 2)
    ]
    assert told[0] == told[1]


def test_a_warning_is_no_diagnosis() -> None:
    warning = Diagnostic("copy-empty", "warning", "an empty copy")
    assert "copy-empty" not in of(diagnostics=(warning,))
