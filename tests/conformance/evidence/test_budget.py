"""A budget: nothing new begins after it, and what was not reached is said."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conformance.errors import UsageError
from conformance.evidence.budget import (
    RELATIONS,
    SEQUENCES,
    SHARES,
    VALUES,
    Budget,
    parts,
    seconds_of_budget,
)
from conformance.session.selection import drawn_as
from tests.conformance.toy_runs import CELLS, ROOT, Run
from tests.slow import slow_but


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("10m", 600), ("2h", 7200), ("0.5s", 0.5), ("1.5m", 90)]
)
def test_a_budget_is_a_number_with_its_unit(text: str, seconds: float) -> None:
    assert seconds_of_budget(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "0s", "0.0m", "-1s", "1d", "s", "1e3s", "٣s", "1 s"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="allowed: a time above 0, such as 90s, 10m or 2h"):
        seconds_of_budget(text)


class Clock:
    """Seconds as a test says."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_is_shared_among_the_items_left() -> None:
    clock = Clock()
    budget = Budget(100, clock)
    budget.begin(parts(dict.fromkeys("abcd", VALUES)), processes=1)
    assert budget.share("a") == pytest.approx(100 / 4)
    clock.now = 10.0
    assert budget.share("b") == pytest.approx(10 + 90 / 3)
    clock.now = 90.0
    assert budget.share("c") == pytest.approx(90 + 10 / 2)
    clock.now = 95.0
    assert budget.share("d") == pytest.approx(100), "the last one may have all that is left"
    assert budget.share("a") == 100, "an item that another process was to run"


def spent(kinds: Mapping[str, str], seconds: float) -> dict[str, float]:
    """Seconds by what is drawn, where each item takes all the time that it gets."""
    clock = Clock()
    budget = Budget(seconds, clock)
    budget.begin(parts(kinds), processes=1)
    took: dict[str, float] = dict.fromkeys(kinds.values(), 0.0)
    for item, kind in kinds.items():
        end = budget.share(item)
        took[kind] += end - clock.now
        clock.now = end
    assert clock.now == pytest.approx(seconds)
    return took


def test_the_budget_goes_to_where_failures_are_found() -> None:
    values = {f"values {n}": VALUES for n in range(9)}
    relations = {f"relation {n}": RELATIONS for n in range(117)}
    took = spent({**values, **relations, "sequences": SEQUENCES}, 180)
    assert took == pytest.approx({VALUES: 126, RELATIONS: 36, SEQUENCES: 18})
    assert spent({**relations, **values}, 180) == pytest.approx({VALUES: 140, RELATIONS: 40})
    assert spent(relations, 180) == pytest.approx({RELATIONS: 180})


def test_the_shares_that_are_stated_are_those_that_are_given() -> None:
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    stated = ", ".join(f"{share:.0%} {kind}" for kind, share in SHARES.items())
    assert stated in text
    assert sum(SHARES.values()) == pytest.approx(1)


def test_a_template_draws_values_or_relations_or_sequences() -> None:
    cell = ("operator", "mode", "dtype", "device", "case")
    assert drawn_as(cell) == VALUES
    assert drawn_as((*cell, "relation")) == RELATIONS
    assert drawn_as(("operator", "device", "case")) == SEQUENCES


def test_a_process_that_replaces_another_gets_what_is_left() -> None:
    clock = Clock()
    clock.now = 50.0
    budget = Budget(100, clock)
    budget.begin(parts({"a": VALUES}), processes=1, at=10.0)
    assert budget.share("a") == 110
    assert not budget.spent
    clock.now = 110.0
    assert budget.spent


SLOW = "slow"
"""A toy that needs a hundredth of a second for a call: hundreds of cases take seconds."""


@pytest.mark.parametrize("workers", slow_but(["0"], ["0", "2"]))
def test_what_was_begun_is_judged_and_the_run_ends_in_order(run: Run, workers: str) -> None:
    ended = run("--conformance-budget=1s", "-n", workers, toy=SLOW)
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


def test_a_part_of_an_item_has_its_share_of_the_budget() -> None:
    kinds = {"whole": VALUES, "1of2": VALUES, "2of2": VALUES, "relation": RELATIONS}
    found = parts(kinds, {"whole": 1.0, "1of2": 0.5, "2of2": 0.5, "relation": 1.0})
    assert found["whole"] == pytest.approx(found["1of2"] + found["2of2"])
    assert found["1of2"] == found["2of2"]
    assert sum(found.values()) == pytest.approx(1)
    assert found["relation"] == parts(kinds)["relation"]
