"""Which lines and branches of the operators' C++ a run reached: gcov's counters, read by gcovr.

The libraries are built with counters; every device process adds its own to the files in one folder,
which GCOV_PREFIX names, when it ends in order. One that is ended by force loses them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from conformance.catalogue import folder_of_run as say
from conformance.devices.open import simulator_libraries
from conformance.errors import EnvironmentFailure

STRIP_ALL = "1000"
"""GCOV_PREFIX_STRIP: more folders than any path has, so that all counters lie in one folder."""


class FileCoverage(msgspec.Struct, kw_only=True):
    """One source file: how many lines and branches there are, how many of them were run.

    A line of a template is run if every instance of it is; branches count for each instance.
    ``missed_lines`` are the numbers of lines that were not run, ``missed_branches`` those of lines
    with a branch not taken. Branches that only an exception takes do not count.
    """

    file: str
    lines: int
    lines_run: int
    branches: int
    branches_run: int
    missed_lines: list[int]
    missed_branches: list[int]


def libraries(kernels: Sequence[Path] | None, only: Collection[str]) -> Path:
    """The folder of the simulator's libraries with counters, built where they are not yet.

    ``kernels`` are the folders of operators, None: the suite's own; ``only`` names the operators
    that are needed. Raises EnvironmentFailure.
    """
    if importlib.util.find_spec("gcovr") is None:
        raise EnvironmentFailure(say.NEEDS_GCOVR())
    if shutil.which("gcov") is None:
        raise EnvironmentFailure(say.NEEDS_GCOV())
    return simulator_libraries(kernels, only, coverage=True)


def environment(counters: Path) -> Mapping[str, str]:
    """Variables of the processes that are to leave their counters in that folder."""
    return {"GCOV_PREFIX": str(counters), "GCOV_PREFIX_STRIP": STRIP_ALL}


def measure(counters: Path, notes: Path, sources: Sequence[Path]) -> list[FileCoverage]:
    """The coverage of the files in the folders ``sources``, named from what these have in common.

    ``notes`` is the folder of the .gcno files of the build. Raises EnvironmentFailure where there
    are no counters, or gcovr fails.
    """
    if not any(counters.glob("*.gcda")):
        raise EnvironmentFailure(say.NO_COUNTERS(folder=counters))
    for file in notes.glob("*.gcno"):
        shutil.copy(file, counters)
    root = os.path.commonpath(sources)
    command = [sys.executable, "-m", "gcovr", "--json", "-", "--root", root, "--no-markers"]
    command += [f"--filter={re.escape(str(folder))}/" for folder in sources]
    # Launchers of a checkout are made in a folder that is gone; they are none of the sources.
    command += ["--gcov-ignore-errors=source_not_found"]
    command += ["--exclude-throw-branches", "--exclude-unreachable-branches", str(counters)]
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if ran.returncode != 0:
        last = ran.stderr.strip().splitlines()[-1]
        raise EnvironmentFailure(say.GCOVR_FAILED(error=last))
    return [_file(file) for file in json.loads(ran.stdout)["files"]]


def _file(file: Mapping[str, object]) -> FileCoverage:
    """One file of gcovr's JSON."""
    lines = file["lines"]
    assert isinstance(lines, list)
    every = {line["line_number"] for line in lines}
    missed = {line["line_number"] for line in lines if not line["count"]}
    branches = [(line["line_number"], branch) for line in lines for branch in line["branches"]]
    return FileCoverage(
        file=str(file["file"]),
        lines=len(every),
        lines_run=len(every - missed),
        branches=len(branches),
        branches_run=sum(bool(branch["count"]) for _, branch in branches),
        missed_lines=sorted(missed),
        missed_branches=sorted({number for number, branch in branches if not branch["count"]}),
    )
