"""The libraries export their interfaces only, and programs written for CANN use them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from device_kernels.build import ROOT
from device_kernels.toolchain import compiler
from tests.simulator.runtime.driver import PROGRAMS, RUNTIME

OBJECTS = {"aclCreateTensor", "aclDestroyTensor", "aclGetViewShape", "aclGetRawTensorAddr"}
OBJECTS |= {"aclCreateIntArray", "aclDestroyIntArray", "aclGetIntArraySize"}


def exported(library: Path) -> list[str]:
    command = ["nm", "-DC", "--defined-only", str(library)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split(" ", 2)[2] for line in listing.splitlines()]


def test_the_runtime_exports_its_interfaces_and_nothing_else(lib: Path) -> None:
    names = exported(lib / "libascendcl.so")
    assert set(RUNTIME) < set(names)
    assert [n for n in names if not n.startswith(("acl", "ascendsim"))] == []
    assert not any(internal in n for n in names for internal in ("FailStream", "AllocationAt"))


def test_the_operator_library_exports_c_functions_and_no_kernel(lib: Path) -> None:
    names = exported(lib / "libopapi.so")
    assert {*OBJECTS, "aclnnIncrement"} < set(names)
    assert "incrementLargestCount" in names
    assert [n for n in names if "(" in n or n in ("increment", "aclrtlaunch_increment")] == []


def test_each_library_says_its_name_and_finds_the_other_beside_it(lib: Path) -> None:
    for name, needs in (("libascendcl.so", ""), ("libopapi.so", "libascendcl.so")):
        command = ["readelf", "-dnW", str(lib / name)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert f"soname: [{name}]" in text
        assert f"[{needs}]" in text or not needs
        assert ("[$ORIGIN]" in text) == bool(needs)
        assert "Build ID:" in text


def test_a_program_written_for_cann_compiles_and_runs_unedited(lib: Path, tmp_path: Path) -> None:
    program = tmp_path / "cann_style"
    command = [compiler(), "-std=c++17", "-Wall", "-Wextra", "-Werror"]
    command += ["-I", str(ROOT / "simulator" / "include"), str(PROGRAMS / "cann_style.cpp")]
    command += ["-L", str(lib), "-lopapi", "-lascendcl", f"-Wl,-rpath,{lib}"]
    subprocess.run([*command, "-o", str(program)], check=True)
    ran = subprocess.run([str(program)], capture_output=True, text=True)
    expected = "Ascend910B1, shape 2 x 3\nreceived what was sent\n"
    assert (ran.returncode, ran.stdout) == (0, expected)


def test_the_headers_are_c(tmp_path: Path) -> None:
    program = tmp_path / "headers_in_c"
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    command += ["-I", str(ROOT / "simulator" / "include"), str(PROGRAMS / "headers_in_c.c")]
    subprocess.run([*command, "-o", str(program)], check=True)
    assert subprocess.run([str(program)]).returncode == 0
