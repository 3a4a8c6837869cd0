"""The verdict: what the judge says of one observation, and the figures that back it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.operator import Clause


@dataclass(frozen=True)
class OutputVerdict:
    """The judgement of one output.

    ``step`` is the last step that was needed to decide: ``declared order``, ``certificate`` or ``interval``.
    ``elements`` were judged, ``exact`` of them bit-exactly, ``mismatches`` of them wrong.
    ``headroom`` is the smallest share of the accepted error that an interval-judged element left
    unused (1: at the exact value, 0: at the edge, None: nothing was judged by an interval).
    ``worst`` tells the worst element in words; ``order_drift`` counts elements that are inside the
    accepted set but off an order that the contract promises.
    """

    output: str
    ok: bool
    clause: Clause
    step: str
    elements: int
    exact: int
    mismatches: int = 0
    order_drift: int = 0
    headroom: float | None = None
    worst: str = ""
    pattern: str = ""


@dataclass(frozen=True)
class Verdict:
    """The judgement of one call; ``str(verdict)`` is the text that a person reads.

    ``headline`` is one sentence. ``findings`` are further sentences, strongest first: diagnostics,
    damaged guard zones, changed inputs, the worst element, the pattern of the mismatch.
    """

    ok: bool
    headline: str
    outputs: Mapping[str, OutputVerdict] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    clause: Clause | None = None
    subject: str = ""

    def __str__(self) -> str:
        lines = [self.headline]
        if self.clause is not None:
            lines.append(f"  contract: {self.clause.text} [{self.clause.source_class.value}: {self.clause.source}]")
        lines += [f"  {finding}" for finding in self.findings]
        lines += [f"  {line}" for line in self.subject.splitlines()]
        return "\n".join(lines)
