#!/usr/bin/env python3
"""Makes the call of this bundle again: needs Python, numpy, and libascendcl.so with libopapi.so.

python replay.py [--libraries DIR] [--opapi FILE] [--order ORDER] [--device N]

Ends with 0 where the device is right, 1 where it shows the mistake, 2 where the bundle is not as it
was written, 3 where the libraries or the device are not there. README: docs/replay.md of the suite.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import io
import json
import os
import signal
import sys
from ctypes import byref, c_bool, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64
from ctypes import c_void_p as pointer
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
BEFORE, AFTER, WORKSPACE_BEFORE = 4096 + 32, 4096, 4096
POISON, WORKSPACE_POISON = b"\xfb\x7f", 0xFF
HOST_TO_DEVICE, DEVICE_TO_HOST, FORMAT_ND = 1, 2, 2
RIGHT, WRONG, CHANGED, ENVIRONMENT = 0, 1, 2, 3
START_SECONDS = 120


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

    def open(self, number: int, manifest: Any, order: str) -> None:
        """Open the device; a simulated one is given the bundle's machine."""
        try:
            if self.function(self.runtime, "aclInit")(None) not in (0, 100002):
                raise Ended(ENVIRONMENT, f"aclInit fails: {self.message()}")
            self.call("aclrtSetDevice", c_int32(number))
            self.call("aclrtCreateStream", byref(self.stream))
        except Ended as ended:
            raise Ended(ENVIRONMENT, f"no device opens: {ended.args[1]}") from ended
        if not hasattr(self.runtime, "ascendsimConfigure"):
            soc = self.function(self.runtime, "aclrtGetSocName", c_char_p)() or b""
            print(f"device: {soc.decode(errors='replace')}", flush=True)
            return
        machine, device = manifest["machine"] or {}, manifest["device"] or {}
        cores, ub_bytes = machine.get("cores", 0), machine.get("ub_bytes", 0)
        simulated = device["soc"].encode() if device.get("kind") == "sim" else None
        self.call("ascendsimConfigure", simulated, c_uint32(cores), c_uint64(ub_bytes))
        chosen = order or machine.get("block_order", "forward")
        self.call("ascendsimBlockOrder", chosen.encode())
        words = f"cores {cores}, UB {ub_bytes} B, " if machine else ""
        print(f"device: simulated, {words}block order {chosen}", flush=True)

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

    def __init__(self, told: Any, guards: Any, device: Device) -> None:
        self.told, self.device = told, device
        self.shape, self.size = tuple(told["shape"]), told["itemsize"]
        count = int(np.prod(self.shape, dtype=np.int64))
        self.strides = told["strides"]
        if self.strides is not None and count:
            steps = zip(self.shape, self.strides)  # noqa: B905 - Python 3.9 has no strict
            count = 1 + sum((size - 1) * stride for size, stride in steps)
        self.nbytes = count * self.size
        rows, row_bytes = [0], self.nbytes
        if told["rows_file"]:
            rows, row_bytes = load(told["rows_file"]).tolist(), self.shape[-1] * self.size
        held = len(rows) * row_bytes
        self.image = np.empty(BEFORE + held + AFTER, np.uint8)
        self.image[:BEFORE], self.image[BEFORE + held :] = guards[:BEFORE], guards[BEFORE:]
        self.middle = self.image[BEFORE : BEFORE + held]
        self.middle[:] = np.resize(np.frombuffer(POISON, np.uint8), held)
        if told["file"]:
            stored = np.ascontiguousarray(load(told["file"])).reshape(-1).view(np.uint8)
            elements = self.elements(self.middle)
            elements[...] = stored.reshape(elements.shape)
        self.address = device.allocate(BEFORE + self.nbytes + AFTER)
        self.pieces = [(0, 0, BEFORE), (BEFORE + held, BEFORE + self.nbytes, AFTER)]
        for at, row in enumerate(rows):
            here, there = (BEFORE + number * row_bytes for number in (at, row))
            self.pieces.append((here, there, row_bytes))
        self.move(self.image, HOST_TO_DEVICE)
        self.handle = self.create()

    def elements(self, middle: Any) -> Any:
        """The elements among the bytes between the guard zones, uint8 [*shape, itemsize]."""
        if self.strides is None:
            return middle.reshape(-1, self.size)
        if 0 in self.shape:
            return np.empty((*self.shape, self.size), np.uint8)
        steps = (*(stride * self.size for stride in self.strides), 1)
        return np.lib.stride_tricks.as_strided(middle, (*self.shape, self.size), steps)

    def move(self, image: Any, kind: int) -> None:
        """Copy guard zones and bytes to the device or back."""
        for here, there, count in self.pieces:
            host, device = image[here:].ctypes.data, self.address + there
            pair = (device, host) if kind == HOST_TO_DEVICE else (host, device)
            self.device.copy(*pair, count, kind)

    def create(self) -> Any:
        """The aclTensor."""
        rank, strides = len(self.shape), self.strides
        stored = self.shape if strides is None else (self.nbytes // self.size,)
        if strides is None:
            strides = [int(np.prod(self.shape[axis + 1 :])) for axis in range(rank)]
        create = self.device.function(self.device.operators, "aclCreateTensor", pointer)
        dims, data_type = (c_int64 * rank)(*self.shape), c_int(self.told["data_type"])
        view = (dims, c_uint64(rank), data_type, (c_int64 * rank)(*strides), c_int64(0))
        storage = ((c_int64 * len(stored))(*stored), c_uint64(len(stored)))
        handle = create(*view, c_int(FORMAT_ND), *storage, pointer(self.address + BEFORE))
        if not handle:
            raise Ended(WRONG, f"aclCreateTensor of {self.told['name']} gives none")
        return pointer(handle)

    def look(self) -> tuple[Any, int]:
        """The elements as they are now, and how many bytes changed that must not."""
        seen = self.image.copy()
        self.move(seen, DEVICE_TO_HOST)
        found = np.array(self.elements(seen[BEFORE : BEFORE + self.middle.size]))
        if self.told["role"] == "output":
            self.elements(self.middle)[...] = found
        return found, int(np.count_nonzero(seen != self.image))


def checked(path: str, sha256: str) -> bytes:
    """The content of a file of the bundle, which must have that hash."""
    raw = (HERE / path).read_bytes()
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise Ended(CHANGED, f"{path} was changed: it has not the sha256 that was written down")
    return raw


def load(path: str) -> Any:
    """An array of the bundle."""
    hashes = {one["path"]: one["sha256"] for one in MANIFEST["files"]}
    return np.load(io.BytesIO(checked(path, hashes[path])), allow_pickle=False)


def run(options: Any) -> int:
    """Make the call and judge it; returns the program's status."""
    told, device = MANIFEST, Device(options)
    device.open(options.device, told, options.order)
    guards = load("guards.npy")
    tensors: dict[str, Tensor] = {}
    handles: list[Any] = []
    for argument in told["arguments"]:
        kind, value = argument["kind"], argument["value"]
        numbers = (c_int64 * len(value))(*value) if isinstance(value, list) else None
        if kind == "tensor":
            tensor = Tensor(argument, guards[len(tensors)], device)
            tensors[argument["name"]] = tensor
            handles.append(tensor.handle)
        elif kind in ("int64", "bool"):
            handles.append(c_int64(value) if kind == "int64" else c_bool(value))
        elif kind == "int array" and value is not None:
            create = device.function(device.operators, "aclCreateIntArray", pointer)
            handles.append(pointer(create(numbers, c_uint64(len(value)))))
        elif kind == "numbers":
            handles += [numbers, c_uint64(len(value or ()))]
        else:
            handles.append(pointer(None))
    return judge(device, told, tensors, call(device, told, handles, guards[-1]))


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
        start = device.allocate(behind + AFTER)
        address = start + WORKSPACE_BEFORE
        device.call("aclrtMemset", pointer(address), size, c_int32(WORKSPACE_POISON), size)
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


def judge(device: Device, told: Any, tensors: dict[str, Tensor], problems: list[str]) -> int:
    """Compare what the device left with what is accepted."""
    ended = not problems
    for name, tensor in tensors.items():
        elements, changed = tensor.look()
        if changed:
            what = "bytes outside of" if tensor.told["role"] == "output" else "bytes of the input"
            problems.append(f"{changed} {what} {name} were written")
        if tensor.told["role"] != "output":
            continue
        bits = np.ascontiguousarray(elements).reshape(-1).view(f"<u{tensor.size}")
        poison = np.resize(np.frombuffer(POISON, np.uint8), bits.nbytes)
        untouched = bits == poison.view(bits.dtype)
        if told["status"] != 0 and not untouched.all():
            problems.append(f"{name} was written to by a call that must be refused")
        if told["status"] == 0 and ended and name in told["accepted"]:
            problems += judge_output(name, tensor, bits, untouched)
    if '"severity":"error"' in device.findings():
        problems.append("the simulated device reports an error")
    for problem in problems:
        print(f"wrong: {problem}")
    print("the device shows the mistake" if problems else "the device is right")
    return WRONG if problems else RIGHT


def judge_output(name: str, tensor: Tensor, bits: Any, untouched: Any) -> list[str]:
    """One output: every element, by the patterns that the bundle stores."""
    told = MANIFEST["accepted"][name]
    kind, files = told["kind"], {key: load(path) for key, path in told["files"].items()}
    if kind in ("anything", "not stored"):
        print(f"{name}: not judged, {told['reason'] or 'nothing is promised of it'}")
        return []
    if kind == "exact":
        ok = bits == files["bits"].reshape(-1)
        silent = files["specified"].reshape(-1) == 0 if "specified" in files else ~ok & False
    else:
        ok, silent = within(bits, told, files)
    wrong = (~ok | untouched) & ~silent
    count, unwritten = int(np.count_nonzero(wrong)), int(np.count_nonzero(untouched & ~silent))
    same = "other bytes than observed"
    seen = MANIFEST["observed"]["outputs"].get(name)
    if seen is None:
        same = "no bytes were observed"
    elif hashlib.sha256(bits.tobytes()).hexdigest() == seen["sha256"]:
        same = "the bytes that were observed"
    print(f"{name}: {bits.size - count} of {bits.size} elements are accepted; {same}")
    if not count:
        return []
    first = int(wrong.argmax())
    place = ", ".join(str(int(i)) for i in np.unravel_index(first, tensor.shape))
    left = f", {unwritten} never written" if unwritten else ""
    found = f"0x{int(bits[first]):0{2 * tensor.size}x}"
    must = accepted_at(first, 2 * tensor.size, told, files)
    return [f"{name}: {count} elements{left}; first [{place}] is {found}, accepted {must}"]


def accepted_at(element: int, digits: int, told: Any, files: Any) -> str:
    """The first range that an element accepts, in words."""
    if "bits" in files:
        return f"0x{int(files['bits'].reshape(-1)[element]):0{digits}x}"
    at, sign = files["starts"][element], 1 << (told["storage_bits"] - 1)
    ends = dict.fromkeys(int(files[end][at]) for end in ("low", "high"))
    return " to ".join(f"0x{end if end >= 0 else -end | sign:0{digits}x}" for end in ends)


def within(bits: Any, told: Any, files: Any) -> tuple[Any, Any]:
    """Which patterns lie in one of their ranges, and for which every pattern does."""
    starts, low, high = files["starts"], files["low"], files["high"]
    top = 1 << (told["storage_bits"] - 1)
    pattern = bits.astype(np.int64)
    ordered = np.where(pattern & top, -(pattern & (top - 1)), pattern)
    nan = (pattern & (top - 1)) > told["infinity_bits"]
    ordered = np.where(nan, told["infinity_bits"] + 1, ordered)
    owner = np.repeat(np.arange(bits.size), np.diff(starts))
    ok, silent = np.zeros(bits.size, np.bool_), np.zeros(bits.size, np.bool_)
    inside = (low <= ordered[owner]) & (ordered[owner] <= high)
    ok[owner[inside]] = True
    silent[owner[low == -(2**31)]] = True
    return ok, silent


def in_a_process(options: Any) -> int:
    """Run in a child, so that a crash and a hang are answers too."""
    limit = START_SECONDS + round(MANIFEST["time_limit"])
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = ENVIRONMENT
        signal.alarm(limit)
        try:
            status = run(options)
        except Ended as ended:
            status, why = ended.args
            print(why)
        finally:
            sys.stdout.flush()
            os._exit(status)
    state = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(state):
        return os.WEXITSTATUS(state)
    number = os.WTERMSIG(state)
    late = f"the call did not end within {limit} s"
    print(f"wrong: {late if number == signal.SIGALRM else f'signal {number} ended the call'}")
    print("the device shows the mistake")
    return WRONG


def main() -> int:
    """Read the options and the bundle, make the call."""
    global MANIFEST
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--libraries", metavar="DIR", help="of libascendcl.so and libopapi.so")
    parser.add_argument("--opapi", metavar="FILE", help="the operator library, if another one")
    parser.add_argument("--order", default="", help="of blocks: forward, reverse, shuffled:SEED")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="device number")
    options = parser.parse_args()
    try:
        first = (HERE / "SHA256SUMS").read_text("ascii", "replace")
        MANIFEST = json.loads(checked("manifest.json", first.partition(" ")[0]))
        print("{operator}, {mode}, {dtype}: {symbol}".format(**MANIFEST))
        return in_a_process(options)
    except Ended as ended:
        print(ended.args[1])
        return int(ended.args[0])
    except (OSError, ValueError, KeyError) as error:
        print(f"the bundle cannot be read: {error!r}")
        return CHANGED


MANIFEST: Any = None

if __name__ == "__main__":
    sys.exit(main())
