"""The database: one SQLite file, which several processes of one host may write at once."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.errors import EnvironmentFailure, UsageError
from conformance.history.place import check_local

DEFAULT = Path("reports/history.sqlite")
SCHEMA = 1
APPLICATION = 0x4D6F4543
"""SQLite's application_id of these files: by it another program's database is told apart."""
PATIENCE = 60.0
"""Seconds that a writer waits for others."""

TABLES = """
CREATE TABLE run (
    id TEXT PRIMARY KEY, started TEXT NOT NULL, series TEXT NOT NULL, commit_hash TEXT NOT NULL,
    profile TEXT NOT NULL, seed INTEGER NOT NULL, device TEXT NOT NULL, whole INTEGER NOT NULL,
    status TEXT NOT NULL, exit_status INTEGER, seconds REAL NOT NULL, cases INTEGER NOT NULL,
    folder TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX run_by_time ON run (series, started);
CREATE TABLE cell (
    run TEXT NOT NULL REFERENCES run, operator TEXT NOT NULL, mode TEXT NOT NULL,
    dtype TEXT NOT NULL, cases INTEGER NOT NULL, failed INTEGER NOT NULL,
    elements INTEGER NOT NULL, exact INTEGER NOT NULL, headroom REAL, seconds REAL NOT NULL,
    PRIMARY KEY (operator, run, mode, dtype)
) WITHOUT ROWID;
CREATE TABLE fact (
    run TEXT NOT NULL REFERENCES run, operator TEXT NOT NULL, what TEXT NOT NULL,
    name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (operator, what, name, run)
) WITHOUT ROWID;
"""
"""``series`` is what runs must have in common to be compared: device, CANN, route, profile.
``fact`` has what may change from run to run, as text: the verdict of a named call, its tiling key,
its bit-exact elements, an order of additions, a library's hash."""


@contextmanager
def opened(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """The database, in one transaction: all of it is written, or nothing.

    A file that is not there is made, if it is to be written. Raises `UsageError` for a path on a
    network file system, a file that is no history or of another schema, `EnvironmentFailure` where
    it cannot be written.
    """
    check_local(path)
    if path.exists() and not path.is_file():
        raise UsageError("db", path, "must be a file")
    if not write and not path.exists():
        raise UsageError("db", path, "is not there yet: history import RUN makes it")
    try:
        if not path.exists():
            _make(path)
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise EnvironmentFailure(f"the history, {path}, cannot be opened: {error}") from error
    try:
        _check(connection, path)
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        yield connection
        connection.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise EnvironmentFailure(f"the history, {path}: {error}") from error
        raise UsageError("db", path, f"is no history: {error}") from error
    finally:
        connection.close()


def _make(path: Path) -> None:
    """Put an empty history in place as a whole: no writer ever sees one that is half made.

    Where several do so at once, that of the first one stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    partial.unlink(missing_ok=True)
    try:
        connection = sqlite3.connect(partial, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(TABLES)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
        finally:
            connection.close()
        with contextlib.suppress(FileExistsError):
            os.link(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that another program or version made."""
    if _pragma(connection, "application_id") != APPLICATION:
        raise UsageError("db", path, "is a database, but not a history of runs")
    schema = _pragma(connection, "user_version")
    if schema != SCHEMA:
        rule = f"has schema {schema}; this version reads {SCHEMA}: import the runs into a new one"
        raise UsageError("db", path, rule)
    connection.execute("PRAGMA synchronous = NORMAL")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
