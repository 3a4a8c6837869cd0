"""Evidence: one line for each verdict, on its way to disk as soon as the verdict is reached."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from conformance.call.attribute import Stored, all_stored
from conformance.call.case import Case, Tensor
from conformance.call.findings import errors
from conformance.call.observation import Observation
from conformance.catalogue.folder_of_run import UNWRITABLE_EVIDENCE
from conformance.errors import EnvironmentFailure
from conformance.evidence import packed
from conformance.evidence.chain import linked
from conformance.evidence.translation import keep, revive
from conformance.judge.judged import Judged
from conformance.judge.verdict import Verdict
from conformance.record.clause import DOUBTFUL
from conformance.record.picture import Excerpt, Picture

SCHEMA = 2
NAMED_CALLS = ("example", "rejection", "quarantine", "corpus", "regression")
"""What a record's named calls are judged as; a relation has a name too, but its cases are drawn."""

FIXED_CASES = ("corpus", "regression")
"""Of these the machine stays as well: the counts of their work are compared between runs."""

LONGEST_ATTRIBUTE = 16
"""Elements of an attribute up to which an array is written into a line."""


class Line(msgspec.Struct, tag_field="kind", kw_only=True):
    """A line of ``evidence.<worker>.jsonl``; docs/reference/evidence.md has its fields.

    Behind its fields stands its link (conformance/evidence/chain.py). ``said`` is as in
    conformance/evidence/translation.py.
    """

    schema: int = SCHEMA
    said: dict[str, Any] = {}
    worker: str


class VerdictLine(Line, tag="verdict", kw_only=True):
    """One verdict; the figures of all outputs of its call together."""

    item: str
    template: str
    judged_as: str
    operator: str
    mode: str
    dtype: str
    digest: str
    phase: str
    ok: bool
    step: str
    elements: int
    exact: int
    headroom: float | None
    rows: int = 0
    certain_rows: int = 0
    unbounded: int = 0
    seconds: float
    headline: str | None
    machine: Mapping[str, int] | None
    block_order: str | None = None
    functions: str | None = None
    pipes: str | None = None
    outcome: str
    diagnostics: tuple[str, ...]
    standards: Mapping[str, str] | None = None
    levels: Mapping[str, tuple[str, ...]] | None = None
    route: str = "aclnn"
    name: str = ""
    attributes: Mapping[str, Stored] | None = None
    shapes: Mapping[str, tuple[int, ...]] | None = None
    tiling_key: int | None = None
    two_phase: tuple[str, ...] = ()
    workspace_bytes: int = 0
    call_seconds: float = 0.0
    unconfirmed: tuple[str, ...] = ()
    beside: str = ""
    work: Mapping[str, Annotated[int, Meta(ge=0, le=2**62)]] | None = None


class DeviceLine(Line, tag="device", kw_only=True):
    """The device that this worker opened, which holds until the worker's next such line."""

    description: str
    profile: Mapping[str, Any]
    card: int | None = None
    lost: tuple[str, ...] = ()
    implementation: str = ""


class FailureLine(Line, tag="failure", kw_only=True):
    """A failed item: its smallest refused case, the text, and what the page shows of it.

    The pictures are those of a larger refused case where ``pictured`` tells its verdict.
    """

    item: str
    operator: str
    mode: str
    dtype: str
    digest: str
    case: str
    elements: int = 0
    headline: str
    text: str
    pictured: str = ""
    larger: str = ""
    pictures: list[Picture] = []
    excerpts: list[Excerpt] = []
    diagnosis: str = ""
    as_drawn: bool = False
    links: list[str] = []
    unconfirmed: tuple[str, ...] = ()


class ItemLine(Line, tag="item", kw_only=True):
    """An item has ended; written after all its other lines: one without it has not ended."""

    item: str
    outcome: str
    reason: str = ""


class EnvironmentLine(Line, tag="environment", kw_only=True):
    """The device, its build or its environment failed while ``item`` needed it."""

    item: str
    message: str


class WorkerLine(Line, tag="worker", kw_only=True):
    """A worker of a cluster judges no more: others judge the ``items`` that it had begun."""

    node: str
    reason: str
    items: tuple[str, ...] = ()


class OrderLine(Line, tag="order", kw_only=True):
    """The order in which a device adds the ``slots`` values of one token, recovered from sums."""

    operator: str
    dtype: str
    slots: int
    order: str
    merges: tuple[tuple[int, int], ...] = ()
    accumulate: str = ""
    verified: int = 0
    reason: str = ""
    drawing: str = ""
    as_declared: bool | None = None


class LimitLine(Line, tag="limits", kw_only=True):
    """Whether the kernels change their path where the record draws its boundary cases."""

    operator: str
    compared: int = 0
    differing: tuple[str, ...] = ()
    reason: str = ""


FEWEST_TIMES, MOST_TIMES = 5, 1000
"""Repetitions of a timed call: below the first its noise is not known."""
Seconds = Annotated[tuple[float, ...], Meta(max_length=MOST_TIMES)]


class TimingLine(Line, tag="timing", kw_only=True):
    """How long phase two of a fixed call took on the device, in each repetition."""

    operator: str
    mode: str = ""
    dtype: str
    name: str
    digest: str = ""
    seconds: Seconds = ()
    reason: str = ""


AnyLine = (
    VerdictLine
    | DeviceLine
    | OrderLine
    | LimitLine
    | TimingLine
    | FailureLine
    | ItemLine
    | EnvironmentLine
    | WorkerLine
)


_ENCODER = msgspec.json.Encoder(enc_hook=str)


class LineReader:
    """Reads lines. Raises msgspec's errors, `UnicodeDecodeError` and `RecursionError`."""

    def __init__(self) -> None:
        self._decoder = msgspec.json.Decoder(AnyLine)

    def __call__(self, raw: bytes) -> AnyLine:
        """The line that the bytes hold."""
        line: AnyLine = self._decoder.decode(raw)
        if line.said:
            revive(line)
        return line


def encoded(line: AnyLine) -> bytes:
    """A line as JSON, with what its texts are made of, and without its link."""
    if not isinstance(line, VerdictLine) or line.headline:
        keep(line)
    return _ENCODER.encode(line)


class Writer:
    """Appends lines to one worker's evidence file, each with its link; a line that is written is on
    its way to disk. Lines of ``pack_bytes`` are packed.
    """

    PATTERN: ClassVar[str] = packed.PATTERN

    def __init__(self, out: Path, worker: str, pack_bytes: int = packed.PACK_BYTES) -> None:
        self.out = out
        self.worker = worker
        self._path = out / f"evidence.{worker}.jsonl"
        self._pack_bytes = pack_bytes
        try:
            packed.mend(self._path)
            self._end = packed.last_link(self._path)
            self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            raise self._failure(error) from error

    def write(self, line: AnyLine) -> None:
        """Append one line in a single system call, or nothing of it.

        Raises `EnvironmentFailure` where the line cannot be written: a verdict that is not on
        record is none.
        """
        self.append(encoded(line))

    def append(self, line: bytes) -> None:
        """Append a line that is `encoded`, as `write` does."""
        raw, link = linked(self._end, line)
        before = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(raw) != len(raw):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(before)
            raise self._failure(error) from error
        self._end = link
        if before + len(raw) >= self._pack_bytes:
            self._pack()

    def close(self) -> None:
        """Give the file back; if lines are packed, the last ones are, too."""
        if packed.packed_of(self._path).exists() and self._file.seek(0, os.SEEK_END):
            self._pack()
        self._file.close()

    def _pack(self) -> None:
        """Pack the lines; if the disk is full, they stay plain until they are twice as many."""
        try:
            packed.pack(self._path)
        except OSError:
            self._pack_bytes *= 2

    def _failure(self, error: OSError) -> EnvironmentFailure:
        told = UNWRITABLE_EVIDENCE(file=self._path, why=error.strerror)
        return EnvironmentFailure(told)


@dataclass(frozen=True)
class Place:
    """Where verdicts are reached: the worker, the item and its template, the route of the calls."""

    worker: str
    item: str
    template: str
    route: str = "aclnn"


def verdict_line(
    judged: Judged,
    place: Place,
    *,
    phase: str,
    seconds: float,
    levels: Mapping[str, tuple[str, ...]] | None = None,
) -> VerdictLine:
    """The line of one verdict; the figures of all outputs are put together."""
    case, observation, verdict = judged.case, judged.observation, judged.verdict
    outputs = list(verdict.outputs.values())
    rooms = [output.headroom for output in outputs if output.headroom is not None]
    machine = case.machine
    return VerdictLine(
        worker=place.worker,
        item=place.item,
        template=place.template,
        judged_as=judged.judged_as,
        operator=case.operator,
        mode=case.mode,
        dtype=case.dtype,
        digest=case.digest,
        phase=phase,
        ok=bool(verdict.ok),
        step=", ".join(dict.fromkeys(output.step for output in outputs)),
        elements=int(sum(output.elements for output in outputs)),
        exact=int(sum(output.exact for output in outputs)),
        headroom=float(min(rooms)) if rooms else None,
        rows=sum(output.rows for output in outputs),
        certain_rows=sum(output.certain_rows for output in outputs),
        unbounded=sum(output.unbounded for output in outputs),
        seconds=round(seconds, 6),
        headline=None if verdict.ok and verdict.judged else verdict.headline,
        machine={"cores": machine.cores, "ub_bytes": machine.ub_bytes} if machine else None,
        block_order=machine.block_order if machine else None,
        functions=machine.functions if machine else None,
        pipes=machine.pipes if machine else None,
        outcome=observation.outcome.value,
        diagnostics=tuple(dict.fromkeys(d.code for d in observation.diagnostics)),
        standards=verdict.standards or None,
        levels=levels,
        route=place.route,
        name=judged.name if judged.judged_as in NAMED_CALLS else "",
        attributes=_attributes(case),
        shapes={name: tuple(map(int, t.shape)) for name, t in _tensors(case)},
        tiling_key=observation.tiling_key,
        two_phase=observation.two_phase,
        workspace_bytes=observation.workspace_bytes,
        call_seconds=round(observation.seconds, 6),
        unconfirmed=unconfirmed(verdict, observation),
        beside=verdict.beside,
        work=observation.work if judged.judged_as in FIXED_CASES else None,
    )


def _tensors(case: Case) -> Iterator[tuple[str, Tensor]]:
    yield from case.inputs.items()
    yield from case.outputs.items()


def _attributes(case: Case) -> dict[str, Stored]:
    """The attributes of a case as plain numbers, without long arrays."""
    told: dict[str, Any] = {}
    for name, value in all_stored(case).items():
        if value is None or isinstance(value, int | float | str):
            told[name] = value
        elif not isinstance(value, Sequence):
            told[name] = int(value)
        elif len(value) <= LONGEST_ATTRIBUTE:
            told[name] = tuple(map(int, value))
    return told


def unconfirmed(verdict: Verdict, observation: Observation) -> tuple[str, ...]:
    """The clauses that are broken, where they are all that is wrong and no document has them."""
    damage = (observation.guard_damage, observation.inputs_changed, errors(observation))
    if verdict.ok or any(damage) or any(observation.unwritten.values()):
        return ()
    broken = [output.clause for output in verdict.outputs.values() if not output.ok]
    if not broken and verdict.clause is not None:
        broken = [verdict.clause]
    if any(clause.source_class not in DOUBTFUL for clause in broken):
        return ()
    return tuple(dict.fromkeys(clause.text for clause in broken))


def read_lines(out: Path) -> Iterator[AnyLine]:
    """Every finished line of a run's folder, file by file. Raises `OSError`, msgspec's errors.

    A line without its newline was cut by the end of its process: it is no finished verdict.
    """
    read = LineReader()
    for path in packed.files_of_lines(out):
        for raw in packed.raw_lines(path):
            if raw.endswith(b"\n"):
                yield read(raw)
