"""The history on one page: verdicts over time, what fails since when, what differs for one commit,
and what takes longest."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from conformance.history import schema
from conformance.history.trends import Point, points

STRIP = 60
"""Runs of an operator that the page shows, and of which it takes times."""

Cell = tuple[str, str]
"""Operator, and the mode and data type in words."""

OfCell = tuple[tuple[str, str, str], list[tuple["At", str, int]]]
"""Series and cell, and the run, the verdict and the seed of each run, oldest first."""


@dataclass(frozen=True)
class At:
    """A run: when it began, and its commit."""

    started: str
    commit: str


@dataclass(frozen=True)
class Failing:
    """A cell that fails in the last run that judged it: since which run, and the last before it
    that accepted it, None: none did."""

    cell: Cell
    first: At
    accepted: At | None


@dataclass(frozen=True)
class Flaky:
    """A cell that runs of one commit accepted and failed: of how many commits, the last of them,
    and whether runs of one seed differ, too."""

    cell: Cell
    commits: int
    last: At
    of_one_seed: bool


@dataclass(frozen=True)
class Slow:
    """A cell, or a timed call, with its seconds: the median of its last runs, and of as many before
    these; None: there are none."""

    cell: Cell
    seconds: float
    before: float | None


@dataclass(frozen=True)
class Series:
    """Runs that can be compared: the last ones of each operator, oldest first, and what is told of
    its cells."""

    name: str
    runs: int
    first: At
    last: At
    operators: dict[str, list[Point]]
    failing: list[Failing]
    flaky: list[Flaky]
    slow: list[Slow]
    timed: list[Slow]


def overview(connection: sqlite3.Connection) -> list[Series]:
    """Every series, that of the latest run first."""
    strips: dict[str, dict[str, list[Point]]] = defaultdict(lambda: defaultdict(list))
    for point in points(connection, None, STRIP):
        strips[point.series][point.operator].append(point)
    verdicts = list(_verdicts(connection))
    failing, flaky = _failing(verdicts), _flaky(verdicts)
    slow, timed = _slow(connection), _timed(connection)
    found = []
    for name, runs, first, last in connection.execute(
        "SELECT series, count(*), min(started), max(started) FROM run GROUP BY series"
        " ORDER BY max(started) DESC, series"
    ):
        found.append(
            Series(
                name,
                runs,
                _at(connection, name, first),
                _at(connection, name, last),
                dict(strips[name]),
                failing[name],
                flaky[name],
                slow[name],
                timed[name],
            )
        )
    return found


def _at(connection: sqlite3.Connection, series: str, started: str) -> At:
    (commit,) = connection.execute(
        "SELECT commit_hash FROM run WHERE series = ? AND started = ? ORDER BY id LIMIT 1",
        (series, started),
    ).fetchone()
    return At(started, commit)


def _failing(verdicts: Iterable[OfCell]) -> dict[str, list[Failing]]:
    """By series, those that fail longest first."""
    found: dict[str, list[Failing]] = defaultdict(list)
    for (series, *cell), some in verdicts:
        first: At | None = None
        accepted: At | None = None
        for at, verdict, _ in some:
            if verdict == schema.ACCEPTED:
                first, accepted = None, at
            else:
                first = first or at
        if first is not None:
            found[series].append(Failing((cell[0], cell[1]), first, accepted))
    for cells in found.values():
        cells.sort(key=lambda one: (one.first.started, one.cell))
    return found


def _flaky(verdicts: Iterable[OfCell]) -> dict[str, list[Flaky]]:
    """By series, those of most commits first; a run without a commit tells nothing."""
    found: dict[str, list[Flaky]] = defaultdict(list)
    for (series, *cell), some in verdicts:
        seen: dict[str, set[str]] = defaultdict(set)
        of_seed: dict[tuple[str, int], set[str]] = defaultdict(set)
        last: dict[str, At] = {}
        for at, verdict, seed in some:
            if at.commit:
                seen[at.commit].add(verdict)
                of_seed[at.commit, seed].add(verdict)
                last[at.commit] = at
        commits = [commit for commit, both in seen.items() if len(both) > 1]
        if commits:
            latest = max((last[commit] for commit in commits), key=lambda at: at.started)
            one_seed = any(len(both) > 1 for both in of_seed.values())
            found[series].append(Flaky((cell[0], cell[1]), len(commits), latest, one_seed))
    for cells in found.values():
        cells.sort(key=lambda one: (-one.commits, one.cell))
    return found


def _verdicts(connection: sqlite3.Connection) -> Iterator[OfCell]:
    """The verdicts of whole runs on each cell that one of them failed, oldest first."""
    rows = connection.execute(
        """
        SELECT run.series, fact.operator, fact.name, run.started, run.commit_hash, fact.value,
               run.seed
        FROM fact JOIN run ON run.id = fact.run
        WHERE fact.what = ?1 AND run.whole AND (fact.operator, fact.name) IN (
            SELECT operator, name FROM fact WHERE what = ?1 AND value = ?2)
        ORDER BY 1, 2, 3, 4, run.id
        """,
        (schema.VERDICT, schema.FAILED),
    )
    key: tuple[str, str, str] | None = None
    verdicts: list[tuple[At, str, int]] = []
    for series, operator, name, started, commit, value, seed in rows:
        if (series, operator, name) != key:
            if key is not None:
                yield key, verdicts
            key, verdicts = (series, operator, name), []
        verdicts.append((At(started, commit), value, seed))
    if key is not None:
        yield key, verdicts


LATE = """(SELECT id, series, row_number() OVER (PARTITION BY series
                                                ORDER BY started DESC, id) AS age
         FROM run WHERE whole) AS late"""
"""The whole runs of each series, the last one of age 1."""


def _slow(connection: sqlite3.Connection) -> dict[str, list[Slow]]:
    """By series, the slowest cells first."""
    rows = connection.execute(
        f"""
        SELECT series, operator, trim(mode || ' ' || dtype), seconds, age <= ?1 / 2
        FROM {LATE} JOIN cell ON cell.run = late.id WHERE age <= ?1 AND cases > 0
        """,
        (STRIP,),
    )
    return _halves(rows)


def _timed(connection: sqlite3.Connection) -> dict[str, list[Slow]]:
    """By series, the calls that were timed on the device, the slowest first."""
    rows = connection.execute(
        f"""
        SELECT series, operator, name, CAST(value AS REAL), age <= ?1 / 2
        FROM {LATE} JOIN fact ON fact.run = late.id WHERE age <= ?1 AND what = ?2
        """,
        (STRIP, schema.DEVICE_TIME),
    )
    return _halves(rows)


def _halves(rows: Iterable[tuple[str, str, str, float, int]]) -> dict[str, list[Slow]]:
    """By series, the slowest first: the medians of the newer and the older half of the strip."""
    times: dict[tuple[str, Cell], tuple[list[float], list[float]]] = {}
    for series, operator, name, seconds, is_new in rows:
        both = times.setdefault((series, (operator, name)), ([], []))
        both[not is_new].append(seconds)
    found: dict[str, list[Slow]] = defaultdict(list)
    for (series, cell), (new, old) in times.items():
        if new:
            found[series].append(Slow(cell, median(new), _median(old)))
    for some in found.values():
        some.sort(key=lambda one: (-one.seconds, one.cell))
    return found


def _median(values: Iterable[float]) -> float | None:
    values = list(values)
    return median(values) if values else None
