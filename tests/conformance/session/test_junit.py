"""What CI servers and pytest's own options see of a run."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from tests.conformance.toy_runs import CELLS, Run


def properties(testcase: ElementTree.Element) -> dict[str, str]:
    return {one.attrib["name"]: one.attrib["value"] for one in testcase.iter("property")}


def test_junit_tells_operator_mode_and_dtype_of_every_item(run: Run) -> None:
    ended = run("-n", "2", "--junit-xml=junit.xml")
    found = {
        testcase.attrib["name"]: properties(testcase)
        for testcase in ElementTree.parse(ended.out.parents[1] / "junit.xml").iter("testcase")
    }
    for cell in CELLS:
        operator, mode, dtype = cell.split("-")
        expected = {"operator": operator, "mode": mode, "dtype": dtype, "route": "aclnn"}
        assert found[f"test_copies[{cell}]"].items() >= expected.items()


def test_junit_tells_the_name_of_a_named_call_and_its_mode(run: Run) -> None:
    run_of_calls = run("-k", "observes", "--junit-xml=junit.xml", file="check_quarantine.py")
    (testcase,) = ElementTree.parse(run_of_calls.out.parents[1] / "junit.xml").iter("testcase")
    told = properties(testcase)
    assert (told["quarantined"], told["mode"], told["dtype"]) == ("in doubt", "plain", "int32")


@pytest.mark.slow
def test_what_failed_last_runs_again_alone_and_junit_has_the_verdict(run: Run) -> None:
    assert run("-k", "int64", toy="wrong").status == 1
    again = run("--lf", "--junit-xml=junit.xml", toy="wrong")
    failed = [line.item for line in again.evidence.failures]
    assert again.evidence.selected == len(failed) > 0
    assert {line.item for line in again.verdicts()} == set(failed)
    told = ElementTree.parse(again.out.parents[1] / "junit.xml").iter("failure")
    assert [one.text for one in told] == [line.text for line in again.evidence.failures]


def test_a_run_that_stops_at_the_first_failure_says_that_it_is_incomplete(run: Run) -> None:
    ended = run("-x", toy="wrong")
    assert (ended.status, ended.evidence.status) == (1, "incomplete")
    assert len(ended.evidence.failures) == 1
    assert ended.evidence.unreached
