"""Another program of Python than the one that runs the suite: what runs there, and why not."""

from __future__ import annotations

import subprocess
from pathlib import Path

from conformance.devices.child import environment

WORKER = "import conformance.devices.worker"
SECONDS = 60
"""That a program may take to import what a device process needs."""


def answer(python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What the program says, called with these words; it finds this suite.

    Raises OSError if it does not start, subprocess.TimeoutExpired if it hangs.
    """
    command, there = [str(python), *words], environment("host")
    return subprocess.run(
        command, capture_output=True, text=True, env=there, check=False, timeout=SECONDS
    )


def why_not_started(python: Path) -> str:
    """Why the program cannot run a device's process, in a line; "" if it can."""
    try:
        ended = answer(python, "-c", WORKER)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return last_line(ended.stderr) if ended.returncode else ""


def last_line(text: str) -> str:
    """The last line that says something."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")
