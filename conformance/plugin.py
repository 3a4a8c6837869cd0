"""The pytest plugin (``-p conformance.plugin``): options, the device, items, and the evidence."""

from __future__ import annotations

import inspect
import math
import time
from collections import defaultdict
from collections.abc import Generator, Hashable, Iterable, Iterator
from typing import Any

import pytest

from conformance.call.case import Case
from conformance.catalogue import plugin as say
from conformance.catalogue import session
from conformance.devices.device import Device, DeviceProfile
from conformance.devices.open import Kernels, open_device
from conformance.devices.packages.delivered import delivered
from conformance.devices.pair import Pair
from conformance.devices.withheld_calls import as_refused, cell_withheld, why_withheld
from conformance.draw.profiles import PROFILES
from conformance.errors import ENVIRONMENT, EnvironmentFailure, UsageError, text_of
from conformance.evidence.coverage import levels_of
from conformance.evidence.lines import Place, verdict_line
from conformance.evidence.part import Part
from conformance.judge.judged import Judged
from conformance.names import unmarked
from conformance.numerics.arithmetic import Arithmetic
from conformance.printable import printable
from conformance.record.operator import ORACLES, ROUTES
from conformance.session.binding import OfRun, Streams, bind
from conformance.session.context import BY_A_PERSON, BY_ITSELF, DEFAULTS, Context
from conformance.session.controller import Controller
from conformance.session.function_probe import probe_functions
from conformance.session.item_report import made_report
from conformance.session.junit import properties
from conformance.session.kept_memory import keep_memory
from conformance.session.known_diagnoses import KnownDiagnoses
from conformance.session.late_warnings import Ending
from conformance.session.marks import mark, register
from conformance.session.planned_cases import sequences_of_each
from conformance.session.probe import probed
from conformance.session.rare_collection import never_collected_at_exit, rarely_collected
from conformance.session.resume import check_device
from conformance.session.search import follow, search
from conformance.session.search_budget import SearchBudget
from conformance.session.selection import Selection, draws
from conformance.session.template import (
    DRAWN,
    Asked,
    Body,
    body_of,
    cell_asked,
    draws_sequences,
    fixed_parameters,
    named_case,
    parametrize,
)
from conformance.session.timing_probe import timing_lines
from conformance.session.trial import Refused, Trial
from conformance.session.worked_out import Worker
from conformance.suite import records as suite

TRIAL = pytest.StashKey[Trial]()
BODY = pytest.StashKey[Body]()
STREAMS = pytest.StashKey[Streams]()
CONTEXT = pytest.StashKey[Context]()
ASKED = pytest.StashKey[dict[Hashable, set[Any]]]()
"""Of a session: the data types in which it asks each template of an operator and mode."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, all with long names that no other plugin uses."""
    group = parser.getgroup("conformance", "conformance of Ascend operators")

    def add(name: str, **how: Any) -> None:
        destination = f"conformance_{name.replace('-', '_')}"
        how["help"] = str(how["help"])
        group.addoption(f"--conformance-{name}", dest=destination, **how)

    add("device", metavar="SPEC", help=say.DEVICE())
    add("profile", metavar="NAME", help=_one_of(PROFILES, "profile"))
    add("route", metavar="NAME", help=_one_of(ROUTES, "route"))
    add("operators", metavar="DIR", action="append", help=say.RECORDS())
    add("operator", metavar="NAME", action="append", help=say.OPERATOR())
    add("seed", metavar="N", help=say.SEED())
    add("budget", metavar="TIME", help=say.BUDGET())
    add("shard", metavar="I/N", help=say.SHARD())
    add("times", metavar="RUN", help=say.TIMES())
    add("timing", metavar="N", help=say.TIMING())
    add("split", metavar="N", help=say.SPLIT())
    add("resume", action="store_true", help=say.RESUME())
    add("sum-up", choices=[BY_A_PERSON, BY_ITSELF], help=say.SUM_UP())
    add("out", metavar="DIR", help=say.OUT())
    add("time-limit", metavar="SECONDS", help=say.TIME_LIMIT())
    add("libraries", metavar="DIR", help=say.LIBRARIES())
    add("package", metavar="DIR", help=say.PACKAGE())
    add("implementation", metavar="OP=WHERE", action="append", help=say.IMPLEMENTATION())
    add("tensors", metavar="NAME", help=say.TENSORS())
    add("lenient", metavar="yes", choices=["yes"], help=say.LENIENT())
    add("against", metavar="WHAT", help=say.AGAINST())
    add("against-python", metavar="PYTHON", help=say.AGAINST_PYTHON())
    add("same", metavar="bits", help=say.SAME())
    add("oracle", metavar="NAME", help=_one_of(ORACLES, "oracle"))
    add("workload", metavar="NAME", action="append", help=say.WORKLOAD())
    add("case", metavar="DIR", help=say.CASE())
    add("standard", metavar="NAME", help=say.STANDARD())
    add("left-out", metavar="NAME=REASON", action="append", help=say.LEFT_OUT())
    add("named", metavar="NAME", action="append", help=say.NAMED())
    add("standards", metavar="all", choices=["all"], help=say.STANDARDS())


def _one_of(names: Iterable[str], option: str) -> str:
    return say.ONE_OF(names=tuple(names), default=DEFAULTS[option])


def pytest_configure(config: pytest.Config) -> None:
    """Check the options; a wrong one ends pytest with its usage status."""
    try:
        context = Context(config)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error
    except EnvironmentFailure as failure:
        pytest.exit(str(failure), ENVIRONMENT)
    config.stash[CONTEXT] = context
    never_collected_at_exit()
    register(config)
    # A covering row is repeated as it was drawn, large as it may be; nobody prints it.
    config.addinivalue_line("filterwarnings", "ignore:Generating overly large")
    # Where CI is set, pytest's summary would repeat every failure text whole.
    config.option.force_short_summary = True
    config.pluginmanager.register(Selection(context), "conformance-selection")
    config.pluginmanager.register(Ending(context), "conformance-ending")
    if context.is_worker:
        config.pluginmanager.register(Worker(context.operators), "conformance-worker")
    else:
        config.pluginmanager.register(Controller(context), "conformance-controller")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close this process's evidence file."""
    if CONTEXT in config.stash:
        config.stash[CONTEXT].close()


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Judge without looking for garbage every few objects, or for memory for each array."""
    keep_memory()
    with rarely_collected():
        return (yield)


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> Iterator[Device]:
    """The device under judgement: one for each pytest process, closed at its end."""
    context = pytestconfig.stash[CONTEXT]
    kernels = suite.kernel_folders(context.operators, context.directories)
    called = suite.with_related(context.operators, context.records, context.oracle)
    kernels_asked = Kernels(kernels, suite.kernel_names(called, kernels))
    try:
        opened = open_device(
            context.device,
            time_limit=context.time_limit,
            libraries=context.libraries,
            kernels=kernels_asked,
            route=context.route,
            package=delivered(context.package, context.operators),
            functions=context.functions,
        )
    except (ValueError, UsageError) as error:
        raise EnvironmentFailure(text_of(error)) from error
    try:
        _probe(opened, context)
        if context.resume:
            _same_device(context, opened)
        if context.probes:
            for line in probed(opened, context.operators, context.worker):
                context.write(line, opened)
            if context.timing and opened.profile.kind == "npu":
                for timed in timing_lines(
                    opened, context.operators, context.timing, context.worker
                ):
                    context.write(timed, opened)
        if context.against is not None:
            asked = context.time_limit, context.records, context.operators
            opened = context.against.paired(opened, kernels_asked, *asked)
        yield opened
    finally:
        opened.close()


def _probe(opened: Device, context: Context) -> None:
    """Probe the functions. Raises `EnvironmentFailure` if those offered cannot be called."""
    try:
        probe_functions(opened, context.operators)
    except UsageError as error:
        raise EnvironmentFailure(text_of(error)) from error


def _same_device(context: Context, opened: Device) -> None:
    """Raise `EnvironmentFailure` for another device than that of the run which goes on."""
    try:
        check_device(context.out, opened.profile)
    except UsageError as error:
        raise EnvironmentFailure(text_of(error)) from error


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Item] | None:
    """Give a template its parametrize mark before pytest makes items of it."""
    body = body_of(obj)
    if body is None:
        return None
    context = collector.config.stash[CONTEXT]
    # Who names items is not to find that this one is left out.
    by_name = bool(collector.config.option.keyword)
    asked = Asked(
        context.oracle,
        context.profile.each_dtype,
        context.profile.ladders,
        context.seed,
        context.workloads,
        stand_alone=context.workloads_asked,
        given=context.given,
        each_rejection=context.profile.each_rejection or by_name,
        each_workload=context.profile.full_rows > 0 or by_name,
    )
    made = parametrize(body, context.operators, asked)
    if made is None:
        return []
    obj.pytestmark = [*getattr(body, "pytestmark", []), made.mark]  # type: ignore[attr-defined]
    return None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a template's item with what it calls."""
    if isinstance(item, pytest.Function) and body_of(item.obj) is not None:
        mark(item, item.callspec.params)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Bind a template's item to its cell, before Hypothesis's plugin looks at it."""
    body = body_of(getattr(item, "obj", None))
    if body is None or not isinstance(item, pytest.Function):
        return
    context = item.config.stash[CONTEXT]
    context.judges = True
    operator: Any = item.callspec.params["operator"]
    item.user_properties += properties(item.callspec.params, context.device, context.route)
    if item.nodeid in context.finished:
        return
    if context.sums_up:
        pytest.skip(str(session.RUN_ENDED()))
    budget = context.budget
    if budget is not None and budget.spent:
        pytest.skip(str(session.BUDGET_SPENT()))

    place = Place(context.worker, item.nodeid, item.originalname, context.route)

    def note(judged: Judged, phase: str, seconds: float) -> None:
        levels = levels_of(operator, judged)
        line = verdict_line(judged, place, phase=phase, seconds=seconds, levels=levels)
        context.write(line, item.funcargs.get("device"))

    end = budget.share(item.nodeid) if budget is not None and draws(item) else math.inf
    clock = time.monotonic if budget is None else budget.clock
    trial = Trial(
        note,
        SearchBudget(context.profile.shrink_seconds, end, clock),
        KnownDiagnoses(context.diagnosed),
        by_standard=context.by_standard,
        lenient=context.lenient,
        records=context.on_route,
        libraries=context.traits,
        of_sequences=draws_sequences(inspect.signature(body).parameters),
    )
    of_run = OfRun(
        context.profile,
        context.seed,
        context.database,
        operators=context.operators,
        workloads=context.workloads,
        workloads_asked=context.workloads_asked,
        sequences_of_each=sequences_of_each(context.profile, context.route),
    )
    key, part = f"{item.path.name}::{unmarked(item.name)}", Part.of_item(item.name)
    streams = bind(body, item.callspec.params, trial, of_run, key, _beside(item), part)
    item.stash[TRIAL], item.stash[BODY], item.stash[STREAMS] = trial, body, streams
    item.obj = streams.free


def _beside(item: pytest.Function) -> list[str]:
    """The data types in which the run asks an item's template of its operator and mode."""
    stash = item.session.stash
    if ASKED not in stash:
        asked: dict[Hashable, set[Any]] = defaultdict(set)
        for other in item.session.items:
            if isinstance(other, pytest.Function) and hasattr(other, "callspec"):
                asked[_row_of(other)].add(other.callspec.params.get("dtype"))
        stash[ASKED] = asked
    operator: Any = item.callspec.params["operator"]
    return [dtype for dtype in operator.dtypes if dtype in stash[ASKED][_row_of(item)]]


def _row_of(item: pytest.Function) -> Hashable:
    """The template of an item, its operator and its mode."""
    given = item.callspec.params
    return item.originalname, id(given.get("operator")), given.get("mode")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Documented calls, what was refused before, small cases, free draws, covered rows; last the
    smallest refused one."""
    __tracebackhide__ = True
    if TRIAL not in pyfuncitem.stash:
        return None
    trial, body = pyfuncitem.stash[TRIAL], pyfuncitem.stash[BODY]
    arguments = {name: pyfuncitem.funcargs[name] for name in fixed_parameters(body)}
    profile: DeviceProfile | None = getattr(pyfuncitem.funcargs.get("device"), "profile", None)
    if profile is not None:
        trial.arithmetic = Arithmetic.of(profile)
    context = pyfuncitem.config.stash[CONTEXT]
    if context.against is not None and isinstance(pair := pyfuncitem.funcargs.get("device"), Pair):
        trial.beside = context.against.beside(pair, context.route)
    parameters = pyfuncitem.callspec.params
    operator: Any = parameters["operator"]
    named = named_case(parameters)
    if named is not None:
        rejection: Any = parameters.get("rejection")
        record = as_refused(operator, rejection) if rejection else operator
        trial.withheld = why_withheld(record, named, profile)
    else:
        trial.withheld = cell_withheld(operator, *cell_asked(parameters), profile)
    if trial.withheld:
        return True

    def run(case: Case) -> None:
        __tracebackhide__ = True
        body(**arguments, **{DRAWN: case})

    # Not of the item: its function is bound by now, and says nothing of the template's.
    draws_cases = DRAWN in inspect.signature(body).parameters
    streams = pyfuncitem.stash[STREAMS]
    try:
        search(trial, streams, arguments)
    except Refused:
        follow(trial, streams, arguments, run if draws_cases else None)
        raise
    return True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put on record how an item ended; let a refused one report its verdict, and nothing else."""
    report = yield
    if (trial := item.stash.get(TRIAL, None)) is not None:
        report = made_report(item, call, report, trial, item.config.stash[CONTEXT])
    if report.failed and (text := printable(report.longreprtext)) != report.longreprtext:
        report.longrepr = text
    report.sections = [(name, printable(said)) for name, said in report.sections]
    return report
