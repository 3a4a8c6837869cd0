"""Copies of an operator's sources, and their libraries: what is changed before it is compiled."""

from __future__ import annotations

import shutil
from pathlib import Path

from device_kernels.build import ROOT as DEVICE
from device_kernels.toolchain import compile_libraries, compiler

KERNELS = DEVICE / "kernels"


def copy_operator(operator: str, target: Path, source: Path = KERNELS) -> None:
    """Copy an operator, and what it shares with others, from one folder of kernels to another."""
    for part in (operator, "shared"):
        shutil.copytree(source / part, target / part)


def compile_copy(kernels: Path, tree: Path, runtime: Path, checks: str) -> Path:
    """Compile the operators of a folder against a runtime that is built; the libraries' folder.

    ``tree`` keeps what is compiled: the next time only what has changed is. ``checks`` is what the
    device watches: all, bounds or off. Raises BuildError.
    """
    definitions = {
        "SUITE_KERNELS": str(kernels),
        "SUITE_CHECKS": checks,
        "SUITE_ASCENDCL": str(runtime / "libascendcl.so"),
    }
    compile_libraries(DEVICE, tree, compiler(), definitions)
    return tree / "lib"
