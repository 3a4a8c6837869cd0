"""``baseline accept|show|list``: what a person accepted of a device."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import commands as say
from conformance.catalogue import help as helps
from conformance.cli.common import add_json, add_operators, tell_program
from conformance.cli.gate import add_baselines
from conformance.errors import ACCEPTED, EnvironmentFailure, text_of
from conformance.evidence.reading import CannotJudge, read_run, whole
from conformance.gate import baseline as baselines
from conformance.gate.baseline import Baseline
from conformance.gate.facts import facts
from conformance.gate.measured import measured
from conformance.session.left_out import told
from conformance.suite import records as suite
from conformance.text.language import put


def add_baseline(commands: Any) -> None:
    """The grammar of ``baseline``."""
    baseline = commands.add_parser("baseline", help=helps.BASELINE(), allow_abbrev=False)
    actions = baseline.add_subparsers(required=True, metavar="ACTION")
    accept = actions.add_parser("accept", help=helps.ACCEPT(), allow_abbrev=False)
    accept.set_defaults(command=_told(accept_command))
    accept.add_argument("run", type=Path, metavar="RUN", help=helps.FINISHED_RUN())
    accept.add_argument("--who", required=True, metavar="NAME", help=helps.WHO())
    accept.add_argument("--why", required=True, metavar="TEXT", help=helps.WHY())
    accept.add_argument("--name", metavar="NAME", help=helps.BASELINE_NAME())
    add_operators(accept)
    show = actions.add_parser("show", help=helps.SHOW_BASELINE(), allow_abbrev=False)
    show.set_defaults(command=_told(show_command))
    show.add_argument("name", metavar="NAME")
    listed = actions.add_parser("list", help=helps.LIST_BASELINES(), allow_abbrev=False)
    listed.set_defaults(command=_told(list_command))
    for action in (accept, show, listed):
        add_baselines(action)
        add_json(action)


def _told(command: Any) -> Any:
    """A command that tells what cannot be judged as the front door does, with status 3."""

    def told(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
        try:
            done: int = command(parsed, console)
        except CannotJudge as error:
            raise EnvironmentFailure(text_of(error)) from error
        return done

    return told


def accept_command(parsed: argparse.Namespace, console: Console) -> int:
    """Write a baseline; what cannot be judged cannot be accepted."""
    run = whole(read_run(parsed.run))
    found = facts(run)
    confirmed: list[str] = []
    if found.kind == "npu":
        records = suite.operators([directory.absolute() for directory in parsed.operators])
        confirmed = measured(run, records)
    name = baselines.default_name(found) if parsed.name is None else parsed.name
    path = baselines.accept(parsed.baselines, name, found, parsed.who, parsed.why, confirmed)
    accepted = baselines.read(path)
    for line in _lines(accepted):
        console.print(line, markup=False)
    for line in told(run.evidence.left_out):
        console.print(line, markup=False)
    failing = [name for name, one in found.named.items() if not one.ok]
    if failing:
        console.print(say.NAMED_CALLS_FAIL(count=len(failing)), markup=False)
    if parsed.json:
        tell_program({"status": ACCEPTED, "baseline": name, "file": str(path)})
    return ACCEPTED


def show_command(parsed: argparse.Namespace, console: Console) -> int:
    """Tell what a baseline holds: people on standard output, or programs with ``--json``."""
    chosen = baselines.named(parsed.baselines, parsed.name)
    if parsed.json:
        tell_program(chosen)
    else:
        for line in _lines(chosen):
            put(line, console)
    return ACCEPTED


def list_command(parsed: argparse.Namespace, console: Console) -> int:
    """A line for each baseline."""
    known = baselines.every(parsed.baselines)
    if parsed.json:
        tell_program(
            [
                {"name": one.name, "key": one.facts.key, "accepted": one.accepted[-1]}
                for one in known
            ]
        )
        return ACCEPTED
    for one in known:
        last = one.accepted[-1]
        whose = {"who": last.who, "day": last.when[:10], "why": last.why}
        put(say.BASELINE_LISTED(name=one.name, key=one.facts.key, **whose), console)
    if not known:
        put(say.NO_BASELINE(folder=parsed.baselines), console)
    return ACCEPTED


def _lines(baseline: Baseline) -> Iterator[str]:
    found = baseline.facts
    failing = sum(not one.ok for one in found.named.values())
    yield say.BASELINE(name=baseline.name, key=found.key, profile=found.profile)
    for one in baseline.accepted:
        whose = {"who": one.who, "when": one.when, "why": one.why}
        if one.commit:
            yield say.ACCEPTED_BY_AT(**whose, commit=one.commit[:12])
        else:
            yield say.ACCEPTED_BY(**whose)
    cases = found.cases or sum(cell.cases for cell in found.cells.values())
    cells, calls = len(found.cells), len(found.named)
    yield say.BASELINE_COUNTS(cells=cells, cases=cases, calls=calls, failing=failing)
    orders = Counter((name.partition(" ")[0], one.order) for name, one in found.orders.items())
    for (operator, order), rows in orders.items():
        yield say.BASELINE_ORDER(operator=operator, order=order, rows=rows)
    for name, sha in found.libraries.items():
        yield f"  {name}: sha256 {sha[:16]}"
    for clause in baseline.measured:
        yield say.MEASURED(clause=clause)
