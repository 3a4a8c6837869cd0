"""Names inside the names of items: of a cell, and of a call that a record names; for every room."""

from __future__ import annotations

import re
from collections.abc import Iterable

MARK = "#"
"""Before a mark of an item's name. No word of a name has it."""


def cell_id(operator: str, mode: str, dtype: str) -> str:
    """The id of a cell inside an item's name."""
    return joined((operator, mode, dtype))


def call_id(operator: str, name: str) -> str:
    """The id of a record's named call inside an item's name."""
    return joined((operator, name))


def joined(row: Iterable[object]) -> str:
    """The words of some values, of operators their names."""
    return "-".join(_word(value) for value in row)


def bracket(item: str) -> str:
    """What stands in the brackets of an item's name, without its marks; "" without brackets."""
    return unmarked(item).partition("[")[2].rstrip("]")


def marked(item: str, mark: str) -> str:
    """An item's name with a mark: of a part of it, or of the seed of its run in a merged run."""
    return f"{item[:-1]}{MARK}{mark}]" if item.endswith("]") else f"{item}{MARK}{mark}"


def unmarked(item: str) -> str:
    """An item's name without its marks."""
    name, mark, _ = item.partition(MARK)
    return f"{name}]" if mark and item.endswith("]") else name


def marks(item: str) -> tuple[str, ...]:
    """The marks of an item's name."""
    return tuple(item.removesuffix("]").split(MARK)[1:])


def _word(value: object) -> str:
    # An operator in full is long, and so takes long to write.
    name = value.name if hasattr(value, "name") else value
    signed = re.sub(r"(?<!\w)-(?=\d|inf\b)", "minus_", str(name))
    return re.sub(r"[^\w.+]+", "_", signed)
