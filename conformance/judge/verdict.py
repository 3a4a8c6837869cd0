"""The verdict: what the judge says of one observation, and the figures that back it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import verdict as say
from conformance.catalogue.message import row
from conformance.record.clause import Clause

if TYPE_CHECKING:
    from conformance.call.case import Case

STEPS = tuple(
    step()
    for step in (
        say.DECLARED_ORDER,
        say.CERTIFICATE,
        say.EVERY_ORDER,
        say.INTERVAL,
        say.ORDER_DRIFT,
        say.EVERY_BYTE,
        say.EXACT_INTEGERS,
        say.BOUNDS,
        say.NOT_BOUNDED,
        say.SELECTION,
        say.UNSPECIFIED,
        say.SHAPE_AND_DTYPE,
    )
)
"""What decides an output (docs/reference/contracts.md)."""


@dataclass(frozen=True)
class Derivation:
    """The figures behind the accepted set of a sum (docs/explanation/numerics.md).

    ``step`` tells which of them decided. ``terms`` is n, the count of terms that are not zero;
    ``unit_roundoff`` u of the accumulator; ``exact`` s*, the exact sum; ``magnitude`` A, the sum of
    the terms' magnitudes; ``error`` E, what any order may have lost before its last addition.
    """

    step: str
    terms: int
    unit_roundoff: float
    exact: float
    magnitude: float
    error: float


@dataclass(frozen=True)
class WorstElement:
    """The element that is farthest from what is accepted.

    ``observed`` is its storage pattern, ``accepted`` the legal ones: inclusive ranges by rising
    value, a NaN standing for all. ``derivation`` is None where the value is moved, not computed.
    ``str()`` gives ``text``, the sentences about it.
    """

    position: tuple[int, ...]
    observed: int
    accepted: tuple[tuple[int, int], ...]
    text: str
    derivation: Derivation | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class OutputVerdict:
    """The judgement of one output.

    ``step`` is the last that was needed to decide; ``order-drift`` is that of an element that is
    legal but off a declared order, which fails if the contract promises that order. ``clause``
    is the one broken, or the contract's own. ``elements`` were judged; for ``exact`` of them only
    one value was acceptable, and they have it;
    ``mismatches`` of them are wrong; ``order_drift`` of them are legal, off the declared order.
    ``headroom`` is the smallest share of the accepted error that a legal element left unused
    which the interval had to decide (1: at the exact value, 0: at the edge, None: there was none).
    ``worst`` is the worst element, None if none is to blame; ``pattern`` tells where the wrong ones
    lie, ``guesses`` what they would come from, each with its evidence. Of a selection ``rows`` were
    judged, and ``certain_rows`` of them have one legal answer. Nothing bounds ``unbounded`` further
    elements on a device of which so little is known. ``wrong`` says which elements are wrong, of an
    output that others depend on.
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
    worst: WorstElement | None = None
    pattern: str = ""
    guesses: Sequence[str] = field(default=(), repr=False)
    rows: int = 0
    certain_rows: int = 0
    unbounded: int = 0
    wrong: NDArray[np.bool_] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Verdict:
    """The judgement of one call; ``text`` is what a person reads, as ``str()`` has it.

    ``headline`` is one sentence. ``findings`` are further sentences, strongest first: diagnostics,
    damaged guard zones, changed inputs, the worst element, the pattern of the mismatch. ``clause``
    is the clause that is broken. ``subject`` is what was judged, told by its text.
    ``standards`` has what published standards say of the summed outputs, by name, if asked.
    ``judged`` is False where the device could not make the call: then ``ok`` says nothing of it.
    ``beside`` is what came of a second implementation beside the first
    (`conformance.judge.beside`), "" without one.
    """

    ok: bool
    headline: str
    outputs: Mapping[str, OutputVerdict] = field(default_factory=dict)
    findings: Sequence[str] = field(default=(), repr=False)
    clause: Clause | None = None
    subject: Case | str = ""
    standards: Mapping[str, str] = field(default_factory=dict)
    judged: bool = True
    beside: str = ""

    @property
    def text(self) -> str:
        """All sentences, a line each, in the languages of the catalogue."""
        lines = [self.headline]
        if self.clause is not None:
            lines.append("  " + say.CONTRACT(text=self.clause.text, origin=self.clause.origin))
        lines += ["  " + line for finding in self.findings for line in finding.splitlines()]
        subject = self.subject if isinstance(self.subject, str) else self.subject.text
        lines += ["  " + line for line in subject.splitlines()]
        return row(lines, "\n")

    def __str__(self) -> str:
        return str(self.text)
