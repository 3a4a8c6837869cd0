"""Copies of an operator's sources, and their libraries: what is changed before it is compiled."""

from __future__ import annotations

import shutil
from pathlib import Path

from device_kernels.build import ROOT as DEVICE
from device_kernels.sources import beside
from device_kernels.toolchain import BuildError, compile_libraries, compiler

__all__ = ["BuildError", "compile_copy", "copy_kernel"]


def copy_kernel(folder: Path, target: Path) -> None:
    """Copy an operator's folder, and what lies beside it that it may include, to a folder."""
    target.mkdir(parents=True, exist_ok=True)
    for part in (folder, *beside(folder)):
        if part.is_dir():
            shutil.copytree(part, target / part.name)
        else:
            shutil.copy(part, target / part.name)


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
