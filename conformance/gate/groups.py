"""Failed items by diagnosis: one of each is told whole, the others by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.evidence.lines import FailureLine
from conformance.session.failure_text import CALLED, KEPT_FOR, REPORTED


@dataclass(frozen=True)
class Group:
    """Failures of one diagnosis: the one to ``show``, and the others."""

    show: FailureLine
    others: tuple[FailureLine, ...]


def groups(failures: Iterable[FailureLine]) -> list[Group]:
    """The failures by diagnosis, the smallest case first, in each and among them.

    What was made smaller stands before what is as it was drawn; a failure of which no diagnosis is
    on record stands for itself.
    """
    alike: defaultdict[str, list[FailureLine]] = defaultdict(list)
    for failure in failures:
        alike[failure.diagnosis or failure.item].append(failure)
    sorted_ones = [sorted(some, key=_size) for some in alike.values()]
    found = [Group(first, tuple(others)) for first, *others in sorted_ones]
    return sorted(found, key=lambda group: _size(group.show))


def kept_lines(failure: FailureLine) -> list[str]:
    """What a regression is called, what it is kept for, and where its mistake was reported."""
    every = failure.text.splitlines()
    lines = (line.removeprefix(" " * (len(line) - len(line.lstrip()))) for line in every)
    return [line for line in lines if line.startswith((CALLED, KEPT_FOR, REPORTED))]


def _size(failure: FailureLine) -> tuple[bool, int]:
    # A documented call is as big as the document made it: shrunk cases are told first.
    return failure.as_drawn, failure.elements
