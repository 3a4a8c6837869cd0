"""What a program that is linked with all of CANN needs beside the simulator's two libraries.

Such a program names libraries and functions of which the simulated device has nothing to offer. For
each library there is one of that name, through which the simulator's functions are found as well,
since on CANN some of them lie there. Each function that the simulator lacks refuses with 207000 and
its own name; none is added that the program does not bind: what it looks up while it runs, it can
do without.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Collection
from pathlib import Path

from device_kernels.toolchain import BuildError, compiler

LIBRARIES = (
    "libhccl.so",
    "libacl_op_compiler.so",
    "libge_runner.so",
    "libgraph.so",
    "libacl_tdt_channel.so",
)
"""The libraries that torch_npu names beside libascendcl.so and libopapi.so."""

NOT_SUPPORTED = 207000
"""aclError of a feature that the runtime does not support."""

ANSWERED = {"HcclSetConfig": "return 0;"}
"""What a program asks for before it decides whether it can compute: there is no other card."""


def shims(lib: Path, bound: Collection[str]) -> Path:
    """The folder of those libraries for a program that binds these functions, beside ``lib``.

    ``lib`` is the folder of the simulator's libraries. Built where it is not there yet. Raises
    ``BuildError``.
    """
    lacking = sorted(set(bound) - exported(lib / "libascendcl.so") - exported(lib / "libopapi.so"))
    text = source(lacking)
    key = hashlib.sha256((text + "\0".join(LIBRARIES) + str(lib)).encode()).hexdigest()[:16]
    folder = lib.parent / f"shims-{key}"
    if not (folder / "ready").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            _compile(Path(made), lib, text)
            (Path(made) / "ready").touch()
            try:
                os.rename(made, folder)
            except OSError:  # somebody else was first
                if not (folder / "ready").exists():
                    raise
            else:
                Path(made).mkdir()  # what the context removes
    return folder


def source(lacking: Collection[str]) -> str:
    """C of functions that refuse, and of those that have an answer."""
    refusals = "".join(
        f'int {name}(void) {{ return refuse("{name}"); }}\n' for name in sorted(lacking)
    )
    answers = "".join(f"int {name}(void) {{ {answer} }}\n" for name, answer in ANSWERED.items())
    return (
        "#include <stdio.h>\n"
        "void ascendsimReportError(const char* text);\n"
        "static int refuse(const char* name) {\n"
        "    char text[256];\n"
        '    snprintf(text, sizeof(text), "%s: the simulated device does not have it", name);\n'
        "    ascendsimReportError(text);\n"
        f"    return {NOT_SUPPORTED};\n"
        "}\n" + refusals + answers
    )


def exported(library: Path) -> frozenset[str]:
    """The dynamic symbols that a library defines. Raises ``BuildError``."""
    command = ["nm", "-D", "--defined-only", "--format=posix", str(library)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise BuildError(f"nm does not read {library}: {ran.stderr.strip()}")
    return frozenset(line.split()[0] for line in ran.stdout.splitlines() if line)


def _compile(folder: Path, lib: Path, text: str) -> None:
    refusing, empty = folder / "refusing.c", folder / "empty.c"
    refusing.write_text(text)
    empty.write_text("")
    common = [compiler(), "-x", "c", "-shared", "-fPIC", "-Wl,--no-as-needed", f"-Wl,-rpath,{lib}"]
    for number, name in enumerate(LIBRARIES):
        content = [str(empty if number else refusing), "-x", "none", str(lib / "libascendcl.so")]
        command = [*common, f"-Wl,-soname,{name}", "-o", str(folder / name), *content]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            raise BuildError(f"{name}, a shim, does not build:\n{ran.stderr.strip()}")
