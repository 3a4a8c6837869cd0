"""One stored case shows its progress on a terminal, and is silent in a pipe."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.failure.replay import Replay, save
from tests.conformance.front_door import ROOT, conformance, host


def test_a_stored_case_shows_its_stages_on_a_terminal_alone(tmp_path: Path) -> None:
    save(Replay(OPERATOR.examples[0].case), tmp_path / "case.json")
    arguments = ("run", "--case", "case.json", "--device", "sim")
    piped = conformance(*arguments, folder=tmp_path)
    assert piped.status == 0
    assert "judging" not in piped.out + piped.err
    shown = on_a_terminal(*arguments, folder=tmp_path)
    assert "judging" in shown
    assert "accepted" in shown


def on_a_terminal(*arguments: str, folder: Path) -> str:
    """What a command writes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "conformance", *arguments],
        cwd=folder,
        env=host(COLUMNS="100", TERM="xterm", PYTHONPATH=str(ROOT)),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        written = bytearray()
        try:
            while part := os.read(ours, 4096):
                written += part
        except OSError:  # Linux says so where the other side has closed the terminal
            pass
    os.close(ours)
    return written.decode()
