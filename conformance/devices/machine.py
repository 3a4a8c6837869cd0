"""The simulated machine of a call: cores, unified buffer, order of blocks. A real one has none."""

from __future__ import annotations

from conformance.devices.acl import Acl
from conformance.devices.messages import Call


class Machine:
    """Sets the machine of each call, where the runtime is the simulator and it changes."""

    def __init__(self, acl: Acl, soc: str | None) -> None:
        self._acl, self._soc = acl, soc
        self._sizes: tuple[int, int] | None = None
        self._block_order: str | None = None

    def configure(self, call: Call) -> None:
        """Set the machine of the call. Raises AclError."""
        if self._acl.simulated and call.machine != self._sizes:
            self._acl.configure_machine(self._soc, *(call.machine or (0, 0)))
            self._sizes = call.machine
        if self._acl.simulated and call.block_order != self._block_order:
            self._acl.order_blocks(call.block_order)
            self._block_order = call.block_order
