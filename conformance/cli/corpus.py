"""``corpus``: freeze cases that every gate judges, and tell which are frozen."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import commands as say
from conformance.catalogue import help as helps
from conformance.catalogue import options
from conformance.cli.common import add_json, add_operators, tell_program
from conformance.errors import ACCEPTED, UsageError
from conformance.evidence.summary import now
from conformance.frozen.attach import CORPUS, attached, folder_of, folders
from conformance.frozen.corpus import read_corpus, write_corpus
from conformance.record.frozen import Frozen
from conformance.record.operator import Operator
from conformance.suite import records as suite


def add_corpus(commands: Any) -> None:
    """The grammar of ``corpus``."""
    corpus = commands.add_parser("corpus", help=helps.CORPUS(), allow_abbrev=False)
    acts = corpus.add_subparsers(required=True, metavar="ACT")
    freeze = acts.add_parser("freeze", help=helps.FREEZE(), allow_abbrev=False)
    show = acts.add_parser("show", help=helps.FROZEN(), allow_abbrev=False)
    for act, command in ((freeze, freeze_command), (show, show_command)):
        act.add_argument(
            "--operator", action="append", default=[], metavar="OP", help=helps.OP_ALONE()
        )
        add_operators(act)
        add_json(act)
        act.set_defaults(command=command)


def freeze_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Choose the cases of operators anew and write them as the next version.

    Every folder of records has a corpus of its own; those of other operators stay as they are.
    """
    from conformance.frozen.select import chosen

    told = []
    for folder, operators in _places(parsed):
        cases: dict[str, Sequence[Frozen]] = {}
        for operator in operators:
            if operator.cells is None:
                console.print(say.NO_CELLS(operator=operator.name), markup=False)
                continue
            cases[operator.name] = chosen(operator)
            count = len(cases[operator.name])
            console.print(say.CASES(operator=operator.name, count=count), markup=False)
        if not cases:
            continue
        version = write_corpus(folder, cases, now())
        size = sum(path.stat().st_size for path in folder.iterdir())
        console.print(say.VERSION_IN(version=version, folder=folder, size=size), markup=False)
        count = sum(map(len, cases.values()))
        told.append({"folder": str(folder), "version": version, "cases": count, "bytes": size})
    if not told:
        raise UsageError("operators", "none", options.NOTHING_TO_FREEZE())
    if parsed.json:
        tell_program({"status": ACCEPTED, "corpora": told})
    return ACCEPTED


def show_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Tell the versions, and how many cases are frozen of each operator."""
    directories = _directories(parsed)
    chosen = suite.chosen(suite.records(directories), parsed.operator)
    kept = attached(chosen, directories, corpus=True)
    for folder in folders(CORPUS, directories):
        found = read_corpus(folder)
        if found is None:
            console.print(say.NO_VERSION(folder=folder), markup=False)
        else:
            console.print(say.VERSION(folder=folder, version=found.version), markup=False)
    for operator in kept.operators:
        counts = {"cases": len(operator.corpus), "regressions": len(operator.regressions)}
        console.print(say.FROZEN(operator=operator.name, **counts), markup=False)
        for one in operator.regressions:
            console.print(f"  {one.name}: {one.why}", markup=False)
            for link in one.links:
                console.print(f"    {link}", markup=False)
    if parsed.json:
        cases = {o.name: [len(o.corpus), len(o.regressions)] for o in kept.operators}
        tell_program({"status": ACCEPTED, "corpus": kept.corpus, "cases": cases})
    return ACCEPTED


def _places(parsed: argparse.Namespace) -> Iterator[tuple[Path, list[Operator]]]:
    """Every folder of a corpus, and the operators whose records lie beside it."""
    directories = _directories(parsed)
    wanted = suite.chosen(suite.records(directories), parsed.operator, directories)
    home = {one.name: folder_of(CORPUS, one.name, directories) for one in wanted}
    for folder in folders(CORPUS, directories):
        yield folder, [one for one in wanted if home[one.name] == folder]


def _directories(parsed: argparse.Namespace) -> list[Path]:
    return [directory.absolute() for directory in parsed.operators]
