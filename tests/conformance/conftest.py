"""What several modules of tests use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

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
