"""Copies of an operator's sources, and their libraries: what is changed before it is compiled."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from conformance.catalogue import device as say
from conformance.errors import EnvironmentFailure
from device_kernels.build import ROOT as DEVICE
from device_kernels.build import build, cache_folder
from device_kernels.sources import Inputs, beside, operators
from device_kernels.steps import Steps
from device_kernels.toolchain import BuildError, compile_libraries, compiler

__all__ = ["BuildError", "Libraries", "compile_copy", "copy_kernel", "unchanged"]


class Libraries(NamedTuple):
    """``lib`` is the folder of an operator's libraries, ``runtime`` that of what copies are linked
    with."""

    lib: Path
    runtime: Path


def unchanged(folder: Path, *, quiet: bool) -> Libraries:
    """The libraries of the operator in a folder, built if they are not there.

    Raises EnvironmentFailure.
    """
    try:
        built = build(folder.parent, only=[folder.name], quiet=quiet)
    except (RuntimeError, OSError) as error:
        raise EnvironmentFailure(say.SIMULATOR_NOT_BUILT(error=str(error))) from error
    return Libraries(built.lib, built.runtime)


def copy_kernel(folder: Path, target: Path) -> None:
    """Copy an operator's folder, and what lies beside it that it may include, to a folder."""
    target.mkdir(parents=True, exist_ok=True)
    for part in (folder, *beside(folder)):
        if part.is_dir():
            shutil.copytree(part, target / part.name)
        else:
            shutil.copy(part, target / part.name)


def compile_copy(folder: Path, tree: Path, runtime: Path, checks: str) -> Path:
    """Compile the operator in a folder against a runtime that is built; the libraries' folder.

    ``tree`` keeps what is compiled: the next time only what has changed is. A source that the build
    of the unchanged operator has compiled is not compiled again. ``checks`` is what the device
    watches: all, or off. Raises BuildError.
    """
    inputs = Inputs(operators([folder.parent], [folder.name]), compiler(), checks)
    steps = Steps(inputs, inputs.keys(), cache_folder())
    definitions = {
        "SUITE_KERNELS": "",
        "SUITE_OPERATORS": str(folder),
        "SUITE_OBJECTS": ";".join(map(str, steps.stored(folder.name))),
        "SUITE_CHECKS": checks,
        "SUITE_ASCENDCL": str(runtime / "libascendcl.so"),
        **steps.precompiled(),
    }
    compile_libraries(DEVICE, tree, inputs.compiler, definitions)
    return tree / "lib"
