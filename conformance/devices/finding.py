"""One thing that was looked for on a host."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for: ``found`` in words, empty where it is missing.

    ``prevents`` says what cannot be done without it, ``advice`` what to do.
    """

    name: str
    found: str = ""
    prevents: str = ""
    advice: str = ""
