"""One call of a two-phase operator, as an application makes it: aclnn's entry or a kernel's own.

Phase 1 validates and plans, phase 2 runs; the tensors come from a ``Placement``, which also sees
what became of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from ctypes import POINTER, byref, c_bool, c_double, c_int64, c_uint64
from ctypes import c_void_p as pointer
from dataclasses import dataclass
from typing import Any

from conformance.call.observation import Outcome
from conformance.call.protocol_breach import KEPT
from conformance.call.surroundings import BESIDE, DEFAULT
from conformance.catalogue import device as say
from conformance.devices.acl import OUT_OF_DEVICE_MEMORY, SUCCESS, Acl, AclError
from conformance.devices.broken_protocol import Handed, NotBreakableError, breaking
from conformance.devices.machine import Machine
from conformance.devices.messages import (
    Answer,
    AskTimes,
    AttributeArgument,
    Call,
    Failure,
    IntArrayArgument,
    NumbersArgument,
    Times,
    Unavailable,
)
from conformance.devices.placement import Findings, NoRoomError, Placement
from conformance.devices.second_stream import Beside
from conformance.devices.segment import Segment
from conformance.devices.simulated_conduct import ConductCounter
from conformance.devices.timed_calls import EventTimer
from conformance.errors import text_of

ATTRIBUTE_TYPES = {"int64": c_int64, "bool": c_bool, "double": c_double}


@dataclass
class _Ending:
    """How far a call came; fields as in ``messages.Answer``."""

    outcome: Outcome = Outcome.COMPLETED
    status: int = SUCCESS
    phase: str = ""
    message: str = ""
    workspace_bytes: int = 0
    seconds: float = 0.0
    _start: float = 0.0

    def fail(self, error: AclError) -> None:
        """Record the function that failed."""
        exhausted = error.function == "aclrtMalloc" and error.status == OUT_OF_DEVICE_MEMORY
        self.outcome = Outcome.OUT_OF_MEMORY if exhausted else Outcome.FAILED
        self.status, self.phase, self.message = error.status, error.function, error.message

    def reject(self, status: int, phase: str, message: str) -> None:
        """Record that a phase refused the call."""
        self.outcome, self.status = Outcome.REJECTED, status
        self.phase, self.message = phase, message

    def fail_as_launched(self, symbol: str, failures: Iterable[Failure]) -> None:
        """Record the first launch that failed though the operator and its stream answered 0."""
        if (first := next((one for one in failures if one.launch), None)) is not None:
            self.outcome, self.status, self.phase = Outcome.FAILED, first.status, symbol
            self.message = say.LAUNCH_DROPPED(what=first.what, text=first.text)

    def __enter__(self) -> None:
        """Add the time that the block takes, however it ends."""
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._start


class AclnnRoute:
    """Runs calls on one open device: ``stream`` on ``acl``, tensors from ``segment``."""

    def __init__(self, acl: Acl, segment: Segment, stream: pointer, soc: str | None) -> None:
        self._acl, self._segment, self._stream = acl, segment, stream
        self._placement, self._machine = Placement(acl, segment), Machine(acl, soc)
        self._known: dict[str, tuple[list[Any], tuple[Any, Any]]] = {}
        self._destroy_executor = acl.operator("aclDestroyAclOpExecutor", pointer)

    def run(self, call: Call) -> Answer | Unavailable:
        """Run one call to its end, whatever that is. Crashes and hangs are the parent's to see."""
        phases = self._phases(call)
        if isinstance(phases, Unavailable):
            return phases
        ending, findings, counter = _Ending(), Findings(), ConductCounter(self._acl)
        try:
            self._placement.send(call)
            self._machine.configure(call)
            self._acl.defer_tasks()
            self._two_phases(call, phases, ending, counter)
        except NoRoomError as error:
            ending.fail(error.cause)
            ending.outcome, ending.message = Outcome.NOT_POSSIBLE, text_of(error)
        except NotBreakableError as error:
            ending.outcome, ending.message = Outcome.NOT_POSSIBLE, text_of(error)
        except AclError as error:
            ending.fail(error)
        counter.leave()
        try:
            self._placement.look(call, findings)
        except AclError as error:
            # A device that has already failed need not answer; one that has completed must.
            if ending.outcome is Outcome.COMPLETED:
                ending.fail(error)
        counter.catch_up(works=True)  # too late for the outputs
        conduct = counter.conduct()
        if conduct is not None and ending.outcome is Outcome.COMPLETED:
            ending.fail_as_launched(call.symbol, conduct.failures)
        diagnostics = self._acl.take_diagnostics()
        self._segment.note("")
        return Answer(
            outcome=ending.outcome.value,
            status=ending.status,
            phase=ending.phase,
            message=ending.message,
            workspace_bytes=ending.workspace_bytes,
            seconds=ending.seconds,
            read_back=findings.read_back,
            poisoned=findings.poisoned,
            damage=tuple(findings.damage),
            inputs_changed=tuple(findings.inputs_changed),
            diagnostics=diagnostics,
            tiling_key=self._acl.take_tiling_key(),
            conduct=conduct,
        )

    def times(self, asked: AskTimes) -> Times | Unavailable:
        """How long phase two of a call takes, again and again on the same memory."""
        phases = self._phases(asked.call)
        if isinstance(phases, Unavailable):
            return phases
        try:
            self._placement.send(asked.call)
            self._machine.configure(asked.call)
            self._acl.run_at_submission()
            with EventTimer(self._acl, self._stream) as timer, self._objects(asked.call) as objects:
                repetitions = range(asked.warm + asked.times)
                found = [self._timed(asked.call, phases, objects, timer) for _ in repetitions]
        except (AclError, NoRoomError, AttributeError) as error:
            return Times(reason=text_of(error))
        finally:
            self._acl.take_diagnostics()
        return Times(tuple(found[asked.warm :]))

    def _timed(
        self,
        call: Call,
        phases: tuple[Any, Any],
        objects: Mapping[int, int],
        timer: EventTimer,
    ) -> float:
        """Plan, and the seconds of one phase two. Raises AclError."""
        plan, execute = phases
        executor, count = pointer(), c_uint64()
        self._segment.note(call.symbol + "GetWorkspaceSize")
        status = plan(*_passed(call, objects), byref(count), byref(executor))
        self._acl.check(call.symbol + "GetWorkspaceSize", status)
        workspace = self._placement.workspace(count.value, call.setting.memory)
        self._segment.note(call.symbol)

        def submit() -> None:
            self._acl.check(call.symbol, execute(workspace, count, executor, self._stream))

        return timer.seconds(submit)

    def release(self) -> None:
        """Give the device memory back."""
        self._placement.release()

    def _phases(self, call: Call) -> tuple[Any, Any] | Unavailable:
        """Both functions of the operator with the signature that the call implies."""
        parameters = _types(call)
        if (known := self._known.get(call.symbol)) is not None and known[0] == parameters:
            return known[1]
        plan_name = call.symbol + "GetWorkspaceSize"
        plan = self._acl.operator(plan_name, *parameters, POINTER(c_uint64), POINTER(pointer))
        execute = self._acl.operator(call.symbol, pointer, c_uint64, pointer, pointer)
        if plan is None or execute is None:
            return Unavailable(plan_name if plan is None else call.symbol)
        self._known[call.symbol] = parameters, (plan, execute)
        return plan, execute

    def _two_phases(
        self, call: Call, phases: tuple[Any, Any], ending: _Ending, counter: ConductCounter
    ) -> None:
        """Plan, allocate the workspace, run, wait. Raises AclError; a refusal is no error."""
        with self._objects(call) as objects:
            self._planned(call, phases, objects, ending, counter)

    @contextmanager
    def _objects(self, call: Call) -> Iterator[dict[int, int]]:
        """The tensors and arrays of a call by place, for a block. Raises AclError."""
        handles: dict[int, int] = {}
        arrays: dict[int, int] = {}
        try:
            for place, tensor, address in self._placement.addresses():
                handles[place] = self._acl.create_tensor(tensor, address)
            for place, array in enumerate(call.arguments):
                if isinstance(array, IntArrayArgument) and array.values is not None:
                    arrays[place] = self._acl.create_int_array(array.values)
            yield handles | arrays
        finally:
            for handle in handles.values():
                self._acl.destroy_tensor(handle)
            for handle in arrays.values():
                self._acl.destroy_int_array(handle)

    def _planned(
        self,
        call: Call,
        phases: tuple[Any, Any],
        objects: Mapping[int, int],
        ending: _Ending,
        counter: ConductCounter,
    ) -> None:
        plan, execute = phases
        executor, workspace_bytes = pointer(), c_uint64()
        try:
            values = _passed(call, objects)
            plan_name = call.symbol + "GetWorkspaceSize"
            self._segment.note(plan_name)
            breach = call.breach or KEPT
            size_place = byref(workspace_bytes) if breach.size_place == "given" else None
            executor_place = byref(executor) if breach.executor_place == "given" else None
            with counter.phase(), ending:
                status = plan(*values, size_place, executor_place)
            if status != SUCCESS:
                ending.reject(status, plan_name, self._acl.message())
                return
            if size_place is None or executor_place is None:
                return
            if counter.counts:
                counter.catch_up()
                counter.written_early = self._placement.written(call)
            ending.workspace_bytes = workspace_bytes.value
            if call.breach is not None:
                self._break(call, execute, workspace_bytes.value, executor, ending, counter)
                return
            workspace = self._placement.workspace(workspace_bytes.value, call.setting.memory)
            self._segment.note(call.symbol)
            handed, executor = executor, pointer()
            stream = pointer() if call.setting.stream == DEFAULT else self._stream
            is_beside = call.setting.stream == BESIDE
            beside = Beside(self._acl, self._placement, call) if is_beside else nullcontext()
            with beside as other:
                if other is not None:
                    other.plan(plan, lambda apart: _passed(call, {**objects, **apart}))
                with counter.phase(works=True), ending:
                    status = execute(workspace, workspace_bytes, handed, stream)
                    self._acl.check(call.symbol, status)
                    if other is not None:
                        other.submit(execute)
                    self._acl.call("aclrtSynchronizeStream", stream)
        finally:
            # Phase 2 frees the executor; one that it never got is still ours.
            if executor and self._destroy_executor is not None:
                with counter.phase():
                    self._destroy_executor(executor)

    def _break(
        self,
        call: Call,
        execute: Any,
        count: int,
        executor: pointer,
        ending: _Ending,
        counter: ConductCounter,
    ) -> None:
        """Phase two of a call that breaks the protocol: any status but success refuses it.

        ``executor`` is null afterwards if it is not the caller's any more. Raises AclError,
        NotBreakableError.
        """
        assert call.breach is not None

        def run(handed: Handed) -> int:
            self._segment.note(call.symbol)
            with counter.phase(works=True), ending:
                status: int = execute(
                    handed.workspace, handed.workspace_bytes, handed.executor, handed.stream
                )
                if status == SUCCESS and handed.waits:
                    self._acl.call("aclrtSynchronizeStream", handed.stream)
            return status

        kept = Handed(None, count, executor, self._stream)
        with breaking(self._acl, self._placement, call, kept, run) as handed:
            status = run(handed)
        if status != SUCCESS:
            ending.reject(status, call.symbol, self._acl.message())


def _passed(call: Call, objects: Mapping[int, int]) -> list[Any]:
    """The arguments of phase one but its results; ``objects`` are handles by place."""
    passed: list[Any] = []
    for place, argument in enumerate(call.arguments):
        if isinstance(argument, AttributeArgument):
            passed.append(argument.value)
        elif not isinstance(argument, NumbersArgument):
            passed.append(objects.get(place))
        elif argument.values is None:
            passed += (None, 0)
        else:  # phase one keeps a copy of them
            passed += ((c_int64 * len(argument.values))(*argument.values), len(argument.values))
    return passed


def _types(call: Call) -> list[Any]:
    """The C types of the arguments of phase one but its results."""
    types: list[Any] = []
    for argument in call.arguments:
        if isinstance(argument, AttributeArgument):
            types.append(ATTRIBUTE_TYPES[argument.ctype])
        else:
            types += (pointer, c_uint64) if isinstance(argument, NumbersArgument) else (pointer,)
    return types
