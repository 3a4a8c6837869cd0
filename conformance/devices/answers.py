"""What is observed of a call: by the answer of the device process, or by how the process ended."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from conformance.call.case import numpy_dtype
from conformance.call.observation import Diagnostic, GuardDamage, Observation, Outcome
from conformance.catalogue import device as say
from conformance.catalogue.message import unpacked
from conformance.devices.child import ChildEndedError
from conformance.devices.layout import elements_of
from conformance.devices.messages import Answer, Call, TensorArgument
from conformance.devices.segment import Segment
from conformance.errors import EnvironmentFailure

DIAGNOSTICS = msgspec.json.Decoder(tuple[Diagnostic, ...])
"""What a simulator says of a kernel."""


def observation_of(segment: Segment, call: Call, answer: Answer) -> Observation:
    """The observation of an answered call, with copies of the outputs that are in the segment.

    Raises EnvironmentFailure where the diagnostics cannot be read.
    """
    outputs: dict[str, NDArray[np.generic]] = {}
    for tensor in call.tensors:
        if tensor.role == "output" and answer.read_back:
            elements = _taken(segment, tensor).reshape(-1)
            array = elements.view(numpy_dtype(tensor.dtype))
            outputs[tensor.name] = array.reshape(tensor.shape)
    return Observation(
        outcome=Outcome(answer.outcome),
        status=answer.status,
        phase=answer.phase,
        message=unpacked(answer.message),
        outputs=outputs,
        unwritten=answer.poisoned,
        outputs_untouched=answer.read_back
        and all(answer.poisoned[name] == array.size for name, array in outputs.items()),
        guard_damage=tuple(GuardDamage(d.buffer, d.offset, d.count) for d in answer.damage),
        inputs_changed=answer.inputs_changed,
        diagnostics=_diagnostics(answer.diagnostics),
        workspace_bytes=answer.workspace_bytes,
        seconds=answer.seconds,
        tiling_key=answer.tiling_key,
        two_phase=answer.two_phase,
        work=answer.conduct.work if answer.conduct is not None else None,
    )


def of_ended(
    segment: Segment, call: Call, ended: ChildEndedError, *, functions: bool
) -> Observation:
    """What is left to observe of a call that took its process with it.

    A simulated kernel that ran when its time or memory was over is named by a diagnostic. The host
    of Python ``functions`` may have no room for a row-sparse tensor: one may copy all of it.
    """
    exhausted = ended.outcome in (Outcome.OUT_OF_MEMORY, Outcome.TIMED_OUT)
    no_room = functions and exhausted and call.sparse_bytes
    return Observation(
        outcome=Outcome.NOT_POSSIBLE if no_room else ended.outcome,
        status=ended.status,
        phase=segment.noted(),
        message=ended.detail,
        diagnostics=_diagnostics(segment.last_words()),
        seconds=ended.seconds,
        reopened=1,
    )


def _taken(segment: Segment, tensor: TensorArgument) -> NDArray[np.uint8]:
    """A copy of the elements of an output."""
    if not tensor.is_part:
        return segment.take(tensor.offset, tensor.held_bytes)
    return np.array(elements_of(segment.image(tensor), tensor))


def _diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """The simulator's JSON array. Raises EnvironmentFailure where it is none."""
    if not text:
        return ()
    try:
        return DIAGNOSTICS.decode(text)
    except msgspec.MsgspecError as error:
        told = say.NO_DIAGNOSTICS(error=str(error), text=text[:200])
        raise EnvironmentFailure(told) from None
