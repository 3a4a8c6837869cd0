"""The folder of a run as the gate reads it: everything in it is checked, nothing is believed."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.evidence import SCHEMA, AnyLine, DeviceLine, VerdictLine, Writer
from conformance.operator import RELATIONS as RELATIONS_ALONE
from conformance.run_folder import LOCK, Hold
from conformance.shard import WHOLE
from conformance.suite import UsageError
from conformance.summary import (
    REJECTIONS,
    RELATIONS,
    SEQUENCES,
    Cell,
    Evidence,
    summarize,
    withheld,
)

READABLE = (SCHEMA,)
"""Schemas of evidence that this version reads."""
MOST_BYTES = 2**31
"""Of one file of evidence; ten million verdicts take less."""
SHOWN = 3


class CannotJudge(Exception):  # noqa: N818 - the words of the exit status
    """A run on which nothing can be said: ``reasons`` are sentences, the first one the gravest."""

    def __init__(self, *reasons: str) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True)
class Run:
    """A run as its folder tells it; ``lines`` are those of all its workers."""

    folder: Path
    evidence: Evidence
    lines: tuple[AnyLine, ...]

    @property
    def verdicts(self) -> Iterator[VerdictLine]:
        """The verdicts, shrinking's among them."""
        return (line for line in self.lines if isinstance(line, VerdictLine))

    @property
    def device(self) -> DeviceLine:
        """The device that was judged; `whole` has seen that there is one."""
        return self.evidence.devices[0]


def read_run(folder: Path) -> Run:
    """Read a run's folder, finished or not.

    Raises `UsageError` where there is no folder, `CannotJudge` where what is in it cannot be read.
    """
    if not folder.is_dir():
        raise UsageError("run", folder, "allowed: the folder of a run, such as reports/latest")
    evidence = _evidence(folder / "evidence.json")
    lines: list[AnyLine] = []
    for path in sorted(folder.glob(Writer.PATTERN)):
        lines += _lines(path, finished=evidence.status != "running")
    return Run(folder, evidence, tuple(lines))


def whole(run: Run) -> Run:
    """The run, if it is one that can be judged: finished, not empty, and at one with itself.

    Raises `CannotJudge` with every reason why not.
    """
    reasons = list(_reasons(run))
    if reasons:
        raise CannotJudge(*reasons)
    return run


def declared_cells(evidence: Evidence) -> list[Cell]:
    """The cells that the records declare: all but the groups of refused calls and relations."""
    return [cell for cell in evidence.cells if cell.mode not in (REJECTIONS, RELATIONS, SEQUENCES)]


def _reasons(run: Run) -> Iterator[str]:
    evidence, folder = run.evidence, run.folder
    if evidence.status == "running":
        how = "has not ended yet" if _is_held(folder) else "ended before its end"
        yield f"incomplete: the run (process {evidence.process}) {how}"
        return
    for message in evidence.environment:
        yield f"the device or its environment failed: {message}"
    if evidence.status != "finished":
        yield f"incomplete: the run is {evidence.status}{_missing(evidence)}"
    elif evidence.cut or evidence.unreached:
        yield f"incomplete: {_missing(evidence).removeprefix(': ')}"
    shard = evidence.request.get("shard", str(WHOLE))
    if shard != str(WHOLE):
        yield f"incomplete: this is shard {shard} of a run: merge it with the others first"
    if not evidence.cases:
        told = "; ".join(f"{name}: {reason}" for name, reason in evidence.left_out.items())
        yield f"empty: no case was judged{f' ({told})' if told else ''}"
    elif not evidence.devices:
        yield "no device: the evidence does not say what was judged"
    if evidence.exit_status not in (0, 1) and not evidence.environment and evidence.cases:
        yield f"incomplete: the run ended with status {evidence.exit_status}"
    known = {f"{line.profile.get('soc')} {line.profile.get('kind')}" for line in evidence.devices}
    if len(known) > 1:
        told = ", ".join(line.description for line in evidence.devices)
        yield f"several devices in one run: {told}"
    yield from contradictions(run)


def _missing(evidence: Evidence) -> str:
    parts = []
    for what, items in (("cut short", evidence.cut), ("not reached", evidence.unreached)):
        if items:
            names = ", ".join(item.rpartition("::")[2] for item in items[:SHOWN])
            more = ", ..." if len(items) > SHOWN else ""
            parts.append(f"{len(items)} {what} ({names}{more})")
    return f": {'; '.join(parts)}" if parts else ""


def contradictions(run: Run) -> Iterator[str]:
    """Where the summary says something else than the lines: one of them was lost or changed."""
    if run.evidence.withheld != withheld(run.lines):
        yield "corrupted: the summary tells of other modes that are not called than the lines do"
    kinds = {line.profile.get("kind") for line in run.evidence.devices}
    if run.evidence.withheld and kinds != {"npu"}:
        yield "corrupted: the evidence leaves modes out as on an NPU, but was made on none"
    declared = [(cell.operator, cell.mode, cell.dtype) for cell in declared_cells(run.evidence)]
    if run.evidence.request.get("oracle") == RELATIONS_ALONE:
        declared = []
    told = {_key(cell): _figures(cell) for cell in run.evidence.cells}
    counted = {_key(cell): _figures(cell) for cell in summarize(run.lines, declared)}
    for key in [key for key in {**told, **counted} if told.get(key) != counted.get(key)][:SHOWN]:
        name = "-".join(part for part in key if part)
        yield (
            f"corrupted: of {name} the summary has {_told(told.get(key))}, the lines of its"
            f" verdicts have {_told(counted.get(key))}"
        )


def _key(cell: Cell) -> tuple[str, str, str]:
    return cell.operator, cell.mode, cell.dtype


def _figures(cell: Cell) -> tuple[int, int, int, int]:
    return cell.cases, cell.failed, cell.elements, cell.exact


def _told(figures: tuple[int, int, int, int] | None) -> str:
    if figures is None:
        return "nothing"
    cases, failed, elements, exact = figures
    return f"{cases} cases, {failed} failed, {exact} of {elements} elements bit-exact"


def _evidence(path: Path) -> Evidence:
    raw = _read(path)
    try:
        head = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CannotJudge(f"corrupted: {path.name} is no JSON: {error}") from error
    if not isinstance(head, dict) or head.get("kind") != Evidence().kind:
        raise CannotJudge(f"corrupted: {path.name} is not the evidence of a run")
    schema = head.get("schema")
    if type(schema) is not int:
        raise CannotJudge(f"corrupted: {path.name} has schema {schema!r}, which is no number")
    if schema not in READABLE:
        age = "older" if schema < min(READABLE) else "newer"
        known = ", ".join(map(str, READABLE))
        rule = f"{age} than this version reads ({known})"
        raise CannotJudge(f"{age} schema: {path.name} has schema {schema}, {rule}: run again")
    try:
        return msgspec.json.decode(raw, type=Evidence)
    except msgspec.MsgspecError as error:
        raise CannotJudge(f"corrupted: {path.name}: {error}") from error


def _lines(path: Path, *, finished: bool) -> Iterator[AnyLine]:
    """The finished lines of one worker; only a run that did not end may have a cut one."""
    decoder = msgspec.json.Decoder(AnyLine)
    for number, raw in enumerate(_read(path).splitlines(keepends=True), 1):
        where = f"corrupted: {path.name}, line {number}"
        if not raw.endswith(b"\n"):
            if finished:
                raise CannotJudge(f"{where}: it is cut, though the run says that it ended")
            continue
        try:
            line = decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(f"{where}: {error}") from error
        if line.schema not in READABLE:
            raise CannotJudge(f"{where}: has schema {line.schema}; this version reads {READABLE}")
        yield line


def _read(path: Path) -> bytes:
    """The bytes of a plain file; a link, a pipe or a file beyond all sense is refused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise CannotJudge(f"no evidence: there is no {path.name} in {path.parent}") from None
    except OSError as error:
        why = "is a link" if path.is_symlink() else f"cannot be read: {error.strerror}"
        raise CannotJudge(f"corrupted: {path.name} {why}") from error
    with os.fdopen(descriptor, "rb") as file:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            raise CannotJudge(f"corrupted: {path.name} is no file")
        if known.st_size > MOST_BYTES:
            raise CannotJudge(f"corrupted: {path.name} has more than {MOST_BYTES} bytes")
        return file.read()


def _is_held(folder: Path) -> bool:
    """Whether a run that lives has the lock of the folder."""
    if not (folder / LOCK).is_file() or (folder / LOCK).is_symlink():
        return False
    try:
        Hold(folder).release()
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def printable(text: str) -> str:
    """Text of a file without what a terminal would obey; line ends stay."""
    return re.sub(r"[^\S\n ]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "?", text)
