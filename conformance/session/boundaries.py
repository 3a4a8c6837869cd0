"""Whether a kernel changes its path where the record draws its cases: the limits of both compared.

Cases lie on, below and above the sizes at which a tiling takes another branch. A kernel whose
tiling has changed has its branches elsewhere: then its boundary cases are cases like any others,
and a mistake one step beyond a limit may go unseen. A library that exports its limits
(`conformance.record.call_rules.Limit`) is asked for them; one that exports none is taken at the
record's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from conformance.call.case import Machine, numpy_dtype
from conformance.call.observation import Outcome
from conformance.catalogue import session as say
from conformance.devices.device import Device
from conformance.errors import LimitsCrash, OperatorUnavailable, text_of
from conformance.evidence.lines import LimitLine
from conformance.judge.legality import UB_BYTES
from conformance.record.call_rules import Limit
from conformance.record.operator import Operator

LEAST_UB = "ub-bytes"
UNKNOWN = Limit(
    str(say.NO_SUCH_AXIS()), -1, top_k=1, dtype="float32", cores=1, ub_bytes=UB_BYTES[-1]
)
"""What no tiling knows: its answer is negative, or it answers at random."""

MOST_TOLD = 3


def limit_lines(
    device: Device, operators: Iterable[Operator], worker: str = "main"
) -> Iterator[LimitLine]:
    """One line for each operator whose record states limits."""
    for operator in operators:
        if operator.limits:
            yield _line(device, operator, worker)


def _line(device: Device, operator: Operator, worker: str) -> LimitLine:
    asked = (*operator.limits, UNKNOWN)
    try:
        answers = device.limits(operator, asked)
    except OperatorUnavailable as reason:
        return LimitLine(worker=worker, operator=operator.name, reason=text_of(reason))
    except LimitsCrash as crash:
        return LimitLine(worker=worker, operator=operator.name, differing=(text_of(crash),))
    found = list(zip(asked, answers, strict=True))
    wrong: list[str] = [
        say.LIMIT(limit=str(one), value=one.value, other=said)
        for one, said in found
        if one.value != said
    ]
    held = [one for one, said in found if one.axis == LEAST_UB and one.value == said]
    wrong += [told for one in held for told in _broken(device, operator, one)]
    return LimitLine(
        worker=worker, operator=operator.name, compared=len(operator.limits), differing=tuple(wrong)
    )


def _broken(device: Device, operator: Operator, least: Limit) -> Iterator[str]:
    """What a machine with the least unified buffer and one with a granule less show of a limit."""
    step = UB_BYTES.step
    enough = -(-least.value // step) * step
    machines = {enough - step: Outcome.REJECTED, enough: Outcome.COMPLETED}
    if operator.row_sum is None or not all(ub in UB_BYTES for ub in machines):
        return
    case = operator.row_sum(least.dtype, np.zeros((least.top_k, 1), numpy_dtype(least.dtype)))
    for ub_bytes, expected in machines.items():
        outcome = device.run(operator, replace(case, machine=Machine(1, ub_bytes))).outcome
        if outcome is not expected:
            told = {"limit": str(least), "value": least.value, "ub_bytes": ub_bytes}
            yield say.LIMIT_CALL(outcome=outcome.words, **told)


def limits_told(lines: Iterable[LimitLine]) -> Iterator[str]:
    """What differs in words; nothing of operators whose limits are the record's."""
    for line in lines:
        if line.differing:
            count, compared = len(line.differing), line.compared
            yield (
                say.NOT_WHERE(operator=line.operator, count=count, compared=compared)
                if compared
                else say.NOT_COMPARED(operator=line.operator)
            )
            yield from ("  " + one for one in line.differing[:MOST_TOLD])
