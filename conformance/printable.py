"""Text from outside without what a terminal, a page or a log would obey.

Every way out of the suite applies it: the console, standard output and its JSON, the page, what
pytest and JUnit are given. So nobody who makes a sentence of a name in a file has to think of it.
"""

from __future__ import annotations

import sys

SPACES = {"\n": "\n", "\t": " "}
"""What stays, though nothing of it is seen."""


def printable(text: str) -> str:
    """The text with a question mark for each control, format or direction character.

    Line ends stay, a tab is a space.
    """
    hidden = {ord(one): SPACES.get(one, "?") for one in set(text) if not one.isprintable()}
    return text.translate(hidden) if hidden else text


def printable_json(text: str) -> str:
    """JSON on one line, with an escape for each such character: programs read what it was."""
    hidden = {ord(one): _escaped(one) for one in set(text) if not one.isprintable()}
    return text.translate(hidden) if hidden else text


def warn(text: str) -> None:
    """Tell people something on standard error, where there is no console to tell it."""
    sys.stderr.write(f"{printable(text)}\n")


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
