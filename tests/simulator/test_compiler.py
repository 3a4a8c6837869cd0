"""A compiler that cannot build the simulator is refused, and told what is needed."""

from __future__ import annotations

import subprocess

import pytest

from device_kernels import toolchain
from device_kernels.build import ROOT


@pytest.mark.parametrize(
    ("name", "version", "refused"),
    [
        ("GNU", "10.3", True),
        ("GNU", "11.1", False),
        ("Clang", "13.0.1", True),
        ("Clang", "14.0.6", False),
        ("AppleClang", "13.0", False),
    ],
)
def test_a_compiler_that_is_too_old_is_refused_before_it_compiles(
    name: str, version: str, refused: bool
) -> None:
    cmake = toolchain.tool("cmake")
    assert cmake is not None
    script = str(ROOT / "cmake" / "compiler.cmake")
    given = [f"-DCMAKE_CXX_COMPILER_ID={name}", f"-DCMAKE_CXX_COMPILER_VERSION={version}"]
    ran = subprocess.run([cmake, *given, "-P", script], capture_output=True, text=True)
    assert (ran.returncode != 0) == refused
    text = f"the C++ compiler is {name} {version}; the simulator needs g++ 11 or newer"
    assert (text in " ".join(ran.stderr.split())) == refused
