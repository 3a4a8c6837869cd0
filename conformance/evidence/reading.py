"""The folder of a run as the gate reads it: everything in it is checked, nothing is believed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from conformance.errors import UsageError
from conformance.evidence.chain import Follower
from conformance.evidence.contradictions import contradictions
from conformance.evidence.lines import MOST_BYTES, SCHEMA, AnyLine, LineReader, Writer
from conformance.evidence.run import Run
from conformance.evidence.run_folder import LOCK, Hold
from conformance.evidence.seal import MOST_SUMMARY_BYTES, SUMMARY, Seal, broken, file_link
from conformance.evidence.shard import WHOLE
from conformance.evidence.summary import REJECTIONS, RELATIONS, SEQUENCES, Cell, Evidence
from conformance.evidence.translation import revive
from conformance.judge.broken import is_broken
from conformance.plain_file import read_plain

READABLE = (SCHEMA,)
"""Schemas of evidence that this version reads."""
SHOWN = 3


class CannotJudge(Exception):  # noqa: N818 - the words of the exit status
    """A run on which nothing can be said: ``reasons`` are sentences, the first one the gravest."""

    def __init__(self, *reasons: str) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def read_run(folder: Path) -> Run:
    """Read a run's folder, finished or not.

    Raises `UsageError` where there is no folder, `CannotJudge` where what is in it cannot be read.
    """
    if not folder.is_dir():
        raise UsageError("run", folder, "allowed: the folder of a run, such as reports/latest")
    evidence, told = _evidence(read_part(folder / SUMMARY, MOST_SUMMARY_BYTES))
    reader = _Reader(evidence)
    paths = sorted(folder.glob(Writer.PATTERN))
    for path in paths:
        reader.read(path)
    breaks = reader.breaks
    if evidence.seal is not None:
        lost = sorted(evidence.seal.files.keys() - {path.name for path in paths})
        breaks += [f"{name} is missing" for name in lost]
        breaks += _broken(evidence.seal, told)
    elif reader.finished:
        breaks += [f"{SUMMARY} has no seal, though the run says that it ended"]
    return Run(folder, evidence, tuple(reader.lines), tuple(breaks))


def sound(run: Run) -> Run:
    """The run, if it does not contradict itself, ended well or not. Raises `CannotJudge`."""
    first, *others = [*contradictions(run), ""]
    if first:
        raise CannotJudge(f"{run.folder}: {first}", *others[:-1])
    return run


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
    for item, text in evidence.errors.items():
        if is_broken(text):
            yield f"{item.rpartition('::')[2]}: {text.partition(chr(10))[0]}"
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


def _broken(seal: Seal, told: dict[str, object]) -> list[str]:
    try:
        return list(broken(seal, told))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise CannotJudge(f"corrupted: {SUMMARY} holds what no run writes: {error}") from error


def _evidence(raw: bytes) -> tuple[Evidence, dict[str, object]]:
    """The summary, and what its JSON says."""
    try:
        head = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CannotJudge(f"corrupted: {SUMMARY} is no JSON: {error}") from error
    if not isinstance(head, dict) or head.get("kind") != Evidence().kind:
        raise CannotJudge(f"corrupted: {SUMMARY} is not the evidence of a run")
    schema = head.get("schema")
    if type(schema) is not int:
        raise CannotJudge(f"corrupted: {SUMMARY} has schema {schema!r}, which is no number")
    if schema not in READABLE:
        age = "older" if schema < min(READABLE) else "newer"
        known = ", ".join(map(str, READABLE))
        rule = f"{age} than this version reads ({known})"
        raise CannotJudge(f"{age} schema: {SUMMARY} has schema {schema}, {rule}: run again")
    try:
        evidence = msgspec.json.decode(raw, type=Evidence)
        revive(evidence)
        return evidence, head
    except msgspec.MsgspecError as error:
        raise CannotJudge(f"corrupted: {SUMMARY}: {error}") from error


class _Reader:
    """Reads the lines of a run's folder, along the chain of each file."""

    def __init__(self, evidence: Evidence) -> None:
        self.finished = evidence.status != "running"
        self.seal = evidence.seal or Seal()
        self.lines: list[AnyLine] = []
        self.breaks: list[str] = []
        self._line = LineReader()

    def read(self, path: Path) -> None:
        """Add the finished lines of one worker; only a run that did not end may have a cut one."""
        follower, found = Follower(path.name), []
        for place, raw in enumerate(read_part(path, MOST_BYTES).splitlines(keepends=True), 1):
            where = f"corrupted: {path.name}, line {place}"
            if not raw.endswith(b"\n"):
                if self.finished:
                    raise CannotJudge(f"{where}: it is cut, though the run says that it ended")
                continue
            try:
                line = self._line(raw)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise CannotJudge(f"{where}: {error}") from error
            if line.schema not in READABLE:
                rule = f"has schema {line.schema}; this version reads {READABLE}"
                raise CannotJudge(f"{where}: {rule}")
            self.lines.append(line)
            found += [follower.take(place, raw)]
        if self.finished:
            end = file_link(self.seal, path.name)
            found += [f"{path.name} is no file of this run" if end is None else follower.close(end)]
        self.breaks += [one for one in found if one][:SHOWN]


def read_part(path: Path, most_bytes: int) -> bytes:
    """The bytes of a file of a run's folder. Raises `CannotJudge`."""
    try:
        return read_plain(path, most_bytes)
    except FileNotFoundError:
        raise CannotJudge(f"no evidence: there is no {path.name} in {path.parent}") from None
    except OSError as error:
        why = f"{path.name} cannot be read: {error.strerror}"
        raise CannotJudge(f"corrupted: {why}") from error


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
