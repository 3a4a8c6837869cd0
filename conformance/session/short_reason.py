"""A failed verdict as pytest reports it, with its reason in the short summary."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Protocol


class Lines(Protocol):
    """What writes lines to a terminal or a log."""

    def line(self, text: str) -> None:
        """Write a line."""


class Told:
    """The text of a refused item, in place of a traceback.

    pytest's short summary, and the message of a failure in JUnit XML, is the ``reprcrash`` of what
    a report tells: here the first line of the text. xdist sends texts alone, so that this is made
    in the process that sees the whole run.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.reprcrash = SimpleNamespace(message=text.partition("\n")[0], path="", lineno=0)

    def __str__(self) -> str:
        return self.text

    def toterminal(self, terminal: Lines) -> None:
        """Write the text."""
        terminal.line(self.text)
