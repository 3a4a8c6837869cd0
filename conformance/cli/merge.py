"""``merge``: shards into one run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import help as helps
from conformance.catalogue import merging as say
from conformance.cli import result as outcome
from conformance.cli.common import add_json, add_verbose, tell_program
from conformance.cli.progress import bar
from conformance.errors import ENVIRONMENT, EnvironmentFailure, text_of
from conformance.evidence.reading import CannotJudge
from conformance.gate.awaited import Clock, seconds_asked, wait
from conformance.gate.merge import merge


def add_merge(commands: Any) -> None:
    """The grammar of ``merge``."""
    command = commands.add_parser("merge", help=helps.MERGE(), allow_abbrev=False)
    command.set_defaults(command=merge_command)
    command.add_argument("runs", type=Path, nargs="+", metavar="RUN", help=helps.SHARDS())
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help=helps.MERGED())
    command.add_argument("--wait", metavar="SECONDS", help=helps.WAIT())
    add_verbose(command)
    add_json(command)


def merge_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Merge shards and tell the run as ``run`` would; its exit status is that of the whole run."""
    out = parsed.out.absolute()
    if seconds := seconds_asked(parsed.wait):
        wait_for(parsed.runs, seconds, console)
    try:
        evidence = merge(parsed.runs, out)
    except CannotJudge as error:
        raise EnvironmentFailure(text_of(error)) from error
    status = ENVIRONMENT if evidence.exit_status is None else evidence.exit_status
    outcome.write_report(out, console)
    outcome.tell(out, evidence, status, console, verbose=parsed.verbose)
    if parsed.json:
        told = {"status": status, "verdict": outcome.result(evidence, status)}
        tell_program({**told, "cases": evidence.cases, "evidence": str(out / "evidence.json")})
    return status


def wait_for(
    runs: Sequence[Path],
    seconds: float,
    console: Console,
    clock: Clock = Clock(),  # noqa: B008 - it has no state
) -> None:
    """Wait for runs that have not ended; on a terminal a bar tells how many have."""
    with bar(console) as progress:
        task = progress.add_task(say.WAITING(), total=len(runs))
        wait(runs, seconds, lambda ended: progress.update(task, completed=ended), clock)
