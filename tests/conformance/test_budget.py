"""A budget: nothing new begins after it, and what was not reached is said."""

from __future__ import annotations

import time

import pytest

from conformance.budget import Budget, seconds_of_budget
from conformance.suite import UsageError
from tests.conformance.toy_runs import CELLS, Run


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("10m", 600), ("2h", 7200), ("0.5s", 0.5), ("1.5m", 90)]
)
def test_a_budget_is_a_number_with_its_unit(text: str, seconds: float) -> None:
    assert seconds_of_budget(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "0s", "0.0m", "-1s", "1d", "s", "1e3s", "٣s", "1 s"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="allowed: a time above 0, such as 90s, 10m or 2h"):
        seconds_of_budget(text)


def test_the_time_left_is_shared_among_the_items_left(monkeypatch: pytest.MonkeyPatch) -> None:
    at = iter([0.0, 0.0, 10.0, 90.0, 95.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(at))
    budget = Budget(100)
    budget.begin(items=3)
    assert budget.share() == pytest.approx(100 / 3)
    assert budget.share() == pytest.approx(10 + 90 / 2)
    assert budget.share() == 100, "the last one may have all that is left"
    assert budget.share() == 100, "an item that another process was to run"


def test_a_process_that_replaces_another_gets_what_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 50.0)
    budget = Budget(100)
    budget.begin(items=1, at=10.0)
    assert budget.share() == 110
    assert not budget.spent
    monkeypatch.setattr(time, "monotonic", lambda: 110.0)
    assert budget.spent


SLOW = "slow"
"""A toy that needs a hundredth of a second for a call: 300 cases of 4 cells take 12 s."""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_was_begun_is_judged_and_the_run_ends_in_order(run: Run, workers: str) -> None:
    ended = run("--conformance-budget=4s", "-n", workers, toy=SLOW)
    evidence = ended.evidence
    assert evidence.status == "incomplete"
    assert ended.status == evidence.exit_status == (1 if evidence.unreached else 0)
    early = {item.partition("[")[2].rstrip("]") for item in evidence.cut + evidence.unreached}
    assert early
    for cell in evidence.cells:
        name = f"{cell.operator}-{cell.mode}-{cell.dtype}"
        assert cell.complete == (name not in early)
        assert bool(cell.cases) == (not any(name in item for item in evidence.unreached))
    assert "incomplete" in ended.output


def test_what_was_not_reached_is_named_and_fails_the_run(run: Run) -> None:
    ended = run("--conformance-budget=0.001s", "-k", "careful")
    assert ended.status == 1
    evidence = ended.evidence
    assert (evidence.status, evidence.exit_status, evidence.cases) == ("incomplete", 1, 0)
    assert [item.partition("[")[2] for item in evidence.unreached] == [f"{c}]" for c in CELLS[2:]]


def test_a_refusal_within_the_budget_is_told_with_its_case(run: Run) -> None:
    ended = run("--conformance-budget=3s", "-k", "careful and int64", toy="slow and wrong")
    assert ended.status == 1
    (failure,) = ended.evidence.failures
    assert "y is wrong in 1 of" in failure.text
    assert "  replay: python -m conformance replay " in failure.text


def test_a_run_that_ends_in_time_does_not_notice_its_budget(run: Run) -> None:
    ended = run("--conformance-budget=10m", "-k", "plain and int32")
    assert ended.status == 0
    assert (ended.evidence.status, ended.evidence.cut) == ("finished", [])
