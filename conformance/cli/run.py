"""``run``: judge operators on a device, or one saved case."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance import places
from conformance.catalogue import front_door as say
from conformance.catalogue import help_run as helps
from conformance.catalogue import options
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.cli import runner
from conformance.cli.again import open_and_tell
from conformance.cli.chosen import choose
from conformance.cli.common import add_operators, add_verbose
from conformance.cli.functions import add_device, functions_asked, second_asked, tell_second
from conformance.cli.request import Request
from conformance.cli.saved_cases import cases_of_folder, judge_saved
from conformance.cli.watch import OPTION, watch
from conformance.cli.written import add_written, check_written, written
from conformance.devices.npu import NpuDevice
from conformance.devices.open import Kernels
from conformance.devices.packages.delivered import delivered
from conformance.draw.profiles import PROFILES
from conformance.errors import EnvironmentFailure, UsageError, text_of
from conformance.evidence import kernel_coverage, run_folder
from conformance.evidence.budget import seconds_of_budget
from conformance.evidence.implementation import of_device
from conformance.evidence.item_times import checked
from conformance.evidence.reading import CannotJudge
from conformance.evidence.shard_of_host import shard_of
from conformance.frozen.attach import attached
from conformance.history.record import import_runs
from conformance.judge.by_standard import by_standard
from conformance.record import workload
from conformance.record.operator import ORACLES, ROUTES
from conformance.session.against import against_named
from conformance.session.context import (
    DEFAULTS,
    folder_of,
    lenient_asked,
    one_of,
    parts_asked,
    profile_named,
    seconds_of,
    seed_of,
)
from conformance.session.left_out import check_words
from conformance.session.resume import check_sound, earlier_run
from conformance.session.timing_probe import repetitions
from conformance.suite import records as suite

WORKERS = min(2, os.cpu_count() or 1)
MOST_WORKERS = 1024


def add_run(commands: Any) -> None:
    """The grammar of ``run``."""
    run = commands.add_parser(
        "run",
        help=helps.RUN(),
        usage="%(prog)s [OPERATOR ...] [OPTION ...] [-- PYTEST ...]",
        description=row((helps.JUDGE(), "", *_examples()), "\n"),
        allow_abbrev=False,
    )
    _add_what(run.add_argument_group(helps.WHAT()))
    _add_on_what(run.add_argument_group(helps.ON_WHAT()))
    _add_how_much(run.add_argument_group(helps.HOW_MUCH()))
    told = run.add_argument_group(helps.TOLD())
    told.add_argument(
        "--out", type=Path, default=Path("reports/latest"), metavar="DIR", help=helps.OUT()
    )
    told.add_argument(
        "--history",
        type=Path,
        metavar="FILE",
        help=helps.HISTORY(),
    )
    told.add_argument(
        "--kernel-coverage",
        action="store_true",
        help=helps.KERNEL_COVERAGE(),
    )
    told.add_argument("--standards", action="store_true", help=helps.STANDARDS())
    add_verbose(told)
    add_written(told)
    run.set_defaults(command=run_command)
    run.epilog = helps.TO_PYTEST()


def _examples() -> Iterator[str]:
    """Calls of ``run`` to begin with."""
    yield from (helps.ALL(), helps.ONE(), helps.BY_WORD(), helps.OF_A_MODEL())
    yield "  run --case reports/latest/failures/ID/case.json"


def _add_what(group: Any) -> None:
    """The options that say which operators and calls are judged, and by what."""
    add = group.add_argument
    add(
        "names",
        nargs="*",
        metavar="OPERATOR",
        help=helps.NAMES(),
    )
    add(
        "--operator",
        action="append",
        default=[],
        metavar="OP",
        help=helps.OPERATOR(),
    )
    add("-k", metavar="WORDS", help=helps.WORDS())
    add_operators(group)
    add("--case", type=Path, metavar="FILE", help=helps.CASE())
    add(
        "--workload",
        action="append",
        default=[],
        metavar="NAME",
        help=helps.WORKLOAD(),
    )
    add(
        "--oracle",
        metavar="NAME",
        default=DEFAULTS["oracle"],
        help=helps.ORACLE(oracles=ORACLES, default=DEFAULTS["oracle"]),
    )
    add(
        "--standard",
        metavar="NAME",
        help=helps.STANDARD(),
    )


def _add_on_what(group: Any) -> None:
    """The options that say what is called, and how."""
    add = group.add_argument
    add_device(group)
    add("--lenient", action="store_true", help=helps.LENIENT())
    add("--route", help=helps.ROUTE(routes=ROUTES, default=DEFAULTS["route"]))
    add(
        "--libraries",
        metavar="DIR",
        help=helps.LIBRARIES(),
    )
    add(
        "--package",
        metavar="DIR",
        help=helps.PACKAGE(),
    )
    add(
        "--kernels",
        type=Path,
        metavar="DIR",
        help=helps.KERNELS(),
    )
    add("--own-kernels", action="store_true", help=helps.OWN_KERNELS_OF_CASE())


def _add_how_much(group: Any) -> None:
    """The options that bound a run."""
    add = group.add_argument
    limits = [f"{p.name} {p.time_limit:g}" for p in PROFILES.values()]
    said = (helps.PURPOSE(profile=p.name, purpose=p.purpose) for p in PROFILES.values())
    purposes = helps.PROFILE(purposes=row(said, SEMICOLON), default=DEFAULTS["profile"])
    add("--profile", default=DEFAULTS["profile"], help=purposes)
    add("--seed", metavar="N", help=helps.SEED())
    add("--budget", metavar="TIME", help=helps.BUDGET())
    add("--shard", metavar="I/N", help=helps.SHARD())
    add("--times", metavar="RUN", type=Path, help=helps.TIMES())
    add("--timing", metavar="N", help=helps.TIMING())
    add("--split", metavar="N", help=helps.SPLIT())
    add("--resume", action="store_true", help=helps.RESUME())
    add(OPTION, action="store_true", help=helps.WATCH())
    add(
        "--time-limit",
        metavar="SECONDS",
        help=helps.TIME_LIMIT(limits=limits),
    )
    add("-n", metavar="N", help=helps.PROCESSES(workers=WORKERS))
    add("--ray", nargs="?", const="", metavar="ADDRESS", help=helps.RAY())


def run_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Judge operators, or one saved case; with ``--watch`` again and again."""
    if parsed.watch:
        return watch(parsed, console, extra)
    parsed.operator = list(dict.fromkeys([*parsed.names, *parsed.operator]))
    extra = [*(["-k", parsed.k] if parsed.k else []), *extra]
    check_words(extra)
    profile = profile_named(parsed.profile)
    directories = [directory.absolute() for directory in parsed.operators]
    records = suite.records(directories)
    libraries = folder_of("libraries", parsed.libraries)
    functions = functions_asked(parsed, records, libraries)
    route = one_of(ROUTES, "route", parsed.route or DEFAULTS["route"])
    seed = seed_of(parsed.seed, profile)
    budget = None if parsed.budget is None else seconds_of_budget(parsed.budget)
    shard = shard_of(parsed.shard, os.environ)
    times = checked(parsed.times)
    repetitions(parsed.timing, parsed.device)
    split = parts_asked(parsed.split)
    limit = seconds_of(parsed.time_limit, profile)
    package = folder_of("package", parsed.package)
    if package is not None:
        _check_package(parsed)
    most = None if parsed.n is None else _workers(parsed.n)
    workers = WORKERS if most is None else most
    if parsed.kernel_coverage:
        _check_counting(parsed)
    if parsed.own_kernels and parsed.case is None:
        raise UsageError("own-kernels", True, options.WITH(option="--case"))
    check_written(parsed)
    farm = None
    if parsed.ray is not None:
        from conformance.cli import on_ray

        farm = on_ray.farm_asked(parsed, most, functions=functions is not None, console=console)
        workers = 0
    if parsed.case is not None and not parsed.case.is_dir():
        if parsed.lenient:
            raise UsageError("lenient", True, options.NOT_WITH(option="--case"))
        return judge_saved(parsed, records, console, limit, libraries, functions)
    cases = cases_of_folder(parsed, records, route)
    found = choose(parsed, records, route, package, extra, console)
    checkout = found.checkout
    libraries = checkout.libraries if checkout is not None else libraries
    chosen = attached(found.operators, directories, corpus=profile.corpus).operators
    kernels = suite.kernel_folders(chosen, directories)
    called = suite.with_related(chosen, records, parsed.oracle)
    names = suite.kernel_names(called, kernels)
    out = parsed.out.absolute()
    resume = parsed.resume and not run_folder.is_empty(out)
    if parsed.resume and not resume:
        console.print(say.RUN_BEGINS(folder=out), markup=False)
    if resume:
        run_folder.wait(out, lambda line: console.print(line, markup=False))
        earlier = earlier_run(out)
        check_sound(out)
        seed = earlier.seed if parsed.seed is None else seed
    request = Request(
        operators=chosen,
        device=parsed.device,
        route=route,
        profile=profile,
        seed=seed,
        out=out,
        directories=tuple(directories),
        time_limit=limit,
        libraries=libraries,
        package=package,
        workers=workers,
        standard=parsed.standard,
        standards=parsed.standards,
        oracle=one_of(ORACLES, "oracle", parsed.oracle),
        workloads=_workloads(parsed.workload),
        budget=budget,
        shard=shard,
        times=times,
        timing=parsed.timing,
        split=split,
        resume=resume,
        left_out={**found.left_out, **cases.unread},
        cases=cases.folder,
        expected_cases=cases.count,
        named=tuple(parsed.operator),
        pytest_arguments=tuple(extra),
        verbose=parsed.verbose,
        functions=functions,
        alone=parsed.alone,
    )
    second = second_asked(parsed)
    against = against_named(
        second, device=parsed.device, route=route, operators=chosen, functions=functions
    )
    options_of_second = () if against is None else against.options
    lenient = lenient_asked(parsed.lenient, functions, against)
    request = replace(request, against=options_of_second, lenient=lenient)
    try:
        if found.failure is not None:
            raise found.failure
        if found.left_out and not chosen:
            return written(parsed, runner.leave_out(request, console), cases, console)
        if parsed.kernel_coverage and checkout is not None:
            request = replace(request, counted=checkout.sources)
        elif parsed.kernel_coverage:
            request = replace(
                request,
                counted=kernels or suite.counted_folders(chosen, records),
                libraries=kernel_coverage.libraries(kernels, names),
            )
        runner.check(request)
        judges = by_standard(parsed.standard, parsed.standards, request.operators)
        if judges.words:
            console.print(judges.words, markup=False)
        whole = delivered(package, request.operators)
        needed = Kernels(kernels, names)
        if against is not None:
            tell_second(against, needed, limit, console)
        opened = None
        if farm is None or farm.address is None or not farm.npus:
            device = parsed.device if farm is None else farm.device
            opened = open_and_tell(
                device, console, limit, request.libraries, needed, route, whole, functions
            )
    except EnvironmentFailure as failure:
        runner.record_failure(request, failure)
        raise
    if opened is not None:
        if farm is not None:
            farm = on_ray.on_this_host(farm, opened, os.cpu_count() or 1)
        elif isinstance(opened, NpuDevice):
            cards = opened.free_cards
            request = replace(request, workers=_one_for_each_card(workers, cards, console))
        opened.close()
        request = replace(request, called=of_device(opened).words)
        runner.check_device(request, opened.profile)
    if farm is not None:
        request = replace(request, farm=on_ray.option_of(farm))
    outcome = runner.run(request, console)
    if parsed.history is not None:
        _remember(parsed.history, out, console)
    return written(parsed, outcome, cases, console)


def _remember(history: Path, out: Path, console: Console) -> None:
    """Add a run that has ended to the history; where that fails, it is told, and nothing else."""
    try:
        import_runs(history, [out])
    except (CannotJudge, EnvironmentFailure, UsageError) as failure:
        console.print(say.NOT_ADDED(error=text_of(failure)), markup=False)


def _check_package(parsed: argparse.Namespace) -> None:
    """Raise `UsageError` for what does not go together with ``--package``."""
    for option in ("kernels", "kernel_coverage"):
        if getattr(parsed, option):
            rule = options.NOT_WITH(option=f"--{option.replace('_', '-')}")
            raise UsageError("package", parsed.package, rule)
    if parsed.route not in (None, DEFAULTS["route"]):
        rule = options.PACKAGE_ROUTE(route=DEFAULTS["route"])
        raise UsageError("route", parsed.route, rule)


def _check_counting(parsed: argparse.Namespace) -> None:
    """Raise `UsageError` for what does not go together with ``--kernel-coverage``."""
    for option in ("libraries", "case"):
        value = getattr(parsed, option)
        if value is not None:
            raise UsageError(option, value, options.NOT_WITH(option="--kernel-coverage"))
    if not parsed.device.startswith(("auto", "sim")):
        rule = options.SIMULATOR(option="--kernel-coverage")
        raise UsageError("device", parsed.device, rule)


def _one_for_each_card(workers: int, cards: int, console: Console) -> int:
    """How many processes judge: no more than cards are free, as each takes one of its own."""
    if workers > cards:
        console.print(say.CARDS_FREE(cards=cards, workers=workers), markup=False)
    return min(workers, cards)


def _workloads(texts: list[str]) -> tuple[str, ...]:
    """The workloads that are named, files by their whole path. Raises `UsageError`."""
    workload.chosen(texts, places.workloads())
    return tuple(str(Path(t).absolute()) if t.endswith(workload.ENDING) else t for t in texts)


def _workers(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > MOST_WORKERS:
        raise UsageError("n", text, options.PROCESSES(most=MOST_WORKERS))
    return int(text)
