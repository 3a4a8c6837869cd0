"""How an item ended: the lines that put it on record, and what pytest reports of it."""

from __future__ import annotations

from pathlib import Path
from traceback import format_exception
from unittest import SkipTest

import pytest

from conformance.catalogue import failure, session
from conformance.catalogue.message import packed, row
from conformance.errors import EnvironmentFailure, OperatorUnavailable, text_of
from conformance.evidence.lines import AnyLine, EnvironmentLine, ItemLine
from conformance.judge.broken import BROKEN, explained, is_broken, is_raised_in
from conformance.session.context import Context
from conformance.session.endings import BrokenRecord, Refused
from conformance.session.failure_text import tell, without_bundle
from conformance.session.trial import Trial

LOST = "conformance_lost"
"""The attribute of a report by which the controller knows that its environment failed."""

SAID = "conformance_said"
"""The attribute with the text of a report, as `packed` gives it: xdist sends no other objects."""


def made_report(
    item: pytest.Item,
    call: pytest.CallInfo[None],
    report: pytest.TestReport,
    trial: Trial,
    context: Context,
) -> pytest.TestReport:
    """The report of an item with what its trial says; the lines of that are written."""
    error = call.excinfo.value if call.excinfo is not None else None
    if isinstance(error, EnvironmentFailure | OperatorUnavailable):
        line = EnvironmentLine(worker=context.worker, item=item.nodeid, message=text_of(error))
        _lose(report, text_of(error))
        _put(context, report, line)
    elif isinstance(error, BrokenRecord):
        _explain(report, error, text_of(error))
    elif isinstance(error, Refused) and trial.smallest is not None:
        try:
            device = getattr(item, "funcargs", {}).get("device")
            told = tell(trial, trial.smallest, context, item.nodeid, device)
        except OSError as full:
            why: str = failure.NOT_WRITTEN(error=str(full))
            told = without_bundle(trial.smallest, context, item.nodeid, why)
            ended = ItemLine(worker=context.worker, item=item.nodeid, outcome="refused")
            _put(context, report, told, ended)
            _lose(report, why)
            return report
        except Exception as broken:  # of a contract: the verdict stands, and so does the session
            report.sections.append(("traceback", "".join(format_exception(broken))))
            why = row(explained(broken).splitlines()[:-1], "\n")
            told = without_bundle(trial.smallest, context, item.nodeid, why)
        report.longrepr = str(told.text)
        report.sections = [s for s in report.sections if s[0] != "Hypothesis"]
        ended = ItemLine(worker=context.worker, item=item.nodeid, outcome="refused")
        _put(context, report, told, ended)
    elif error is not None and _is_of_a_record(error, item):
        report.outcome = "failed"
        report.__dict__.pop("wasxfail", None)
        _explain(report, error, explained(error))
    elif error is None and call.when == "call":
        outcome = "withheld" if trial.withheld else "cut" if trial.cut else "accepted"
        ended = ItemLine(
            worker=context.worker, item=item.nodeid, outcome=outcome, reason=trial.withheld
        )
        _put(context, report, ended)
    return report


def _is_of_a_record(error: BaseException, item: pytest.Item) -> bool:
    """Whether code of a record or of the suite failed, or a record left as only a test may."""
    if isinstance(error, pytest.skip.Exception | pytest.xfail.Exception | SystemExit):
        record = Path(item.callspec.params["operator"].file)  # type: ignore[attr-defined]
        return isinstance(error, SystemExit) or is_raised_in(error, record.parent)
    return isinstance(error, Exception) and not isinstance(error, AssertionError | SkipTest)


def _explain(report: pytest.TestReport, error: BaseException, text: str) -> None:
    """Let a report say what went wrong and where; pytest's log keeps the traceback."""
    cause = error.__cause__ or error
    report.sections.append(("traceback", "".join(format_exception(cause))))
    text = text if is_broken(text) else BROKEN + text
    report.longrepr, report.__dict__[SAID] = str(text), packed(text)


def _put(context: Context, report: pytest.TestReport, *lines: AnyLine) -> None:
    """Write lines; where that fails, the report says so instead of what was judged."""
    try:
        for line in lines:
            context.write(line)
    except EnvironmentFailure as error:
        _lose(report, text_of(error))


def _lose(report: pytest.TestReport, message: str) -> None:
    """Turn a report into one of a failed environment; its ``lost`` is for the controller."""
    report.outcome, report.longrepr = "failed", str(session.NOTHING_JUDGED(reason=message))
    report.__dict__[LOST] = packed(message)
