"""The installed torch_npu and the CANN functions that its libraries bind when they are loaded.

A host without CANN can carry the wheel only where each of these functions is there, at least as one
that refuses. Which they are is known for some versions (``symbols/VERSION.txt``, one name a line,
read out of the wheels); a wheel that binds another is refused by name, as nobody has looked at what
that function must answer.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.catalogue import through_torch as say
from conformance.devices.other_python import answer, last_line
from conformance.errors import EnvironmentFailure, text_of

SYMBOLS = Path(__file__).parent / "symbols"
"""The lists of known functions, one file a version."""

LIBRARIES = ("lib/libtorch_npu.so", "lib/libtensorpipe.so", "lib/libnpu_profiler.so", "_C.*.so")
"""What `import torch_npu` loads of the wheel. libop_plugin_atb.so is not loaded by it: it needs
another product."""

INSTALLED = say.INSTALL(version="2.13.0")


@dataclass(frozen=True)
class Wheel:
    """An installed torch_npu: its version, its folder, the CANN functions that it binds."""

    version: str
    folder: Path
    binds: frozenset[str]


def installed() -> Wheel:
    """The wheel of this interpreter, without importing it.

    Raises EnvironmentFailure if there is none, if its metadata is missing, or torch is.
    """
    torch, folder = _package("torch"), _package("torch_npu")
    try:
        version = importlib.metadata.version("torch_npu")
    except importlib.metadata.PackageNotFoundError:
        raise EnvironmentFailure(say.NO_VERSION(folder=folder)) from None
    return Wheel(version, folder, bound(folder, torch))


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise EnvironmentFailure(say.NO_PACKAGE(name=name, how=INSTALLED))
    return Path(found.origin).parent


def bound(folder: Path, torch: Path | None = None) -> frozenset[str]:
    """The C functions that a wheel's libraries leave to CANN: what neither this process (libc,
    Python) nor the wheel nor ``torch`` (its folder) has. Functions of C++ are torch's.
    """
    libraries = [path for pattern in LIBRARIES for path in sorted(folder.glob(pattern))]
    if not libraries:
        raise EnvironmentFailure(say.NO_TORCH_NPU(folder=folder, libraries=LIBRARIES))
    process = ctypes.CDLL(None)
    asked = {
        name
        for name in _names(libraries, "--undefined-only")
        if not name.startswith(("_", "Py")) and "@" not in name and not hasattr(process, name)
    }
    asked -= _names(libraries, "--defined-only")
    if torch is not None and not asked <= known():
        asked -= _names(sorted((torch / "lib").glob("*.so")), "--defined-only")
    return frozenset(asked)


def _names(libraries: Iterable[Path], which: str) -> set[str]:
    """Dynamic symbols of libraries, weak references left out."""
    command = ["nm", "-D", which, "--format=posix", *map(str, libraries)]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise EnvironmentFailure(say.NM_FAILED(error=str(error))) from error
    rows = (line.split() for line in listed.splitlines())
    return {row[0] for row in rows if len(row) > 1 and row[1] not in ("w", "v")}


def versions() -> list[str]:
    """The versions whose functions are known."""
    return sorted(path.stem for path in SYMBOLS.glob("*.txt"))


def known(version: str = "") -> frozenset[str]:
    """The functions that a version binds; of all known versions where none is named."""
    names = [version] if version else versions()
    return frozenset(name for one in names for name in (SYMBOLS / f"{one}.txt").read_text().split())


def known_wheel(python: Path | None = None) -> Wheel:
    """The wheel of ``python`` (None: of this interpreter), of which every function that it binds is
    known. Raises EnvironmentFailure.
    """
    wheel = installed() if python is None else _installed_for(python)
    check_known(wheel)
    return wheel


def _installed_for(python: Path) -> Wheel:
    """The wheel of another interpreter, which says it as JSON. Raises EnvironmentFailure."""
    try:
        ended = answer(python, "-m", "conformance.devices.torch_npu.wheel")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentFailure(str(error)) from error
    if ended.returncode:
        raise EnvironmentFailure(last_line(ended.stderr))
    told = json.loads(ended.stdout)
    return Wheel(told["version"], Path(told["folder"]), frozenset(told["binds"]))


def check_known(wheel: Wheel) -> None:
    """Raise EnvironmentFailure, with their names, where a wheel binds functions nobody knows."""
    if unknown := sorted(wheel.binds - known()):
        raise EnvironmentFailure(
            say.UNKNOWN_FUNCTIONS(
                version=wheel.version,
                folder=wheel.folder,
                count=len(unknown),
                names=unknown,
                versions=versions(),
            )
        )


def main() -> None:
    """Say on standard output what wheel this interpreter has, or why none on standard error."""
    try:
        wheel = installed()
    except EnvironmentFailure as error:
        sys.exit(text_of(error))
    told = {"version": wheel.version, "folder": str(wheel.folder), "binds": sorted(wheel.binds)}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
