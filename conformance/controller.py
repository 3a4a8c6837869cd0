"""The controller's part of a run: it starts the run's folder and writes the summary at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest

from conformance import run_folder, suite
from conformance.context import Context
from conformance.evidence import DeviceLine, EnvironmentLine, FailureLine, OrderLine, read_lines
from conformance.provenance import provenance
from conformance.reporting.terminal import as_text
from conformance.summary import Evidence, now, standard_rows, summarize, write_evidence
from conformance.template import cell_id

ACCEPTED, REFUSED, NOTHING_TO_DO, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses of the front door; `conformance.cli` says what they mean."""


class Controller:
    """Hooks of the one process that sees the whole run: pytest's own, or xdist's controller.

    Nothing is written unless a template's item is about to run: other tests in the same checkout
    leave the evidence of the last run alone.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.evidence: Evidence | None = None
        self.selected: set[str] = set()
        self.errors: dict[str, str] = {}
        self.ended: set[str] = set()
        self.interrupted = False
        self._clock = time.monotonic()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin the run where this process runs the items itself."""
        option = session.config.option
        if not option.collectonly and not session.config.pluginmanager.hasplugin("dsession"):
            self._begin(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: Iterable[str]) -> None:
        """Begin the run when the first worker knows its items; they run after all workers do."""
        self._begin(ids)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what could not be collected."""
        if report.failed:
            self.errors[report.nodeid] = report.longreprtext

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what failed; the summary tells refused verdicts from errors by the evidence."""
        if report.when == "call":
            self.ended.add(_bracket(report.nodeid))
        if report.failed and self._is_template(report.nodeid):
            self.errors[report.nodeid] = report.longreprtext

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Remember that a person ended the run. For ``-x`` pytest raises classes of its own."""
        self.interrupted = excinfo.type in (KeyboardInterrupt, pytest.exit.Exception)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write ``evidence.json``; a run that the suite does not accept fails for pytest too."""
        evidence = self.evidence
        if evidence is None:
            return
        out = self.context.out
        lines = list(read_lines(out))
        evidence.cells = summarize(lines, self._declared())
        evidence.standards = standard_rows(lines)
        evidence.cases = sum(cell.cases for cell in evidence.cells)
        evidence.devices = _distinct(line for line in lines if isinstance(line, DeviceLine))
        evidence.orders = [line for line in lines if isinstance(line, OrderLine)]
        evidence.failures = [line for line in lines if isinstance(line, FailureLine)]
        told = (line.message for line in lines if isinstance(line, EnvironmentLine))
        evidence.environment = list(dict.fromkeys(told))
        refused = {line.item for line in evidence.failures}
        lost = {line.item for line in lines if isinstance(line, EnvironmentLine)}
        evidence.errors = {k: v for k, v in self.errors.items() if k not in refused | lost}
        ended = self.ended - {_bracket(item) for item in lost | set(evidence.errors)}
        for cell in evidence.cells:
            name = cell_id(cell.operator, cell.mode, cell.dtype)
            cell.complete = name in ended or name not in self.selected
        ids = {cell_id(c.operator, c.mode, c.dtype) for c in evidence.cells if c.cases}
        evidence.unjudged = sorted(self.selected - ids)
        evidence.seconds = round(time.monotonic() - self._clock, 3)
        evidence.exit_status = exit_status(evidence, interrupted=self.interrupted)
        evidence.status = "interrupted" if self.interrupted else "finished"
        write_evidence(out, evidence)
        if session.exitstatus == pytest.ExitCode.OK and evidence.exit_status != ACCEPTED:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if evidence.exit_status == ENVIRONMENT:
            session.exitstatus = ENVIRONMENT

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the table of the run and where its evidence is."""
        if self.evidence is not None and self.evidence.status != "running":
            terminalreporter.section("conformance")
            terminalreporter.write(as_text(self.evidence))
            terminalreporter.line(f"evidence: {self.context.out / 'evidence.json'}")

    def _begin(self, ids: Iterable[str]) -> None:
        mine = [nodeid for nodeid in ids if self._is_template(nodeid)]
        if self.evidence is not None or not mine:
            return
        context = self.context
        cells = {cell_id(*key) for key in self._declared()}
        self.selected = cells & {_bracket(nodeid) for nodeid in mine}
        evidence = Evidence(
            declared=len(cells),
            selected=len(self.selected),
            started=now(),
            profile=context.profile.name,
            seed=context.seed,
            device=context.device,
            route=context.route,
            standard=context.by_standard.words,
            operators=[operator.name for operator in context.operators],
            provenance=provenance(suite.root()),
        )
        try:
            run_folder.start(context.out, evidence)
        except suite.UsageError as error:
            raise pytest.UsageError(str(error)) from error
        self.evidence = evidence

    def _is_template(self, nodeid: str) -> bool:
        return _bracket(nodeid).startswith(tuple(f"{o.name}-" for o in self.context.operators))

    def _declared(self) -> list[tuple[str, str, str]]:
        return [
            (operator.name, mode.name, dtype)
            for operator in self.context.operators
            for mode in operator.modes
            for dtype in operator.dtypes
        ]


def exit_status(evidence: Evidence, *, interrupted: bool = False) -> int:
    """The front door's status of a run that has ended."""
    if interrupted:
        return INTERRUPTED
    if evidence.failures:
        return REFUSED
    if evidence.environment:
        return ENVIRONMENT
    if evidence.errors or evidence.unjudged:
        return REFUSED
    return ACCEPTED if evidence.cases else NOTHING_TO_DO


def _bracket(nodeid: str) -> str:
    """What stands in the brackets of an item's id, if it has any."""
    return nodeid.partition("[")[2].rstrip("]")


def _distinct(lines: Iterable[DeviceLine]) -> list[DeviceLine]:
    """One line for each device profile, though several workers opened it."""
    seen: list[DeviceLine] = []
    for line in lines:
        if all(line.profile != other.profile for other in seen):
            seen.append(line)
    return seen
