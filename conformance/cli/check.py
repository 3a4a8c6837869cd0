"""``check``: whether records are right and strong enough, without a kernel."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import check as say
from conformance.catalogue import help as helps
from conformance.catalogue.marks import COMMA
from conformance.catalogue.message import row
from conformance.cli.common import add_json, add_operators, tell_program
from conformance.errors import ACCEPTED, REFUSED, UsageError
from conformance.suite import records as suite
from conformance.suite.record_check import Checked, checked
from conformance.text.language import put

DRAWS = 40


def add_check(commands: Any) -> None:
    """The grammar of ``check``."""
    command = commands.add_parser("check", help=helps.CHECK(), allow_abbrev=False)
    command.set_defaults(command=check_command)
    command.add_argument("names", nargs="*", metavar="OPERATOR", help=helps.CHECKED())
    command.add_argument("--draws", type=int, default=DRAWS, metavar="N", help=helps.DRAWS())
    add_operators(command)
    add_json(command)


def check_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Check the named records, or those of ``--operators``, or all; a line for each."""
    if parsed.draws < 1:
        raise UsageError("--draws", parsed.draws, say.AT_LEAST_ONE())
    folders = [directory.absolute() for directory in parsed.operators]
    known = suite.records(folders)
    own = {path.stem for folder in folders for path in folder.glob("*.py")}
    status, told = ACCEPTED, []
    for operator in suite.chosen(known, parsed.names, folders):
        found = checked(operator, parsed.draws)
        if Path(operator.file).stem in own and not _has_kernel(folders, operator.name):
            found.weak.append(say.NO_KERNEL(operator=operator.name))
        status = REFUSED if found.problems else status
        told.append(found)
        if not parsed.json:
            for line in _lines(found):
                put(line, console)
    if parsed.json:
        tell_program({"status": status, "records": [vars(found) for found in told]})
    return status


def _has_kernel(folders: list[Path], name: str) -> bool:
    return any((folder / "kernels" / name).is_dir() for folder in folders)


def _lines(found: Checked) -> Iterator[str]:
    """The record in one line, then each problem and each weakness."""
    parts = [
        say.EXAMPLES(count=found.examples),
        say.DRAWS(count=found.cases),
        say.REJECTED(count=found.rejections),
    ]
    counted = {"operator": found.operator, "parts": row(parts, COMMA)}
    if found.problems:
        yield say.WRONG(wrong=len(found.problems), **counted)
    else:
        yield say.RIGHT(**counted)
    for name, problem in found.problems.items():
        first, *more = problem.splitlines()
        yield row(["  ", say.PROBLEM(name=name, problem=first)])
        yield from (row(["    ", line]) for line in more)
    for text in found.weak:
        yield row(["  ", say.WEAK(text=text)])
