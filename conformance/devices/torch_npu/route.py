"""One call through torch_npu: tensors as a program has them, its function, what it returns.

torch_npu allocates outputs and workspace itself, so no guard zone lies around them, and what was
there before is not known: both are watched on the route of the two-phase interface.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from msgspec import structs

from conformance.call.observation import UNTOLD, Outcome
from conformance.catalogue import device as say
from conformance.devices.acl import Acl
from conformance.devices.layout import write_elements
from conformance.devices.machine import Machine
from conformance.devices.messages import Answer, Call, Failure, Unavailable
from conformance.devices.segment import Segment
from conformance.devices.simulated_conduct import ConductCounter
from conformance.devices.torch_tensors import TorchTensors
from conformance.record.torch_binding import Given, OfDtype, TorchCall, Value

CODE = re.compile(r"error\ code\ is (\d+)|status[ :=]+(\d{6})")
"""How torch_npu tells the status of a two-phase function."""


class TorchNpuRoute:
    """Runs calls through torch_npu on one open device."""

    def __init__(self, acl: Acl, segment: Segment, torch_npu: Any, soc: str | None) -> None:
        import torch

        self._acl, self._segment, self._machine = acl, segment, Machine(acl, soc)
        self._torch, self._torch_npu = torch, torch_npu
        self._tensors = TorchTensors(torch, segment, "npu")

    def run(self, call: Call) -> Answer | Unavailable:
        """Run one call to its end, whatever that is."""
        assert call.torch is not None
        function = getattr(self._torch_npu, call.torch.function, None)
        if function is None:
            return Unavailable(f"torch_npu.{call.torch.function}")
        self._machine.configure(call)
        ending = _Ending(phase=f"torch_npu.{call.torch.function}")
        counter = ConductCounter(self._acl)
        given: dict[str, Any] = {}
        self._acl.take_functions()  # an earlier call's
        try:
            self._segment.note(say.UPLOAD_BY_TORCH)
            given = {
                one.name: self._tensors.given(one) for one in call.tensors if one.role == "input"
            }
            self._segment.note(ending.phase)
            start = time.perf_counter()
            try:
                with counter.phase(works=True):
                    returned = function(**keywords(call.torch, given, self._tensors.dtype))
                    self._torch.npu.synchronize()
            finally:
                ending.seconds = time.perf_counter() - start
            self._segment.note(say.READING_BACK_BY_TORCH)
            results = returned if isinstance(returned, tuple | list) else (returned,)
            self._take(call, dict(zip(call.torch.results, results, strict=True)), ending)
        except self._torch.OutOfMemoryError as error:
            ending.end(Outcome.OUT_OF_MEMORY, error)
        except RuntimeError as error:
            ending.end(Outcome.REJECTED, error)
        conduct = counter.conduct()
        if conduct is not None:
            # PyTorch keeps device memory for later tensors.
            conduct = structs.replace(conduct, left_bytes=0)
            if ending.outcome is Outcome.COMPLETED:
                ending.fail_as_launched(conduct.failures)
        changed = (
            () if ending.outcome is not Outcome.COMPLETED else tuple(self._changed(call, given))
        )
        diagnostics = self._acl.take_diagnostics()
        self._segment.note("")
        return Answer(
            outcome=ending.outcome.value,
            status=ending.status,
            phase=ending.phase if ending.outcome is not Outcome.COMPLETED else "",
            message=ending.message,
            workspace_bytes=0,
            seconds=ending.seconds,
            read_back=ending.outcome is Outcome.COMPLETED,
            poisoned={one.name: 0 for one in call.tensors if one.role == "output"},
            damage=(),
            inputs_changed=changed,
            diagnostics=diagnostics,
            tiling_key=self._acl.take_tiling_key(),
            two_phase=self._acl.take_functions(),
            conduct=conduct,
        )

    def release(self) -> None:
        """Give the device memory back."""
        self._torch.npu.empty_cache()

    def _take(self, call: Call, results: dict[str | None, Any], ending: _Ending) -> None:
        """Put the results where the segment has the outputs; say where one is not as declared."""
        for tensor in call.tensors:
            if tensor.role != "output":
                continue
            result = results.get(tensor.name)
            dtype = self._tensors.dtype(tensor.dtype)
            if result is None or tuple(result.shape) != tensor.shape or result.dtype != dtype:
                seen = None if result is None else self._tensors.described(result)
                ending.outcome = Outcome.FAILED
                ending.message = say.OTHER_RESULT(
                    tensor=tensor.name,
                    seen=say.NOTHING() if seen is None else seen,
                    shape=str(list(tensor.shape)),
                    dtype=dtype,
                )
                return
            bits = self._tensors.elements(result, tensor.itemsize)
            write_elements(self._segment.image(tensor), tensor, bits)

    def _changed(self, call: Call, given: dict[str, Any]) -> list[str]:
        """The inputs whose storage is not as sent; of one with listed rows nothing is told."""
        changed = []
        for one in call.tensors:
            if one.role == "input" and one.rows is None:
                storage = self._tensors.storage(given[one.name], one)
                if not np.array_equal(storage, self._segment.image(one)):
                    changed.append(one.name)
        return changed


class _Ending:
    """How far a call came; fields as in ``messages.Answer``."""

    def __init__(self, phase: str) -> None:
        self.outcome = Outcome.COMPLETED
        self.status, self.phase, self.message, self.seconds = 0, phase, "", 0.0

    def fail_as_launched(self, failures: Iterable[Failure]) -> None:
        """Record the first launch that failed though torch_npu raised nothing."""
        if (first := next((one for one in failures if one.launch), None)) is not None:
            self.outcome, self.status = Outcome.FAILED, first.status
            self.message = say.LAUNCH_DROPPED_BY_TORCH(what=first.what, text=first.text)

    def end(self, outcome: Outcome, error: Exception) -> None:
        """Record what torch_npu raised."""
        self.outcome, self.message = outcome, str(error).strip()
        told = CODE.search(self.message)
        self.status = int(told[1] or told[2]) if told else UNTOLD


def keywords(call: TorchCall, given: dict[str, Any], dtype: Callable[[str], Any]) -> dict[str, Any]:
    """The arguments of a call by keyword; ``dtype`` makes one of its name in numpy."""

    def value(one: Value) -> Any:
        if isinstance(one, Given):
            return given.get(one.name)
        if isinstance(one, OfDtype):
            return dtype(one.name)
        return list(one) if isinstance(one, tuple) else one

    return {name: value(one) for name, one in call.arguments}
