"""How long fixed calls take on an NPU: phase two by events, warm, again and again.

The calls are those of ``cases/timing/batches.toml``: of each operator one for each batch of a
published model, with full rows. They are drawn once, from a seed. That they are the same in two
runs is known by their digests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from conformance import places
from conformance.call.case import Case
from conformance.catalogue import times as say
from conformance.devices.device import Device
from conformance.devices.isolated import NotTimed
from conformance.draw.plain import TooFiltered, plainly
from conformance.errors import OperatorUnavailable, UsageError, text_of
from conformance.evidence.lines import FEWEST_TIMES, MOST_TIMES, TimingLine
from conformance.plain_file import read_given
from conformance.record import workload
from conformance.record.operator import Operator
from conformance.record.workload import Batch
from conformance.session.workload_item import dtype_of

WARM = 5
"""Repetitions before the first that is measured."""

MOST_BYTES = 1 << 16
FILE = Path("timing") / "batches.toml"

Measure = Callable[[Operator, Case, int, int], tuple[float, ...]]


class TimedBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A batch whose calls are timed: a file of ``cases/workloads``, tokens, routing and seed."""

    workload: str
    tokens: int
    routing: Literal["balanced", "skewed", "one hot"]
    seed: int

    @property
    def name(self) -> str:
        """How its calls are named in evidence and baselines."""
        return f"{self.workload} {self.tokens} {self.routing}"

    def batch(self, folder: Path) -> Batch:
        """The batch with full rows; ``folder`` has the workloads."""
        (one,) = workload.chosen([self.workload], folder)
        return Batch(one, self.tokens, one.hidden, self.routing, self.seed)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    batch: tuple[TimedBatch, ...]


def timed_batches(path: Path | None = None) -> tuple[TimedBatch, ...]:
    """The batches of a file, by default the suite's own. Raises `UsageError`."""
    path = places.workloads().parent / FILE if path is None else path
    try:
        return msgspec.toml.decode(read_given("timing", path, MOST_BYTES), type=_File).batch
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError("timing", path, say.NO_BATCHES(error=str(error))) from error


def repetitions(text: str | None, device: str) -> int:
    """How often a timed call is measured on a device, 0: none is. Raises `UsageError`."""
    if text is None:
        return 0
    if not re.fullmatch(r"\d{1,4}", text, re.ASCII) or not FEWEST_TIMES <= int(text) <= MOST_TIMES:
        rule = say.REPETITIONS(least=FEWEST_TIMES, most=MOST_TIMES)
        raise UsageError("timing", text, rule)
    if device.startswith("sim"):
        raise UsageError("timing", text, say.ONLY_ON_AN_NPU())
    return int(text)


def timing_lines(
    device: Device,
    operators: Iterable[Operator],
    times: int,
    worker: str = "main",
    batches: Sequence[TimedBatch] | None = None,
) -> Iterator[TimingLine]:
    """A line for each call that is timed, and for each that cannot be, with the reason.

    A device that measures nothing, such as one of a plugin, gives none.
    """
    measure: Measure | None = getattr(device, "times", None)
    if measure is None:
        return
    chosen = timed_batches() if batches is None else batches
    for operator in operators:
        if operator.workload_cases is None:
            continue
        for one in chosen:
            yield _line(measure, operator, one, times, worker)


def _line(
    measure: Measure, operator: Operator, one: TimedBatch, times: int, worker: str
) -> TimingLine:
    assert operator.workload_cases is not None
    dtype = dtype_of(operator)
    line = TimingLine(worker=worker, operator=operator.name, dtype=dtype, name=one.name)
    cases = operator.workload_cases(dtype, one.batch(places.workloads()))
    try:
        ((case, _),) = plainly(cases, 1, one.seed)
        line = msgspec.structs.replace(line, mode=case.mode, digest=case.digest)
        return msgspec.structs.replace(line, seconds=measure(operator, case, WARM, times))
    except TooFiltered:
        return msgspec.structs.replace(line, reason=say.NO_CASE())
    except (NotTimed, OperatorUnavailable) as reason:
        return msgspec.structs.replace(line, reason=text_of(reason))
