"""Shares as people write them on the command line: ``5%``, or ``5`` for the same."""

from __future__ import annotations

import re

from conformance.catalogue import options as say
from conformance.errors import UsageError

PERCENT = re.compile(r"(\d{1,4}(?:\.\d{1,6})?)%?", re.ASCII)


def share_of(option: str, text: str) -> float:
    """The share that a text of percents says, 0.05 for ``5%``. Raises `UsageError`."""
    found = PERCENT.fullmatch(text)
    if found is None:
        raise UsageError(option, text, say.NO_PERCENT())
    return float(found[1]) / 100
