"""Failures of one diagnosis are told once, by the smallest case that was made smaller."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from conformance.catalogue.message import LANGUAGES
from conformance.cli import html
from conformance.cli import result as outcome
from conformance.evidence.lines import FailureLine
from conformance.evidence.summary import Evidence
from conformance.gate.groups import groups
from conformance.text.language import Speaking


def failure(item: str, diagnosis: str, elements: int = 1, *, as_drawn: bool = False) -> FailureLine:
    return FailureLine(
        worker="main",
        item=f"cases/test_values.py::test_values[{item}]",
        operator="toy",
        mode="plain",
        dtype="float32",
        digest=item,
        case=f"failures/{item}/case.json",
        elements=elements,
        headline=f"headline of {item}",
        text=f"text of {item}",
        diagnosis=diagnosis,
        as_drawn=as_drawn,
    )


def regression(item: str, diagnosis: str, elements: int = 9) -> FailureLine:
    made = failure(item, diagnosis, elements, as_drawn=True)
    made.text = f"""text of {item}
  regression called: {item} is back
  kept for: it was wrong in {item}
  reported: {LINK}/{item}
  replay: none"""
    made.links = [f"{LINK}/{item}"]
    return made


LINK = "https://example.org/issues"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_regression_is_told_with_its_reason_and_reports_though_another_failure_stands_for_it(
    language: str, tmp_path: Path
) -> None:
    groups_of_their_own = [failure(f"g{at}", f"other {at}", at) for at in range(4)]
    last = regression("last", "seen by nobody", 99)
    evidence = Evidence(
        cases=9,
        failures=[
            failure("a", "y wrong", 1),
            regression("b", "y wrong"),
            *groups_of_their_own,
            last,
        ],
    )
    console = Speaking(language, file=io.StringIO(), width=200)
    outcome.tell(tmp_path, evidence, 1, console)
    page = html.render(evidence, language)
    for told in (console.file.getvalue(), page):  # type: ignore[attr-defined]
        for item in ("b", "last"):
            assert f"{item} is back" in told
            assert f"it was wrong in {item}" in told
            assert f"{LINK}/{item}" in told
    assert page.count(f'<a href="{LINK}/b"') == 1


def shown(*failures: FailureLine) -> list[tuple[str, list[str]]]:
    return [(one.show.digest, [other.digest for other in one.others]) for one in groups(failures)]


def test_of_one_diagnosis_the_smallest_case_stands_for_all() -> None:
    found = shown(failure("a", "y wrong", 9), failure("b", "y wrong", 3), failure("c", "crash", 5))
    assert found == [("b", ["a"]), ("c", [])]


def test_what_was_made_smaller_stands_before_what_is_as_it_was_drawn() -> None:
    drawn = failure("a", "y wrong", 3, as_drawn=True)
    assert shown(drawn, failure("b", "y wrong", 7)) == [("b", ["a"])]


def test_failures_without_a_diagnosis_on_record_stand_for_themselves() -> None:
    assert shown(failure("a", ""), failure("b", "")) == [("a", []), ("b", [])]


SAME = [failure(f"i{n}", "toy: y wrong", n) for n in range(1, 8)]
OTHERS = [failure(f"o{n}", f"toy: crash {n}", 10 + n) for n in range(4)]
RUN = Evidence(exit_status=1, status="finished", failures=[*SAME, *OTHERS], declared=1)


def test_a_terminal_shows_one_of_each_diagnosis_and_names_the_others(tmp_path: Path) -> None:
    console = Speaking("en", file=io.StringIO(), width=200)
    outcome.tell(tmp_path, RUN, 1, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert [f"text of {name}" in said for name in ("i1", "i2", "o0", "o1", "o2")] == [
        True, False, True, True, False,
    ]  # fmt: skip
    assert "of the same diagnosis: 6 items: test_values[i2], test_values[i3]" in said
    assert "2 more failed items: " in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_shows_one_of_each_diagnosis_and_names_the_others(language: str) -> None:
    page = html.render(RUN, language)
    assert "headline of i1" in page
    assert "headline of i2" not in page
    assert "test_values[i2], test_values[i3]" in page
