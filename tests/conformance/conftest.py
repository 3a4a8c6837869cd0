"""What several modules of tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.toy_runs import Run, toy_runs


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs pytest on the toy suite."""
    return toy_runs(tmp_path)
