"""``import``: calls from other tools' files as cases of the records."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import field as say
from conformance.catalogue import help_field as helps
from conformance.catalogue import options
from conformance.cli.common import add_json, add_operators, add_verbose, tell_program
from conformance.errors import ACCEPTED, NOTHING_TO_DO, REFUSED, UsageError
from conformance.field.files import (
    MOST_ELEMENTS,
    Imported,
    by_reason,
    check_out,
    import_file,
    source_of,
)
from conformance.judge.legality import LARGEST_TENSOR
from conformance.suite import records as suite
from conformance.text.command_lines import called, near

SHOWN_REASONS, SHOWN_PLACES, SHOWN_WRONG = 8, 4, 3


def add_import(commands: Any) -> None:
    """The grammar of ``import``."""
    add = commands.add_parser(
        "import", help=helps.IMPORT(), description=helps.WHAT(), allow_abbrev=False
    )
    add.add_argument("files", type=Path, nargs="+", metavar="FILE", help=helps.FILES())
    add.add_argument("--out", type=Path, required=True, metavar="FOLDER", help=helps.OUT())
    add.add_argument(
        "--most-elements",
        default=str(MOST_ELEMENTS),
        metavar="N",
        help=helps.MOST_ELEMENTS(most=MOST_ELEMENTS),
    )
    add_operators(add)
    add_verbose(add)
    add_json(add)
    add.set_defaults(command=import_command)


def import_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Write the cases of all files, and tell what was read and what was not."""
    most = _most(parsed.most_elements)
    check_out(parsed.out)
    records = suite.records([folder.absolute() for folder in parsed.operators])
    # All of them first: a wrong one among them leaves no folder behind.
    sources = [source_of(path, most) for path in parsed.files]
    told = [import_file(one, parsed.out, records, most) for one in sources]
    for one in told:
        for line in _lines(one, verbose=parsed.verbose):
            console.print(line, markup=False)
    read = sum(one.read for one in told)
    if read:
        words = [*called(), "run", "--case", near(parsed.out)]
        line = say.WRITTEN(count=read, folder=near(parsed.out), command=shlex.join(words))
        console.print(line, markup=False)
    else:
        console.print(say.NONE_READ(), markup=False)
    unread = sum(len(one.unread) for one in told)
    wrong = any(one.wrong for one in told)
    status = (REFUSED if unread or wrong else ACCEPTED) if read else NOTHING_TO_DO
    if parsed.json:
        tell_program({"status": status, "read": read, "not_read": unread, "files": _program(told)})
    return status


def _most(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:12]) <= LARGEST_TENSOR:
        raise UsageError("most-elements", text, options.INTEGERS(least=1, most=LARGEST_TENSOR))
    return int(text)


def _lines(one: Imported, *, verbose: bool) -> Iterator[str]:
    """What became of a file: read, of which operators, and why a call was not."""
    yield say.READ(file=one.file, tool=one.tool, read=one.read, rows=one.rows)
    for operator, count in one.operators.items():
        yield say.OF_OPERATOR(operator=operator, count=count)
    for values, count in one.values.items():
        yield say.VALUES(values=values, count=count)
    yield from _returned(one, verbose=verbose)
    reasons = by_reason(one.unread)
    for reason, places in reasons if verbose else reasons[:SHOWN_REASONS]:
        yield say.NOT_READ(count=len(places), reason=reason)
        few = places if verbose else places[:SHOWN_PLACES]
        yield say.WHERE(places=[*few, *(["..."] if len(few) < len(places) else [])])
    if not verbose and len(reasons) > SHOWN_REASONS:
        yield say.MORE_REASONS(count=len(reasons) - SHOWN_REASONS)


def _returned(one: Imported, *, verbose: bool) -> Iterator[str]:
    """What the outputs that a file has are worth, and how to make the calls of wrong ones again."""
    if one.judged:
        yield say.RETURNED(accepted=one.judged - len(one.wrong), failed=len(one.wrong))
    if one.unbounded:
        yield say.NOT_BOUNDED(count=one.unbounded)
    for place, path, verdict in one.wrong if verbose else one.wrong[:SHOWN_WRONG]:
        yield say.FAILED(place=place)
        yield verdict.text
        yield say.AGAIN(command=shlex.join([*called(), "run", "--case", near(path)]))
    if not verbose and len(one.wrong) > SHOWN_WRONG:
        yield say.MORE_FAILED(count=len(one.wrong) - SHOWN_WRONG)


def _program(told: list[Imported]) -> list[dict[str, Any]]:
    return [
        {
            "file": one.file,
            "tool": one.tool,
            "calls": one.rows,
            "read": dict(one.operators),
            "not_read": [{"place": place, "why": why} for place, why in one.unread],
            "outputs_judged": one.judged,
            "values_not_bounded": one.unbounded,
            "outputs_failed": [
                {"place": place, "case": str(path), "verdict": verdict.text}
                for place, path, verdict in one.wrong
            ],
        }
        for one in told
    ]
