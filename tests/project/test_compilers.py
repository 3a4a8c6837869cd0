"""The C++ of the project has no warnings in the compilers it promises, and is of no processor."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from device_kernels.toolchain import compiler
from tests.project.test_lint import ROOT, cpp_sources, run

COMPILERS = ("g++-11", "g++-12", "clang++-14")
OF_ONE_PROCESSOR = re.compile(
    r"immintrin|emmintrin|arm_neon|\b_mm\w*_|\b__m(?:128|256|512)\w*|\bv(?:ld|st)1q?_|__SSE|__AVX|"
    r"__x86_64__|__aarch64__|\b__int128\b|\b_Float16\b|\b__bf16\b|\b__fp16\b|\basm\b|-march"
)


@pytest.mark.parametrize("name", COMPILERS)
def test_the_device_compiles_without_a_warning(name: str, tmp_path: Path) -> None:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed here")
    if Path(path).resolve() == Path(compiler()).resolve():
        pytest.skip(f"{name} is this host's compiler: test_cpp_compiles_without_a_warning")
    sources, flags = str(ROOT / "device_kernels"), "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON"
    # Warnings of the optimiser need one; -O1 has them at a third of the time.
    options = [f"-DCMAKE_CXX_COMPILER={name}", "-DCMAKE_CXX_FLAGS_SUITE=-O1 -Wall -Wextra"]
    run("cmake", "-S", sources, "-B", str(tmp_path), "-G", "Ninja", flags, *options)
    run("cmake", "--build", str(tmp_path), "-j", "2")


@pytest.mark.parametrize("name", COMPILERS)
def test_a_warning_is_an_error_in_this_check(name: str, tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed here")
    source = tmp_path / "unused.cpp"
    source.write_text("int used() { int unused; return 1; }\n")
    command = [name, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(source)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
    )
    assert done.returncode != 0
    assert "unused" in done.stderr


def test_no_source_is_of_one_processor() -> None:
    """No intrinsics, no types or sizes that only some targets have."""
    found = {
        Path(path).name: words
        for path in cpp_sources()
        if (words := OF_ONE_PROCESSOR.findall(Path(path).read_text()))
    }
    assert found == {}
    assert OF_ONE_PROCESSOR.search("#include <immintrin.h>") is not None
