"""Builds the simulated device and the kernels, once per content of their sources.

Two steps, two keys: the runtime (``libascendcl.so`` with the CPU model of Ascend C, and the
plumbing that all operators share) does not depend on the kernels, so a changed kernel costs the
compilation of the operators in ``libopapi.so`` only. A key is the SHA-256 of every source, the
compiler's version and the flags; a finished step lies under its key and is never changed.
``python -m device_kernels.build`` prints the folder of the libraries.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from device_kernels.toolchain import BuildError, compile_libraries, compiler

__all__ = ["CHECKS", "Build", "BuildError", "Progress", "build", "cache_folder"]

ROOT = Path(__file__).resolve().parent
Progress = Callable[[str], None]

CHECKS = ("off", "bounds", "all")
"""off: speed alone. bounds: memory, arguments, queues and flags. all: also synchronisation, races
between blocks and undefined bytes (device_kernels/simulator/language/engine/checks.h).
"""

_ATTEMPTS = 3
_WARNINGS = "warnings.txt"
_KERNELS = "kernels.txt"
"""Beside ``lib``: the folders of the operators, a line each; a diagnostic's source lies there."""
"""Beside ``lib`` in a finished step. It is part of the key: steps without one are none."""
_FLAG_VARIABLES = ("CXXFLAGS", "LDFLAGS")
_SOURCES = {".c", ".cmake", ".cpp", ".h", ".hpp", ".in", ".map", ".txt"}


@dataclass(frozen=True)
class Build:
    """``lib``: the folder of libascendcl.so and libopapi.so; ``runtime``: that of the former and of
    the plumbing, which other kernels can be linked with. ``key``: SHA-256 of all that went in.

    ``seconds``: what this call took. ``cached``: nothing had to be compiled. ``warnings``: what the
    compiler said of the operators when they were compiled. ``lib`` of a build for
    coverage also holds the compiler's .gcno files.
    """

    lib: Path
    runtime: Path
    key: str
    seconds: float
    cached: bool
    warnings: str = ""


def build(
    *kernels: Path,
    checks: str = "all",
    quiet: bool = False,
    progress: Progress | None = None,
    coverage: bool = False,
) -> Build:
    """The libraries for the operators in the folders ``kernels`` (default: this package's own).

    ``checks`` is one of ``CHECKS``: what the simulated device watches while a kernel runs.
    ``coverage`` counts which of the operators' lines and branches are run, by gcov (g++ only).
    ``progress`` gets one line when a compilation starts and one when it ends; without it they go to
    stderr, unless ``quiet``. Raises ``BuildError``.
    """
    start = time.perf_counter()
    tell = progress or (_silent if quiet else _to_stderr)
    if checks not in CHECKS:
        raise BuildError(f"checks is {checks!r}; it must be one of {', '.join(CHECKS)}")
    folders = tuple(Path(folder).resolve() for folder in kernels or (ROOT / "kernels",))
    inputs = _Inputs(folders, compiler(), checks, coverage)
    names = sorted(name for folder in folders for name in _operators(folder))
    operators = f"{len(names)} kernel{'s' if len(names) > 1 else ''}: {', '.join(names)}"
    compiling, folder = "", cache_folder()
    if folder == _temporary():
        _check_owner(folder)
    for _ in range(_ATTEMPTS):
        keys = inputs.keys()
        runtime, opapi = _places(folder, [f"{step}-{key[:16]}" for step, key in keys.items()])
        if _finished(opapi):
            lib, seconds = opapi / "lib", time.perf_counter() - start
            warnings = (opapi / _WARNINGS).read_text()
            if compiling:
                tell(f"built {compiling} in {seconds:.1f} s")
            if compiling and warnings:
                tell(warnings)
            return Build(lib, runtime / "lib", keys["opapi"], seconds, not compiling, warnings)
        compiling = operators if _finished(runtime) else f"the simulator and {operators}"
        if folder == _temporary():
            tell(f"nothing but temporary files can be written: the build will lie in {folder}")
        tell(f"building {compiling} ...")
        _make(runtime, inputs, keys, {"SUITE_KERNELS": "", "SUITE_CHECKS": checks})
        if _finished(runtime):
            library = str(runtime / "lib" / "libascendcl.so")
            listed = ";".join(str(folder) for folder in folders)
            sources = {"SUITE_KERNELS": listed, "SUITE_ASCENDCL": library, "SUITE_CHECKS": checks}
            sources |= {"SUITE_COVERAGE": "ON"} if coverage else {}
            _make(opapi, inputs, keys, sources)
    raise BuildError(f"sources changed during each of {_ATTEMPTS} compilations; build again")


def _operators(folder: Path) -> list[str]:
    """The operators with a kernel in a folder. Raises ``BuildError`` where there is none."""
    names = [source.parent.name for source in folder.glob("*/*_kernel.cpp")]
    if not names:
        raise BuildError(f"kernels is {folder}: it has no <operator>/<operator>_kernel.cpp")
    return names


@dataclass(frozen=True)
class _Inputs:
    kernels: Sequence[Path]
    compiler: str
    checks: str = "all"
    coverage: bool = False

    def keys(self) -> dict[str, str]:
        """The keys of the two steps, in order; the second is that of the whole build."""
        version = subprocess.run([self.compiler, "--version"], capture_output=True, text=True)
        flags = [f"{name}={os.environ.get(name, '')}" for name in _FLAG_VARIABLES]
        simulator = ROOT / "simulator"
        runtime = _digest(
            "\0".join(
                [_WARNINGS, _KERNELS, self.compiler, version.stdout, self.checks, *flags]
            ).encode(),
            [
                ("CMakeLists.txt", ROOT / "CMakeLists.txt"),
                ("cmake", ROOT / "cmake"),
                ("include", simulator / "include"),
                ("runtime", simulator / "runtime"),
                ("engine", simulator / "language" / "engine"),
                ("coverage", simulator / "coverage"),
                ("opapi", ROOT / "opapi"),
            ],
        )
        # gcov files its counters under the sources' real paths.
        folders = ", ".join(str(folder) for folder in self.kernels)
        counted = f"\0coverage of {folders}" if self.coverage else ""
        opapi = _digest(
            (runtime + counted).encode(),
            [
                ("language", simulator / "language"),
                *(("kernels", folder) for folder in self.kernels),
            ],
        )
        return {"runtime": runtime, "opapi": opapi}


def cache_folder() -> Path:
    """Where finished builds lie: ``$MOE_CONFORMANCE_CACHE``, else ``build/`` of the checkout, else
    (installed, or the checkout is read-only) ``moe-conformance`` in the user's cache folder, else
    (that cannot be written either) a folder of the user's own among the temporary files.
    """
    named = os.environ.get("MOE_CONFORMANCE_CACHE")
    if named:
        return Path(named).expanduser().resolve()
    checkout = ROOT.parent
    is_checkout = (checkout / ".git").exists() or (checkout / "pyproject.toml").exists()
    if is_checkout and os.access(checkout, os.W_OK):
        return checkout / "build"
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    users = Path(home) / "moe-conformance"
    there = next((place for place in (users, *users.parents) if place.exists()), None)
    if there is not None and there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return users
    return _temporary()


def _places(folder: Path, steps: Sequence[str]) -> list[Path]:
    """Where the steps of a build lie in ``folder``, or finished in the checkout, where nothing can
    be written, nor need be.
    """
    checkout = ROOT.parent / "build"
    finished = all(_finished(checkout / step) for step in steps)
    if finished and not os.environ.get("MOE_CONFORMANCE_CACHE"):
        folder = checkout
    return [folder / step for step in steps]


def _temporary() -> Path:
    return Path(tempfile.gettempdir()) / f"moe-conformance-{os.getuid()}"


def _check_owner(folder: Path) -> None:
    """Refuse libraries that another user may have put among the temporary files."""
    folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o022:
        raise BuildError(
            f"{folder} is not a folder that only this user can write. "
            "Set MOE_CONFORMANCE_CACHE to a folder that can be written"
        )


def _silent(line: str) -> None:
    pass


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _sources(folder: Path) -> Iterator[Path]:
    for directory, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if Path(name).suffix in _SOURCES:
                yield Path(directory, name)


def _digest(start: bytes, parts: Iterable[tuple[str, Path]]) -> str:
    """SHA-256 over ``start`` and each file's name below its part's folder, size and content."""
    digest = hashlib.sha256(start)
    for part, folder in parts:
        for source in [folder] if folder.is_file() else _sources(folder):
            content = source.read_bytes()
            digest.update(f"{part}/{source.relative_to(folder)}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def _finished(folder: Path) -> bool:
    return (folder / "lib").is_dir()


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _make(
    finished: Path, inputs: _Inputs, keys: dict[str, str], definitions: dict[str, str]
) -> None:
    """Configures and compiles into ``finished``; a second process waits and finds it done."""
    try:
        finished.parent.mkdir(parents=True, exist_ok=True)
        with _locked(finished.with_suffix(".lock")):
            if _finished(finished):
                return
            # An unfinished tree of this key can only be left over: the lock is held.
            for left in finished.parent.glob(f"{finished.name}.tree.*"):
                shutil.rmtree(left, ignore_errors=True)
            tree = Path(tempfile.mkdtemp(prefix=f"{finished.name}.tree.", dir=finished.parent))
            try:
                (tree / "cmake").mkdir()
                warnings = compile_libraries(ROOT, tree / "cmake", inputs.compiler, definitions)
                (tree / "result").mkdir()
                (tree / "result" / _WARNINGS).write_text(warnings)
                folders = definitions["SUITE_KERNELS"].split(";")
                (tree / "result" / _KERNELS).write_text("\n".join(folders))
                for notes in (tree / "cmake").rglob("*.gcno"):
                    os.replace(notes, tree / "cmake" / "lib" / notes.name)
                os.replace(tree / "cmake" / "lib", tree / "result" / "lib")
                # What was edited while it was compiled must not be filed under the old key.
                if inputs.keys() == keys:
                    os.replace(tree / "result", finished)
            finally:
                shutil.rmtree(tree, ignore_errors=True)
    except OSError as error:
        raise BuildError(
            f"cannot write the build folder {finished.parent}: {error}. "
            "Set MOE_CONFORMANCE_CACHE to a folder that can be written"
        ) from error


def main(arguments: list[str] | None = None) -> int:
    """``python -m device_kernels.build``: prints the folder of the libraries."""
    parser = argparse.ArgumentParser(prog="python -m device_kernels.build", description=__doc__)
    parser.add_argument(
        "--kernels",
        type=Path,
        action="append",
        default=[],
        help="a folder of operators (repeatable; default: our own)",
    )
    parser.add_argument(
        "--checks", choices=CHECKS, default="all", help="what the simulated device watches"
    )
    parser.add_argument("--quiet", action="store_true", help="print the folder only")
    options = parser.parse_args(arguments)
    try:
        result = build(*options.kernels, checks=options.checks, quiet=options.quiet)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    print(result.lib)
    return 0


if __name__ == "__main__":
    sys.exit(main())
