"""What a worker reports of an item reaches the controller in both languages, though xdist sends
plain values alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import execnet
import pytest

from conformance.catalogue import session as say
from conformance.catalogue.message import within
from conformance.errors import EnvironmentFailure
from conformance.judge.broken import BROKEN
from conformance.session.controller import Controller
from conformance.session.endings import BrokenRecord
from conformance.session.item_report import LOST, made_report

ITEM = "test_values[toy-plain-int8]"
WRONG = say.NOT_OF_THE_RECORD(operator="toy", other="'another'")
HELD = say.EVIDENCE_NOT_WRITTEN(out="out", error="No space left on device")


def sent(error: BaseException) -> pytest.TestReport:
    """The report of an item that ended so, as the controller gets it from a worker."""
    call = SimpleNamespace(excinfo=SimpleNamespace(value=error), when="call")
    item = SimpleNamespace(nodeid=ITEM)
    context = SimpleNamespace(worker="gw0", write=lambda line: None)
    report = pytest.TestReport(ITEM, ("", 0, ""), {}, "failed", None, "call")
    made: Any = made_report(item, call, report, SimpleNamespace(), context)  # type: ignore
    return pytest.TestReport._from_json(execnet.loads(execnet.dumps(made._to_json())))


def controller() -> Controller:
    made = object.__new__(Controller)
    made._ids, made.errors, made.lost = frozenset({"toy-plain-int8"}), {}, []
    return made


def test_an_error_of_a_record_keeps_its_chinese() -> None:
    report, seen = sent(BrokenRecord(WRONG)), controller()
    assert report.longreprtext == BROKEN + WRONG
    seen.pytest_runtest_logreport(report)
    assert seen.errors == {ITEM: BROKEN + WRONG}
    assert within(WRONG, "zh") in within(seen.errors[ITEM], "zh")


def test_what_a_plugin_made_of_a_report_stands() -> None:
    report, seen = sent(BrokenRecord(WRONG)), controller()
    report.longrepr = "something else"
    seen.pytest_runtest_logreport(report)
    assert seen.errors == {ITEM: "something else"}


def test_what_is_lost_keeps_its_chinese() -> None:
    report, seen = sent(EnvironmentFailure(HELD)), controller()
    assert report.longreprtext == f"nothing was judged: {HELD}"
    assert getattr(report, LOST, "")
    seen.pytest_runtest_logreport(report)
    assert [within(one, "zh") for one in seen.lost] == [within(HELD, "zh")]
