"""A run that was ended early and went on, compared with one that nobody disturbed."""

from __future__ import annotations

import reprlib
import signal
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.evidence.packed import files_of_lines, raw_lines
from conformance.evidence.summary import COUNTED, Cell, Evidence, read_evidence
from conformance.session.resume import finished_items
from tests.proofs.killed.kills import ended
from tests.proofs.workers_run import Key, difference, verdicts

WAYS = {"killed": signal.SIGKILL, "interrupted": signal.SIGINT, "terminated": signal.SIGTERM}
"""How a run is ended, by words."""

SAME = ("status", "exit_status", "cases", "coverage", "cut", "unreached", "unjudged")
"""What the summary of a run that went on says as the summary of one that was not disturbed."""


@dataclass(frozen=True)
class Disturbed:
    """A run that was ended ``way`` at ``lines`` on record, and then went on.

    ``had_ended`` are its items that had ended by then.
    """

    way: str
    lines: int
    had_ended: frozenset[str]

    def __str__(self) -> str:
        return f"{self.way} at {self.lines} lines, {len(self.had_ended)} items had ended"


def on_record(out: Path, lines: int) -> Callable[[], bool]:
    """The moment in which so many lines are on record in a run's folder."""

    def reached() -> bool:
        return count_of_lines(out) >= lines

    return reached


def count_of_lines(out: Path) -> int:
    """How many lines a run's folder has on record."""
    lines = (raw for path in files_of_lines(out) for raw in raw_lines(path))
    return sum(raw.endswith(b"\n") for raw in lines)


def disturbed(command: Callable[..., Sequence[str]], out: Path, way: str, lines: int) -> Disturbed:
    """End a run by a signal once so many lines are on record, and let it go on.

    ``command`` makes the words of a run from its folder and further options.
    """
    early = ended(command(out), on_record(out, lines), out.parent, WAYS[way])
    assert early, f"the run ended before {lines} lines were on record"
    found = count_of_lines(out)
    assert found >= lines
    had_ended = frozenset(finished_items(out))
    assert not ended(command(out, "--resume"), lambda: False, out.parent, signal.SIGKILL)
    return Disturbed(way, found, had_ended)


def differences(out: Path, whole: Path, had_ended: Collection[str]) -> list[str]:
    """What a run that went on says otherwise than one that was not disturbed.

    What an item judged that had not ended is judged again, so that its verdicts may stand twice.
    """
    after, undisturbed = summary_of(out), summary_of(whole)
    told = []
    for name in SAME:
        one, other = getattr(after, name), getattr(undisturbed, name)
        if one != other:
            told.append(f"{name} is {reprlib.repr(one)}, undisturbed {reprlib.repr(other)}")
    expected = [_timeless(cell) for cell in undisturbed.cells]
    cells = [_timeless(cell) for cell in after.cells]
    told += [f"another cell: {cell}" for cell in cells if cell not in expected]
    told += [f"no such cell: {cell}" for cell in expected if cell not in cells]
    failed, to_fail = (
        {*(line.item for line in one.failures), *one.errors} for one in (after, undisturbed)
    )
    told += [f"failed in one of the two: {item}" for item in sorted(failed ^ to_fail)]
    reached = _once(verdicts(out, COUNTED), had_ended)
    return told + difference(reached, _once(verdicts(whole, COUNTED), had_ended))


def summary_of(out: Path) -> Evidence:
    """The summary of a run that has ended."""
    evidence = read_evidence(out)
    assert evidence is not None, f"{out} holds no evidence"
    return evidence


def _once(reached: Counter[Key], had_ended: Collection[str]) -> Counter[Key]:
    """How often each verdict was reached by an item that had ended; of the others, whether."""
    return Counter({key: often if key[0] in had_ended else 1 for key, often in reached.items()})


def _timeless(cell: Cell) -> Cell:
    return msgspec.structs.replace(cell, seconds=0.0, shrink_attempts=0)
