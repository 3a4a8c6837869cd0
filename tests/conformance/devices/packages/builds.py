"""Operator libraries that are compiled from C in a moment, each with something of its own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.conformance.devices.fakes import SOURCES


def compiled(library: Path, source: str, *flags: str) -> Path:
    """A shared library of one C source."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None, "the fake libraries need a C compiler"
    library.parent.mkdir(parents=True, exist_ok=True)
    file = library.with_suffix(".c")
    file.write_text(source)
    command = [compiler, "-shared", "-fPIC", "-O1", str(file), "-o", str(library), *flags]
    subprocess.run(command, check=True)
    return library


def adding_more(library: Path, more: int, fakes: Path) -> Path:
    """The fake operators, whose sums are too large by ``more``."""
    source = (SOURCES / "opapi.c").read_text()
    assert "+ (int32_t)plan->addend;" in source
    changed = source.replace("+ (int32_t)plan->addend;", f"+ (int32_t)plan->addend + {more};")
    return compiled(library, changed, f"-L{fakes}", "-lascendcl")
