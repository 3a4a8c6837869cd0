"""Names inside the names of items: of a cell, and of a call that a record names; for every room."""

from __future__ import annotations

import re
from collections.abc import Iterable


def cell_id(operator: str, mode: str, dtype: str) -> str:
    """The id of a cell inside an item's name."""
    return joined((operator, mode, dtype))


def call_id(operator: str, name: str) -> str:
    """The id of a record's named call inside an item's name."""
    return joined((operator, name))


def joined(row: Iterable[object]) -> str:
    """The words of some values, of operators their names."""
    return "-".join(_word(value) for value in row)


def _word(value: object) -> str:
    # An operator in full is long, and so takes long to write.
    name = value.name if hasattr(value, "name") else value
    signed = re.sub(r"(?<!\w)-(?=\d|inf\b)", "minus_", str(name))
    return re.sub(r"[^\w.+]+", "_", signed)
