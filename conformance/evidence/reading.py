"""The folder of a run as the gate reads it: everything in it is checked, nothing is believed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from conformance.catalogue import corrupted
from conformance.catalogue import folder_of_run as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.errors import UsageError
from conformance.evidence.chain import Follower
from conformance.evidence.contradictions import contradictions
from conformance.evidence.lines import SCHEMA, AnyLine, LineReader
from conformance.evidence.packed import files_of_lines, raw_lines
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
        super().__init__(row(reasons, SEMICOLON))
        self.reasons = reasons


def read_run(folder: Path) -> Run:
    """Read a run's folder, finished or not.

    Raises `UsageError` where there is no folder, `CannotJudge` where what is in it cannot be read.
    """
    if not folder.is_dir():
        raise UsageError("run", folder, say.ALLOWED_RUN())
    evidence, told = _evidence(read_part(folder / SUMMARY, MOST_SUMMARY_BYTES))
    reader = _Reader(evidence)
    paths = files_of_lines(folder)
    for path in paths:
        reader.read(path)
    breaks = reader.breaks
    if evidence.seal is not None:
        lost = sorted(evidence.seal.files.keys() - {path.name for path in paths})
        breaks += [corrupted.FILE_MISSING(file=name) for name in lost]
        breaks += _broken(evidence.seal, told)
    elif reader.finished:
        breaks += [corrupted.NO_SEAL(file=SUMMARY)]
    return Run(folder, evidence, tuple(reader.lines), tuple(breaks))


def sound(run: Run) -> Run:
    """The run, if it does not contradict itself, ended well or not. Raises `CannotJudge`."""
    first, *others = [*contradictions(run), ""]
    if first:
        raise CannotJudge(say.OF_FOLDER(folder=run.folder, what=first), *others[:-1])
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
        how = say.NOT_ENDED if _is_held(folder) else say.ENDED_EARLY
        yield say.INCOMPLETE(what=how(process=evidence.process))
        return
    for message in evidence.environment:
        yield say.ENVIRONMENT_FAILED(what=message)
    for item, text in evidence.errors.items():
        if is_broken(text):
            yield say.OF_FOLDER(folder=item.rpartition("::")[2], what=text.splitlines()[0])
    if evidence.status != "finished":
        yield say.INCOMPLETE(what=_ended_as(evidence))
    elif evidence.cut or evidence.unreached:
        yield say.INCOMPLETE(what=_missing(evidence))
    shard = evidence.request.get("shard", str(WHOLE))
    if shard != str(WHOLE):
        yield say.INCOMPLETE(what=say.IS_SHARD(shard=shard))
    if not evidence.cases:
        told = [say.LEFT_OUT(name=n, reason=why) for n, why in evidence.left_out.items()]
        yield say.EMPTY_AS(why=row(told, SEMICOLON)) if told else say.EMPTY()
    elif not evidence.devices:
        yield say.NO_DEVICE()
    if evidence.exit_status not in (0, 1) and not evidence.environment and evidence.cases:
        yield say.INCOMPLETE(what=say.ENDED_WITH_STATUS(status=evidence.exit_status))
    known = {f"{line.profile.get('soc')} {line.profile.get('kind')}" for line in evidence.devices}
    if len(known) > 1:
        yield say.SEVERAL_DEVICES(devices=[line.description for line in evidence.devices])
    yield from contradictions(run)


def _ended_as(evidence: Evidence) -> str:
    if missing := _missing(evidence):
        return say.RUN_LACKS(status=evidence.status, missing=missing)
    return say.RUN_IS(status=evidence.status)


def _missing(evidence: Evidence) -> str:
    parts = []
    for what, items in ((say.CUT_SHORT, evidence.cut), (say.UNREACHED, evidence.unreached)):
        if items:
            names = [item.rpartition("::")[2] for item in items[:SHOWN]]
            names += ["..."] if len(items) > SHOWN else []
            parts.append(what(count=len(items), items=names))
    return row(parts, SEMICOLON)


def _broken(seal: Seal, told: dict[str, object]) -> list[str]:
    try:
        return list(broken(seal, told))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _corrupted(corrupted.WRITTEN_BY_NO_RUN(file=SUMMARY, error=str(error))) from error


def _evidence(raw: bytes) -> tuple[Evidence, dict[str, object]]:
    """The summary, and what its JSON says."""
    try:
        head = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _corrupted(corrupted.NO_JSON(file=SUMMARY, error=str(error))) from error
    if not isinstance(head, dict) or head.get("kind") != Evidence().kind:
        raise _corrupted(corrupted.NO_EVIDENCE(file=SUMMARY))
    schema = head.get("schema")
    if type(schema) is not int:
        raise _corrupted(corrupted.SCHEMA_NO_NUMBER(file=SUMMARY, schema=repr(schema)))
    if schema not in READABLE:
        age = say.OLDER_SCHEMA if schema < min(READABLE) else say.NEWER_SCHEMA
        raise CannotJudge(age(file=SUMMARY, schema=schema, known=READABLE))
    try:
        evidence = msgspec.json.decode(raw, type=Evidence)
        revive(evidence)
        return evidence, head
    except msgspec.MsgspecError as error:
        raise _corrupted(corrupted.OF_FILE(file=SUMMARY, what=str(error))) from error


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
        for place, raw in enumerate(_lines_of(path), 1):
            if not raw.endswith(b"\n"):
                if self.finished:
                    raise _corrupted_line(path, place, corrupted.CUT_LINE())
                continue
            try:
                line = self._line(raw)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise _corrupted_line(path, place, str(error)) from error
            if line.schema not in READABLE:
                told = corrupted.LINE_OF_SCHEMA(schema=line.schema, known=str(READABLE))
                raise _corrupted_line(path, place, told)
            self.lines.append(line)
            found += [follower.take(place, raw)]
        if self.finished:
            end, other = file_link(self.seal, path.name), corrupted.NO_FILE_OF_THE_RUN
            found += [other(file=path.name) if end is None else follower.close(end)]
        self.breaks += [one for one in found if one][:SHOWN]


def read_part(path: Path, most_bytes: int) -> bytes:
    """The bytes of a file of a run's folder. Raises `CannotJudge`."""
    try:
        return read_plain(path, most_bytes)
    except FileNotFoundError:
        raise CannotJudge(say.NO_EVIDENCE(file=path.name, folder=path.parent)) from None
    except OSError as error:
        raise _corrupted(say.UNREADABLE(file=path.name, why=error.strerror)) from error


def _lines_of(path: Path) -> Iterator[bytes]:
    """The lines of one worker. Raises `CannotJudge`."""
    try:
        yield from raw_lines(path)
    except OSError as error:
        name = Path(error.filename or path).name
        raise _corrupted(say.UNREADABLE(file=name, why=error.strerror)) from error


def _corrupted(what: str) -> CannotJudge:
    return CannotJudge(corrupted.CORRUPTED(what=what))


def _corrupted_line(path: Path, place: int, what: str) -> CannotJudge:
    return _corrupted(corrupted.AT_LINE(file=path.name, line=place, what=what))


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
