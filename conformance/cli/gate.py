"""``gate``: accept or reject a finished run."""

from __future__ import annotations

import argparse
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import help as helps
from conformance.catalogue import options as say
from conformance.catalogue.marks import OR
from conformance.catalogue.message import row
from conformance.cli.common import add_json, tell_program
from conformance.cli.percent import share_of
from conformance.errors import UsageError
from conformance.gate.baseline import FOLDER
from conformance.gate.decide import Asked, decide
from conformance.gate.report import ANNOTATIONS, annotated, gate_lines
from conformance.gate.waivers import read_waivers
from conformance.session.context import one_of
from conformance.text.language import put

DEVICES = ("sim", "npu")
MORE_WORK = "1"
"""Percent by which a count of work may grow."""


def add_gate(commands: Any) -> None:
    """The grammar of ``gate``."""
    gate = commands.add_parser("gate", help=helps.GATE(), allow_abbrev=False)
    gate.set_defaults(command=gate_command)
    add = gate.add_argument
    add("run", type=Path, metavar="RUN", help=helps.FINISHED_RUN())
    add("--baseline", metavar="NAME", help=helps.GATE_BASELINE())
    add("--no-baseline", action="store_true", help=helps.NO_BASELINE())
    add_baselines(gate)
    add(
        "--operator",
        action="append",
        default=[],
        metavar="OP",
        help=helps.GATE_OPERATOR(),
    )
    add("--more-work", default=MORE_WORK, metavar="P", help=helps.MORE_WORK(most=MORE_WORK))
    add("--time-regression", metavar="P", help=helps.TIME_REGRESSION())
    add("--waivers", type=Path, metavar="FILE", help=helps.WAIVERS())
    add("--require-device", metavar="KIND", help=helps.REQUIRE_DEVICE(devices=DEVICES))
    add(
        "--changed",
        action="store_true",
        help=helps.CHANGED(),
    )
    add(
        "--annotations",
        metavar="FORM",
        help=helps.ANNOTATIONS(forms=row(ANNOTATIONS, OR)),
    )
    add_json(gate)
    gate.epilog = helps.GATE_STATUSES()


def add_baselines(command: argparse.ArgumentParser) -> None:
    """The option that names the folder of baselines."""
    command.add_argument(
        "--baselines",
        type=Path,
        default=FOLDER,
        metavar="DIR",
        help=helps.BASELINES(folder=FOLDER),
    )


def gate_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Judge a run; people read standard error, programs and CI servers standard output."""
    if parsed.no_baseline and (parsed.baseline is not None or parsed.changed):
        option = "--changed" if parsed.changed else "--baseline"
        raise UsageError("no-baseline", True, say.NOT_WITH(option=option))
    if parsed.json and parsed.annotations is not None:
        raise UsageError("annotations", parsed.annotations, say.NOT_WITH(option="--json"))
    form = parsed.annotations and one_of(ANNOTATIONS, "annotations", parsed.annotations)
    required = parsed.require_device and one_of(DEVICES, "require-device", parsed.require_device)
    slower: str | None = parsed.time_regression
    if parsed.no_baseline and slower is not None:
        raise UsageError("no-baseline", True, say.NOT_WITH(option="--time-regression"))
    asked = Asked(
        folder=parsed.run,
        baselines=parsed.baselines,
        baseline=parsed.baseline,
        compares=not parsed.no_baseline,
        waivers=read_waivers(parsed.waivers) if parsed.waivers is not None else (),
        require_device=required or "",
        changed=parsed.changed,
        operators=tuple(parsed.operator),
        more_work=share_of("more-work", parsed.more_work),
        time_regression=None if slower is None else share_of("time-regression", slower),
        today=datetime.now(timezone.utc).date(),
    )
    judgement = decide(asked)
    for line in gate_lines(judgement):
        console.print(line, markup=False)
    if parsed.json:
        tell_program(judgement)
    elif form and (told := annotated(judgement, form)):
        put(told)
    return judgement.status
