"""Pytest is a fork of the front door, or a Python of its own where a fork would lack something."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.front_door import ROOT
from tests.waiting import HANGS

STARTS = """
import json, sys, threading
from pathlib import Path
from conformance.cli.pytest_process import start

folder, kind, *more = sys.argv[1:]
if kind == "threads":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
environment = {"PATH": "/usr/bin", "PYTHONPATH": "elsewhere", "SAID": "so"}
with open(folder + "/log", "wb") as log:
    process = start([folder, "-q", *more], environment, log, anew=kind == "anew")
    print(json.dumps([process.wait(), type(process).__name__]))
"""
"""Starts pytest on a folder; prints its status and what kind of process it was."""

TELLS = """
import json, os, signal, sys
from pathlib import Path

def test_tells(request):
    told = {
        "environment": {name: os.environ[name] for name in sorted(os.environ) if name != "LC_CTYPE"
                        and not name.startswith("PYTEST")},
        "leads": os.getsid(0) == os.getpid(),
        "handlers": [str(signal.getsignal(n)) for n in (signal.SIGINT, signal.SIGTERM)],
        "input": os.readlink("/proc/self/fd/0"),
        "searched": [path for path in sys.path if path.startswith(os.getcwd())],
        "arguments": [str(one) for one in request.config.invocation_params.args][-2:],
    }
    Path(__file__).with_name("told.json").write_text(json.dumps(told))
"""


def started(folder: Path, kind: str, *more: str) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-c", STARTS, str(folder), kind, *more],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=HANGS,
    )
    ended: list[object] = json.loads(done.stdout)
    return ended


def test_a_fork_has_what_a_python_has_that_is_started_anew(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TELLS)
    told = []
    for kind, of in (("fork", "Fork"), ("anew", "Popen"), ("threads", "Popen")):
        assert started(tmp_path, kind, "-p", "no:cacheprovider") == [0, of]
        assert "1 passed" in (tmp_path / "log").read_text()
        told.append(json.loads((tmp_path / "told.json").read_text()))
    assert told[0] == told[1] == told[2]
    assert told[0]["environment"]["SAID"] == "so"
    assert told[0]["leads"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("assert False", 1),
        ("import os; os._exit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
    ],
)
def test_a_fork_ends_with_the_status_of_pytest(tmp_path: Path, body: str, status: int) -> None:
    (tmp_path / "test_it.py").write_text(f"def test_it():\n    {body}\n")
    assert started(tmp_path, "fork") == [status, "Fork"]
