"""A rule by which what is moved or counted came out wrong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A rule in a sentence, the nature of the mistake, and how many wrong rows or elements, as
    ``what`` says, it explains: all there are; 0: its words say of which it speaks.

    ``sure``: they are too many for chance. ``anew``: the words speak of places of this call.
    """

    words: str
    nature: str
    places: int
    what: str = "elements"
    sure: bool = True
    anew: bool = False
