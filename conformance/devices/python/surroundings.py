"""What is around a call of a Python function: nothing on a host, else a simulated NPU.

The simulator's machine is set before a call, and its findings are taken after it. What a function
computes with operators of PyTorch itself, PyTorch's CPU kernels compute in the memory of the
simulated device (`conformance.devices.torch_npu.fallback`): it says nothing of an NPU.
"""

from __future__ import annotations

import sys
from pathlib import Path

from conformance.catalogue import device as say
from conformance.devices.acl import AclError
from conformance.devices.machine import Machine
from conformance.devices.messages import Call, Opened, Setup
from conformance.devices.opening import UnknownDeviceError, acl_of, opened_by
from conformance.devices.segment import Segment
from conformance.devices.simulated_conduct import ConductCounter
from conformance.devices.torch_npu import fallback
from conformance.devices.torch_npu.activate import over_simulator
from conformance.errors import EnvironmentFailure, text_of


class Host:
    """A process that has only what Python has; ``opened`` is a device, None: there is none."""

    opened: Opened | None = None

    def before(self, call: Call) -> None:
        """Make ready for a call."""

    def launch_that_failed(self) -> str:
        """The first launch since `before` that failed without an exception; "" without any."""
        return ""

    def findings(self) -> str:
        """What was found wrong since `before`, as JSON; "" if nothing looks."""
        return ""


class SimulatedNpu(Host):
    """torch_npu over the simulator's libraries of a setup; ``opened`` is what was opened.

    Raises EnvironmentFailure if it does not open.
    """

    def __init__(self, setup: Setup, segment: Segment) -> None:
        try:
            self._acl = acl_of(setup)
            self.opened = opened_by(self._acl, setup)
            self._words = segment.words()  # the simulator writes there as long as it lives
            self._acl.leave_last_words(self._words)
            over_simulator(Path(setup.libraries or ""), Path(setup.shims or ""))
            fallback.activate(sys.modules["torch"])
        except (
            *(OSError, AttributeError, ImportError, RuntimeError, ValueError),
            *(AclError, UnknownDeviceError),
        ) as error:
            raise EnvironmentFailure(text_of(error)) from error
        self._machine = Machine(self._acl, setup.soc)
        self._counter = ConductCounter(self._acl)

    def before(self, call: Call) -> None:
        """Set the machine of the call."""
        self._machine.configure(call)
        self._counter = ConductCounter(self._acl)

    def launch_that_failed(self) -> str:
        """The first launch that failed though torch_npu raised nothing; "" without any."""
        conduct = self._counter.conduct()
        failures = () if conduct is None else conduct.failures
        first = next((one for one in failures if one.launch), None)
        if first is None:
            return ""
        return say.LAUNCH_DROPPED_BY_TORCH(what=first.what, text=first.text)

    def findings(self) -> str:
        """The diagnostics of all kernels since the last call."""
        return self._acl.take_diagnostics()
