"""The database: one SQLite file, which several processes of one host may write at once."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.catalogue import history as say
from conformance.errors import EnvironmentFailure, UsageError
from conformance.history.place import check_local
from conformance.history.schema import APPLICATION, SCHEMA, TABLES

DEFAULT = Path("reports/history.sqlite")
PATIENCE = 60.0
"""Seconds that a writer waits for others."""


@contextmanager
def opened(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """The database, in one transaction: all of it is written, or nothing.

    A file that is not there is made, if it is to be written. Raises `UsageError` for a path on a
    network file system, a file that is no history or of another schema, `EnvironmentFailure` where
    it cannot be written.
    """
    check_local(path)
    if path.exists() and not path.is_file():
        raise UsageError("db", path, say.NO_FILE())
    if not write and not path.exists():
        raise UsageError("db", path, say.NOT_YET_THERE())
    try:
        if not path.exists():
            _make(path)
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise EnvironmentFailure(say.NOT_OPENED(path=path, error=str(error))) from error
    try:
        _check(connection, path)
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        yield connection
        connection.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise EnvironmentFailure(say.DATABASE_FAILED(path=path, error=str(error))) from error
        raise UsageError("db", path, say.NO_HISTORY(error=str(error))) from error
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
        raise UsageError("db", path, say.ANOTHER_DATABASE())
    schema = _pragma(connection, "user_version")
    if schema != SCHEMA:
        raise UsageError("db", path, say.ANOTHER_SCHEMA(schema=schema, known=SCHEMA))
    connection.execute("PRAGMA synchronous = NORMAL")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
