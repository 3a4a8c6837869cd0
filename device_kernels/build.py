"""Builds the simulated device and the kernels, once per content of their sources.

Three steps with a key each: the runtime (``libascendcl.so`` with the CPU model of Ascend C, and the
plumbing that all operators share), an archive for each operator, and ``libopapi.so``, which is
linked of those that are asked for. Each object file of an operator is kept, too: an edited source
costs its own compilation. A key is the SHA-256 of every source, the compiler's version and the
flags; a finished step lies under its key and is never changed. ``python -m device_kernels.build``
prints the folder of the libraries.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from device_kernels.sources import ROOT, Inputs, operators
from device_kernels.steps import WARNINGS, Steps, finished
from device_kernels.toolchain import BuildError, compiler

__all__ = ["CHECKS", "ROOT", "Build", "BuildError", "build", "cache_folder"]

Tell = Callable[[str], None]

CHECKS = ("off", "all")
"""off: speed alone. all: memory, arguments, queues, flags, synchronisation, races between blocks
and undefined bytes (device_kernels/simulator/language/engine/report/checks.h).
"""

_ATTEMPTS = 3


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
    only: Collection[str] | None = None,
    checks: str = "all",
    quiet: bool = False,
    progress: Tell | None = None,
    coverage: bool = False,
) -> Build:
    """The libraries for the operators in the folders ``kernels`` (default: this package's own).

    ``only`` names the operators that are needed, None: all of the folders.
    ``checks`` is one of ``CHECKS``: what the simulated device watches while a kernel runs.
    ``coverage`` counts which of the operators' lines and branches are run, by gcov (g++ only).
    ``progress`` gets one line when a compilation starts and one when it ends; without it they go to
    stderr, unless ``quiet``: on a terminal with each file between them. Raises ``BuildError``.
    """
    start = time.perf_counter()
    tell = progress or (_silent if quiet else _to_stderr)
    if checks not in CHECKS:
        raise BuildError(f"checks is {checks!r}; it must be one of {', '.join(CHECKS)}")
    folders = [Path(folder).resolve() for folder in kernels or (ROOT / "kernels",)]
    inputs = Inputs(operators(folders, only), compiler(), checks, coverage)
    compiling, folder = "", cache_folder()
    if folder == _temporary():
        _check_owner(folder)
    shown = _to_terminal if tell is _to_stderr and sys.stderr.isatty() else None
    for _ in range(_ATTEMPTS):
        steps = Steps(inputs, inputs.keys(), folder, shown)
        larger = (Steps(one, one.keys(), folder, shown) for one in _of_all(inputs, folders, only))
        steps = _placed(steps, larger)
        if finished(steps.opapi):
            seconds = time.perf_counter() - start
            warnings = (steps.opapi / WARNINGS).read_text()
            if compiling:
                tell(f"built {compiling} in {seconds:.1f} s")
            if compiling and warnings:
                tell(warnings)
            return Build(
                lib=steps.opapi / "lib",
                runtime=steps.runtime / "lib",
                key=steps.keys.opapi,
                seconds=seconds,
                cached=not compiling,
                warnings=warnings,
            )
        compiling = steps.words()
        if folder == _temporary():
            tell(f"nothing but temporary files can be written: the build will lie in {folder}")
        tell(f"building {compiling} ...")
        steps.make_runtime()
        if finished(steps.runtime):
            steps.make_libraries()
    raise BuildError(f"sources changed during each of {_ATTEMPTS} compilations; build again")


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


def _of_all(
    inputs: Inputs, folders: Sequence[Path], only: Collection[str] | None
) -> Iterator[Inputs]:
    """What a build of all operators in the folders is made of, if ``only`` some are needed."""
    with contextlib.suppress(BuildError):
        if only is not None:
            yield replace(inputs, folders=operators(folders))


def _placed(steps: Steps, larger: Iterable[Steps]) -> Steps:
    """The steps of a build, or of one with more operators, as they lie finished in the checkout,
    where nothing need be written; else as they are.
    """
    if os.environ.get("MOE_CONFORMANCE_CACHE") or steps.cache == ROOT.parent / "build":
        return steps
    places = (replace(one, cache=ROOT.parent / "build") for one in (steps, *larger))
    return next((one for one in places if finished(one.runtime) and finished(one.opapi)), steps)


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


_CLEAR = "\r\x1b[K"


def _to_stderr(line: str) -> None:
    print(f"{_CLEAR if sys.stderr.isatty() else ''}{line}", file=sys.stderr, flush=True)


def _to_terminal(number: int, files: int, source: str) -> None:
    """Where a build is, on one line that the next one replaces."""
    print(f"{_CLEAR}  {number} of {files}: {source}", end="", file=sys.stderr, flush=True)


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
    parser.add_argument(
        "--operator", action="append", help="build OPERATOR alone (repeatable; default: all)"
    )
    parser.add_argument("--quiet", action="store_true", help="print the folder only")
    options = parser.parse_args(arguments)
    try:
        result = build(
            *options.kernels, only=options.operator, checks=options.checks, quiet=options.quiet
        )
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    print(result.lib)
    return 0


if __name__ == "__main__":
    sys.exit(main())
