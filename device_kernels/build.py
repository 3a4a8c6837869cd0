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
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from device_kernels.toolchain import BuildError, compile_libraries, compiler

__all__ = ["Build", "BuildError", "Progress", "build", "cache_folder"]

ROOT = Path(__file__).resolve().parent
Progress = Callable[[str], None]

_ATTEMPTS = 3
_FLAG_VARIABLES = ("CXXFLAGS", "LDFLAGS")
_SOURCES = {".c", ".cmake", ".cpp", ".h", ".hpp", ".in", ".map", ".txt"}


@dataclass(frozen=True)
class Build:
    """``lib``: the folder of libascendcl.so and libopapi.so. ``key``: SHA-256 of all that went in.

    ``seconds``: what this call took. ``cached``: nothing had to be compiled.
    """

    lib: Path
    key: str
    seconds: float
    cached: bool


def build(
    kernels: Path | None = None, *, quiet: bool = False, progress: Progress | None = None
) -> Build:
    """The libraries for the operators in ``kernels`` (default: this package's own).

    ``progress`` gets one line when a compilation starts and one when it ends; without it they go to
    stderr, unless ``quiet``. Raises ``BuildError``.
    """
    start = time.perf_counter()
    tell = progress or (_silent if quiet else _to_stderr)
    inputs = _Inputs((ROOT / "kernels" if kernels is None else Path(kernels)).resolve(), compiler())
    names = sorted(source.parent.name for source in inputs.kernels.glob("*/*_kernel.cpp"))
    if not names:
        raise BuildError(f"kernels is {inputs.kernels}: it has no <operator>/<operator>_kernel.cpp")
    operators = f"{len(names)} kernel{'s' if len(names) > 1 else ''}: {', '.join(names)}"
    compiling = ""
    for _ in range(_ATTEMPTS):
        keys = inputs.keys()
        runtime, opapi = (cache_folder() / f"{step}-{key[:16]}" for step, key in keys.items())
        if _finished(opapi):
            lib, seconds = opapi / "lib", time.perf_counter() - start
            if compiling:
                tell(f"built {compiling} in {seconds:.1f} s")
            return Build(lib, keys["opapi"], seconds, not compiling)
        compiling = operators if _finished(runtime) else f"the simulator and {operators}"
        tell(f"building {compiling} ...")
        _make(runtime, inputs, keys, {"SUITE_KERNELS": ""})
        if _finished(runtime):
            library = str(runtime / "lib" / "libascendcl.so")
            sources = {"SUITE_KERNELS": str(inputs.kernels), "SUITE_ASCENDCL": library}
            _make(opapi, inputs, keys, sources)
    raise BuildError(f"sources changed during each of {_ATTEMPTS} compilations; build again")


@dataclass(frozen=True)
class _Inputs:
    kernels: Path
    compiler: str

    def keys(self) -> dict[str, str]:
        """The keys of the two steps, in order; the second is that of the whole build."""
        version = subprocess.run([self.compiler, "--version"], capture_output=True, text=True)
        flags = [f"{name}={os.environ.get(name, '')}" for name in _FLAG_VARIABLES]
        simulator = ROOT / "simulator"
        runtime = _digest(
            "\0".join([self.compiler, version.stdout, *flags]).encode(),
            [
                ("CMakeLists.txt", ROOT / "CMakeLists.txt"),
                ("cmake", ROOT / "cmake"),
                ("include", simulator / "include"),
                ("runtime", simulator / "runtime"),
                ("engine", simulator / "language" / "engine"),
                ("opapi", ROOT / "opapi"),
            ],
        )
        opapi = _digest(
            runtime.encode(),
            [("language", simulator / "language"), ("kernels", self.kernels)],
        )
        return {"runtime": runtime, "opapi": opapi}


def cache_folder() -> Path:
    """Where finished builds lie: ``$MOE_CONFORMANCE_CACHE``, else ``build/`` of the checkout, else
    (installed, or the checkout is read-only) ``moe-conformance`` in the user's cache folder.
    """
    named = os.environ.get("MOE_CONFORMANCE_CACHE")
    if named:
        return Path(named).expanduser().resolve()
    checkout = ROOT.parent
    is_checkout = (checkout / ".git").exists() or (checkout / "pyproject.toml").exists()
    if is_checkout and os.access(checkout, os.W_OK):
        return checkout / "build"
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "moe-conformance"


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
                compile_libraries(ROOT, tree / "cmake", inputs.compiler, definitions)
                (tree / "result").mkdir()
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
    parser.add_argument("--kernels", type=Path, help="the folder of operators (default: our own)")
    parser.add_argument("--quiet", action="store_true", help="print the folder only")
    options = parser.parse_args(arguments)
    try:
        result = build(options.kernels, quiet=options.quiet)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    print(result.lib)
    return 0


if __name__ == "__main__":
    sys.exit(main())
