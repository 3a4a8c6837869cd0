"""Builds libopapi.so of operators whose kernels and host tilings lie in a checkout, unedited.

Every build of a kernel, and every operator's host code, is a library of its own, since different
ones define the same names; libopapi.so has the entries and the plumbing of all operators. A part is
compiled once per content of what goes into it, so an edit of one kernel costs that kernel.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from device_kernels.build import ROOT, build, cache_folder
from device_kernels.foreign.entries import MismatchError, Signature, entry, launcher
from device_kernels.foreign.operator_folder import OperatorFolder, read
from device_kernels.toolchain import BuildError, compiler

LANGUAGE = ROOT / "simulator" / "language"
HOST = ROOT / "simulator" / "host"
HERE = ROOT / "foreign"
INCLUDE = (ROOT / "simulator" / "include", ROOT / "opapi", HERE)
BEFORE_A_KERNEL = ("operator_build.h", "kernel_tiling/kernel_tiling.h")
FLAGS = ("-std=c++20", "-O2", "-fPIC", "-w", "-ffp-contract=off", "-fvisibility=hidden")
LINK = ("-shared", "-Wl,--no-undefined", "-Wl,-rpath,$ORIGIN")
COUNTED = ("--coverage", "-fprofile-update=atomic", "-O1", "-fno-early-inlining")


NO_OPERATORS = frozenset({"common", "tests"})
"""Folders of a checkout with parts that are named as those of an operator."""


@dataclass(frozen=True)
class Unbuilt:
    """An operator that is not judged, and why, in one line."""

    operator: str
    reason: str


@dataclass(frozen=True)
class ForeignBuild:
    """``lib``: the folder of libascendcl.so and libopapi.so; ``built``: the operators in it."""

    lib: Path
    built: tuple[str, ...]
    unbuilt: tuple[Unbuilt, ...]


def folders(checkout: Path) -> dict[str, Path]:
    """The operators' folders in a checkout, by name: DIR itself, below it, or below its groups."""
    return {name: place for name, place in _places(checkout) if not _lacking(place)}


def halves(checkout: Path) -> dict[str, str]:
    """What an operator's folder lacks, by its name, where it has one part of an operator alone."""
    found = {name: (place, _lacking(place)) for name, place in _places(checkout)}
    whole = folders(checkout)
    return {
        name: f"{place} has no {lacking[0]}"
        for name, (place, lacking) in found.items()
        if len(lacking) == 1 and name not in whole
    }


def _places(checkout: Path) -> list[tuple[str, Path]]:
    """Where an operator may lie in a checkout, with its name."""
    places = [checkout, *checkout.glob("*"), *checkout.glob("*/*")]
    return [
        (place.name, place.resolve())
        for place in sorted(places)
        if not NO_OPERATORS & {*place.relative_to(checkout).parts}
    ]


def _lacking(place: Path) -> list[str]:
    """The parts of an operator that are not in a folder."""
    return [part for part in ("op_kernel", "op_host") if not (place / part).is_dir()]


def build_foreign(
    checkout: Path, signatures: Sequence[Signature], *, coverage: bool = False
) -> ForeignBuild:
    """The libraries for those operators of a checkout whose functions ``signatures`` describe.

    Raises BuildError where nothing of it can be built.
    """
    there = folders(checkout)
    runtime = build(quiet=True).runtime
    common = _common(checkout)
    parts: dict[str, _Part] = {}
    unbuilt: list[Unbuilt] = []
    wanted = [one for one in signatures if one.operator in there]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        making = {
            one: pool.submit(_part, there[one.operator], one, runtime, common, coverage)
            for one in wanted
        }
        for signature, made in making.items():
            try:
                parts[signature.operator] = made.result()
            except (BuildError, MismatchError, ValueError, OSError) as error:
                unbuilt.append(Unbuilt(signature.operator, str(error)))
    if not parts:
        said = "".join(f"\n{one.operator}: {one.reason}" for one in unbuilt)
        raise BuildError(f"{checkout} has no operator that can be judged{said}")
    lib = _join(list(parts.values()), runtime, coverage)
    return ForeignBuild(lib, tuple(sorted(parts)), tuple(unbuilt))


@dataclass(frozen=True)
class _Part:
    """A compiled operator: ``folder`` has its libraries and its entry's object file."""

    name: str
    folder: Path
    key: str


def _common(checkout: Path) -> list[Path]:
    """The folders of headers that a checkout's operators share, from the nearest root."""
    roots = [checkout.resolve(), *checkout.resolve().parents]
    root = next((one for one in roots if (one / "common" / "include").is_dir()), None)
    return [] if root is None else [root / "common" / "include", root / "common" / "src"]


def _part(
    folder: Path, signature: Signature, runtime: Path, common: list[Path], coverage: bool
) -> _Part:
    operator = read(folder)
    sources = [LANGUAGE, HOST, HERE, folder / "op_host", folder / "op_kernel", *common[:1]]
    key = _key([str(folder), str(coverage), str(runtime), repr(signature)], sources)
    # One that is edited meanwhile is compiled under its new key by the next call.
    finished = _filed(
        f"foreign-{operator.name}-{key[:16]}",
        lambda tree: _compile(operator, signature, tree, runtime, common, coverage),
    )
    return _Part(operator.name, finished, key)


def _compile(
    operator: OperatorFolder,
    signature: Signature,
    tree: Path,
    runtime: Path,
    common: list[Path],
    coverage: bool,
) -> None:
    (tree / "entry.cpp").write_text(entry(operator, signature))
    _run(["-c", str(tree / "entry.cpp"), "-o", str(tree / "entry.o"), *_including(INCLUDE)])
    host = [*operator.host, HERE / "tiling_call.cpp", *_shared_host(common)]
    library = tree / f"lib{operator.name}_tiling.so"
    _run(
        [
            *_counting(library, coverage),
            *LINK,
            *_including((HOST, HERE, *common[:1])),
            *map(str, host),
            *(f"-DFOREIGN_TILING={operator.name}_tiling", "-o", str(library)),
        ]
    )
    (tree / "tiling.h").write_text(f"#pragma once\n{operator.tiling}\n")
    before = [word for header in BEFORE_A_KERNEL for word in ("-include", header)]
    for build_number, macros in enumerate(operator.builds):
        source = tree / f"launch_{build_number}.cpp"
        source.write_text(launcher(operator, build_number))
        library = tree / f"lib{operator.name}_{build_number}.so"
        _run(
            [
                *_counting(library, coverage),
                *LINK,
                *before,
                *_including((LANGUAGE, INCLUDE[0], operator.kernel.parent)),
                *("-include", str(tree / "tiling.h")),
                *(f"-D{macro}" for macro in macros),
                *(str(source), "-o", str(library), f"-L{runtime}", "-lascendcl"),
            ]
        )


def _counting(library: Path, coverage: bool) -> list[str]:
    """What a library that counts its lines is compiled with besides."""
    if not coverage:
        return []
    return [*COUNTED, f"-DFOREIGN_COUNTERS={_counters(library)}", str(HERE / "write_counters.cpp")]


def _counters(library: Path) -> str:
    """The function of a library that writes its counters."""
    return f"{library.stem.removeprefix('lib')}_counters"


def _shared_host(common: list[Path]) -> list[Path]:
    """What tilings of a checkout share and is compiled with each: its tiling utilities."""
    return [
        path
        for folder in common[1:]
        for room in ("tiling_base", "op_host")
        for path in sorted(folder.glob(f"{room}/tiling_*.cpp"))
    ]


def _filed(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of this name among the builds: filled by ``make``, if it is not there."""
    finished = cache_folder() / name
    if not finished.is_dir():
        finished.parent.mkdir(parents=True, exist_ok=True)
        tree = Path(tempfile.mkdtemp(prefix=f"{name}.tree.", dir=finished.parent))
        try:
            make(tree)
            tree.chmod(0o755)
            os.replace(tree, finished)
        except OSError:
            if not finished.is_dir():
                raise
        finally:
            shutil.rmtree(tree, ignore_errors=True)
    return finished


def _join(parts: list[_Part], runtime: Path, coverage: bool) -> Path:
    """libopapi.so with the entries of all parts, in a folder with all that it needs."""
    key = _key([part.key for part in parts], [])
    shared = _filed(f"foreign-operator-{_key([str(runtime)], INCLUDE)[:16]}", _compile_shared)
    return _filed(
        f"foreign-lib-{key[:16]}", lambda tree: _link(parts, shared, tree, runtime, coverage)
    )


def _compile_shared(tree: Path) -> None:
    """The object of what the entries of all operators call."""
    source, made = HERE / "foreign_operator.cpp", tree / "foreign_operator.o"
    _run(["-c", str(source), "-o", str(made), *_including(INCLUDE)])


def _link(parts: list[_Part], shared: Path, tree: Path, runtime: Path, coverage: bool) -> None:
    notes = [note for part in parts for note in part.folder.glob("*.gcno")]
    for file in [runtime / "libascendcl.so", *_libraries(parts), *notes]:
        shutil.copy(file, tree / file.name)
    counters = _all_counters(parts, tree) if coverage else []
    linked = [f"-l{library.stem.removeprefix('lib')}" for library in _libraries(parts)]
    plumbing = ["-Wl,--whole-archive", str(runtime / "libplumbing.a"), "-Wl,--no-whole-archive"]
    _run(
        [
            *LINK,
            str(shared / "foreign_operator.o"),
            *(str(part.folder / "entry.o") for part in parts),
            *counters,
            *(*plumbing, f"-L{tree}", *linked, "-lascendcl"),
            f"-Wl,--version-script={ROOT / 'cmake' / 'opapi.map'}",
            *("-o", str(tree / "libopapi.so")),
        ]
    )


def _all_counters(parts: list[_Part], tree: Path) -> list[str]:
    """The source of the function that writes the counters of all libraries."""
    names = [_counters(library) for library in _libraries(parts)]
    declared = "".join(f"void {name}();\n" for name in names)
    called = "".join(f"    {name}();\n" for name in names)
    (tree / "counters.cpp").write_text(
        f'extern "C" {{\n{declared}'
        '__attribute__((visibility("default"))) void ascendsimWriteCounters() {\n'
        f"{called}}}\n}}\n"
    )
    return [str(tree / "counters.cpp")]


def _libraries(parts: list[_Part]) -> list[Path]:
    return [library for part in parts for library in sorted(part.folder.glob("lib*.so"))]


def _including(folders: Sequence[Path]) -> list[str]:
    return [f"-I{folder}" for folder in folders]


def _key(words: Sequence[str], sources: Sequence[Path]) -> str:
    digest = hashlib.sha256("\0".join([compiler(), *FLAGS, *words]).encode())
    for folder in sources:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            if path.suffix in {".h", ".cpp", ".hpp", ".py"}:
                digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _run(arguments: Sequence[str]) -> None:
    """Run the compiler. Raises BuildError with its first error."""
    ran = subprocess.run(
        [compiler(), *FLAGS, *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
    )
    if ran.returncode != 0:
        said = ran.stderr.splitlines()
        first = next((line for line in said if "error" in line or "undefined" in line), ran.stderr)
        raise BuildError(first.strip())
