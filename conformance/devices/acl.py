"""The ACL C interface through ctypes, with every signature spelled out.

Only public functions of AscendCL and of the aclnn tensor objects, so that the same code drives CANN
and the simulator; the simulator's own ``ascendsim*`` functions are looked up and may be absent.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64
from ctypes import c_void_p as pointer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.work import COUNTS
from conformance.catalogue import device as say
from conformance.devices.c_functions import Hold, declare, declared
from conformance.devices.c_structures import PackageVersion, Tally
from conformance.devices.messages import DTYPES, TensorArgument
from conformance.devices.packages.lookup import ACLNN

SUCCESS = 0
REPEATED_INITIALIZE = 100002
OUT_OF_DEVICE_MEMORY = 207001
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
MALLOC_HUGE_FIRST = 0
VECTOR_CORE_NUM = 201
PACKAGE_CANN = 0
FEW_FINDINGS = 4096
"""Bytes of text that are taken at once: what is longer is asked for again."""
DETERMINISTIC = 0
"""ACL_OPT_DETERMINISTIC."""

RUNTIME_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "aclInit": (c_char_p,),
    "aclFinalize": (),
    "aclrtGetDeviceCount": (POINTER(c_uint32),),
    "aclrtSetDevice": (c_int32,),
    "aclrtResetDevice": (c_int32,),
    "aclrtMalloc": (POINTER(pointer), c_size_t, c_int),
    "aclrtFree": (pointer,),
    "aclrtMemcpy": (pointer, c_size_t, pointer, c_size_t, c_int),
    "aclrtMemset": (pointer, c_size_t, c_int32, c_size_t),
    "aclrtCreateStream": (POINTER(pointer),),
    "aclrtDestroyStream": (pointer,),
    "aclrtSynchronizeStream": (pointer,),
}
"""Argument types of the runtime functions that answer an aclError."""


class AclError(RuntimeError):
    """A function of the interface answered a status other than success."""

    def __init__(self, function: str, status: int, message: str) -> None:
        told = {"function": function, "status": status}
        super().__init__(
            say.ANSWERED_WITH(text=message, **told) if message else say.ANSWERED(**told)
        )
        self.function = function
        self.status = status
        self.message = message


class Acl:
    """The runtime library and an operator library, loaded into this process.

    ``directory`` is the folder of both, None: found by the loader's own search. ``kernels`` is a
    library of kernels beside the vendor's, asked before all: another may have the same functions.
    Those of ``first`` are asked before the vendor's. ``only`` is what is judged of a package: what
    runs is of it. Raises OSError where a library does not load and AttributeError where one lacks a
    function.
    """

    def __init__(
        self,
        directory: str | None,
        kernels: str | None = None,
        first: Sequence[str] = (),
        only: str | None = None,
    ) -> None:
        where = directory or ""
        # Global, because the operator library may refer weakly to functions of the runtime.
        self.runtime = ctypes.CDLL(os.path.join(where, "libascendcl.so"), mode=ctypes.RTLD_GLOBAL)
        # What is loaded from here on may be judged: it cannot loosen what it is judged by.
        self._let_go = Hold(self.runtime)
        self.operators = ctypes.CDLL(os.path.join(where, "libopapi.so"))
        self._first = [library for path in first if (library := _loaded(path)) is not None]
        self._kernels = None if kernels is None else ctypes.CDLL(kernels)
        self.package = None if only is None else ctypes.CDLL(only)
        for name, arguments in RUNTIME_SIGNATURES.items():
            declare(self.runtime, name, c_int, *arguments)
        # Sought once: a function that is not there takes long to seek.
        key = ("ascendsimTakeTilingKey", c_int32, POINTER(c_uint64))
        self._take_tiling_key = declared(self.package or self.operators, *key)
        counting = (None, pointer, c_uint32)
        self._count = declared(self.runtime, "ascendsimTally", *counting)
        self._work = declared(self.runtime, "ascendsimWork", c_uint32, pointer, c_uint32)
        self._taken = ctypes.create_string_buffer(FEW_FINDINGS)
        self._message = declare(self.runtime, "aclGetRecentErrMsg", c_char_p)
        self._soc_name = declare(self.runtime, "aclrtGetSocName", c_char_p)
        dimensions = (pointer, c_uint64)
        layout = (c_int, pointer, c_int64, c_int)
        self._create_tensor = declare(
            self.operators, "aclCreateTensor", pointer, *dimensions, *layout, *dimensions, pointer
        )
        self._destroy_tensor = declare(self.operators, "aclDestroyTensor", c_int, pointer)

    def message(self) -> str:
        """The text of aclGetRecentErrMsg, "" if there is none."""
        return (self._message() or b"").decode(errors="replace").strip()

    def check(self, function: str, status: int) -> None:
        """Raise AclError unless ``status`` is success."""
        if status != SUCCESS:
            raise AclError(function, status, self.message())

    def call(self, function: str, *arguments: Any) -> None:
        """Call a runtime function by name. Raises AclError."""
        self.check(function, getattr(self.runtime, function)(*arguments))

    def initialize(self) -> None:
        """Initialize the runtime; that somebody else did so before is no error."""
        status = self.runtime.aclInit(None)
        if status != REPEATED_INITIALIZE:
            self.check("aclInit", status)

    def write_counters(self) -> None:
        """Write the coverage counters of an operator library that was built with some."""
        if hasattr(self.operators, "ascendsimWriteCounters"):
            declare(self.operators, "ascendsimWriteCounters", None)()

    def device_count(self) -> int:
        """Number of devices."""
        count = c_uint32()
        self.call("aclrtGetDeviceCount", byref(count))
        return count.value

    def soc_name(self) -> str:
        """The SoC's name, such as Ascend910B1; "" before a device is set."""
        return (self._soc_name() or b"").decode(errors="replace")

    def vector_cores(self, device: int) -> int:
        """Vector cores of a device (aclrtGetDeviceInfo, ACL_DEV_ATTR_VECTOR_CORE_NUM)."""
        ask = declare(self.runtime, "aclrtGetDeviceInfo", c_int, c_uint32, c_int, POINTER(c_int64))
        value = c_int64()
        self.check("aclrtGetDeviceInfo", ask(device, VECTOR_CORE_NUM, byref(value)))
        return value.value

    def cann_version(self) -> str:
        """The version text of CANN; "unknown" where the runtime cannot tell."""
        if not hasattr(self.runtime, "aclsysGetCANNVersion"):
            return "unknown"
        version = PackageVersion()
        ask = declare(self.runtime, "aclsysGetCANNVersion", c_int, c_int, POINTER(PackageVersion))
        status = ask(PACKAGE_CANN, byref(version))
        return version.version.decode(errors="replace") if status == SUCCESS else "unknown"

    def physical_number(self, device: int) -> int | None:
        """The physical number of a device (aclrtGetPhyDevIdByLogicDevId, which takes the user's
        number whatever its name says); None from a runtime that does not tell it.
        """
        name = "aclrtGetPhyDevIdByLogicDevId"
        if not hasattr(self.runtime, name):
            return None
        number = c_int32()
        ask = declare(self.runtime, name, c_int, c_int32, POINTER(c_int32))
        return number.value if ask(device, byref(number)) == SUCCESS else None

    def create_stream(self) -> pointer:
        """A new stream."""
        stream = pointer()
        self.call("aclrtCreateStream", byref(stream))
        return stream

    def allocate(self, count: int) -> int:
        """Address of ``count`` new bytes of device memory, a multiple of 512."""
        address = pointer()
        self.call("aclrtMalloc", byref(address), count, MALLOC_HUGE_FIRST)
        return address.value or 0

    def free(self, address: int) -> None:
        """Give device memory back."""
        self.call("aclrtFree", address)

    def upload(self, device: int, host: int, count: int) -> None:
        """Copy ``count`` bytes from a host address to a device address."""
        self.call("aclrtMemcpy", device, count, host, count, HOST_TO_DEVICE)

    def download(self, host: int, device: int, count: int) -> None:
        """Copy ``count`` bytes from a device address to a host address."""
        self.call("aclrtMemcpy", host, count, device, count, DEVICE_TO_HOST)

    def fill(self, device: int, value: int, count: int) -> None:
        """Set ``count`` bytes of device memory to one byte value."""
        self.call("aclrtMemset", device, count, value, count)

    def create_tensor(self, tensor: TensorArgument, address: int) -> int:
        """An aclTensor over the storage at an address of device memory. Raises AclError.

        One without bytes has a null address, as storages of PyTorch have none then.
        """
        shape, strides, nbytes = _int64s(tensor.shape), tensor.strides, tensor.nbytes
        rank = len(tensor.shape)
        steps = _int64s(_row_major(tensor.shape) if strides is None else strides)
        stored = (shape, rank)
        if tensor.is_part:
            stored = (_int64s([nbytes // tensor.itemsize]), 1)
        view = (shape, rank, DTYPES[tensor.dtype][0], steps, tensor.start, tensor.format)
        made: int | None = self._create_tensor(*view, *stored, address if nbytes else None)
        if made is None:
            raise AclError("aclCreateTensor", -1, self.message())
        return made

    def destroy_tensor(self, tensor: int) -> None:
        """Destroy an aclTensor; the memory stays."""
        self._destroy_tensor(tensor)

    def create_int_array(self, values: Sequence[int]) -> int:
        """An aclIntArray that holds a copy of the values. Raises AclError."""
        create = declare(self.operators, "aclCreateIntArray", pointer, pointer, c_uint64)
        array: int | None = create(_int64s(values), len(values))
        if array is None:
            raise AclError("aclCreateIntArray", -1, self.message())
        return array

    def destroy_int_array(self, array: int) -> None:
        """Destroy an aclIntArray."""
        declare(self.operators, "aclDestroyIntArray", c_int, pointer)(array)

    def operator(self, name: str, *arguments: Any, answers: Any = c_int) -> Any:
        """A function of the operator libraries, as a rule answering aclnnStatus; None if absent."""
        if self.package is not None:
            if hasattr(self.package, name):
                return declare(self.package, name, answers, *arguments)
            if name.startswith("aclnn") or not name.startswith("acl"):
                return None  # of the interface's own functions it need not have any
        for library in (self._kernels, *self._first, self.operators):
            if library is not None and hasattr(library, name):
                return declare(library, name, answers, *arguments)
        return None

    def configure_machine(self, soc: str | None, cores: int, ub_bytes: int) -> None:
        """Choose the simulated machine; 0 stands for the SoC's own. Raises AclError."""
        configure = declare(self.runtime, "ascendsimConfigure", c_int, c_char_p, c_uint32, c_uint64)
        name = soc.encode() if soc else None
        with self._let_go:
            self.check("ascendsimConfigure", configure(name, cores, ub_bytes))

    def order_blocks(self, order: str | None) -> None:
        """Choose the order of a launch's blocks; None: the process's own. Raises AclError."""
        chosen = order or os.environ.get("ASCENDSIM_BLOCK_ORDER") or "forward"
        self._choose("ascendsimBlockOrder", chosen)

    def choose_functions(self, name: str | None) -> None:
        """Choose how functions such as Exp are computed; None: as `order_blocks`."""
        chosen = name or os.environ.get("ASCENDSIM_FUNCTIONS") or "rounded"
        self._choose("ascendsimFunctions", chosen)

    def schedule_pipes(self, schedule: str | None) -> None:
        """Choose when instructions take effect; None: as `order_blocks`. So it is where the order
        inside a core is not judged: what the compiler orders by itself is not in the source.
        """
        if os.environ.get("ASCENDSIM_SYNC_LEVEL", "vector") != "vector":
            schedule = None
        chosen = schedule or os.environ.get("ASCENDSIM_PIPES") or "program"
        self._choose("ascendsimPipes", chosen)

    def _choose(self, setting: str, chosen: str) -> None:
        # A simulator that lacks a setting has one choice.
        if hasattr(self.runtime, setting):
            choose = declare(self.runtime, setting, c_int, c_char_p)
            with self._let_go:
                self.check(setting, choose(chosen.encode()))

    def defer_tasks(self) -> None:
        """Have the simulator run what is submitted to a stream when somebody waits for that, and
        forget what waits now. Other runtimes order tasks by themselves. Raises AclError.
        """
        self._defer(1)

    def run_at_submission(self) -> None:
        """Have the simulator run a task when it is submitted, before what is behind it."""
        self._defer(0)

    def _defer(self, deferred: int) -> None:
        if hasattr(self.runtime, "ascendsimDeferTasks"):
            defer = declare(self.runtime, "ascendsimDeferTasks", c_int, c_int)
            with self._let_go:
                self.check("ascendsimDeferTasks", defer(deferred))

    def be_deterministic(self, level: int) -> None:
        """Set ACL_OPT_DETERMINISTIC for this context, or for the process where a runtime knows no
        other. Raises AclError.
        """
        names = ("aclrtCtxSetSysParamOpt", "aclrtSetSysParamOpt")
        name = next((one for one in names if hasattr(self.runtime, one)), names[-1])
        choose = declare(self.runtime, name, c_int, c_int, c_int64)
        self.check(name, choose(DETERMINISTIC, level))

    @property
    def simulated(self) -> bool:
        """Whether the runtime is the simulator."""
        return hasattr(self.runtime, "ascendsimConfigure")

    def leave_last_words(self, memory: NDArray[np.uint8]) -> None:
        """Have the simulator write there what its kernel is at when SIGXCPU or SIGUSR1 comes.

        Other runtimes, and older simulators, have no such function.
        """
        if hasattr(self.runtime, "ascendsimLastWords"):
            leave = declare(self.runtime, "ascendsimLastWords", c_int, pointer, c_uint64)
            with self._let_go:
                self.check("ascendsimLastWords", leave(memory.ctypes.data, memory.size))

    def simulated_ub_bytes(self) -> int:
        """Bytes of unified buffer that a tiling may use on the simulated machine."""
        ask = declare(self.runtime, "ascendsimUbBytes", c_uint64)
        return int(ask())

    def take_tiling_key(self) -> int | None:
        """The tiling key of the last call, told once; None from a library that tells none."""
        key = c_uint64()
        known = self._take_tiling_key is not None and self._take_tiling_key(byref(key))
        return key.value if known else None

    def take_diagnostics(self) -> str:
        """The simulator's findings since the last time, as a JSON array; "" from other runtimes."""
        return self._take("ascendsimTakeDiagnostics")

    def take_failures(self) -> str:
        """The launches, copies and fills that failed since the last time, as a JSON array; "" from
        other runtimes and older simulators.
        """
        return self._take("ascendsimTakeFailures")

    def take_functions(self) -> tuple[str, ...]:
        """The two-phase functions that have been called since the last time; none from other
        runtimes and older simulators.
        """
        return tuple(json.loads(self._take("ascendsimTakeFunctions") or "[]"))

    def tally(self) -> Tally | None:
        """What this process has had the device do; None from a runtime that does not count."""
        if self._count is None:
            return None
        tally = Tally()
        self._count(byref(tally), len(Tally._fields_))
        return tally

    def work(self) -> tuple[int, ...]:
        """The work of all launches of this process that have ended (`conformance.call.work`); none
        from a runtime that does not count.
        """
        if self._work is None:
            return ()
        counts = (c_uint64 * len(COUNTS))()
        return tuple(counts[: self._work(counts, len(COUNTS))])

    def _take(self, name: str) -> str:
        if not hasattr(self.runtime, name):
            return ""
        take = declare(self.runtime, name, c_uint64, c_char_p, c_uint64)
        with self._let_go:
            while (need := int(take(self._taken, len(self._taken)))) > len(self._taken):
                self._taken = ctypes.create_string_buffer(need)
        return self._taken.raw[:need].split(b"\0", 1)[0].decode(errors="replace")


def _loaded(path: str) -> ctypes.CDLL | None:
    """A library that is asked before CANN's general one. One of CANN's own that does not load is
    told and left out; a custom one raises OSError: the built-in operator would run in its place.
    """
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        if os.path.basename(path) == os.path.basename(ACLNN):
            raise
        sys.stderr.write(say.NOT_LOADED(path=path, error=str(error)) + "\n")
        return None


def _int64s(values: Sequence[int]) -> bytes:
    """Numbers as C has them in an array of int64_t."""
    return struct.pack(f"{len(values)}q", *values)


def _row_major(shape: Sequence[int]) -> list[int]:
    """The strides of a tensor whose elements lie one behind the other."""
    strides, step = [0] * len(shape), 1
    for axis in reversed(range(len(shape))):
        strides[axis] = step
        step *= shape[axis]
    return strides
