"""The tensors and the workspace of one call in device memory: sent before it, looked at after it.

Every tensor has its own device allocation, with its storage between two guard zones; outputs and
workspace are poisoned. Everything is read back, so that a kernel that writes past its end or
changes an input is seen on any device, and where elements may have been left unwritten.

Of a row-sparse tensor only the guard zones and the listed rows travel; what lies between them is
what aclrtMalloc left there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

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
from conformance.devices.layout import Bytes, elements_of, fill_elements, same_at
from conformance.devices.memory import Memory, Scratch
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


class _Placed(NamedTuple):
    """A tensor of a call with all that is asked of its memory, worked out once.

    ``image`` is its guards and its storage in the segment, ``host`` the address of that; ``device``
    is the address of its allocation, ``nbytes`` what lies there between the guards. ``pieces`` are
    copied: offset in the image, offset in the allocation, bytes.
    """

    place: int
    tensor: TensorArgument
    image: Bytes
    host: int
    device: int
    nbytes: int
    pieces: list[tuple[int, int, int]]

    @property
    def elements(self) -> Bytes:
        """The image without its guards."""
        return self.image[GUARD_BEFORE : self.image.size - GUARD_AFTER]


class Placement:
    """Where the tensors of calls lie; ``place`` is a tensor's position in the argument list."""

    def __init__(self, acl: Acl, segment: Segment) -> None:
        self._acl, self._segment = acl, segment
        self._memory = Memory(acl)
        self._placed: list[_Placed] = []
        self._workspace: tuple[int, int] | None = None
        self._guards = np.empty(WORKSPACE_GUARD + GUARD_AFTER, np.uint8)
        fill_guards(self._guards, WORKSPACE, WORKSPACE_GUARD)
        self._guards_address = self._guards.ctypes.data
        self._scratch = Scratch()

    def send(self, call: Call) -> None:
        """Copy guards, inputs and poison to the device. Raises AclError, NoRoomError."""
        self._placed, self._workspace = [], None
        self._memory.forget()
        for place, tensor in tensors(call):
            self._segment.note(say.UPLOAD, tensor.name)
            one = self._place(place, tensor)
            fill_guards(one.image, place)
            if tensor.role == "output":
                fill_elements(one.elements, tensor, call.setting.memory, call.poison)
            for here, there, count in _sent(one, call.setting.memory):
                self._acl.upload(one.device + there, one.host + here, count)
            self._placed.append(one)

    def addresses(self) -> list[tuple[int, TensorArgument, int]]:
        """The tensors that were sent: place, tensor, and the device address of its storage."""
        return [(one.place, one.tensor, one.device + GUARD_BEFORE) for one in self._placed]

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
            one.tensor.name
            for one in self._placed
            if one.tensor.role == "output" and not same_at(one.device, one.host, one.image.size)
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
        for here, there, size in _around(count):
            self._acl.upload(address + there, self._guards_address + here, size)
        self._workspace = address, count
        return address + WORKSPACE_GUARD

    def _poison(self, address: int, count: int) -> None:
        """Fill workspace with its pattern, part by part: aclrtMemset knows bytes alone."""
        part, host = self._scratch.of(min(count, PART))
        poison.fill(part, poison.WORKSPACE)
        for start in range(0, count, PART):
            self._acl.upload(address + start, host, min(PART, count - start))

    def look(self, call: Call, findings: Findings) -> None:
        """Copy everything back and compare it with what was sent. Raises AclError.

        Row-sparse tensors and large ones are gone from the device afterwards.
        """
        self._segment.note(say.READING_BACK)
        for one in self._placed:
            self._look_at(one, call, findings)
        if self._workspace is not None:
            findings.damage += self._workspace_damage(*self._workspace)
        findings.read_back = len(self._placed) == len(call.tensors)
        self._memory.forget()
        self._memory.shrink()
        self._scratch.shrink()

    def _look_at(self, one: _Placed, call: Call, findings: Findings) -> None:
        tensor, image, host = one.tensor, one.image, one.host
        elements, is_output = one.elements, tensor.role == "output"
        if not is_output:
            if self._is_as_sent(one):
                return
            image, host = self._scratch.of(image.size)
        for here, there, count in one.pieces:
            self._acl.download(host + here, one.device + there, count)
        damage = guard_damage(image, tensor.name, one.place)
        findings.damage += _behind(damage, GUARD_BEFORE + one.nbytes + GUARD_AFTER - image.size)
        if is_output:
            findings.damage += gap_damage(elements, tensor)
            findings.poisoned[tensor.name] = _poisoned(elements, tensor, call)
        elif not same_at(host + GUARD_BEFORE, one.host + GUARD_BEFORE, elements.size):
            findings.inputs_changed.append(tensor.name)

    def _is_as_sent(self, one: _Placed) -> bool:
        """Whether a tensor and its guards are what was sent; part by part, as it may be large."""
        for here, there, count in one.pieces:
            for start in range(0, count, PART):
                size = min(PART, count - start)
                _, seen = self._scratch.of(size)
                self._acl.download(seen, one.device + there + start, size)
                if not same_at(seen, one.host + here + start, size):
                    return False
        return True

    def release(self) -> None:
        """Give the device memory back."""
        self._memory.release()

    def _workspace_damage(self, address: int, count: int) -> list[Damage]:
        """The guard zones of the workspace, as one image without the workspace between them."""
        guards, host = self._scratch.of(self._guards.size)
        for here, there, size in _around(count):
            self._acl.download(host + here, address + there, size)
        return _behind(guard_damage(guards, "workspace", WORKSPACE, WORKSPACE_GUARD), count)

    def _place(self, place: int, tensor: TensorArgument) -> _Placed:
        """Find a tensor's memory on both sides. Raises AclError, NoRoomError."""
        nbytes, start = tensor.nbytes, tensor.offset - GUARD_BEFORE
        pieces = _pieces(tensor, nbytes)
        last, _, count = pieces[-1]
        return _Placed(
            place,
            tensor,
            self._segment.bytes[start : start + last + count],
            self._segment.address + start,
            self._room(place, tensor, GUARD_BEFORE + nbytes + GUARD_AFTER),
            nbytes,
            pieces,
        )

    def _room(self, place: int, tensor: TensorArgument, count: int) -> int:
        """Device memory for a tensor and its guards. Raises AclError, NoRoomError."""
        if tensor.rows is None:
            return self._memory.at(place, count)
        try:
            return self._memory.passing(count)
        except AclError as error:
            if error.status != OUT_OF_DEVICE_MEMORY:
                raise
            raise NoRoomError(tensor, error) from error


def tensors(call: Call) -> list[tuple[int, TensorArgument]]:
    """The tensors that are there, with their positions in the argument list."""
    return [(i, a) for i, a in enumerate(call.arguments) if isinstance(a, TensorArgument)]


def _pieces(tensor: TensorArgument, nbytes: int) -> list[tuple[int, int, int]]:
    """What is copied: offset in the tensor's image, offset in its allocation, bytes."""
    if tensor.rows is None:
        return [(0, 0, GUARD_BEFORE + nbytes + GUARD_AFTER)]
    pieces = [(0, 0, GUARD_BEFORE)]
    for place, row in enumerate(tensor.rows):
        here, there = (GUARD_BEFORE + number * tensor.row_bytes for number in (place, row))
        pieces.append((here, there, tensor.row_bytes))
    behind = GUARD_BEFORE + tensor.held_bytes, GUARD_BEFORE + nbytes, GUARD_AFTER
    return [*pieces, behind]


def _sent(one: _Placed, memory: str) -> list[tuple[int, int, int]]:
    """What is copied to the device: of an output that stays as it was left, the guards alone."""
    if one.tensor.role == "input" or memory != AS_LEFT or one.tensor.is_part:
        return one.pieces
    behind = GUARD_BEFORE + one.nbytes
    return [(0, 0, GUARD_BEFORE), (behind, behind, GUARD_AFTER)]


def _around(count: int) -> tuple[tuple[int, int, int], ...]:
    """What is copied of a workspace: its guards, which are one behind the other on the host."""
    behind = WORKSPACE_GUARD, WORKSPACE_GUARD + count, GUARD_AFTER
    return (0, 0, WORKSPACE_GUARD), behind


def _poisoned(elements: Bytes, tensor: TensorArgument, call: Call) -> int:
    """Elements that hold the poison; 0 where there was none."""
    if call.setting.memory != POISONED:
        return 0
    if tensor.is_part:
        elements = np.ascontiguousarray(elements_of(elements, tensor)).reshape(-1)
    return poison.count(elements, tensor.itemsize, call.poison)


def _behind(damage: list[Damage], left_out: int) -> list[Damage]:
    """Damage of a buffer of which the image left out so many bytes before the rear guard zone."""
    return [
        Damage(d.buffer, d.offset + left_out if d.offset >= 0 else d.offset, d.count)
        for d in damage
    ]
