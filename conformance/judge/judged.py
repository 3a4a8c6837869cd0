"""A verdict with the case and the observation that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.judge.verdict import Verdict

JudgedAs = Literal[
    "values", "rejection", "example", "relation", "quarantine", "corpus", "regression", "sequence"
]

MOST_LOOKED_AT = 1 << 14
"""Elements of an output that a person can still look at."""


@dataclass(frozen=True)
class Judged:
    """A verdict with what it was about; ``name`` is that of a rejection or an example."""

    case: Case
    observation: Observation
    verdict: Verdict
    judged_as: JudgedAs = "values"
    name: str = ""


def contrast(judged: Judged) -> int:
    """The fewer of an output's right and wrong elements, of outputs that a person can look at."""
    outputs = [one for one in judged.verdict.outputs.values() if one.elements <= MOST_LOOKED_AT]
    return max((min(one.mismatches, one.elements - one.mismatches) for one in outputs), default=0)
