"""A finished or broken run, as its folder tells it, for the gate, merging and history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.evidence.lines import AnyLine, DeviceLine, VerdictLine
from conformance.evidence.summary import Evidence


@dataclass(frozen=True)
class Run:
    """A run as its folder tells it; ``lines`` are those of all its workers. ``breaks`` says in
    sentences what was lost, added or changed since they were written."""

    folder: Path
    evidence: Evidence
    lines: tuple[AnyLine, ...]
    breaks: tuple[str, ...] = ()

    @property
    def verdicts(self) -> Iterator[VerdictLine]:
        """The verdicts, shrinking's among them."""
        return (line for line in self.lines if isinstance(line, VerdictLine))

    @property
    def device(self) -> DeviceLine:
        """The device that was judged; `whole` has seen that there is one."""
        return self.evidence.devices[0]
