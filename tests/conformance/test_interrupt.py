"""An interrupt at the front door reaches pytest and its workers, and is told at once."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from conformance import runner

PYTEST_AND_A_WORKER = """
import os, signal, sys
worker = os.fork() == 0
def interrupted(*_):
    open(sys.argv[1] + ("/worker" if worker else "/pytest"), "w").close()
    if not worker:
        os.wait()
    os._exit(0)
signal.signal(signal.SIGINT, interrupted)
open(sys.argv[1] + ("/worker.up" if worker else "/pytest.up"), "w").close()
while True:
    signal.pause()
"""


def test_an_interrupt_reaches_the_workers_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PYTEST_AND_A_WORKER, str(tmp_path)], start_new_session=True
    )

    def interrupt(seconds: float) -> None:
        if len(list(tmp_path.glob("*.up"))) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(runner, "time", SimpleNamespace(sleep=interrupt))
    told = io.StringIO()
    request: Any = SimpleNamespace(out=tmp_path / "out", expected=1)
    assert runner._watch(process, request, Console(file=told))
    assert sorted(path.name for path in tmp_path.iterdir() if not path.suffix) == [
        "pytest",
        "worker",
    ]
    assert told.getvalue() == "interrupted: what was judged is summed up\n"
