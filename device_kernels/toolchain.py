"""Finds the C++ compiler, cmake and ninja, runs them, and says in one message why they failed."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


class BuildError(RuntimeError):
    """The libraries could not be built: a tool is missing, or a source does not compile."""


def compiler() -> str:
    """The path of the C++ compiler: ``$CXX``, else the first found. Raises ``BuildError``."""
    named = os.environ.get("CXX")
    for name in [named] if named else ["g++", "c++", "clang++"]:
        path = shutil.which(name)
        if path:
            return path
    searched = f"CXX is {named!r}, which is not on PATH" if named else "no g++, c++ or clang++"
    raise BuildError(
        f"no C++ compiler: {searched}. The simulator is compiled on first use: install g++ 11 or "
        "newer, or clang 14 or newer (Debian, Ubuntu: apt install g++; openEuler: dnf install "
        "gcc-c++)"
    )


def compile_libraries(source: Path, tree: Path, cxx: str, definitions: dict[str, str]) -> str:
    """Configures the CMake project ``source`` in ``tree`` and builds it; returns the compiler's
    warnings, with the lines that explain them. Raises ``BuildError``.
    """
    cmake, ninja = tool("cmake"), tool("ninja")
    if cmake is None:
        raise BuildError("no cmake 3.18 or newer: python -m pip install cmake ninja")
    if ninja is None and tool("make") is None:
        raise BuildError("no ninja and no make: python -m pip install ninja")
    configure = [cmake, "-S", str(source), "-B", str(tree), f"-DCMAKE_CXX_COMPILER={cxx}"]
    # The environment may name another type: its flags would be filed under the same key.
    configure += ["-DCMAKE_BUILD_TYPE=Suite"]
    configure += [f"-D{name}={value}" for name, value in definitions.items()]
    if ninja is not None:
        configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    else:
        configure += ["-G", "Unix Makefiles"]
    jobs = str(len(os.sched_getaffinity(0)))
    # Messages in one language: errors are recognised, and shown in reports.
    environment = {**os.environ, "LC_ALL": "C"}
    for command in (configure, [cmake, "--build", str(tree), "--parallel", jobs]):
        ran = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
        )
        if ran.returncode != 0:
            raise BuildError("the build failed:\n" + _first_errors(ran.stdout))
    return _warnings(ran.stdout)


def tool(name: str) -> str | None:
    """A build tool's path: beside the interpreter (a virtual environment that is not activated), on
    PATH, or inside the PyPI package of that name.
    """
    beside = Path(sys.executable).parent / name
    if os.access(beside, os.X_OK):
        return str(beside)
    found = shutil.which(name)
    if found:
        return found
    package = importlib.util.find_spec(name)
    for place in (package.submodule_search_locations or []) if package else []:
        inside = Path(place) / "data" / "bin" / name
        if os.access(inside, os.X_OK):
            return str(inside)
    return None


def _warnings(output: str) -> str:
    """What the compilers said of a build, without the build tool's own lines of progress."""
    if "warning:" not in output:
        return ""
    progress = re.compile(r"\[ *\d+(%|/\d+)\] ")
    return "\n".join(line for line in output.splitlines() if not progress.match(line))


def _first_errors(output: str, lines: int = 12) -> str:
    """The output from its first error on; the end of it where none is recognised."""
    every = output.rstrip().splitlines()
    signs = ("error:", "CMake Error", "undefined reference", "undefined symbol")
    for number, line in enumerate(every):
        if any(sign in line for sign in signs):
            return "\n".join(every[number : number + lines])
    return "\n".join(every[-lines:])
