"""A run and a writer of the history that are ended by force leave what can be trusted.

A sample of moments; ``make proofs RUN=kills`` takes 50 of each.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conformance.gate.runs import run
from tests.conformance.toy_runs import toy_runs
from tests.proofs.killed.kills import (
    after,
    check_history,
    check_run,
    environment,
    importing,
    killed,
    told_of,
)

RUNS = 12


@pytest.mark.parametrize("verdicts", [40])
def test_a_killed_run_is_readable_and_incomplete_and_keeps_every_verdict(
    tmp_path: Path, verdicts: int
) -> None:
    toy_runs(tmp_path)
    command = [sys.executable, "-m", "pytest", "check_copying.py", "-q", "-n", "2"]
    command += ["-p", "conformance.plugin", "--conformance-operators=records"]
    command += ["--conformance-operator=copying", "--conformance-profile=gate"]
    told = tmp_path / "acknowledged"
    moment = told_of(told, verdicts)
    assert killed(command, moment, tmp_path / "toy", TOY="good", **environment(told))
    left = check_run(tmp_path / "toy" / "reports" / "pytest", told)
    assert left == "incomplete with verdicts"


def test_a_lost_verdict_would_be_seen(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", status="running")
    told = tmp_path / "acknowledged"
    told.write_text("main t::t[x] digest generate True\n")
    with pytest.raises(AssertionError, match="1 flushed verdicts are lost"):
        check_run(folder, told)


@pytest.mark.parametrize("seconds", [0.4, 0.7])
def test_a_history_whose_writer_was_killed_is_whole(tmp_path: Path, seconds: float) -> None:
    runs = [run(tmp_path / f"run{n}", seed=n) for n in range(RUNS)]
    db = tmp_path / "h.sqlite"
    killed(importing(db, runs), after(seconds), tmp_path)
    assert 0 <= check_history(db, runs) <= RUNS
