"""torch_npu in an environment of its own: `make test` sets it up beside the suite's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from device_kernels.build import build
from tests.waiting import HANGS

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".venv-torch_npu"
PROGRAMS = Path(__file__).parent / "programs"

Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def interpreter() -> Path:
    """The Python that has torch_npu."""
    python = ENVIRONMENT / "bin" / "python"
    ask = "import importlib.util as u; raise SystemExit(u.find_spec('torch_npu') is None)"
    if not python.exists() or subprocess.run([python, "-c", ask]).returncode:
        pytest.skip(f"{ENVIRONMENT.name} has no torch_npu: make {ENVIRONMENT.name}/.ready")
    return python


@pytest.fixture(scope="session")
def run(interpreter: Path) -> Program:
    """Runs a module or a program of this folder in that Python, with the suite's own libraries."""
    libraries = str(build(quiet=True).lib)

    def called(*arguments: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "SUITE_LIBRARIES": libraries, **env}
        command = [str(interpreter), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=environment, timeout=HANGS
        )

    return called
