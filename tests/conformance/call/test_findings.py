"""How the findings of a call are told."""

from __future__ import annotations

from conformance.call.findings import call_findings
from conformance.call.observation import Diagnostic, EarlierAccess, Observation, Outcome
from conformance.devices.answers import _diagnostics

RACE = """[{"code": "race", "severity": "error", "message": "two blocks meet",
"advice": "part them", "kernel": "sum", "file": "sum.cpp", "line": 7, "block": 1,
"pipe": "MTE3", "address": 64,
"earlier": {"operation": "DataCopy", "file": "sum.cpp", "line": 5, "block": 0, "pipe": "MTE2"}}]"""


def test_a_finding_about_two_accesses_tells_both() -> None:
    found = _diagnostics(RACE)
    assert found[0].earlier == EarlierAccess("DataCopy", "sum.cpp", 5, 0, "MTE2")
    assert call_findings(Observation(Outcome.FAILED, diagnostics=found)) == (
        "error race: two blocks meet (sum.cpp:7, kernel sum, block 1, pipe MTE3)\n"
        "  after: DataCopy (sum.cpp:5, block 0, pipe MTE2)\n"
        "  advice: part them",
    )


def test_a_finding_about_one_access_names_no_other() -> None:
    found = _diagnostics(RACE[: RACE.index(',\n"earlier"')] + ', "earlier": null}]')
    assert "after:" not in call_findings(Observation(Outcome.FAILED, diagnostics=found))[0]


def test_of_warnings_of_one_code_the_first_place_is_told_and_the_others_are_counted() -> None:
    found = (
        Diagnostic("event-fixed", "warning", "flag 0", file="sum.cpp", line=3),
        Diagnostic("event-fixed", "warning", "flag 1", file="sum.cpp", line=4),
        Diagnostic("copy-empty", "warning", "nothing", file="sum.cpp", line=5),
        Diagnostic("race", "error", "here", file="sum.cpp", line=8),
        Diagnostic("race", "error", "there", file="sum.cpp", line=9),
        Diagnostic("event-fixed", "warning", "flag 0", file="sum.cpp", line=3),
    )
    assert call_findings(Observation(Outcome.FAILED, diagnostics=found)) == (
        "error race: here (sum.cpp:8)",
        "error race: there (sum.cpp:9)",
        "warning event-fixed: flag 0 (sum.cpp:3), 2 times",
        "warning copy-empty: nothing (sum.cpp:5)",
        "and 1 more diagnostic",
    )
