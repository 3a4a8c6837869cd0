"""Shards that other hosts are still judging, until all have ended or a time is over."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.catalogue import merging as say
from conformance.errors import UsageError
from conformance.evidence.packed import last_link
from conformance.evidence.summary import read_evidence

LONGEST_PAUSE = 5.0
"""Seconds between two looks."""


@dataclass(frozen=True)
class Clock:
    """Seconds that go by; a test has others."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def seconds_asked(text: str | None) -> float:
    """How long to wait, 0 if not at all. Raises `UsageError`."""
    if text is None:
        return 0.0
    if not text.isascii() or not text.isdigit():
        raise UsageError("wait", text, say.ALLOWED_WAITS())
    return float(text)


def wait(
    folders: Sequence[Path],
    seconds: float,
    tell: Callable[[int], None] = lambda ended: None,
    clock: Clock = Clock(),
) -> None:
    """Return when all runs have ended, or so many seconds later; ``tell`` how many have."""
    end, left = clock.now() + seconds, [*folders]
    while True:
        left = [folder for folder in left if not has_ended(folder)]
        tell(len(folders) - len(left))
        pause = min(LONGEST_PAUSE, end - clock.now())
        if not left or pause <= 0:
            return
        clock.sleep(pause)


def has_ended(folder: Path) -> bool:
    """Whether a run has ended whose files are all there: a folder may be on its way from a host."""
    evidence = read_evidence(folder)
    if evidence is None or evidence.status == "running" or evidence.seal is None:
        return False
    with contextlib.suppress(OSError):
        known = evidence.seal.files.items()
        return all(str(last_link(folder / name)) == link for name, link in known)
    return False
