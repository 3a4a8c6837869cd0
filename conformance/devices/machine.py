"""What is set before a call: the runtime's level of determinism, and of the simulated machine the
cores, unified buffer, order of blocks, functions and schedule of pipes, which a real one has of its
own."""

from __future__ import annotations

from conformance.call.surroundings import USUAL
from conformance.devices.acl import Acl
from conformance.devices.messages import Call


class Machine:
    """Sets the machine of each call, where the runtime is the simulator and it changes; and the
    level of determinism, which stays as the process found it until a call asks for another."""

    def __init__(self, acl: Acl, soc: str | None) -> None:
        self._acl, self._soc = acl, soc
        self._sizes: tuple[int, int] | None = None
        self._block_order: str | None = None
        self._functions: str | None = None
        self._pipes: str | None = None
        self._determinism = USUAL.determinism

    def configure(self, call: Call) -> None:
        """Set the machine of the call. Raises AclError."""
        if self._acl.simulated and call.machine != self._sizes:
            self._acl.configure_machine(self._soc, *(call.machine or (0, 0)))
            self._sizes = call.machine
        if self._acl.simulated and call.block_order != self._block_order:
            self._acl.order_blocks(call.block_order)
            self._block_order = call.block_order
        if self._acl.simulated and call.functions != self._functions:
            self._acl.choose_functions(call.functions)
            self._functions = call.functions
        if self._acl.simulated and call.pipes != self._pipes:
            self._acl.schedule_pipes(call.pipes)
            self._pipes = call.pipes
        if call.setting.determinism != self._determinism:
            self._acl.be_deterministic(call.setting.determinism)
            self._determinism = call.setting.determinism
