"""``mutants``: whether a smoke run's calls find each small change of an operator's own kernel."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance import places
from conformance.catalogue import check as of_check
from conformance.catalogue import help as helps
from conformance.catalogue import mutants as say
from conformance.catalogue.marks import OR
from conformance.catalogue.message import row
from conformance.cli.common import add_json, add_operators, tell_program
from conformance.cli.progress import bar
from conformance.errors import ACCEPTED, REFUSED, UsageError
from conformance.mutants.bench import INVALID, KILLED, SURVIVED, UNSEEN, Fate
from conformance.mutants.chosen import mutants, sampled
from conformance.mutants.held import ROUTE, Held, held
from conformance.suite import records as suite
from conformance.suite.on_route import reachable
from conformance.text.language import put

WORKERS = min(2, os.cpu_count() or 1)
MOST_WORKERS = 1024
SHOWN = 20
"""Survivors of an operator that a person is shown; programs get all."""


def add_mutants(commands: Any) -> None:
    """The grammar of ``mutants``."""
    command = commands.add_parser("mutants", help=helps.MUTANTS(), allow_abbrev=False)
    command.set_defaults(command=mutants_command)
    add = command.add_argument
    add("names", nargs="*", metavar="OPERATOR", help=helps.MUTATED())
    add("--sample", type=int, metavar="N", help=helps.SAMPLE())
    add("--seed", type=int, default=0, metavar="S", help=helps.MUTANT_SEED())
    workers = helps.MUTANT_WORKERS(workers=WORKERS)
    add("--workers", type=int, default=WORKERS, metavar="N", help=workers)
    add_operators(command)
    add_json(command)


def mutants_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Judge the mutants of the named operators, or of those of ``--operators``, or of all."""
    if parsed.sample is not None and parsed.sample < 1:
        raise UsageError("--sample", parsed.sample, of_check.AT_LEAST_ONE())
    if not 1 <= parsed.workers <= MOST_WORKERS:
        raise UsageError("--workers", parsed.workers, say.WORKERS(most=MOST_WORKERS))
    folders = [directory.absolute() for directory in parsed.operators]
    chosen = suite.chosen(suite.records(folders), parsed.names, folders)
    kernels = {one.name: _kernel(folders, one.name) for one in chosen}
    status, told = ACCEPTED, []
    for operator in reachable(chosen, ROUTE, list(kernels)):
        folder = kernels[operator.name]
        every = mutants(folder, folder)
        some = sampled(every, parsed.sample or 0, parsed.seed)
        found = held(
            operator,
            folder,
            some,
            seed=parsed.seed,
            workers=parsed.workers,
            quiet=not console.is_terminal,
            watching=_progress(console, operator.name, len(some)),
        )
        status = REFUSED if found.wrong or found.counts[SURVIVED] else status
        told.append(_for_programs(found, folder, len(every)))
        if not parsed.json:
            for line in _lines(found, folder, len(every)):
                put(line, console)
    if parsed.json:
        tell_program({"status": status, "operators": told})
    return status


def _kernel(folders: Sequence[Path], name: str) -> Path:
    """The folder of an operator's kernel. Raises `UsageError` if there is none."""
    named = [folder / "kernels" / name for folder in folders]
    for folder in (*named, places.own_kernels() / name):
        if folder.is_dir():
            return folder.resolve()
    looked = row(map(str, named), OR) if named else places.own_kernels() / name
    raise UsageError("operator", name, say.NO_FOLDER(places=looked))


@contextmanager
def _progress(console: Console, operator: str, total: int) -> Iterator[Callable[[Fate], None]]:
    with bar(console) as shown:
        task = shown.add_task(say.PROGRESS(operator=operator), total=total)
        yield lambda fate: shown.advance(task)


def _lines(found: Held, kernel: Path, of: int) -> Iterator[str]:
    """The operator in one line, then the mutants that survive, and what no case reaches; ``of`` so
    many mutants those that were judged are a sample.
    """
    if found.wrong:
        yield say.UNCHANGED_FAILS(operator=found.operator, headline=found.wrong)
        return
    counts, judged = found.counts, len(found.fates)
    yield say.SUMMARY(
        operator=found.operator,
        mutants=judged if judged == of else say.SOME(some=judged, all=of),
        killed=counts[KILLED],
        survived=counts[SURVIVED],
        unseen=counts[UNSEEN],
        invalid=counts[INVALID],
    )
    left = SHOWN
    headings = {SURVIVED: say.TOO_WEAK(), UNSEEN: say.UNSEEN(calls=len(found.calls))}
    for fate, heading in headings.items():
        some = found.of(fate)[:left]
        left -= len(some)
        if some:
            yield row(["  ", heading])
        for one in some:
            yield f"    {_place(one, kernel)} {_change(one)}"
            if one.by:
                yield row(["      ", one.by])
    if more := counts[SURVIVED] + counts[UNSEEN] - (SHOWN - left):
        yield row(["    ", say.MORE(count=more)])
    for text in found.weak:
        yield row(["  ", of_check.WEAK(text=text)])


def _place(fate: Fate, kernel: Path) -> str:
    """File, line and column of a change, as compilers write them."""
    text = (kernel.parent / fate.mutant.file).read_text(encoding="utf-8")
    return f"{fate.mutant.file}:{fate.mutant.line}:{_column(fate, text)}"


def _column(fate: Fate, text: str) -> int:
    start = fate.mutant.start
    return start - (text.rfind("\n", 0, start) + 1) + 1


def _change(fate: Fate) -> str:
    mutant = fate.mutant
    return f"{mutant.kind}: {mutant.before.strip()!r} -> {mutant.after.strip()!r}"


def _for_programs(found: Held, kernel: Path, of: int) -> dict[str, Any]:
    """All of it, for ``--json``."""
    counts = found.counts
    return {
        "operator": found.operator,
        "unchanged_fails": found.wrong,
        "calls": len(found.calls),
        "mutants": of,
        "judged": len(found.fates),
        "killed": counts[KILLED],
        "survived": counts[SURVIVED],
        "changes_nothing": counts[UNSEEN],
        "does_not_compile": counts[INVALID],
        "survivors": [
            {
                "place": _place(one, kernel),
                "kind": one.mutant.kind,
                "before": one.mutant.before,
                "after": one.mutant.after,
                "difference": one.by,
                "case": repr(found.calls[one.shown - 1].case) if one.shown else "",
            }
            for one in (*found.of(SURVIVED), *found.of(UNSEEN))
        ],
        "weak": list(found.weak),
    }
