"""Runs of pytest on the toy suite, and what they leave."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.evidence.contradictions import contradictions
from conformance.evidence.lines import VerdictLine, read_lines
from conformance.evidence.reading import read_run
from conformance.evidence.summary import Evidence, read_evidence
from tests.conformance import forked_python
from tests.waiting import HANGS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CELLS = [f"copying-{mode}-{dtype}" for mode in ("plain", "careful") for dtype in ("int32", "int64")]


@dataclass(frozen=True)
class Ended:
    """A pytest run that has ended."""

    status: int
    output: str
    out: Path

    @property
    def evidence(self) -> Evidence:
        """What the run's folder says, which contradicts itself nowhere, however the run ended."""
        evidence = read_evidence(self.out)
        assert evidence is not None, self.output
        assert list(contradictions(read_run(self.out))) == []
        return evidence

    def verdicts(self, cell: str = "") -> list[VerdictLine]:
        lines = [line for line in read_lines(self.out) if isinstance(line, VerdictLine)]
        return [line for line in lines if cell in line.item]


Run = Callable[..., Ended]


def toy_runs(place: Path) -> Run:
    """Runs pytest on a copy of the toy suite in ``place``; its device behaves as ``toy`` says.

    No file that the run writes may grow beyond ``most_bytes``, where that is given. Modules are
    looked for in ``path``, too.
    """
    folder = place / "toy"
    shutil.copytree(HERE / "toy", folder, ignore=shutil.ignore_patterns("__pycache__"))

    def go(
        *arguments: str,
        file: str = "check_copying.py",
        toy: str = "good",
        most_bytes: int | None = None,
        path: str = "",
    ) -> Ended:
        words = [file, "-q", "-p", "conformance.plugin", "--conformance-operators=records"]
        words += arguments
        if not any(a.startswith("--conformance-operator=") for a in arguments):
            words += ["--conformance-operator=copying"]
        searched = f"{ROOT}:{path}" if path else str(ROOT)
        environment = {**os.environ, "PYTHONPATH": searched, "TOY": toy}
        out = folder / "reports" / "pytest"
        if most_bytes is None and not path and forked_python.can_fork(environment):
            status, *printed = forked_python.run("pytest", words, folder, environment)
            return Ended(status, "".join(printed), out)
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if most_bytes is not None:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        output, _ = process.communicate(timeout=HANGS)
        return Ended(process.returncode, output, out)

    return go
