"""The end of a pytest session decides nothing: not in a checkout that cannot be written, nor where
another plugin warns."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.evidence.summary import read_evidence
from tests.conformance.front_door import NAME
from tests.conformance.read_only import in_read_only_checkout, why_not
from tests.conformance.toy_runs import Run

WHY_NOT = why_not()
CALL = ("-m", "pytest", "cases/test_examples.py", "-q", "-n", "0")
ASKED = ("--device=sim", f"--conformance-operator={NAME}")

NOISY = """
import warnings

def pytest_sessionfinish():
    warnings.warn("noise at the end")

def pytest_terminal_summary():
    warnings.warn("noise in the summary")
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_a_read_only_checkout_is_judged_by_its_finished_build(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    out = tmp_path / "run"
    done = in_read_only_checkout(*CALL, *ASKED, f"--conformance-out={out}", environment=environment)
    assert done.returncode == 0, done.stdout
    assert "PytestCacheWarning: c" in done.stdout, "pytest cannot keep what it would"
    assert "Traceback" not in done.stdout
    evidence = read_evidence(out)
    assert evidence is not None
    assert (evidence.status, evidence.exit_status) == ("finished", 0)
    assert not (tmp_path / "cache").exists(), "nothing was built anew"


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_a_read_only_checkout_without_a_folder_for_the_run_is_wrong_use() -> None:
    done = in_read_only_checkout(*CALL, *ASKED)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert "reports is no folder that can be written" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize("workers", ["0", "1"])
def test_what_a_plugin_warns_of_at_the_end_is_told_and_fails_nothing(
    run: Run, tmp_path: Path, workers: str
) -> None:
    (tmp_path / "toy" / "noisy.py").write_text(NOISY)
    more = ("-p", "noisy", "-W", "error", "-n", workers)
    ended = run("-k", "plain-int32", *more, path=str(tmp_path / "toy"))
    assert ended.status == 0, ended.output
    assert (ended.evidence.status, ended.evidence.exit_status) == ("finished", 0)
    assert "noise at the end" in ended.output
    assert "noise in the summary" in ended.output


def test_a_session_that_judges_nothing_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "toy" / "noisy.py").write_text(NOISY)
    (tmp_path / "toy" / "check_nothing.py").write_text("def test_nothing(): pass\n")
    more = ("-p", "noisy", "-W", "error")
    ended = run(*more, file="check_nothing.py", path=str(tmp_path / "toy"))
    assert ended.status not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert "UserWarning: noise at the end" in ended.output
