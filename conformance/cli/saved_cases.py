"""``run --case``: one saved case, or all of a folder."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from conformance.catalogue import options
from conformance.cli.again import Asked, judge_again
from conformance.cli.common import tell_program
from conformance.cli.functions import second_asked
from conformance.devices.messages import Functions
from conformance.errors import ACCEPTED, UsageError
from conformance.failure import replay
from conformance.field.given import Folder, checked, read_folder
from conformance.record.operator import Operator
from conformance.session.context import folder_of
from conformance.suite.on_route import all_on_route
from conformance.text.language import put

ALONE = ("operator", "workload", "own_kernels", "k")
"""Options that say what is judged in another way than a folder of cases does."""


@dataclass(frozen=True)
class Cases:
    """The cases of a folder that a run judges; nothing where it is asked for none."""

    folder: Path | None = None
    found: Folder | None = None

    @property
    def operators(self) -> list[str]:
        """The operators of the cases."""
        cases = () if self.found is None else self.found.cases
        return list(dict.fromkeys(one.case.operator for one in cases))

    @property
    def unread(self) -> Mapping[str, str]:
        """Files that are no case, with the reason."""
        return {} if self.found is None else self.found.unread

    @property
    def count(self) -> int | None:
        """How many cases there are, None without a folder."""
        return None if self.found is None else len(self.found.cases)

    @property
    def files(self) -> Mapping[str, str]:
        """The files by the name that the item of each has."""
        cases = () if self.found is None else self.found.cases
        return {one.name: one.file for one in cases}


def cases_of_folder(
    parsed: argparse.Namespace, records: Mapping[str, Operator], route: str
) -> Cases:
    """The cases of the folder that is asked for, whose operators are those that are judged.

    Raises `UsageError` where none can be judged, and for options that do not go with it.
    """
    if parsed.case is None:
        return Cases()
    for option in ALONE:
        if value := getattr(parsed, option):
            name = option.replace("_", "-")
            raise UsageError(name, value, options.NOT_WITH(option="--case"))
    folder = parsed.case.absolute()
    found = checked(parsed.case, read_folder(folder), all_on_route(records, route))
    cases = Cases(folder, found)
    parsed.operator = cases.operators
    return cases


def judge_saved(
    parsed: argparse.Namespace,
    records: Mapping[str, Operator],
    console: Console,
    limit: float,
    libraries: Path | None,
    functions: Functions | None,
) -> int:
    """Judge one saved case and print its verdict; on the route that it was judged on, if not told.

    Raises `UsageError` for a case that cannot be called on the route.
    """
    saved = replay.load(parsed.case)
    asked = Asked(
        device=parsed.device,
        route=parsed.route,
        limit=limit,
        libraries=libraries,
        package=folder_of("package", parsed.package),
        kernels=parsed.kernels and parsed.kernels.absolute(),
        own_kernels=parsed.own_kernels,
        beside=parsed.case.parent,
        functions=functions,
        second=second_asked(parsed),
        standard=parsed.standard,
        standards=parsed.standards,
        directories=tuple(parsed.operators),
    )
    again = judge_again(saved, records, asked, console)
    if parsed.score:
        put(str(int(again.status != ACCEPTED)))
    if parsed.json:
        told = {"headline": again.verdict.headline, "case": str(parsed.case)}
        told |= {"called": again.called, "implementation": again.beside}
        tell_program({"status": again.status, **told})
    return again.status
