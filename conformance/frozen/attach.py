"""Where frozen cases lie, and the records with theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance import places
from conformance.catalogue import frozen as say
from conformance.errors import UsageError
from conformance.frozen.corpus import read_corpus
from conformance.frozen.regressions import digest_of, read_regressions
from conformance.record.frozen import Frozen
from conformance.record.operator import Operator
from conformance.suite import records as suite

CORPUS, REGRESSIONS = "corpus", "regressions"


@dataclass(frozen=True)
class Kept:
    """What is kept of the operators of a run; ``corpus`` and ``regressions`` tell which, None where
    there are none or none are judged.
    """

    operators: tuple[Operator, ...]
    corpus: str | None
    regressions: str | None


def folders(kind: str, directories: Iterable[Path]) -> list[Path]:
    """Where the cases of a kind lie: the suite's own beside its records, others' below them."""
    return [places.records().with_name(kind), *(directory / kind for directory in directories)]


def folder_of(kind: str, operator: str, directories: Sequence[Path]) -> Path:
    """Where the cases of an operator lie: beside its record. Raises `UsageError`."""
    for count, folder in enumerate(folders(kind, directories)):
        if operator in suite.records(directories[:count]):
            return folder
    raise UsageError("operator", operator, say.NOT_ON_RECORD())


def attached(operators: Sequence[Operator], directories: Sequence[Path], *, corpus: bool) -> Kept:
    """The records with their regressions and, if ``corpus``, with the frozen corpus.

    Raises `UsageError` for a file that is not as it was frozen, and for a name twice.
    """
    names = {operator.name for operator in operators}
    cases: dict[str, list[Frozen]] = {}
    versions: list[str] = []
    for folder in folders(CORPUS, directories) if corpus else ():
        found = read_corpus(folder)
        mine = {} if found is None else {n: c for n, c in found.cases.items() if n in names}
        if found is not None and mine:
            versions.append(found.version)
            _join(cases, mine, folder)
    regressions: dict[str, list[Frozen]] = {}
    for folder in folders(REGRESSIONS, directories):
        known = read_regressions(folder)
        _join(regressions, {n: c for n, c in known.items() if n in names}, folder)
    return Kept(
        operators=tuple(
            replace(
                one,
                corpus=tuple(cases.get(one.name, ())),
                regressions=tuple(regressions.get(one.name, ())),
            )
            if one.name in cases or one.name in regressions
            else one
            for one in operators
        ),
        corpus="+".join(versions) or None,
        regressions=digest_of(regressions),
    )


def _join(
    all_of_them: dict[str, list[Frozen]], some: dict[str, Sequence[Frozen]], folder: Path
) -> None:
    for operator, cases in some.items():
        mine = all_of_them.setdefault(operator, [])
        twice = {one.name for one in mine} & {one.name for one in cases}
        if twice:
            rule = say.TWICE(name=repr(sorted(twice)[0]), operator=operator)
            raise UsageError("cases", folder, rule)
        mine += cases
