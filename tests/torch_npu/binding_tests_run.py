"""The tests of torch_npu's binding, unchanged, on a simulated NPU.

``OP_PLUGIN_HOME=FOLDER python -m tests.torch_npu.binding_tests_run`` runs those of a checkout of
op-plugin that call MoE functions, each file in a process of its own, and lists them. They import
torch_npu.testing, which needs the package expecttest in .venv-torch_npu. Ends with status 1 if a
test fails or a file cannot be run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.torch_npu.conftest import ENVIRONMENT, ROOT

FILES = "test/test_custom_ops/test_npu_moe_*.py"
PROGRAM = """
import os, sys
from conformance.devices.torch_npu.simulate import simulate
simulate(fallback=True)
import pytest
sys.exit(pytest.main([sys.argv[1], "-q", "-p", "no:cacheprovider", "-W", "ignore", "-c", os.devnull,
                      "--rootdir", sys.argv[3], "--junitxml", sys.argv[2]]))
"""
STATES = ("passed", "failed", "skipped")


@dataclass(frozen=True)
class Ran:
    """A file: how many of its tests ended in each of ``STATES``, and why the others did not."""

    name: str
    counts: Counter[str]
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        counts = ", ".join(f"{self.counts[state]} {state}" for state in STATES)
        return "\n  ".join([f"{self.name:60}{counts}", *self.reasons])


def ran(file: Path, python: Path) -> Ran:
    """One file, in a process of its own. A file that gives no report is one failure."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "junit.xml")
        done = subprocess.run(
            [str(python), "-c", PROGRAM, str(file), str(report), str(file.parent)],
            cwd=file.parent,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            errors="replace",
        )
        if not report.exists():
            last = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
            return Ran(file.name, Counter(failed=1), (f"status {done.returncode}: {last}",))
        return told(file.name, report)


def told(name: str, report: Path) -> Ran:
    """What pytest reports of a file."""
    found = [_ended(case) for case in ElementTree.parse(report).getroot().iter("testcase")]
    return Ran(
        name,
        Counter(state for state, _ in found),
        tuple(reason for state, reason in found if state != "passed"),
    )


def _ended(case: ElementTree.Element) -> tuple[str, str]:
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            state = "skipped" if child.tag == "skipped" else "failed"
            said = (child.get("message") or "").strip().splitlines()
            return state, f"{state} {case.get('name')}: {said[0] if said else 'no word'}"
    return "passed", ""


def files(checkout: Path) -> list[Path]:
    return sorted(checkout.glob(FILES))


def main() -> int:
    named = os.environ.get("OP_PLUGIN_HOME")
    found = files(Path(named)) if named else []
    if not found:
        print(f"OP_PLUGIN_HOME is {named}: it must name a folder that has {FILES}")
        return 2
    total: Counter[str] = Counter()
    for file in found:
        one = ran(file.resolve(), ENVIRONMENT / "bin" / "python")
        print(one, flush=True)
        total += one.counts
    print(", ".join(f"{total[state]} {state}" for state in STATES))
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
