"""The page of evidence as its tests read it: tables whose first column says of what they tell."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "evidence.md").read_text("utf-8")
TABLE = re.compile(r"^\| (.+?) \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)


def tables() -> dict[str, list[str]]:
    """By the heading of its first column the names in that column, of every table."""
    found: dict[str, list[str]] = {}
    for heading, rows in TABLE.findall(PAGE):
        assert heading not in found, heading
        cells = (row.split("|")[1] for row in rows.splitlines())
        found[heading] = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    return found


def is_named(path: str, patterns: list[str]) -> bool:
    """Whether a table of files has a path: in its names a word in capitals stands for any text."""
    wild = [re.sub(r"[A-Z]{2,}(?![A-Z0-9])", "*", pattern) for pattern in patterns]
    every = [re.escape(one).replace(r"\*", "[^/]*") for one in wild]
    every += [re.escape(one) for one in patterns]
    return any(re.fullmatch(one.removesuffix("/") + "(?:/.*)?", path) for one in every)
