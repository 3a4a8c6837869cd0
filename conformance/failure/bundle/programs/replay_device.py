"""The device of a bundle's program, its tensors, and one call of an operator in two phases."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64
from ctypes import c_void_p as pointer
from typing import Any

import numpy as np

BEFORE, AFTER, WORKSPACE_BEFORE = 4096 + 32, 4096, 4096
POISON, POISON_AGAIN = 0x7FFB, 0xFFFD
INPUT_GAPS, OUTPUT_GAPS, WORKSPACE_POISON = 0x7FF9, 0x7FF7, 0x7FE3
ZEROED, AS_LEFT = "zeroed", "as left"
WORKSPACE = 999
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
WRONG, ENVIRONMENT = 1, 3


def filled(count: int, word: int) -> Any:
    """So many bytes of a pattern of 16 bits."""
    return np.resize(np.array([word], "<u2").view(np.uint8), count)


class Ended(Exception):  # noqa: N818
    """The program ends: with which status, and why."""


class Device:
    """The runtime and the operators, in this process."""

    def __init__(self, options: Any) -> None:
        folder = options.libraries or ""
        try:
            runtime = os.path.join(folder, "libascendcl.so")
            self.runtime = ctypes.CDLL(runtime, mode=ctypes.RTLD_GLOBAL)
            self.operators = ctypes.CDLL(options.opapi or os.path.join(folder, "libopapi.so"))
        except OSError as error:
            raise Ended(ENVIRONMENT, f"{error}: name the folder by --libraries") from error
        self.stream = pointer()
        self.held: dict[int, tuple[int, int]] = {}

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function that answers 0; anything else ends the program's judgement."""
        status = self.function(self.runtime, name)(*arguments)
        if status != 0:
            raise Ended(WRONG, f"{name} answered {status}: {self.message()}")

    def function(self, library: Any, name: str, answers: Any = c_int) -> Any:
        """A function of a library; ends the program where it is not there."""
        found = getattr(library, name, None)
        if found is None:
            raise Ended(ENVIRONMENT, f"{name} is not in the library")
        found.restype = answers
        return found

    def message(self) -> str:
        """What the interface says of its last error."""
        text = self.function(self.runtime, "aclGetRecentErrMsg", c_char_p)() or b""
        return " ".join(text.decode(errors="replace").split())

    def open(self, number: int) -> None:
        """Open the device."""
        try:
            if self.function(self.runtime, "aclInit")(None) not in (0, 100002):
                raise Ended(ENVIRONMENT, f"aclInit fails: {self.message()}")
            self.call("aclrtSetDevice", c_int32(number))
            self.call("aclrtCreateStream", byref(self.stream))
        except Ended as ended:
            raise Ended(ENVIRONMENT, f"no device opens: {ended.args[1]}") from ended

    def configure(self, machine: Any, device: Any, order: str) -> str:
        """Make a simulated device the machine of a call; what the device is, in words."""
        if not hasattr(self.runtime, "ascendsimConfigure"):
            soc = self.function(self.runtime, "aclrtGetSocName", c_char_p)() or b""
            return f"device: {soc.decode(errors='replace')}"
        machine, device = machine or {}, device or {}
        cores, ub_bytes = machine.get("cores", 0), machine.get("ub_bytes", 0)
        simulated = device["soc"].encode() if device.get("kind") == "sim" else None
        self.call("ascendsimConfigure", simulated, c_uint32(cores), c_uint64(ub_bytes))
        chosen = order or machine.get("block_order", "forward")
        self.call("ascendsimBlockOrder", chosen.encode())
        functions = machine.get("functions", "rounded")
        if hasattr(self.runtime, "ascendsimFunctions"):  # an older one has one implementation
            self.call("ascendsimFunctions", functions.encode())
        pipes = machine.get("pipes", "program")
        if hasattr(self.runtime, "ascendsimPipes"):  # an older one has one schedule
            self.call("ascendsimPipes", pipes.encode())
        if hasattr(self.runtime, "ascendsimDeferTasks"):  # as in a run
            self.call("ascendsimDeferTasks", c_int(1))
        words = f"cores {cores}, UB {ub_bytes} B, " if machine else ""
        words += f"functions {functions}, " if functions != "rounded" else ""
        words += f"pipes {pipes}, " if pipes != "program" else ""
        return f"device: simulated, {words}block order {chosen}"

    def at(self, place: int, count: int) -> int:
        """The address of so many bytes for an argument, kept for the next call's."""
        address, capacity = self.held.get(place, (0, 0))
        if capacity < count:
            if address:
                self.call("aclrtFree", pointer(address))
            address = self.allocate(count)
            self.held[place] = (address, count)
        return address

    def allocate(self, count: int) -> int:
        """The address of so many bytes."""
        address = pointer()
        self.call("aclrtMalloc", byref(address), ctypes.c_size_t(count), c_int(0))
        return address.value or 0

    def copy(self, to: int, origin: int, count: int, kind: int) -> None:
        """Copy bytes between host and device."""
        size = ctypes.c_size_t(count)
        if count:
            self.call("aclrtMemcpy", pointer(to), size, pointer(origin), size, c_int(kind))

    def findings(self) -> str:
        """What a simulated device reports; a real one has no such function."""
        if not hasattr(self.runtime, "ascendsimTakeDiagnostics"):
            return ""
        take = self.function(self.runtime, "ascendsimTakeDiagnostics", c_uint64)
        need = int(take(None, c_uint64(0)))
        text = ctypes.create_string_buffer(need + 1)
        take(text, c_uint64(need + 1))
        return text.value.decode(errors="replace")


class Tensor:
    """One tensor: its bytes between two guard zones, here and on the device."""

    def __init__(
        self, told: Any, guards: Any, device: Device, place: int, memory: str, word: int, load: Any
    ) -> None:
        self.told, self.device = told, device
        self.shape, self.size = tuple(told["shape"]), told["itemsize"]
        count = int(np.prod(self.shape, dtype=np.int64))
        self.strides, self.start = told["strides"], told["start"]
        if self.strides is not None and count:
            steps = zip(self.shape, self.strides)  # noqa: B905 - Python 3.9 has no strict
            count = 1 + sum((size - 1) * stride for size, stride in steps)
        self.nbytes = (self.start + count + told["spare"]) * self.size
        rows, row_bytes = [0], self.nbytes
        if told["rows_file"]:
            rows, row_bytes = load(told["rows_file"]).tolist(), self.shape[-1] * self.size
        held = len(rows) * row_bytes
        self.image = np.empty(BEFORE + held + AFTER, np.uint8)
        self.image[:BEFORE], self.image[BEFORE + held :] = guards[:BEFORE], guards[BEFORE:]
        self.middle = self.image[BEFORE : BEFORE + held]
        self.middle[:] = filled(held, OUTPUT_GAPS if told["role"] == "output" else INPUT_GAPS)
        if told["role"] == "output":
            elements = self.elements(self.middle)
            before = filled(elements.size, 0 if memory == ZEROED else word)
            elements[...] = before.reshape(elements.shape)
        if told["file"]:
            stored = np.ascontiguousarray(load(told["file"])).reshape(-1).view(np.uint8)
            elements = self.elements(self.middle)
            elements[...] = stored.reshape(elements.shape)
        count = BEFORE + self.nbytes + AFTER
        self.address = device.allocate(count) if told["rows_file"] else device.at(place, count)
        self.pieces = [(0, 0, BEFORE), (BEFORE + held, BEFORE + self.nbytes, AFTER)]
        for at, row in enumerate(rows):
            here, there = (BEFORE + number * row_bytes for number in (at, row))
            self.pieces.append((here, there, row_bytes))
        left = memory == AS_LEFT and told["role"] == "output" and self.strides is None
        self.move(self.image, HOST_TO_DEVICE, self.pieces[:2] if left else self.pieces)
        self.handle = self.create()

    def elements(self, middle: Any) -> Any:
        """The elements among the bytes between the guard zones, uint8 [*shape, itemsize]."""
        middle = middle[self.start * self.size : middle.size - self.told["spare"] * self.size]
        if self.strides is None:
            return middle.reshape(-1, self.size)
        if 0 in self.shape:
            return np.empty((*self.shape, self.size), np.uint8)
        steps = (*(stride * self.size for stride in self.strides), 1)
        return np.lib.stride_tricks.as_strided(middle, (*self.shape, self.size), steps)

    def move(self, image: Any, kind: int, pieces: Any) -> None:
        """Copy pieces of the image, guard zones or bytes, to the device or back."""
        for here, there, count in pieces:
            host, device = image[here:].ctypes.data, self.address + there
            pair = (device, host) if kind == HOST_TO_DEVICE else (host, device)
            self.device.copy(*pair, count, kind)

    def create(self) -> Any:
        """The aclTensor."""
        rank, strides = len(self.shape), self.strides
        stored = self.shape
        if strides is not None or self.start or self.told["spare"]:
            stored = (self.nbytes // self.size,)
        if strides is None:
            strides = [int(np.prod(self.shape[axis + 1 :])) for axis in range(rank)]
        create = self.device.function(self.device.operators, "aclCreateTensor", pointer)
        dims, data_type = (c_int64 * rank)(*self.shape), c_int(self.told["data_type"])
        view = (dims, c_uint64(rank), data_type, (c_int64 * rank)(*strides), c_int64(self.start))
        storage = ((c_int64 * len(stored))(*stored), c_uint64(len(stored)))
        form = c_int(self.told["format"])
        address = pointer(self.address + BEFORE if self.nbytes else None)  # as in PyTorch
        handle = create(*view, form, *storage, address)
        if not handle:
            raise Ended(WRONG, f"aclCreateTensor of {self.told['name']} gives none")
        return pointer(handle)

    def look(self) -> tuple[Any, int]:
        """The elements as they are now, and how many bytes changed that must not."""
        seen = self.image.copy()
        self.move(seen, DEVICE_TO_HOST, self.pieces)
        found = np.array(self.elements(seen[BEFORE : BEFORE + self.middle.size]))
        if self.told["role"] == "output":
            self.elements(self.middle)[...] = found
        return found, int(np.count_nonzero(seen != self.image))


def call(device: Device, told: Any, handles: list[Any], guard: Any) -> list[str]:
    """Both phases of the operator; what is wrong with how they end."""
    name, must = told["symbol"], told["status"]
    plan = device.function(device.operators, name + "GetWorkspaceSize")
    execute = device.function(device.operators, name)
    need, executor = c_uint64(), pointer()
    status = plan(*handles, byref(need), byref(executor))
    if status != must:
        why = f": {device.message()}" if status else ""
        return [f"{name}GetWorkspaceSize answered {status}, must be {must}{why}"]
    if status != 0:
        return []
    address = 0
    if need.value:
        size, behind = ctypes.c_size_t(need.value), WORKSPACE_BEFORE + need.value
        start = device.at(WORKSPACE, behind + AFTER)
        address = start + WORKSPACE_BEFORE
        if told["memory"] == ZEROED:
            device.call("aclrtMemset", pointer(address), size, c_int32(0), size)
        elif told["memory"] != AS_LEFT:
            before = filled(need.value, WORKSPACE_POISON)
            device.copy(address, before.ctypes.data, need.value, HOST_TO_DEVICE)
        zone = np.ascontiguousarray(guard)
        device.copy(start, zone.ctypes.data, WORKSPACE_BEFORE, HOST_TO_DEVICE)
        device.copy(start + behind, zone[WORKSPACE_BEFORE:].ctypes.data, AFTER, HOST_TO_DEVICE)
    status = execute(pointer(address or None), need, executor, device.stream)
    if status == 0:
        name = "aclrtSynchronizeStream"
        status = device.function(device.runtime, name)(device.stream)
    if status != 0:
        return [f"{name} answered {status}: {device.message()}"]
    if not need.value:
        return []
    seen, used = np.empty_like(zone), WORKSPACE_BEFORE + AFTER
    device.copy(seen.ctypes.data, start, WORKSPACE_BEFORE, DEVICE_TO_HOST)
    device.copy(seen[WORKSPACE_BEFORE:].ctypes.data, start + behind, AFTER, DEVICE_TO_HOST)
    count = np.count_nonzero(seen[:used] != zone[:used])
    return [f"{count} bytes outside of the workspace were written"] if count else []
