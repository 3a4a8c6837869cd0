"""A run among runs of other seeds: its items have the seed for a mark.

Each seed has every item. Their names would mix up which of them failed, was cut short or ended.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import msgspec

from conformance.evidence.lines import (
    AnyLine,
    EnvironmentLine,
    FailureLine,
    ItemLine,
    VerdictLine,
)
from conformance.evidence.run import Run
from conformance.names import marked

OfItem = TypeVar("OfItem", bound=VerdictLine | FailureLine | ItemLine | EnvironmentLine)


def of_its_seed(run: Run) -> Run:
    """The run with the seed in the name of each item."""
    told, mark = run.evidence, f"seed{run.evidence.seed}"
    lines: list[AnyLine] = [
        _marked(line, mark)
        if isinstance(line, VerdictLine | FailureLine | ItemLine | EnvironmentLine)
        else line
        for line in run.lines
    ]
    evidence = msgspec.structs.replace(
        told,
        failures=[_marked(one, mark) for one in told.failures],
        cut=[marked(item, mark) for item in told.cut],
        unreached=[marked(item, mark) for item in told.unreached],
        errors={marked(item, mark): text for item, text in told.errors.items()},
    )
    return replace(run, evidence=evidence, lines=tuple(lines))


def _marked(line: OfItem, mark: str) -> OfItem:
    return msgspec.structs.replace(line, item=marked(line.item, mark))
