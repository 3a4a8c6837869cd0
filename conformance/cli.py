"""The front door for people and CI: ``run``, ``operators`` and ``devices``.

People read standard error; with ``--json`` one line of JSON goes to standard output. Exit status:
0 accepted, 1 a verdict failed, 2 wrong usage or nothing to do, 3 the device, build or environment
failed and nothing was judged, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from conformance import replay, runner, suite
from conformance.by_standard import by_standard
from conformance.context import (
    DEFAULTS,
    ROUTES,
    device_spec,
    folder_of,
    one_of,
    profile_named,
    seconds_of,
    seed_of,
)
from conformance.controller import ACCEPTED, ENVIRONMENT, INTERRUPTED, NOTHING_TO_DO, REFUSED
from conformance.devices.device import Device, EnvironmentFailure, OperatorUnavailable
from conformance.devices.open import open_device
from conformance.numerics.arithmetic import Arithmetic
from conformance.operator import Operator
from conformance.probe import order_lines, summation_orders
from conformance.profiles import PROFILES
from conformance.reporting.records import operator_lines

WORKERS = min(2, os.cpu_count() or 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    extra = given[given.index("--") + 1 :] if "--" in given else []
    parsed = parser().parse_args(given[: given.index("--")] if "--" in given else given)
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        done: int = parsed.command(parsed, console, extra)
        return done
    except suite.UsageError as error:
        status, message = NOTHING_TO_DO, f"error: {error}"
    except (EnvironmentFailure, OperatorUnavailable) as error:
        status, message = ENVIRONMENT, f"nothing was judged: {error}"
    except KeyboardInterrupt:
        status, message = INTERRUPTED, "interrupted"
    console.print(message, markup=False)
    if getattr(parsed, "json", False):
        print(msgspec.json.encode({"status": status, "error": message}).decode(), flush=True)
    return status


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    made = argparse.ArgumentParser("python -m conformance", description=__doc__, allow_abbrev=False)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = made.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="judge operators on a device", allow_abbrev=False)
    add = run.add_argument
    add("--operator", action="append", default=[], metavar="OP", help="judge OP (repeatable)")
    add("--device", default=DEFAULTS["device"], metavar="SPEC", help="auto, sim[:SOC] or npu[:N]")
    add("--route", default=DEFAULTS["route"], help=f"how kernels are called: {', '.join(ROUTES)}")
    limits = ", ".join(f"{p.name} {p.time_limit:g}" for p in PROFILES.values())
    purposes = "; ".join(f"{p.name}: {p.purpose}" for p in PROFILES.values())
    add("--profile", default=DEFAULTS["profile"], help=purposes)
    add("--seed", metavar="N", help="seed of all draws (0; nightly: a new one each run)")
    add("--out", type=Path, default=Path("reports/latest"), metavar="DIR", help="the run's folder")
    add(
        "--case", type=Path, metavar="FILE", help="judge just the case of a failures/<id>/case.json"
    )
    add("--time-limit", metavar="SECONDS", help=f"of one call on the device ({limits})")
    add(
        "--libraries",
        metavar="DIR",
        help="judge the libascendcl.so and libopapi.so in DIR instead of the device's own",
    )
    add(
        "--standard",
        metavar="NAME",
        help="summed outputs must pass this published standard too, on data as it prescribes them"
        " (docs/standards.md)",
    )
    add("--standards", action="store_true", help="tell what every published standard says")
    add("-n", default=str(WORKERS), metavar="N", help=f"pytest processes ({WORKERS})")
    add("--json", action="store_true", help="one line of JSON on standard output")
    run.set_defaults(command=_run)
    run.epilog = "Arguments after -- go to pytest."

    listed = commands.add_parser("operators", help="what is judged", allow_abbrev=False)
    listed.set_defaults(command=_operators)
    devices = commands.add_parser("devices", help="what can be judged on here", allow_abbrev=False)
    devices.add_argument(
        "--probe",
        action="store_true",
        help="recover the order in which the device's kernels add up a token's row",
    )
    devices.set_defaults(command=_devices)
    for command in (run, listed, devices):
        command.add_argument(
            "--operators",
            type=Path,
            action="append",
            default=[],
            metavar="DIR",
            help="a folder with further operator records (repeatable)",
        )
    return made


def _run(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Judge operators, or one saved case."""
    profile = profile_named(parsed.profile)
    one_of(ROUTES, "route", parsed.route)
    device_spec(parsed.device)
    seed = seed_of(parsed.seed, profile)
    limit = seconds_of(parsed.time_limit, profile)
    libraries = folder_of("libraries", parsed.libraries)
    workers = _workers(parsed.n)
    directories = [directory.absolute() for directory in parsed.operators]
    operators = suite.operators(directories)
    if parsed.case is not None:
        return _replay(parsed, operators, console, limit, libraries)
    request = runner.Request(
        operators=suite.chosen(operators, parsed.operator),
        device=parsed.device,
        route=parsed.route,
        profile=profile,
        seed=seed,
        out=parsed.out.absolute(),
        directories=tuple(directories),
        time_limit=limit,
        libraries=libraries,
        workers=workers,
        standard=parsed.standard,
        standards=parsed.standards,
        pytest_arguments=tuple(extra),
    )
    runner.check(request)
    judges = by_standard(parsed.standard, parsed.standards, request.operators)
    if judges.words:
        console.print(judges.words, markup=False)
    try:
        _open(parsed.device, console, limit, libraries).close()
    except EnvironmentFailure as failure:
        runner.record_failure(request, failure)
        raise
    outcome = runner.run(request, console)
    if parsed.json:
        print(msgspec.json.encode(outcome).decode(), flush=True)
    return outcome.status


def _replay(
    parsed: argparse.Namespace,
    operators: tuple[Operator, ...],
    console: Console,
    limit: float,
    libraries: Path | None,
) -> int:
    """Judge one saved case and print its verdict."""
    saved = replay.load(parsed.case)
    operator, judged = replay.judgement(saved, operators)
    judges = by_standard(parsed.standard, parsed.standards, (operator,))
    device = _open(parsed.device, console, limit, libraries)
    try:
        observation = device.run(operator, saved.case)
        verdict = judged(observation, Arithmetic.of(device.profile))
    finally:
        device.close()
    if saved.judged_as == "values":
        verdict = judges.reconsider(operator, saved.case, observation, verdict)
    console.print(str(verdict), markup=False)
    for name, ruling in verdict.standards.items():
        console.print(f"  {name}: {ruling}", markup=False)
    if parsed.json:
        told = {
            "status": ACCEPTED if verdict.ok else REFUSED,
            "headline": verdict.headline,
            "case": str(parsed.case),
        }
        print(msgspec.json.encode(told).decode(), flush=True)
    return ACCEPTED if verdict.ok else REFUSED


def _open(spec: str, console: Console, limit: float, libraries: Path | None) -> Device:
    """Open a device and say which it is; this builds the simulator where it is not built yet."""
    try:
        device = open_device(spec, time_limit=limit, libraries=libraries)
    except ValueError as error:
        raise suite.UsageError("device", spec, str(error)) from error
    console.print(f"device: {device.profile.describe()}", markup=False)
    return device


def _operators(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Print what is recorded of every operator."""
    for operator in suite.operators([directory.absolute() for directory in parsed.operators]):
        for line in operator_lines(operator):
            print(line)
    return ACCEPTED


def _devices(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Print which devices open here, and why the others do not."""
    opened = 0
    operators = suite.operators([directory.absolute() for directory in parsed.operators])
    for spec in ("npu", "sim"):
        try:
            device = open_device(spec)
        except (EnvironmentFailure, ValueError) as error:
            print(f"{spec}: not here: {error}")
        else:
            print(f"{spec}: {device.profile.describe()}")
            try:
                if parsed.probe:
                    for line in order_lines(summation_orders(device, operators)):
                        print(f"  {line}")
            finally:
                device.close()
            opened += 1
    return ACCEPTED if opened else ENVIRONMENT


def _workers(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 1024:
        raise suite.UsageError("n", text, "allowed: integers from 0 (no extra process) to 1024")
    return int(text)
