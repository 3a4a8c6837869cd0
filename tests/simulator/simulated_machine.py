"""The language engine and the test kernels as one library, and launches of it through ctypes."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from device_kernels.build import build as build_operators
from tests.kept import kept

KERNELS = Path(__file__).parent / "kernels"
LANGUAGE = Path(__file__).parents[2] / "device_kernels" / "simulator" / "language"
COMPILER = os.environ.get("CXX", "g++")
FLAGS = ("-std=c++20", "-fPIC", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
CMAKE = Path(__file__).parents[2] / "device_kernels" / "cmake" / "simulator.cmake"
(_OF_GNU,) = re.findall(r"PRIVATE (-O1 -ftree[^)]*)\)", CMAKE.read_text())
OPTIMISED = ("-O3",) if "clang" in COMPILER else tuple(_OF_GNU.split())
"""As the build has kernels compiled: loops so compiled are what is tested."""

HEADER = "language.h"

HOST_FLAGS = tuple(os.environ.get("CXXFLAGS", "").split())
"""As the build of the libraries has them: the sanitizers' come this way."""

OK = 0
INVALID_PARAMETER = 107000
KERNEL_EXCEPTION = 507015

INPUT, OUTPUT, WORKSPACE = 0, 1, 2
"""What ascendsimDescribeRegion takes: undefined bytes may be stored in a workspace only."""

REGION_BYTES = 1024
ARGUMENTS = ("first", "second", "result", "params")


def compile_unit(
    source: Path, out: Path | None = None, headers: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Compiles one source file against the language, or only checks it; the caller judges.

    ``headers``: a folder with what `precompile` has made.
    """
    command = [COMPILER, *FLAGS, *OPTIMISED, *HOST_FLAGS, "-I", str(LANGUAGE), "-c", str(source)]
    if headers is not None and source.parent == KERNELS:
        command += ["-include", str(headers / HEADER)]
    command += ["-fsyntax-only"] if out is None else ["-o", str(out)]
    command += ["-ferror-limit=0"] if "clang" in COMPILER else []  # g++ tells every error
    return subprocess.run(command, capture_output=True, text=True, check=False)


def precompile(folder: Path) -> None:
    """Compiles the language's headers in ``folder``: without that, they are a third of the time of
    each test kernel.
    """
    header = folder / HEADER
    header.write_text('#include "kernel_operator.h"\n')
    command = [COMPILER, *FLAGS, *OPTIMISED, *HOST_FLAGS, "-I", str(LANGUAGE)]
    command += ["-x", "c++-header", str(header), "-o", f"{header}.gch"]
    subprocess.run(command, check=True)


def compile_operator(
    source: Path, out: Path, dtype: str, type_name: str
) -> subprocess.CompletedProcess[str]:
    """Compiles a kernel of the operator build with its tiling beside it, for one dtype of x."""
    operator = source.stem.removesuffix("_kernel")
    definitions = {
        "ASCENDSIM_TILING_DATA": f"{operator.capitalize()}TilingData",
        "DTYPE_X": dtype,
        "ORIG_DTYPE_X": type_name,
    }
    command = [
        COMPILER,
        *FLAGS,
        "-O1",
        *HOST_FLAGS,
        "-I",
        str(LANGUAGE),
        "-c",
        str(source),
        "-o",
        str(out),
    ]
    command += [f"-D{name}={value}" for name, value in definitions.items()]
    for header in (LANGUAGE / "operator_build.h", source.parent / f"{operator}_tiling.h"):
        command += ["-include", str(header)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


MACHINE = "libmachine.so"


def kept_machine() -> Path:
    """The library that `build` makes of these sources, compiled once and kept beside the builds."""
    sources = sorted(path for path in KERNELS.rglob("*") if path.is_file())
    return kept("machine", [Path(__file__), *sources], build) / MACHINE


def build(folder: Path) -> Path:
    """Compiles every test kernel into one shared object in ``folder``, with the engine of the
    libraries but without their runtime.
    """
    runtime = build_operators(quiet=True).runtime
    sources = list(KERNELS.glob("*.cpp"))
    objects = [folder / f"{source.stem}.{index}.o" for index, source in enumerate(sources)]
    precompile(folder)
    with ThreadPoolExecutor(2) as pool:
        for result in pool.map(compile_unit, sources, objects, [folder] * len(sources)):
            assert result.returncode == 0, result.stderr
    (folder / f"{HEADER}.gch").unlink()  # tens of megabytes
    for source in KERNELS.glob("operator_build/*.cpp"):
        objects.append(folder / f"{source.stem}.o")
        result = compile_operator(source, objects[-1], "int32_t", "DT_INT32")
        assert result.returncode == 0, result.stderr
    return link_machine(objects, runtime, folder)


def link_machine(objects: Sequence[Path], runtime: Path, folder: Path, *options: str) -> Path:
    """Links compiled test kernels and the engine in ``folder``."""
    library = folder / MACHINE
    link = [COMPILER, "-shared", *HOST_FLAGS, *options, *map(str, objects), "-o", str(library)]
    link += ["-Wl,--whole-archive", str(runtime / "libengine.a"), "-Wl,--no-whole-archive"]
    subprocess.run(link, check=True)
    return library


@dataclass(frozen=True)
class Expectation:
    """The line of a test kernel that is marked ``// expect: code``, or ``code in 3 blocks``."""

    kernel: str
    code: str
    file: str
    line: int
    blocks: int


def expectations() -> Iterator[Expectation]:
    """Every marked line of the test kernels, with the kernel it belongs to."""
    for source in sorted(KERNELS.glob("*.cpp")):
        kernel = ""
        for number, text in enumerate(source.read_text().splitlines(), start=1):
            if begun := re.match(r"TEST_(?:KERNEL|MISTAKE)\((\w+)\)", text):
                kernel = begun[1]
            if marked := re.search(r"// expect: ([\w-]+)(?: in (\d+) blocks)?$", text):
                blocks = int(marked[2] or 1)
                yield Expectation(kernel, marked[1], source.name, number, blocks)


def twins() -> list[str]:
    """The kernels with one mistake, by name, of which ``right_<name>`` is the same without it."""
    return [
        name
        for source in sorted(KERNELS.glob("*.cpp"))
        for name in re.findall(r"^TEST_MISTAKE\((\w+)\)", source.read_text(), re.M)
    ]


def aligned_zeros(count: int, alignment: int) -> NDArray[np.uint8]:
    """Bytes at an address that is a multiple of ``alignment``."""
    room = np.zeros(count + alignment, np.uint8)
    skipped = -room.ctypes.data % alignment
    return room[skipped : skipped + count]


class SimulatedMachine:
    """Launches test kernels, whose arguments are two inputs, one output and int32 parameters."""

    def __init__(self, library: Path) -> None:
        self.library = library
        self.c = ctypes.CDLL(str(library))
        self.c.ascendsimUbBytes.restype = ctypes.c_uint64
        self.c.ascendsimTakeDiagnostics.restype = ctypes.c_uint64
        self.c.ascendsimUnwritten.restype = ctypes.c_uint64
        self.result_role, self.second_role = OUTPUT, INPUT

    def configure(self, soc: str = "", cores: int = 0, ub_bytes: int = 0) -> int:
        """Sets the machine of later launches; returns the status."""
        status: int = self.c.ascendsimConfigure(soc.encode(), cores, ctypes.c_uint64(ub_bytes))
        return status

    def synchronise(self, level: str) -> None:
        """Sets how strictly later launches are judged: none, pipes, scalar or vector."""
        assert self.c.ascendsimSyncLevel(level.encode()) == OK

    def order_blocks(self, order: str) -> None:
        """Sets the order of the blocks of later launches: forward, reverse or shuffled:SEED."""
        assert self.c.ascendsimBlockOrder(order.encode()) == OK

    def choose_functions(self, name: str) -> None:
        """Sets how later launches compute Exp and its like: rounded, high, low, hashed, flushed."""
        assert self.c.ascendsimFunctions(name.encode()) == OK

    def schedule_pipes(self, schedule: str) -> None:
        """Sets when the effects of later launches happen: program, late or random:SEED."""
        assert self.c.ascendsimPipes(schedule.encode()) == OK

    def launch(
        self,
        kernel: str,
        first: NDArray[Any],
        second: NDArray[Any],
        result: NDArray[Any],
        params: Sequence[int] = (),
        *,
        blocks: int = 1,
        describe: Sequence[str] = ARGUMENTS,
    ) -> int:
        """Runs a kernel over the arrays' own memory, of which the arguments named by ``describe``
        are described as its regions; returns the status of the launch.
        """
        arrays = [first, second, result, np.array([*params, 0], np.int32)]
        for name, array in zip(ARGUMENTS, arrays, strict=True):
            assert array.flags.c_contiguous
            if name in describe:
                self.c.ascendsimDescribeRegion(
                    array.ctypes.data_as(ctypes.c_void_p),
                    ctypes.c_uint64(array.nbytes),
                    name.encode(),
                    {"result": self.result_role, "second": self.second_role}.get(name, INPUT),
                )
        pointers = (ctypes.c_void_p * 4)(*(array.ctypes.data for array in arrays))
        entry = ctypes.cast(getattr(self.c, f"entry_{kernel}"), ctypes.c_void_p)
        status: int = self.c.ascendsimLaunch(
            kernel.encode(), blocks, ctypes.c_void_p(0x57), entry, pointers, 4
        )
        return status

    def run(
        self,
        kernel: str,
        first: NDArray[Any],
        result: NDArray[Any],
        params: Sequence[int] = (),
        *,
        second: NDArray[Any] | None = None,
        blocks: int = 1,
    ) -> NDArray[Any]:
        """Runs a kernel that must be clean, and returns its result."""
        status = self.launch(
            kernel, first, first if second is None else second, result, params, blocks=blocks
        )
        diagnostics = self.take_diagnostics()
        assert (status, diagnostics) == (OK, [])
        return result

    def run_fault(self, kernel: str, *, blocks: int = 1) -> tuple[int, list[dict[str, Any]]]:
        """Runs a kernel on regions of REGION_BYTES, each beginning with a line of the data cache;
        returns the status and all diagnostics.
        """
        first, second, result = (aligned_zeros(REGION_BYTES, 64) for _ in range(3))
        status = self.launch(kernel, first, second, result, blocks=blocks)
        return status, self.take_diagnostics()

    def take_diagnostics(self) -> list[dict[str, Any]]:
        """All diagnostics since the last call."""
        return _read(self.c.ascendsimTakeDiagnostics)

    def unwritten(self) -> list[tuple[str, int, int]]:
        """Region, offset and number of the output bytes that the last launch did not write."""
        parts = _read(self.c.ascendsimUnwritten)
        return [(part["region"], part["offset"], part["bytes"]) for part in parts]


def _read(tell: Any) -> list[dict[str, Any]]:
    needed = tell(None, ctypes.c_uint64(0))
    buffer = ctypes.create_string_buffer(needed)
    assert tell(buffer, ctypes.c_uint64(needed)) == needed
    told: list[dict[str, Any]] = json.loads(buffer.value)
    return told
