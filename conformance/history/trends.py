"""What the history tells: how an operator came out over time, and when something changed."""

from __future__ import annotations

import sqlite3

import msgspec

from conformance.history.schema import DEVICE_TIME

LAST = 20


class Point(msgspec.Struct, kw_only=True, frozen=True):
    """One operator in one run: all of its cells together. ``share`` of the elements were judged
    bit-exactly, ``headroom`` is the worst; ``whole``: the run ended, and can be compared."""

    run: str
    started: str
    series: str
    commit: str
    operator: str
    whole: bool
    cases: int
    failed: int
    share: float | None
    headroom: float | None
    seconds: float


class Change(msgspec.Struct, kw_only=True, frozen=True):
    """The first run in which something had another value than in the run before it."""

    operator: str
    what: str
    name: str
    before: str
    after: str
    run: str
    started: str
    commit: str
    series: str
    folder: str


def points(
    connection: sqlite3.Connection, operator: str | None = None, last: int = LAST
) -> list[Point]:
    """The last runs, oldest first within an operator and a series."""
    rows = connection.execute(
        """
        SELECT * FROM (
            SELECT run.id, run.started, run.series, run.commit_hash, cell.operator, run.whole,
                   sum(cell.cases), sum(cell.failed), sum(cell.exact), sum(cell.elements),
                   min(cell.headroom), sum(cell.seconds),
                   row_number() OVER (PARTITION BY cell.operator, run.series
                                      ORDER BY run.started DESC, run.id) AS age
            FROM cell JOIN run ON run.id = cell.run
            WHERE ?1 IS NULL OR cell.operator = ?1
            GROUP BY cell.operator, run.id HAVING sum(cell.cases) > 0
        ) WHERE age <= ?2 ORDER BY 5, 3, 2
        """,
        (operator, last),
    )
    return [
        Point(
            run=row[0],
            started=row[1],
            series=row[2],
            commit=row[3],
            operator=row[4],
            whole=bool(row[5]),
            cases=row[6],
            failed=row[7],
            share=row[8] / row[9] if row[9] else None,
            headroom=row[10],
            seconds=row[11],
        )
        for row in rows
    ]


def changes(connection: sqlite3.Connection, operator: str | None = None) -> list[Change]:
    """Every change between a whole run and the one before it in its series, latest first.

    A call with other inputs is another call: of it nothing is compared but that.
    """
    rows = connection.execute(
        """
        SELECT operator, what, name, before, value, id, started, commit_hash, series, folder FROM (
            SELECT fact.*, run.*,
                   lag(value) OVER (PARTITION BY fact.operator, what, name, series
                                    ORDER BY started, id) AS before
            FROM fact JOIN run ON run.id = fact.run
            WHERE run.whole AND what != ?2 AND (?1 IS NULL OR fact.operator = ?1)
        ) WHERE before != value ORDER BY started DESC, operator, what, name
        """,
        (operator, DEVICE_TIME),
    )
    return [Change(**dict(zip(Change.__struct_fields__, row, strict=True))) for row in rows]
