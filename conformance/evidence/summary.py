"""The summary of a run, ``evidence.json``: what was judged per cell, how it came out, on what."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec

from conformance.call.observation import Outcome
from conformance.catalogue import on_ray as say
from conformance.evidence.coverage import Coverage, Further
from conformance.evidence.kernel_coverage import FileCoverage
from conformance.evidence.lines import (
    SCHEMA,
    AnyLine,
    DeviceLine,
    FailureLine,
    ItemLine,
    LimitLine,
    OrderLine,
    VerdictLine,
    WorkerLine,
)
from conformance.evidence.seal import FIELD, MOST_SUMMARY_BYTES, SUMMARY, Seal, sealed
from conformance.evidence.tiling_keys import TilingKeys
from conformance.evidence.torch_functions import TorchFunction
from conformance.evidence.translation import keep, revive
from conformance.judge.by_standard import OURS
from conformance.names import bracket
from conformance.plain_file import read_plain
from conformance.standards import Ruling

COUNTED = ("generate",)
"""Phases whose cases count; shrinking and the replay of its result are recorded apart."""

REJECTIONS = "rejections"
RELATIONS = "relations"
SEQUENCES = "sequences"
"""The mode under which the summary groups the calls that an operator must refuse."""


class Cell(msgspec.Struct, kw_only=True):
    """The summary of one group of verdicts: an operator's mode and dtype, or its rejections."""

    operator: str
    mode: str
    dtype: str
    cases: int = 0
    impossible: int = 0
    failed: int = 0
    complete: bool = True
    elements: int = 0
    exact: int = 0
    share_exact: float | None = None
    headroom: float | None = None
    rows: int = 0
    certain_rows: int = 0
    unbounded: int = 0
    shrink_attempts: int = 0
    seconds: float = 0.0


QUARANTINE = "quarantine"
"""What calls are judged as that are observed only."""


class StandardRow(msgspec.Struct, kw_only=True):
    """What one published standard said of the distinct cases whose summed outputs it was shown."""

    name: str
    accepts: int = 0
    rejects: int = 0
    investigate: int = 0
    silent: int = 0
    lenient: int = 0
    harsh: int = 0


class Evidence(msgspec.Struct, kw_only=True):
    """``evidence.json``: the whole run; docs/reference/evidence.md has the fields."""

    schema: int = SCHEMA
    kind: str = "conformance evidence"
    status: str = "running"
    process: int = 0
    exit_status: int | None = None
    started: str = ""
    seconds: float = 0.0
    profile: str = ""
    seed: int = 0
    seeds: list[int] = []
    device: str = ""
    route: str = ""
    devices: list[DeviceLine] = []
    orders: list[OrderLine] = []
    limits: list[LimitLine] = []
    provenance: dict[str, Any] = {}
    kernel_coverage: list[FileCoverage] = []
    operators: list[str] = []
    cases: int = 0
    cells: list[Cell] = []
    declared: int = 0
    selected: int = 0
    unjudged: list[str] = []
    left_out: dict[str, str] = {}
    coverage: list[Coverage] = []
    further: list[Further] = []
    tiling_keys: list[TilingKeys] = []
    torch_functions: list[TorchFunction] = []
    cut: list[str] = []
    unreached: list[str] = []
    request: dict[str, str] = {}
    parts: int = 1
    standard: str = ""
    standards: list[StandardRow] = []
    against: dict[str, int] = {}
    carried_out: dict[str, list[str]] = {}
    failures: list[FailureLine] = []
    observed: list[str] = []
    withheld: list[str] = []
    lost_cards: list[str] = []
    lost_workers: list[str] = []
    environment: list[str] = []
    errors: dict[str, str] = {}
    said: dict[str, Any] = {}
    seal: Seal | None = None


def against(lines: Iterable[AnyLine]) -> dict[str, int]:
    """How many distinct cases came out how beside a second implementation, by
    `conformance.judge.beside`'s words; a case that failed once counts as that."""
    found: dict[str, str] = {}
    for line in lines:
        if not isinstance(line, VerdictLine) or not line.beside or line.phase not in COUNTED:
            continue
        if line.digest not in found or not line.ok:
            found[line.digest] = line.beside
    return dict(Counter(found.values()))


def carried_out(lines: Iterable[AnyLine]) -> dict[str, list[str]]:
    """By operator the calls that a function must refuse, that it carried out, and that do not fail
    the run, by their names (``--lenient``)."""
    found: dict[str, dict[str, None]] = {}
    for line in lines:
        if not isinstance(line, VerdictLine) or line.judged_as != "rejection" or not line.ok:
            continue
        if line.outcome in (Outcome.COMPLETED.value, Outcome.FAILED.value):
            found.setdefault(line.operator, {})[line.name] = None
    return {operator: [*names] for operator, names in found.items()}


def summarize(lines: Iterable[AnyLine], declared: Iterable[tuple[str, str, str]]) -> list[Cell]:
    """Cells in the order of ``declared`` (operator, mode, dtype), then others as they came."""
    cells = {key: Cell(operator=key[0], mode=key[1], dtype=key[2]) for key in declared}
    seen: dict[tuple[str, str, str], set[str]] = {}
    refused: set[tuple[tuple[str, str, str], str]] = set()
    impossible: set[tuple[tuple[str, str, str], str]] = set()
    for line in lines:
        if not isinstance(line, VerdictLine) or line.judged_as == QUARANTINE:
            continue
        key = (line.operator, line.mode, line.dtype)
        if line.judged_as == "rejection":
            key = (line.operator, REJECTIONS, "")
        elif line.judged_as == "relation":
            key = (line.operator, RELATIONS, "")
        elif line.judged_as == "sequence":
            key = (line.operator, SEQUENCES, "")
        cell = cells.setdefault(key, Cell(operator=key[0], mode=key[1], dtype=key[2]))
        cell.seconds += line.seconds
        if line.phase not in COUNTED:
            cell.shrink_attempts += 1
            continue
        if line.outcome == Outcome.NOT_POSSIBLE.value:
            cell.impossible += (key, line.digest) not in impossible
            impossible.add((key, line.digest))
            continue
        if not line.ok and (key, line.digest) not in refused:
            refused.add((key, line.digest))
            cell.failed += 1
        digests = seen.setdefault(key, set())
        if line.digest in digests:
            continue
        digests.add(line.digest)
        cell.cases += 1
        cell.elements += line.elements
        cell.exact += line.exact
        cell.rows += line.rows
        cell.certain_rows += line.certain_rows
        cell.unbounded += line.unbounded
        rooms = [room for room in (cell.headroom, line.headroom) if room is not None]
        cell.headroom = min(rooms) if rooms else None
    for cell in cells.values():
        cell.share_exact = cell.exact / cell.elements if cell.elements else None
    return list(cells.values())


def observed(lines: Iterable[AnyLine]) -> list[str]:
    """What became of the calls in quarantine, each told once."""
    told = (
        line.headline or ""
        for line in lines
        if isinstance(line, VerdictLine) and line.judged_as == QUARANTINE
    )
    return list(dict.fromkeys(told))


def showing(lines: Iterable[AnyLine]) -> Iterator[VerdictLine]:
    """The lines of calls that were made, and count, which show levels of a discrete cell."""
    for line in lines:
        if not isinstance(line, VerdictLine) or line.outcome == Outcome.NOT_POSSIBLE.value:
            continue
        if line.levels is not None and line.phase in COUNTED:
            yield line


def withheld(lines: Iterable[AnyLine]) -> list[str]:
    """The modes that are not called on the device, each told once with the reason."""
    told = (line.reason for line in lines if isinstance(line, ItemLine) and line.reason)
    return sorted(set(told))


def withheld_cells(lines: Iterable[AnyLine]) -> set[str]:
    """What stands in the brackets of the items whose calls are not made on the device."""
    items = (one.item for one in lines if isinstance(one, ItemLine) and one.outcome == "withheld")
    return {bracket(item) for item in items}


def lost_cards(lines: Iterable[AnyLine]) -> list[str]:
    """The cards that gave way to another, each told once, though several processes met it."""
    told = (lost for line in lines if isinstance(line, DeviceLine) for lost in line.lost)
    return list(dict.fromkeys(told))


def lost_workers(lines: Iterable[AnyLine]) -> list[str]:
    """The workers of a cluster that judged no more, each with its node and the reason."""
    told = (
        say.LOST_WORKER(
            worker=line.worker,
            node=line.node,
            reason=line.reason,
            again=say.RUN_ELSEWHERE(count=len(line.items)) if line.items else "",
        )
        for line in lines
        if isinstance(line, WorkerLine)
    )
    return list(dict.fromkeys(told))


def now() -> str:
    """The time of day, UTC, as evidence tells it."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def standard_rows(lines: Iterable[AnyLine]) -> list[StandardRow]:
    """The rows of all standards that the verdicts name, the suite's own among them."""
    rows: dict[str, StandardRow] = {}
    seen: set[str] = set()
    for line in lines:
        if not isinstance(line, VerdictLine) or not line.standards:
            continue
        if line.phase not in COUNTED or line.digest in seen:
            continue
        seen.add(line.digest)
        ours = line.standards[OURS] == Ruling.ACCEPTS.value
        for name, ruling in line.standards.items():
            row = rows.setdefault(name, StandardRow(name=name))
            accepts = ruling == Ruling.ACCEPTS.value
            row.accepts += accepts
            row.rejects += ruling == Ruling.REJECTS.value
            row.investigate += ruling == Ruling.INVESTIGATE.value
            row.silent += ruling == Ruling.SILENT.value
            row.lenient += accepts and not ours
            row.harsh += ruling == Ruling.REJECTS.value and ours
    return list(rows.values())


def write_evidence(out: Path, evidence: Evidence) -> None:
    """Put ``evidence.json`` in place as a whole: a reader sees the old one or the new one.

    The folder of a run that has ended is sealed, with the lines that it has now. Raises `OSError`.
    """
    keep(evidence)
    told = msgspec.json.decode(msgspec.json.encode(evidence, enc_hook=str))
    evidence.seal = None if evidence.status == "running" else sealed(out, told)
    told[FIELD] = evidence.seal
    text = msgspec.json.format(msgspec.json.encode(told), indent=2)
    partial = out / f".{SUMMARY}.{os.getpid()}"
    partial.write_bytes(text + b"\n")
    os.replace(partial, out / SUMMARY)


def read_evidence(out: Path) -> Evidence | None:
    """The evidence of a run's folder; None if the folder holds no evidence that can be read."""
    try:
        raw = read_plain(out / SUMMARY, MOST_SUMMARY_BYTES)
        evidence = msgspec.json.decode(raw, type=Evidence)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
    revive(evidence)
    return evidence
