"""The items of a run, pytest's words for what it judges one by one: in short, and all together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from conformance.catalogue import corrupted as say
from conformance.evidence.lines import FailureLine


def items_in_words(items: Sequence[str]) -> str:
    """A run's items in short: by it a run of other items is told from this one."""
    digest = hashlib.sha256("\n".join(sorted(items)).encode()).hexdigest()
    return say.ITEMS(count=len(items), digest=digest[:8])


def short(item: str) -> str:
    """An item without its file; what stands in its brackets is left alone."""
    before, bracket, inside = item.partition("[")
    return before.rpartition("::")[2] + bracket + inside


def last_of_each(failures: Iterable[FailureLine]) -> list[FailureLine]:
    """One failure for each item: an item that ran twice is told once."""
    return list({failure.item: failure for failure in failures}.values())
