"""A run that was ended early and went on says what one says that nobody disturbed.

A sample of moments; ``make proofs RUN=kills`` takes 20 on two records, and ends some by SIGTERM.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from conformance.evidence.summary import write_evidence
from conformance.session.resume import finished_items
from tests.conformance.evidence.unpacking import unpacked
from tests.conformance.front_door import BY_WORKERS
from tests.proofs.killed.kills import killed
from tests.proofs.killed.resumed import differences, disturbed, summary_of

PART = ("--", "-k", "test_values and drop_pad-float32 or test_examples")


def command(out: Path, *more: str) -> list[str]:
    run = [sys.executable, "-m", "conformance", "run", *BY_WORKERS, "--out", str(out)]
    return [*run, *more, *PART]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody disturbed."""
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    assert not killed(command(out), lambda: False, out.parent)
    return out


@pytest.mark.slow
@pytest.mark.parametrize(("way", "lines"), [("killed", 40), ("interrupted", 60)])
def test_a_run_that_went_on_says_what_an_undisturbed_one_says(
    whole: Path, tmp_path: Path, way: str, lines: int
) -> None:
    one = disturbed(command, tmp_path / "run", way, lines)
    assert differences(tmp_path / "run", whole, one.had_ended) == []


@pytest.mark.slow
def test_a_verdict_and_a_figure_that_differ_would_be_seen(whole: Path, tmp_path: Path) -> None:
    other = unpacked(Path(shutil.copytree(whole, tmp_path / "other")))
    (path, *_) = (one for one in other.glob("*.jsonl") if b"test_values" in one.read_bytes())
    lines = path.read_bytes().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if b"test_values" in line)
    path.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
    evidence = summary_of(other)
    evidence.cells[0].cases += 1
    write_evidence(other, evidence)
    figure, missing, verdict = differences(other, whole, had_ended=finished_items(whole))
    assert figure.startswith("another cell: ")
    assert missing.startswith("no such cell: ")
    assert verdict.endswith("accepted 1 more time in the second")
