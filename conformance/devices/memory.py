"""Device memory of the calls: one allocation per place in the argument list, kept between calls.

Large ones are not kept: a simulated device's memory is the host's, and the judge needs some. Nor is
that of row-sparse tensors: a row that the next call does not list must not hold what a former call
put there.
"""

from __future__ import annotations

import numpy as np

from conformance.devices.acl import Acl
from conformance.devices.layout import Bytes

KEPT = 64 << 20
"""An allocation up to this size is never given back, a larger one after its call."""

LARGE = 1 << 24
"""Scratch memory beyond this size is given back after its call."""


class Memory:
    """Device allocations by place; a place is a position in the argument list or "workspace"."""

    def __init__(self, acl: Acl) -> None:
        self._acl = acl
        self._held: dict[int, tuple[int, int]] = {}
        self._passing: list[int] = []

    def at(self, place: int, count: int) -> int:
        """An address with ``count`` bytes for this place. Raises AclError."""
        address, capacity = self._held.get(place, (0, 0))
        if capacity < count:
            if address:
                del self._held[place]
                self._acl.free(address)
            address = self._acl.allocate(count)
            self._held[place] = (address, count)
        return address

    def passing(self, count: int) -> int:
        """The address of ``count`` bytes that last until ``forget``. Raises AclError."""
        address = self._acl.allocate(count)
        self._passing.append(address)
        return address

    def forget(self) -> None:
        """Free what was asked of ``passing``. Raises AclError."""
        while self._passing:
            self._acl.free(self._passing.pop())

    def shrink(self) -> None:
        """Free the large allocations. Raises AclError."""
        for place in [place for place, (_, capacity) in self._held.items() if capacity > KEPT]:
            address, _ = self._held.pop(place)
            self._acl.free(address)

    def release(self) -> None:
        """Free everything."""
        self.forget()
        while self._held:
            _, (address, _) = self._held.popitem()
            self._acl.free(address)


class Scratch:
    """Host memory for what is only compared, or only sent: the next use overwrites it."""

    def __init__(self) -> None:
        self._hold(0)

    def of(self, count: int) -> tuple[Bytes, int]:
        """So many bytes, and their address."""
        if not count <= self._bytes.size <= 4 * max(count, LARGE):
            self._hold(count)
        return self._bytes[:count], self._address

    def shrink(self) -> None:
        """Let go of what a large tensor took."""
        if self._bytes.size > LARGE:
            self._hold(0)

    def _hold(self, count: int) -> None:
        self._bytes: Bytes = np.empty(count, np.uint8)
        self._address = self._bytes.ctypes.data
