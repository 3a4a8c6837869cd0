"""Copies of the operator that builds are tried with, whose sources no other test shares."""

from __future__ import annotations

import shutil
from pathlib import Path

from device_kernels import toolchain
from device_kernels.sources import Inputs, operators

OPERATORS = Path(__file__).parent / "programs" / "operators"
KERNEL = "increment/increment_kernel.cpp"


def copied(folder: Path) -> Path:
    """A copy of the operator in a folder below this one."""
    made = folder / "kernels"
    shutil.copytree(OPERATORS, made)
    with (made / KERNEL).open("a") as source:
        source.write(f"\n// {folder}\n")
    return made


def edit(source: Path, before: str, after: str) -> None:
    text = source.read_text()
    assert before in text
    source.write_text(text.replace(before, after))


def decrement(kernels: Path, *, beside: Path) -> Path:
    """A second operator, of the first one's sources under another name."""
    shutil.copytree(kernels / "increment", beside / "decrement")
    for source in list((beside / "decrement").iterdir()):
        text = source.read_text().replace("increment", "decrement").replace("Increm", "Decrem")
        source.with_name(source.name.replace("increment", "decrement")).write_text(text)
        source.unlink()
    return beside


def keys(folder: Path) -> dict[str, str]:
    """The keys of all steps of a build of the operators in a folder, by name."""
    told = Inputs(operators([folder]), toolchain.compiler()).keys()
    return {"runtime": told.runtime, **told.operators, "opapi": told.opapi}
