"""``history import|show|page|changes``: many runs over time."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import help as helps
from conformance.catalogue import history as say
from conformance.catalogue import options
from conformance.cli.common import add_json, tell_program
from conformance.cli.history_page import write_page
from conformance.errors import ACCEPTED, EnvironmentFailure, UsageError, text_of
from conformance.evidence.reading import CannotJudge
from conformance.history.database import DEFAULT, opened
from conformance.history.picture import picture
from conformance.history.record import import_runs
from conformance.history.report import change_lines, trend_tables
from conformance.history.trends import LAST, changes, points
from conformance.text.language import Speaking, put
from conformance.text.terminal import WIDTH

PAGE = Path("history.html")


def add_history(commands: Any) -> None:
    """The grammar of ``history``."""
    history = commands.add_parser("history", help=helps.HISTORY(), allow_abbrev=False)
    actions = history.add_subparsers(required=True, metavar="ACTION")
    add = actions.add_parser("import", help=helps.IMPORT(), allow_abbrev=False)
    add.set_defaults(command=import_command)
    add.add_argument("runs", type=Path, nargs="+", metavar="RUN", help=helps.FINISHED_RUNS())
    show = actions.add_parser("show", help=helps.TRENDS(), allow_abbrev=False)
    show.set_defaults(command=show_command)
    show.add_argument("--last", metavar="N", default=str(LAST), help=helps.LAST(last=LAST))
    show.add_argument("--picture", type=Path, metavar="FILE", help=helps.PICTURE())
    page = actions.add_parser("page", help=helps.HISTORY_PAGE(), allow_abbrev=False)
    page.set_defaults(command=page_command)
    page.add_argument(
        "--out", type=Path, default=PAGE, metavar="FILE", help=helps.WHERE_PAGE(path=PAGE)
    )
    changed = actions.add_parser("changes", help=helps.CHANGES(), allow_abbrev=False)
    changed.set_defaults(command=changes_command)
    for action in (show, changed):
        action.add_argument("--operator", metavar="OP", help=helps.ONE_OPERATOR())
    for action in (add, show, page, changed):
        action.add_argument(
            "--db", type=Path, default=DEFAULT, metavar="FILE", help=helps.DATABASE(path=DEFAULT)
        )
        add_json(action)


def import_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Add runs to the database."""
    try:
        new, known = import_runs(parsed.db, parsed.runs)
    except CannotJudge as error:
        raise EnvironmentFailure(text_of(error)) from error
    if known:
        console.print(say.ADDED_SOME(new=new, path=parsed.db, known=known), markup=False)
    else:
        console.print(say.ADDED(new=new, path=parsed.db), markup=False)
    if parsed.json:
        tell_program({"status": ACCEPTED, "added": new, "known": known})
    return ACCEPTED


def show_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Tell trends: people on standard output, or programs with ``--json``."""
    if not (parsed.last.isascii() and parsed.last.isdigit() and 1 <= int(parsed.last[:9]) <= 10**6):
        raise UsageError("last", parsed.last, options.INTEGERS(least=1, most=10**6))
    with opened(parsed.db, write=False) as connection:
        found = points(connection, parsed.operator, int(parsed.last))
    if parsed.picture is not None:
        picture(found, parsed.picture)
    if parsed.json:
        tell_program(found)
        return ACCEPTED
    language = getattr(console, "language", "en")
    wide = Speaking(language, width=max(console.width, WIDTH), highlight=False)
    for table in trend_tables(found):
        wide.print(table, crop=False)
    if not found:
        put(say.NO_RUN(), console)
    return ACCEPTED


def page_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Write the page of the history, in the language of what is printed."""
    write_page(parsed.db, parsed.out, getattr(console, "language", "en"))
    console.print(say.PAGE(path=parsed.out), markup=False)
    if parsed.json:
        tell_program({"status": ACCEPTED, "page": str(parsed.out)})
    return ACCEPTED


def changes_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Tell what changed, and in which run first."""
    with opened(parsed.db, write=False) as connection:
        found = changes(connection, parsed.operator)
    if parsed.json:
        tell_program(found)
        return ACCEPTED
    for line in change_lines(found):
        put(line, console)
    return ACCEPTED
