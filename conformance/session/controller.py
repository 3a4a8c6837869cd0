"""The controller's part of a run: it starts the run's folder and writes the summary at the end."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterable, Mapping
from typing import Any

import pytest

from conformance import places
from conformance.catalogue import session as say
from conformance.catalogue.message import unpacked
from conformance.draw.shared_rows import Shared, shared
from conformance.errors import (
    ACCEPTED,
    ENVIRONMENT,
    EnvironmentFailure,
    UsageError,
)
from conformance.evidence import run_folder
from conformance.evidence.coverage import Key, coverage, further
from conformance.evidence.exit_status import exit_status
from conformance.evidence.items import items_in_words, last_of_each
from conformance.evidence.lines import (
    AnyLine,
    DeviceLine,
    EnvironmentLine,
    FailureLine,
    ItemLine,
    LimitLine,
    OrderLine,
    read_lines,
)
from conformance.evidence.part import lacking_parts
from conformance.evidence.provenance import provenance
from conformance.evidence.shard import WHOLE
from conformance.evidence.summary import (
    COUNTED,
    Evidence,
    against,
    carried_out,
    lost_cards,
    lost_workers,
    now,
    observed,
    standard_rows,
    summarize,
    withheld,
    withheld_cells,
    write_evidence,
)
from conformance.evidence.tiling_keys import tiling_keys
from conformance.evidence.torch_functions import bindings, torch_functions
from conformance.judge.broken import BROKEN, explained
from conformance.names import bracket, cell_id
from conformance.printable import printable
from conformance.record.operator import RELATIONS, Operator
from conformance.session.context import BEGAN, BY_A_PERSON, BY_ITSELF, Context
from conformance.session.item_report import LOST, SAID
from conformance.session.resume import (
    check_judges,
    check_request,
    earlier_run,
    request,
)
from conformance.session.short_reason import Told
from conformance.session.template import item_ids
from conformance.session.worked_out import WORKED_OUT, adopt
from conformance.text.command_lines import command
from conformance.text.one_screen import beside, operator_table
from conformance.text.terminal import as_text, called_lines, table

CRASHED = re.compile(r"worker '\w+' crashed while ")
SESSION = "the session"
"""Under this name stands an error that ended the session, of no item in particular."""


class Controller:
    """Hooks of the one process that sees the whole run: pytest's own, or xdist's controller.

    Nothing is written unless a template's item is about to run: other tests in the same checkout
    leave the evidence of the last run alone.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self._ids = item_ids(context.operators, context.workloads, context.given)
        self.evidence: Evidence | None = None
        self.items: list[str] = []
        self.selected: set[str] = set()
        self.errors: dict[str, str] = {}
        self.lost: list[str] = [say.ENDED_EARLY()] if context.sums_up == BY_ITSELF else []
        self.interrupted = context.sums_up == BY_A_PERSON
        self._hold: run_folder.Hold | None = None
        self._clock = time.monotonic()
        self._worked_out: dict[str, bytes] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin the run where this process runs the items itself."""
        option = session.config.option
        if not option.collectonly and not session.config.pluginmanager.hasplugin("dsession"):
            self._begin(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker that replaces another when the run began: its budget began then."""
        if self.evidence is not None:
            node.workerinput[BEGAN] = self._clock

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: Iterable[str]) -> None:
        """Begin the run when the first worker knows its items; they run after all workers do."""
        self._begin(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Keep what a worker has worked out; one that crashed hands over nothing."""
        self.keep(getattr(node, "workeroutput", {}).get(WORKED_OUT, {}))

    def keep(self, worked_out: Mapping[str, bytes]) -> None:
        """Keep what a worker has worked out."""
        self._worked_out |= worked_out

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what could not be collected."""
        if report.failed:
            self.errors[report.nodeid] = report.longreprtext

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what failed; the summary tells refused verdicts from errors by the evidence."""
        if lost := getattr(report, LOST, ""):
            self.lost.append(unpacked(lost))
        elif report.failed and self._is_template(report.nodeid):
            # pytest's own text of a worker's report begins with the worker.
            said = report.longrepr
            if isinstance(said, str) and CRASHED.match(said):
                said = BROKEN + said
            if (told := unpacked(getattr(report, SAID, ""))) == said:
                said = told
            self.errors[report.nodeid] = said if isinstance(said, str) else report.longreprtext
            if isinstance(report.longrepr, str):
                report.longrepr = Told(report.longrepr)  # type: ignore[assignment]

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Remember that a person ended the run. For ``-x`` pytest raises classes of its own."""
        self.interrupted = excinfo.type in (KeyboardInterrupt, pytest.exit.Exception)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Keep what ended the session, though no item may name it; that of a worker is a text."""
        if self.evidence is not None:
            # xdist hands on a worker's error as the text of an assertion, with its traceback.
            said = str(excinfo.value).removesuffix("\nassert False").strip().splitlines()
            told = BROKEN + said[-1] if len(said) > 1 else explained(excinfo.value)
            self.errors.setdefault(SESSION, told)

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """Write ``evidence.json``; a run that the suite does not accept fails for pytest too."""
        evidence = self.evidence
        try:
            yield
        except OSError as error:
            if evidence is None:
                raise
            self.lost.append(say.REPORTS_NOT_WRITTEN(error=str(error)))
        if evidence is None:
            return
        self._sum_up(evidence, list(read_lines(self.context.out)))
        try:
            write_evidence(self.context.out, evidence)
        except OSError as error:
            told = say.EVIDENCE_NOT_WRITTEN(out=str(self.context.out), error=error.strerror)
            evidence.exit_status = ENVIRONMENT
            session.exitstatus = ENVIRONMENT
            raise pytest.exit.Exception(str(told), ENVIRONMENT) from error
        if session.exitstatus == pytest.ExitCode.OK and evidence.exit_status != ACCEPTED:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if evidence.exit_status == ENVIRONMENT:
            session.exitstatus = ENVIRONMENT

    def pytest_unconfigure(self) -> None:
        """Give the run's folder back."""
        if self._hold is not None:
            self._hold.release()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the run on one screen, or whole if pytest is ``--verbose``, and where its evidence
        is.
        """
        evidence = self.evidence
        if evidence is not None and evidence.status != "running":
            verbose = terminalreporter.verbosity > 0
            terminalreporter.section("conformance")
            cells = table(evidence) if verbose else operator_table(evidence)
            terminalreporter.write(as_text(cells))
            for line in (*beside(evidence, verbose=verbose), *called_lines(evidence)):
                terminalreporter.line(printable(line))
            path = str(self.context.out / "evidence.json")
            terminalreporter.line(str(say.EVIDENCE(path=path)))

    def _sum_up(self, evidence: Evidence, lines: list[AnyLine]) -> None:
        """Fill in what the lines of all processes say together, and how the run came out."""
        away = withheld_cells(lines)
        here = [key for key in self._declared() if cell_id(*key) not in away]
        evidence.cells, evidence.withheld = summarize(lines, here), withheld(lines)
        evidence.selected = len(self.selected - away)
        evidence.standards, evidence.against = standard_rows(lines), against(lines)
        evidence.carried_out = carried_out(lines)
        evidence.cases = sum(cell.cases for cell in evidence.cells)
        evidence.devices = _distinct(line for line in lines if isinstance(line, DeviceLine))
        evidence.orders = _orders(line for line in lines if isinstance(line, OrderLine))
        limits = (line for line in lines if isinstance(line, LimitLine))
        evidence.limits = list({line.operator: line for line in limits}.values())
        failures = (line for line in lines if isinstance(line, FailureLine))
        evidence.failures = last_of_each(failures)
        evidence.observed = observed(lines)
        evidence.lost_cards = lost_cards(lines)
        evidence.lost_workers = lost_workers(lines)
        evidence.tiling_keys = tiling_keys(lines, self.context.traits.tiling_keys, COUNTED)
        declared_functions = bindings(self.context.operators)
        evidence.torch_functions = torch_functions(lines, declared_functions, COUNTED)
        refused = {line.item for line in evidence.failures}
        outcomes = {line.item: line.outcome for line in lines if isinstance(line, ItemLine)}
        losses = [line for line in lines if isinstance(line, EnvironmentLine)]
        losses = [line for line in losses if line.item not in outcomes]
        told = (*(line.message for line in losses), *self.lost)
        evidence.environment = list(dict.fromkeys(told))
        lost = {line.item for line in losses}
        evidence.errors = {k: v for k, v in self.errors.items() if k not in refused | lost}
        evidence.cut = [item for item in self.items if outcomes.get(item) == "cut"]
        met = outcomes.keys() | lost | evidence.errors.keys()
        evidence.unreached = [item for item in self.items if item not in met]
        ended = set(self.items) & outcomes.keys() - evidence.errors.keys() - set(evidence.cut)
        early = {bracket(item) for item in set(self.items) - ended}
        for cell in evidence.cells:
            cell.complete = cell_id(cell.operator, cell.mode, cell.dtype) not in early
        ids = {cell_id(c.operator, c.mode, c.dtype) for c in evidence.cells if c.cases}
        evidence.unjudged = sorted(self.selected - ids - away)
        adopt(self.context.operators, self._worked_out)
        declared = self._shared(away)
        apart = lacking_parts(self.items)
        drawn = self._drawn(ids & self.selected - early - apart)
        profile = self.context.profile
        evidence.coverage = coverage(
            lines, declared, profile, COUNTED, drawn, self._cells_named(apart)
        )
        evidence.further = further(declared.values(), profile)
        evidence.seconds = round(evidence.seconds + time.monotonic() - self._clock, 3)
        evidence.exit_status = exit_status(evidence, interrupted=self.interrupted)
        whole = not (evidence.cut or evidence.unreached)
        evidence.status = "finished" if whole else "incomplete"
        if self.interrupted:
            evidence.status = "interrupted"

    def _begin(self, ids: Iterable[str]) -> None:
        mine = [nodeid for nodeid in ids if self._is_template(nodeid)]
        if self.evidence is not None or not mine:
            return
        context = self.context
        context.judges = True
        cells = {cell_id(*key) for key in self._declared()}
        self.items = mine
        self.selected = cells & {bracket(nodeid) for nodeid in mine}
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
            left_out={**context.left_out, **self._without_items(mine)},
            provenance={
                **provenance(places.root(), context.directories),
                "command": command(context.arguments),
                "corpus": context.kept.corpus,
                "regressions": context.kept.regressions,
            },
            request={**request(context.asked), "items": items_in_words(mine)},
        )
        try:
            self._hold = self._take(evidence)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error
        except EnvironmentFailure as error:
            pytest.exit(printable(str(error)), ENVIRONMENT)
        self.evidence = evidence

    def _without_items(self, ids: Iterable[str]) -> dict[str, str]:
        """The operators asked for by name of which no item was selected, with the reason."""
        if self.context.shard != WHOLE:
            return {}
        first = {bracket(nodeid).partition("-")[0] for nodeid in ids}
        judged = {operator.name for operator in self.context.operators}
        return {
            one: say.NO_ITEM() for one in self.context.named if one in judged and one not in first
        }

    def _shared(self, away: set[str]) -> dict[Key, Shared]:
        """The discrete cells of all modes but those that are ``away``, whatever the run was asked
        of them; none where only relations or a standard make the values, or the libraries want
        machines on which not all of them can be shown.
        """
        context = self.context
        elsewhere = context.by_standard.prescribes or context.traits.least_ub_bytes
        if elsewhere or context.oracle == RELATIONS:
            return {}
        return {
            (operator.name, mode.name, cells.dtype): cells
            for operator in context.operators
            for mode in operator.modes
            for cells in shared(operator, mode.name, operator.dtypes_in(mode.name))
            if not away & {cell_id(operator.name, mode.name, dtype) for dtype in cells.of_each}
        }

    def _drawn(self, cells: set[str]) -> set[Key]:
        """Operator, mode and data type of the ``cells`` whose rows were all drawn: those of all
        data types that share them and that the run asked for.
        """
        return {
            (operator.name, mode.name, dtype)
            for operator in self.context.operators
            for mode in operator.modes
            for together in shared(operator, mode.name, self._asked(operator, mode.name))
            if {cell_id(operator.name, mode.name, dtype) for dtype in together.of_each} <= cells
            for dtype in together.of_each
        }

    def _cells_named(self, names: set[str]) -> set[Key]:
        return {key for key in self._declared() if cell_id(*key) in names}

    def _asked(self, operator: Operator, mode: str) -> list[str]:
        """The data types in which the run asks a mode."""
        return [
            dtype
            for dtype in operator.dtypes_in(mode)
            if cell_id(operator.name, mode, dtype) in self.selected
        ]

    def _take(self, evidence: Evidence) -> run_folder.Hold:
        """Begin the folder of the run, or go on in it. Raises UsageError, EnvironmentFailure."""
        out = self.context.out
        if not self.context.resume:
            return run_folder.start(out, evidence)
        earlier = earlier_run(out)
        check_request(out, earlier.request, evidence.request)
        check_judges(out, earlier.provenance, evidence.provenance)
        evidence.started, evidence.parts = earlier.started, earlier.parts + 1
        evidence.seconds = earlier.seconds
        if earlier.status == "running":
            evidence.seconds += run_folder.seconds_on_record(out)
        return run_folder.go_on(out, evidence)

    def _is_template(self, nodeid: str) -> bool:
        return bracket(nodeid) in self._ids

    def _declared(self) -> list[tuple[str, str, str]]:
        if self.context.oracle == RELATIONS:
            return []
        return [
            (operator.name, mode, dtype)
            for operator in self.context.operators
            for mode, dtype in operator.declared_cells
        ]


def _orders(lines: Iterable[OrderLine]) -> list[OrderLine]:
    """The latest line for each operator, dtype and row length, though several parts probed."""
    return list({(line.operator, line.dtype, line.slots): line for line in lines}.values())


def _distinct(lines: Iterable[DeviceLine]) -> list[DeviceLine]:
    """One line for each device profile, though several workers opened it."""
    seen: list[DeviceLine] = []
    for line in lines:
        if all(line.profile != other.profile for other in seen):
            seen.append(line)
    return seen
