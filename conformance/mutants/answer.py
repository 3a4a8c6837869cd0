"""What a caller can see of a call, and what of it differs between a kernel and its mutant."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conformance.call.observation import Observation
from conformance.catalogue import check
from conformance.catalogue import mutants as say
from conformance.mutants.drawn_cases import Call


class Answer(NamedTuple):
    """All that a caller can see of a call, but not the words of messages.

    ``ended`` has outcome, status and phase, ``outputs`` a hash of each output's bytes, in which all
    NaNs are one, ``codes`` are those of the diagnostics.
    """

    ended: tuple[str, int, str]
    outputs: tuple[tuple[str, int], ...]
    codes: tuple[str, ...]


def answer(observation: Observation) -> Answer:
    """What a caller can see of a call."""
    outputs = sorted(observation.outputs.items())
    return Answer(
        (observation.outcome.name, observation.status, observation.phase),
        tuple((name, hash(_bytes(array))) for name, array in outputs),
        tuple(diagnostic.code for diagnostic in observation.diagnostics),
    )


def _bytes(array: NDArray[Any]) -> bytes:
    """The bytes of an output with one NaN in place of all.

    Which NaN a sum of several gives follows from the order that a compiler gives the operands: it
    differs between two builds of one meaning. If a contract promises the bits, a verdict has said.
    """
    if array.dtype.kind in "iub":
        return array.tobytes()
    with np.errstate(invalid="ignore"):  # a signalling NaN of bfloat16
        return np.where(np.isnan(array), array.dtype.type(np.nan), array).tobytes()


def difference(call: Call, right: Answer, seen: Answer) -> str:
    """What differs between two accepted answers to a call, and what the record lacks."""
    if seen.ended != right.ended:
        return say.OTHER_END(call=name(call))
    if others := sorted({one for one, _ in {*seen.outputs} ^ {*right.outputs}}):
        return say.OTHER_OUTPUTS(names=tuple(others), count=len(others), call=name(call))
    return say.OTHER_CODES(call=name(call), codes=tuple(sorted({*seen.codes} ^ {*right.codes})))


def name(call: Call) -> str:
    """A call, as a person knows it."""
    if call.example is not None:
        return check.AN_EXAMPLE(name=call.example.name)
    if call.rejection is not None:
        return check.A_REJECTION(name=call.rejection.name)
    return say.A_DRAWN_CASE(mode=call.case.mode, dtype=call.case.dtype)
