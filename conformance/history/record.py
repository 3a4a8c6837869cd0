"""A run into the history: once, however often it is imported."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from conformance.catalogue import history as say
from conformance.evidence.implementation import of_operator
from conformance.evidence.reading import CannotJudge, read_part, read_run, sound, whole
from conformance.evidence.run import Run
from conformance.evidence.seal import MOST_SUMMARY_BYTES, SUMMARY
from conformance.gate.facts import Facts, facts
from conformance.history import schema
from conformance.history.database import opened

Fact = tuple[str, str, str, str]
"""Operator, what it is of, its name, its value."""


def import_runs(path: Path, folders: Sequence[Path]) -> tuple[int, int]:
    """Add the runs of ``folders`` to the database; returns how many were new and how many known.

    All are read before any is written. Runs that did not end well are kept and told, but nothing is
    compared with them. Raises `CannotJudge` for a run that goes on, was killed, or is corrupted.
    """
    runs = [_readable(folder) for folder in folders]
    new = 0
    with opened(path, write=True) as connection:
        for run in runs:
            new += _add(connection, run, facts(run))
    return new, len(runs) - new


def _readable(folder: Path) -> Run:
    """A run that can be put on record: it has ended, and its summary is that of its lines."""
    run = read_run(folder)
    if run.evidence.status == "running":
        raise CannotJudge(say.NOT_ENDED(folder=folder))
    if not run.evidence.devices:
        raise CannotJudge(say.NO_DEVICE(folder=folder))
    return sound(run)


def _add(connection: sqlite3.Connection, run: Run, found: Facts) -> bool:
    """Write one run; False if it is known already."""
    evidence = run.evidence
    identity = hashlib.sha256(read_part(run.folder / SUMMARY, MOST_SUMMARY_BYTES)).hexdigest()
    known = connection.execute("SELECT 1 FROM run WHERE id = ?", (identity,)).fetchone()
    if known is not None:
        return False
    connection.execute(
        f"INSERT INTO run VALUES ({', '.join('?' * 13)})",
        (
            identity,
            evidence.started,
            f"{found.kind} {found.key}, profile {found.profile}",
            found.commit,
            evidence.profile,
            evidence.seed,
            run.device.description,
            _is_whole(run),
            evidence.status,
            evidence.exit_status,
            evidence.seconds,
            evidence.cases,
            str(run.folder),
        ),
    )
    connection.executemany(
        f"INSERT OR REPLACE INTO cell VALUES ({', '.join('?' * 10)})",
        [
            (
                identity,
                cell.operator,
                cell.mode,
                cell.dtype,
                cell.cases,
                cell.failed,
                cell.elements,
                cell.exact,
                cell.headroom,
                cell.seconds,
            )
            for cell in evidence.cells
        ],
    )
    connection.executemany(
        "INSERT OR REPLACE INTO fact VALUES (?, ?, ?, ?, ?)",
        [(identity, *fact) for fact in _facts(run, found)],
    )
    return True


def _facts(run: Run, found: Facts) -> Iterator[Fact]:
    """What may change from one run to the next, as text by name."""
    for cell in run.evidence.cells:
        if cell.cases:
            verdict = schema.FAILED if cell.failed else schema.ACCEPTED
            yield cell.operator, schema.VERDICT, f"{cell.mode} {cell.dtype}".strip(), verdict
    for name, call in found.named.items():
        short = name.partition("/")[2]
        ended = schema.ACCEPTED if call.ok else schema.FAILED
        yield call.operator, schema.NAMED_CALL, short, ended
        yield call.operator, schema.INPUTS, short, call.digest
        if call.elements:
            exact = f"{call.exact} of {call.elements}"
            yield call.operator, schema.BIT_EXACT, short, exact
        if call.tiling_key is not None:
            yield call.operator, schema.TILING_KEY, short, str(call.tiling_key)
        if call.workspace_bytes:
            yield call.operator, schema.WORKSPACE, short, f"{call.workspace_bytes} B"
    for name, timed in found.times.items():
        if timed.seconds:
            short = name.removeprefix(f"{timed.operator}/timing/")
            yield timed.operator, schema.DEVICE_TIME, short, f"{median(timed.seconds):.9f}"
    for name, order in found.orders.items():
        operator, _, rest = name.partition(" ")
        yield operator, schema.ORDER, rest, order.order
    for operator in run.evidence.operators:
        for name, sha in of_operator(operator, found.libraries).items():
            yield operator, schema.LIBRARY, name, f"sha256 {sha[:16]}"


def _is_whole(run: Run) -> bool:
    try:
        whole(run)
    except CannotJudge:
        return False
    return True
