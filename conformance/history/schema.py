"""The tables of the database, and the names of facts in it: what programs compare."""

from __future__ import annotations

SCHEMA = 1
APPLICATION = 0x4D6F4543
"""SQLite's application_id of these files: by it another program's database is told apart."""

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

VERDICT, NAMED_CALL, INPUTS, BIT_EXACT = "verdict", "named call", "inputs", "bit-exact elements"
TILING_KEY, WORKSPACE, LIBRARY = "tiling key", "workspace", "library"
ORDER = "order of additions"
DEVICE_TIME = "time on the device"
"""What a fact is of. Times are seconds, and no two runs have the same: they are not compared."""

ACCEPTED, FAILED = "accepted", "failed"
"""Values of verdicts and named calls."""
