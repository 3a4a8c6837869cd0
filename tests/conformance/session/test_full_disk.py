"""A folder that fills up while a run writes it: told in a line, and no verdict is lost or torn."""

from __future__ import annotations

import re
import subprocess

import pytest

from conformance.evidence.lines import VerdictLine, read_lines
from tests.conformance.toy_runs import ROOT, Run

MOST_BYTES = 20_000
"""Enough for the evidence to begin, too little for the verdicts of one cell."""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_that_cannot_write_its_evidence_has_judged_nothing(run: Run, workers: str) -> None:
    ended = run("-n", workers, most_bytes=MOST_BYTES)
    assert ended.status == 3, ended.output
    assert re.search(r"nothing was judged: the evidence, .*, cannot be written: ", ended.output)
    assert "accepted" not in ended.output
    assert "Traceback" not in ended.output
    assert "INTERNALERROR" not in ended.output
    lines = [line for line in read_lines(ended.out) if isinstance(line, VerdictLine)]
    assert lines, "what was written before stays"
    lock = subprocess.run(
        ["git", "rev-parse", "--git-path", "index.lock"], cwd=ROOT, capture_output=True, text=True
    )
    if lock.returncode == 0:
        assert not (ROOT / lock.stdout.strip()).exists(), "the provenance only looks at git"


def test_a_run_goes_on_when_there_is_room_again(run: Run) -> None:
    run("-k", "plain", most_bytes=MOST_BYTES)
    ended = run("--conformance-resume", "-k", "plain")
    assert ended.status == 0, ended.output
    assert [cell.complete for cell in ended.evidence.cells] == [True] * 4
