"""What a build is made of: the operators in folders of kernels, and a key for each of its steps."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from device_kernels.toolchain import BuildError

ROOT = Path(__file__).resolve().parent
FORMAT = "archives"
"""How the steps of a build lie on disk. It is part of the key: those of another format are none."""
_FLAG_VARIABLES = ("CXXFLAGS", "LDFLAGS")
_SOURCES = {".c", ".cmake", ".cpp", ".h", ".hpp", ".in", ".map", ".txt"}
_ENTRY = re.compile(r'extern\s+"C"\s+__global__\s+__aicore__\s+void\s+\w+\s*\(')
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def operators(folders: Sequence[Path], wanted: Collection[str] | None = None) -> dict[str, Path]:
    """The folders of the operators in ``folders``, by name; of ``wanted`` alone, if it is given.

    Raises ``BuildError`` for what no compiler is needed to see: a folder without an operator, two
    kernels of one, a name that is not there, and a source or a kernel entry that is missing.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        kernels = sorted(folder.glob("*/*_kernel.cpp"))
        if not kernels:
            raise BuildError(f"kernels is {folder}: it has no <operator>/<operator>_kernel.cpp")
        for kernel in kernels:
            name = kernel.parent.name
            if kernel.name != f"{name}_kernel.cpp":
                raise BuildError(f"{kernel} must be named {name}_kernel.cpp, as its folder")
            if name in found:
                raise BuildError(
                    f"{kernel.parent} is a second kernel of {name}: an operator has one"
                )
            found[name] = kernel.parent
    for name in sorted(wanted or ()):
        if name not in found:
            missing = " or ".join(str(folder / name) for folder in dict.fromkeys(folders))
            raise BuildError(f"there is no kernel of {name}: no {missing}/{name}_kernel.cpp")
    chosen = {name: found[name] for name in sorted(found if wanted is None else set(wanted))}
    for name, folder in chosen.items():
        _check(name, folder)
    return chosen


def _check(name: str, folder: Path) -> None:
    """Raise ``BuildError`` where an operator lacks one of its three sources, or its entry."""
    for source in (f"{name}_tiling.cpp", f"aclnn_{name}.cpp"):
        if not (folder / source).is_file():
            raise BuildError(f"{folder} has no {source}: an operator is kernel, tiling and entry")
    text = (folder / f"{name}_kernel.cpp").read_text(errors="replace")
    if not _ENTRY.search(re.sub(r"//[^\n]*", "", text)):
        rule = 'extern "C" __global__ __aicore__ void'
        raise BuildError(f"{folder / f'{name}_kernel.cpp'} has no kernel entry: {rule}")


@dataclass(frozen=True)
class Keys:
    """SHA-256 of all that goes into each step; ``operators`` by name, ``opapi`` of them all.

    ``host`` is that of what host code is compiled with, whatever the device watches.
    ``language`` is that of what kernels are compiled with.
    """

    host: str
    runtime: str
    language: str
    operators: Mapping[str, str]
    opapi: str


@dataclass(frozen=True)
class Inputs:
    """What a build is made of; ``folders`` are those of its operators, by name."""

    folders: Mapping[str, Path]
    compiler: str
    checks: str = "all"
    coverage: bool = False

    def keys(self) -> Keys:
        """The keys of the steps as the sources are now."""
        contents = _Contents()
        version = subprocess.run([self.compiler, "--version"], capture_output=True, text=True)
        flags = [f"{name}={os.environ.get(name, '')}" for name in _FLAG_VARIABLES]
        simulator = ROOT / "simulator"
        host = contents.digest(
            "\0".join([FORMAT, self.compiler, version.stdout, *flags]).encode(),
            [
                ("CMakeLists.txt", ROOT / "CMakeLists.txt"),
                ("cmake", ROOT / "cmake"),
                ("include", simulator / "include"),
                ("runtime", simulator / "runtime"),
                ("engine", simulator / "language" / "engine"),
                ("coverage", simulator / "coverage"),
                ("opapi", ROOT / "opapi"),
                ("entry", ROOT / "entry"),
            ],
        )
        runtime = hashlib.sha256(f"{host}\0{self.checks}".encode()).hexdigest()
        language = contents.digest(runtime.encode(), [("language", simulator / "language")])
        each = {
            name: contents.digest(f"{language}\0{folder.name}".encode(), contents.parts(folder))
            for name, folder in self.folders.items()
        }
        # gcov files its counters under the sources' real paths.
        counted = (
            f"\0coverage of {sorted(map(str, self.folders.values()))}" if self.coverage else ""
        )
        told = "\0".join([runtime + counted, *(f"{name} {key}" for name, key in each.items())])
        return Keys(host, runtime, language, each, hashlib.sha256(told.encode()).hexdigest())


def beside(folder: Path) -> set[Path]:
    """What lies beside an operator's folder and its sources may include: all that is no operator's,
    and the folders of other operators that are included by name, by way of others too.
    """
    return _Contents().beside(folder)


class _Contents:
    """The sources of folders, each read once: what lies beside operators is part of all of them."""

    def __init__(self) -> None:
        self._read: dict[Path, list[tuple[str, bytes]]] = {}
        self._told: dict[tuple[str, Path], bytes] = {}
        self._names: dict[Path, set[str]] = {}
        self._above: dict[Path, tuple[dict[str, Path], set[Path]]] = {}

    def digest(self, start: bytes, parts: Iterable[tuple[str, Path]]) -> str:
        """SHA-256 over ``start`` and each file's name below its part's folder, size and content."""
        digest = hashlib.sha256(start)
        for one in parts:
            if one not in self._told:
                self._told[one] = b"".join(
                    f"{one[0]}/{one[1].name}/{name}\0{len(content)}\0".encode() + content
                    for name, content in self._sources(one[1])
                )
            digest.update(self._told[one])
        return digest.hexdigest()

    def parts(self, folder: Path) -> list[tuple[str, Path]]:
        """What an operator is made of: its folder, what is shared beside it, what it includes."""
        return [("operator", folder), *(("beside", each) for each in sorted(self.beside(folder)))]

    def beside(self, folder: Path) -> set[Path]:
        """As the function ``beside``."""
        kernels, others = self._siblings(folder.parent)
        waiting, seen = [folder, *others], {folder}
        while waiting:
            for name in self._included(waiting.pop()) & kernels.keys():
                if kernels[name] not in seen:
                    seen.add(kernels[name])
                    waiting.append(kernels[name])
        return others | seen - {folder}

    def _siblings(self, above: Path) -> tuple[dict[str, Path], set[Path]]:
        """The operators' folders in a folder, by name, and what else of it is source."""
        if above not in self._above:
            found = {each.name: each for each in above.iterdir()}
            kernels = {
                name: each
                for name, each in found.items()
                if (each / f"{name}_kernel.cpp").is_file()
            }
            others = {
                each
                for name, each in found.items()
                if name not in kernels and (each.is_dir() or each.suffix in _SOURCES)
            }
            self._above[above] = kernels, others
        return self._above[above]

    def _included(self, folder: Path) -> set[str]:
        """The names in the paths that the sources of a folder include."""
        if folder not in self._names:
            texts = (content.decode(errors="replace") for _, content in self._sources(folder))
            paths = (path for text in texts for path in _INCLUDE.findall(text))
            self._names[folder] = {part for path in set(paths) for part in Path(path).parts}
        return self._names[folder]

    def _sources(self, folder: Path) -> list[tuple[str, bytes]]:
        """Each source below a folder, or the file itself: its path there, and its content."""
        if folder not in self._read:
            files = [(".", str(folder))] if folder.is_file() else _sources(folder)
            self._read[folder] = [(name, _content(file)) for name, file in files]
        return self._read[folder]


def _sources(folder: Path) -> Iterator[tuple[str, str]]:
    """The sources below a folder: the path there, and the whole path."""
    start = len(os.path.join(folder, ""))
    for directory, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if os.path.splitext(name)[1] in _SOURCES:
                path = os.path.join(directory, name)
                yield path[start:], path


def _content(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()
