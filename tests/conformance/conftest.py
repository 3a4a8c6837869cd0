"""What several modules of tests use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.judge import calls
from tests.conformance.front_door import ROOT
from tests.conformance.toy_runs import Run, toy_runs


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs pytest on the toy suite."""
    return toy_runs(tmp_path)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what a run needs of the checkout."""
    for part in ("conformance", "reference", "cases", "device_kernels"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, tmp_path / "checkout" / part, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "checkout")
    return tmp_path / "checkout"


@pytest.fixture(autouse=True)
def _judges_of_the_suite_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A toy record has a contract of its own: no later test in the process is to know its judge."""
    monkeypatch.setattr(calls, "JUDGES", dict(calls.JUDGES))
