"""The tensors and the workspace of one call in device memory: sent before it, looked at after it.

Every tensor has its own device allocation, with its storage between two guard zones; outputs and
workspace are poisoned. Everything is read back, so that a kernel that writes past its end or
changes an input is seen on any device, and where elements may have been left unwritten.

Of a row-sparse tensor only the guard zones and the listed rows travel; what lies between them is
what aclrtMalloc left there.
"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_uint8
from dataclasses import dataclass, field

import numpy as np

from conformance import poison
from conformance.call.surroundings import AS_LEFT, POISONED, ZEROED
from conformance.catalogue import device as say
from conformance.devices.acl import OUT_OF_DEVICE_MEMORY, Acl, AclError
from conformance.devices.guard_zones import (
    GUARD_AFTER,
    GUARD_BEFORE,
    fill_guards,
    gap_damage,
    guard_damage,
)
from conformance.devices.layout import Bytes, elements_of, fill_elements, same_bytes
from conformance.devices.memory import Memory
from conformance.devices.messages import Call, Damage, TensorArgument
from conformance.devices.segment import Segment
from conformance.errors import text_of

WORKSPACE = 999
"""The workspace's place among the allocations: beyond every argument list."""

APART = 1000
"""Added to the place of an output, or of the workspace, that is another call's."""

PART = 1 << 24
"""Bytes that are read back at a time where they are only compared."""

WORKSPACE_GUARD = 4096
"""Bytes of guard before a workspace: keeps its address a multiple of 512, as aclrtMalloc does."""


class NoRoomError(Exception):
    """The device has no room for a row-sparse tensor; ``cause`` is what aclrtMalloc answered."""

    def __init__(self, tensor: TensorArgument, cause: AclError) -> None:
        gibibytes = tensor.nbytes / (1 << 30)
        told = say.NO_ROOM(tensor=tensor.name, gibibytes=gibibytes, error=text_of(cause))
        super().__init__(told)
        self.cause = cause


@dataclass
class Findings:
    """What device memory shows after a call; ``read_back``: all outputs are in the segment."""

    read_back: bool = False
    poisoned: dict[str, int] = field(default_factory=dict)
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
        """Copy guards, inputs and poison to the device. Raises AclError, NoRoomError."""
        self._at.clear()
        self._memory.forget()
        for place, tensor in tensors(call):
            self._segment.note(say.UPLOAD, tensor.name)
            image = self._image(tensor)
            fill_guards(image, place)
            if tensor.role == "output":
                fill_elements(_elements(image), tensor, call.setting.memory, call.poison)
            address = self._room(place, tensor)
            for here, there, count in _sent(tensor, call.setting.memory):
                self._acl.upload(address + there, image[here:].ctypes.data, count)
            self._at[place] = address

    def address(self, place: int) -> int:
        """Device address of a tensor's storage."""
        return self._at[place] + GUARD_BEFORE

    def apart(self, place: int, count: int) -> int:
        """Device address of ``count`` bytes that nobody looks at, of one place. Raises AclError."""
        return self._memory.at(APART + place, count)

    def written(self, call: Call) -> tuple[str, ...]:
        """The outputs that are not as they were sent, where device memory is the host's own: it is
        looked at where it lies. None where outputs stay as they were left.
        """
        if call.setting.memory == AS_LEFT:
            return ()
        return tuple(
            tensor.name
            for place, tensor in tensors(call)
            if tensor.role == "output" and not self._is_untouched(place, tensor)
        )

    def workspace(self, count: int, memory: str = POISONED) -> int | None:
        """Device address of ``count`` bytes between guards, filled as a setting's ``memory`` says;
        None for none.

        Raises AclError.
        """
        if count == 0:
            return None
        self._segment.note(say.ALLOCATION, count)
        address = self._memory.at(WORKSPACE, WORKSPACE_GUARD + count + GUARD_AFTER)
        if memory == ZEROED:
            self._acl.fill(address + WORKSPACE_GUARD, 0, count)
        elif memory == POISONED:
            self._poison(address + WORKSPACE_GUARD, count)
        guards = self._scratch(WORKSPACE_GUARD + GUARD_AFTER)
        fill_guards(guards, WORKSPACE, WORKSPACE_GUARD)
        after = guards[WORKSPACE_GUARD:]
        self._acl.upload(address, guards.ctypes.data, WORKSPACE_GUARD)
        self._acl.upload(address + WORKSPACE_GUARD + count, after.ctypes.data, GUARD_AFTER)
        self._at[WORKSPACE], self._workspace_bytes = address, count
        return address + WORKSPACE_GUARD

    def _poison(self, address: int, count: int) -> None:
        """Fill workspace with its pattern, part by part: aclrtMemset knows bytes alone."""
        part = self._scratch(min(count, PART))
        poison.fill(part, poison.WORKSPACE)
        for start in range(0, count, PART):
            self._acl.upload(address + start, part.ctypes.data, min(PART, count - start))

    def look(self, call: Call, findings: Findings) -> None:
        """Copy everything back and compare it with what was sent. Raises AclError.

        Row-sparse tensors and large ones are gone from the device afterwards.
        """
        self._segment.note(say.READING_BACK)
        placed = [(place, tensor) for place, tensor in tensors(call) if place in self._at]
        for place, tensor in placed:
            if tensor.role == "input" and self._is_as_sent(place, tensor):
                continue
            sent = self._image(tensor)
            image = sent if tensor.role == "output" else self._scratch(sent.size)
            for here, there, count in _pieces(tensor):
                self._acl.download(image[here:].ctypes.data, self._at[place] + there, count)
            damage = guard_damage(image, tensor.name, place)
            findings.damage += _behind(damage, tensor.nbytes - tensor.held_bytes)
            if tensor.role == "output":
                findings.damage += gap_damage(_elements(image), tensor)
                findings.poisoned[tensor.name] = _poisoned(_elements(image), tensor, call)
            elif not same_bytes(_elements(image), _elements(sent)):
                findings.inputs_changed.append(tensor.name)
        if WORKSPACE in self._at:
            findings.damage += self._workspace_damage()
        findings.read_back = len(placed) == len(call.tensors)
        self._memory.forget()
        self._memory.shrink()
        self._back = self._back[:0] if self._back.size > PART else self._back

    def _is_as_sent(self, place: int, tensor: TensorArgument) -> bool:
        """Whether a tensor and its guards are what was sent; part by part, as it may be large."""
        sent = self._image(tensor)
        for here, there, count in _pieces(tensor):
            for start in range(0, count, PART):
                size = min(PART, count - start)
                seen = self._scratch(size)
                self._acl.download(seen.ctypes.data, self._at[place] + there + start, size)
                if not same_bytes(seen, sent[here + start : here + start + size]):
                    return False
        return True

    def _is_untouched(self, place: int, tensor: TensorArgument) -> bool:
        sent = self._image(tensor)
        there = (c_uint8 * sent.size).from_address(self._at[place])
        return same_bytes(np.frombuffer(memoryview(there), np.uint8), sent)

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
        return _behind(guard_damage(guards, "workspace", WORKSPACE, WORKSPACE_GUARD), count)

    def _room(self, place: int, tensor: TensorArgument) -> int:
        """Device memory for a tensor and its guards. Raises AclError, NoRoomError."""
        count = GUARD_BEFORE + tensor.nbytes + GUARD_AFTER
        if tensor.rows is None:
            return self._memory.at(place, count)
        try:
            return self._memory.passing(count)
        except AclError as error:
            if error.status != OUT_OF_DEVICE_MEMORY:
                raise
            raise NoRoomError(tensor, error) from error

    def _image(self, tensor: TensorArgument) -> Bytes:
        """Guards and elements of a tensor in the segment."""
        end = tensor.offset + tensor.held_bytes + GUARD_AFTER
        return self._segment.bytes[tensor.offset - GUARD_BEFORE : end]

    def _scratch(self, count: int) -> Bytes:
        """Host memory for what is read back only to be compared."""
        if self._back.size < count or self._back.size > 4 * max(count, 1 << 24):
            self._back = np.empty(count, np.uint8)
        return self._back[:count]


def tensors(call: Call) -> list[tuple[int, TensorArgument]]:
    """The tensors that are there, with their positions in the argument list."""
    return [(i, a) for i, a in enumerate(call.arguments) if isinstance(a, TensorArgument)]


def _pieces(tensor: TensorArgument) -> Iterator[tuple[int, int, int]]:
    """What is copied: offset in the tensor's image, offset in its allocation, bytes."""
    if tensor.rows is None:
        yield 0, 0, GUARD_BEFORE + tensor.nbytes + GUARD_AFTER
        return
    yield 0, 0, GUARD_BEFORE
    for place, row in enumerate(tensor.rows):
        here, there = (GUARD_BEFORE + number * tensor.row_bytes for number in (place, row))
        yield here, there, tensor.row_bytes
    yield GUARD_BEFORE + tensor.held_bytes, GUARD_BEFORE + tensor.nbytes, GUARD_AFTER


def _sent(tensor: TensorArgument, memory: str) -> Iterator[tuple[int, int, int]]:
    """What is copied to the device: of an output that stays as it was left, the guards alone."""
    if tensor.role == "input" or memory != AS_LEFT or tensor.is_part:
        yield from _pieces(tensor)
        return
    yield 0, 0, GUARD_BEFORE
    behind = GUARD_BEFORE + tensor.nbytes
    yield behind, behind, GUARD_AFTER


def _poisoned(elements: Bytes, tensor: TensorArgument, call: Call) -> int:
    """Elements that hold the poison; 0 where there was none."""
    if call.setting.memory != POISONED:
        return 0
    seen = np.ascontiguousarray(elements_of(elements, tensor)).reshape(-1)
    return poison.count(seen, tensor.itemsize, call.poison)


def _behind(damage: list[Damage], left_out: int) -> list[Damage]:
    """Damage of a buffer of which the image left out so many bytes before the rear guard zone."""
    return [
        Damage(d.buffer, d.offset + left_out if d.offset >= 0 else d.offset, d.count)
        for d in damage
    ]


def _elements(image: Bytes) -> Bytes:
    """An image without its guards."""
    return image[GUARD_BEFORE : image.size - GUARD_AFTER]
