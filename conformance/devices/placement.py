"""The tensors and the workspace of one call in device memory: sent before it, looked at after it.

Every tensor has its own device allocation, with its elements between two guard zones; outputs and
workspace are poisoned. Everything is read back, so that a kernel that writes past its end, changes
an input or leaves elements unwritten is seen on any device.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from conformance.devices.acl import Acl
from conformance.devices.layout import (
    GUARD_AFTER,
    GUARD_BEFORE,
    WORKSPACE_POISON,
    Bytes,
    count_poisoned,
    fill_guards,
    fill_poison,
    guard_damage,
    same_bytes,
)
from conformance.devices.memory import Memory
from conformance.devices.messages import Call, Damage, TensorArgument
from conformance.devices.segment import Segment

WORKSPACE = 999
"""The workspace's place among the allocations: beyond every argument list."""

WORKSPACE_GUARD = 4096
"""Bytes of guard before a workspace: keeps its address a multiple of 512, as aclrtMalloc does."""


@dataclass
class Findings:
    """What device memory shows after a call; ``read_back``: all outputs are in the segment."""

    read_back: bool = False
    unwritten: dict[str, int] = field(default_factory=dict)
    damage: list[Damage] = field(default_factory=list)
    inputs_changed: list[str] = field(default_factory=list)


class Placement:
    """Where the tensors of calls lie; ``place`` is a tensor's position in the argument list."""

    def __init__(self, acl: Acl, segment: Segment) -> None:
        self._acl, self._segment = acl, segment
        self._memory = Memory(acl)
        self._at: dict[int, int] = {}
        self._workspace_bytes = 0
        self._back: Bytes = np.empty(0, np.uint8)

    def send(self, call: Call) -> None:
        """Copy guards, inputs and poison to the device. Raises AclError."""
        self._at.clear()
        for place, tensor in tensors(call):
            self._segment.note(f"the upload of {tensor.name}")
            image = self._image(tensor)
            fill_guards(image, place)
            if tensor.role == "output":
                fill_poison(_elements(image))
            address = self._memory.at(place, image.size)
            self._acl.upload(address, image.ctypes.data, image.size)
            self._at[place] = address

    def address(self, place: int) -> int:
        """Device address of a tensor's first element."""
        return self._at[place] + GUARD_BEFORE

    def workspace(self, count: int) -> int | None:
        """Device address of ``count`` poisoned bytes between guards; None for none.

        Raises AclError.
        """
        if count == 0:
            return None
        self._segment.note(f"the allocation of {count} bytes of workspace")
        address = self._memory.at(WORKSPACE, WORKSPACE_GUARD + count + GUARD_AFTER)
        self._acl.fill(address + WORKSPACE_GUARD, WORKSPACE_POISON, count)
        guards = self._scratch(WORKSPACE_GUARD + GUARD_AFTER)
        fill_guards(guards, WORKSPACE, WORKSPACE_GUARD)
        after = guards[WORKSPACE_GUARD:]
        self._acl.upload(address, guards.ctypes.data, WORKSPACE_GUARD)
        self._acl.upload(address + WORKSPACE_GUARD + count, after.ctypes.data, GUARD_AFTER)
        self._at[WORKSPACE], self._workspace_bytes = address, count
        return address + WORKSPACE_GUARD

    def look(self, call: Call, findings: Findings) -> None:
        """Copy everything back and compare it with what was sent. Raises AclError."""
        self._segment.note("the reading back")
        placed = [(place, tensor) for place, tensor in tensors(call) if place in self._at]
        for place, tensor in placed:
            sent = self._image(tensor)
            image = sent if tensor.role == "output" else self._scratch(sent.size)
            self._acl.download(image.ctypes.data, self._at[place], image.size)
            findings.damage += guard_damage(image, tensor.name, place)
            if tensor.role == "output":
                unwritten = count_poisoned(_elements(image), tensor.itemsize)
                findings.unwritten[tensor.name] = unwritten
            elif not same_bytes(_elements(image), _elements(sent)):
                findings.inputs_changed.append(tensor.name)
        if WORKSPACE in self._at:
            findings.damage += self._workspace_damage()
        findings.read_back = len(placed) == len(call.tensors)

    def release(self) -> None:
        """Give the device memory back."""
        self._memory.release()

    def _workspace_damage(self) -> list[Damage]:
        """The guard zones of the workspace, as one image without the workspace between them."""
        address, count = self._at[WORKSPACE], self._workspace_bytes
        guards = self._scratch(WORKSPACE_GUARD + GUARD_AFTER)
        after = guards[WORKSPACE_GUARD:]
        self._acl.download(guards.ctypes.data, address, WORKSPACE_GUARD)
        self._acl.download(after.ctypes.data, address + WORKSPACE_GUARD + count, GUARD_AFTER)
        return [
            Damage(d.buffer, d.offset + count if d.offset >= 0 else d.offset, d.count)
            for d in guard_damage(guards, "workspace", WORKSPACE, WORKSPACE_GUARD)
        ]

    def _image(self, tensor: TensorArgument) -> Bytes:
        """Guards and elements of a tensor in the segment."""
        end = tensor.offset + tensor.nbytes + GUARD_AFTER
        return self._segment.bytes[tensor.offset - GUARD_BEFORE : end]

    def _scratch(self, count: int) -> Bytes:
        """Host memory for what is read back only to be compared."""
        if self._back.size < count or self._back.size > 4 * max(count, 1 << 24):
            self._back = np.empty(count, np.uint8)
        return self._back[:count]


def tensors(call: Call) -> list[tuple[int, TensorArgument]]:
    """The tensors that are there, with their positions in the argument list."""
    return [(i, a) for i, a in enumerate(call.arguments) if isinstance(a, TensorArgument)]


def _elements(image: Bytes) -> Bytes:
    """An image without its guards."""
    return image[GUARD_BEFORE : image.size - GUARD_AFTER]
