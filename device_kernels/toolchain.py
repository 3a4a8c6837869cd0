"""Finds the C++ compiler, cmake and ninja, runs them, and says in one message why they failed."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


Progress = Callable[[int, int, str], None]
"""Is told of each file that a build begins: its number, of how many, and its path."""
_STEP = re.compile(r"\[ *(\d+)(?:%|/(\d+))\] (Building \w+ object )?(.*)")


@dataclass(frozen=True)
class Output:
    """What a build tool printed, in order: a line for each step, then what its compiler said."""

    lines: tuple[str, ...]

    def warnings(self, *targets: str) -> str:
        """The compilers' warnings with the lines that explain them; of the steps alone whose line
        names one of ``targets``, if any is given.
        """
        told: list[str] = []
        mine = not targets
        for line in self.lines:
            if step := _STEP.match(line):
                mine = not targets or any(f"/{target}/" in step[4] for target in targets)
            elif mine:
                told.append(line)
        return "\n".join(told) if any("warning:" in line for line in told) else ""


def compile_libraries(
    source: Path,
    tree: Path,
    cxx: str,
    definitions: Mapping[str, str],
    progress: Progress | None = None,
) -> Output:
    """Configures the CMake project ``source`` in ``tree`` and builds it. Raises ``BuildError``."""
    cmake, ninja = tool("cmake"), tool("ninja")
    if cmake is None:
        raise BuildError("no cmake 3.18 or newer: python -m pip install cmake ninja")
    if ninja is None and tool("make") is None:
        raise BuildError("no ninja and no make: python -m pip install ninja")
    configure = [cmake, "-S", str(source), "-B", str(tree), f"-DCMAKE_CXX_COMPILER={cxx}"]
    # The environment may name another type: its flags would be filed under the same key.
    configure += ["-DCMAKE_BUILD_TYPE=Suite"]
    configure += [f"-D{name}={value}" for name, value in definitions.items()]
    make = [cmake, "--build", str(tree), "--parallel", str(len(os.sched_getaffinity(0)))]
    if ninja is not None:
        configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    else:
        configure += ["-G", "Unix Makefiles"]
        make += ["--", "--output-sync=target"]
    _run(configure, None)
    return _run(make, progress)


def _run(command: Sequence[str], progress: Progress | None) -> Output:
    """What a command printed. Raises ``BuildError`` with its first error, if it fails."""
    lines: list[str] = []
    # Messages in one language: errors are recognised, and shown in reports.
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            lines.append(line.rstrip("\n"))
            step = _STEP.match(line) if progress is not None else None
            if progress is not None and step is not None and step[2] and step[3]:
                progress(int(step[1]), int(step[2]), Path(step[4]).name.removesuffix(".o"))
    if running.returncode != 0:
        raise BuildError("the build failed:\n" + _first_errors(lines))
    return Output(tuple(lines))


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


def _first_errors(every: Sequence[str], lines: int = 12) -> str:
    """The output from its first error on; the end of it, if none is recognised."""
    signs = ("error:", "CMake Error", "undefined reference", "undefined symbol")
    for number, line in enumerate(every):
        if any(sign in line for sign in signs):
            return "\n".join(every[number : number + lines])
    return "\n".join(every[-lines:])
