"""``report``: the folder of a run as one HTML page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import front_door as say
from conformance.catalogue import help as helps
from conformance.catalogue.message import LANGUAGES
from conformance.cli.html import REPORT, write
from conformance.errors import ACCEPTED, EnvironmentFailure, text_of
from conformance.evidence.reading import CannotJudge


def add_report(commands: Any) -> None:
    """The grammar of ``report``."""
    report = commands.add_parser("report", help=helps.REPORT(), allow_abbrev=False)
    report.add_argument("run", type=Path, metavar="RUN", help=helps.FOLDER_OF_RUN())
    report.add_argument("--out", type=Path, metavar="FILE", help=f"(RUN/{REPORT})")
    report.add_argument("--lang", choices=LANGUAGES, default="en", help=helps.LANGUAGE_OF_PAGE())
    report.set_defaults(command=report_command)


def report_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Write the page and say where it is."""
    out = parsed.out or parsed.run / REPORT
    try:
        write(parsed.run, out, parsed.lang)
    except CannotJudge as error:
        raise EnvironmentFailure(text_of(error)) from error
    console.print(say.REPORT(path=out), markup=False)
    return ACCEPTED
