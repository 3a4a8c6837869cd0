"""The verdict: what the judge says of one observation, and the figures that back it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.operator import Clause


@dataclass(frozen=True)
class OutputVerdict:
    """The judgement of one output.

    ``step`` is the last step that was needed to decide: ``declared order``, ``certificate``,
    ``interval``; or ``order-drift`` where an element is legal but off a declared order, which fails
    if the contract promises that order. ``clause`` is the one broken, or the contract's own.
    ``elements`` were judged; for ``exact`` of them only one value was acceptable, and they have it;
    ``mismatches`` of them are wrong; ``order_drift`` of them are legal, off the declared order.
    ``headroom`` is the smallest share of the accepted error that a legal element with alternatives
    left unused (1: at the exact value, 0: at the edge, None: there was no such element).
    ``worst`` tells the worst element in words, ``pattern`` where the wrong ones lie, ``guesses``
    what they would come from, each with its evidence.
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
    guesses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The judgement of one call; ``str(verdict)`` is the text that a person reads.

    ``headline`` is one sentence. ``findings`` are further sentences, strongest first: diagnostics,
    damaged guard zones, changed inputs, the worst element, the pattern of the mismatch. ``clause``
    is the clause that is broken. ``subject`` describes what was judged.
    ``standards`` has what published standards say of the summed outputs, by name, if asked.
    """

    ok: bool
    headline: str
    outputs: Mapping[str, OutputVerdict] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    clause: Clause | None = None
    subject: str = ""
    standards: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [self.headline]
        if self.clause is not None:
            origin = f"{self.clause.source_class.value}: {self.clause.source}"
            lines.append(f"  contract: {self.clause.text} [{origin}]")
        lines += [f"  {line}" for finding in self.findings for line in finding.splitlines()]
        lines += [f"  {line}" for line in self.subject.splitlines()]
        return "\n".join(lines)
