"""Guesses: sentences for a person, each of which knows of what mistake it tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from conformance.catalogue.message import Said, row
from conformance.diagnosis.deferred_text import Deferred

MOST_KINDS = 2
"""Kinds of mistake that explain the same elements; if there are more, none of them is told."""


class Guess(Said):
    """The sentence; ``nature`` is the same for all mistakes of a kind, ``key`` for one mistake,
    whatever call shows it.

    Of several those of the least ``rank`` are told, if they are ``sure``: what they explain is too
    much for chance. ``anew``: the sentence speaks of places of one call, where all there is was
    tried.
    """

    __slots__ = ("anew", "key", "nature", "rank", "sure")
    nature: str
    key: str
    rank: int
    sure: bool
    anew: bool

    def __new__(
        cls,
        sentence: str,
        nature: str,
        key: str = "",
        *,
        rank: int = 0,
        sure: bool = True,
        anew: bool = False,
    ) -> Guess:
        """A guess of that nature."""
        made = str.__new__(cls, sentence)
        made.message, made.arguments, made.parts = None, {}, (sentence,)
        made.nature, made.key, made.anew = nature, str(key or nature), anew
        made.rank, made.sure = rank, sure
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(Guess, rank=self.rank, sure=self.sure, anew=self.anew)
        return made, (*self.parts, self.nature, self.key)


class Guesses(Deferred):
    """The guesses at an output that are told; ``every`` has those that are not, too."""

    def __init__(self, work_out: Callable[[], Iterable[Guess]]) -> None:
        super().__init__(lambda: told(self.every))
        self._all = work_out

    @cached_property
    def every(self) -> tuple[Guess, ...]:
        """All that explain the output, sure or not."""
        with np.errstate(all="ignore"):  # infinities and NaNs are tried like any other value
            return tuple(self._all())


def told(every: Iterable[Guess]) -> tuple[Guess, ...]:
    """The sure guesses of the least rank, the first of each nature; none of more than two kinds."""
    sure = [one for one in every if one.sure]
    least = min((one.rank for one in sure), default=0)
    kinds: dict[str, Guess] = {}
    for one in sure:
        if one.rank == least:
            kinds.setdefault(one.nature, one)
    return tuple(kinds.values()) if len(kinds) <= MOST_KINDS else ()


def first_of(
    known: tuple[Guess, ...], otherwise: Callable[[], Iterable[Guess]]
) -> tuple[Guess, ...]:
    """The guesses that explain every element, where one is sure; else what is found ``otherwise``,
    beside them."""
    return known if told(known) else (*otherwise(), *known)


def chosen(guesses: Sequence[str], shown: Sequence[str]) -> list[str]:
    """Of the guesses at an output, told or not, those that are shown, as bare texts."""
    every = guesses.every if isinstance(guesses, Guesses) else guesses
    return [row(one.parts) if isinstance(one, Guess) else one for one in every if one in shown]


def joint(small: Sequence[str], large: Sequence[str]) -> tuple[Guess, ...]:
    """What is guessed of an output that came back wrong in a small call and in a larger one.

    A mistake must explain both. What was found by trying all there is in single rows (``anew``)
    need not: in a few elements there is too little to find. What is sure of the small call and of
    no nature that explains the larger one is not told.
    """
    mine, theirs = (one.every if isinstance(one, Guesses) else () for one in (small, large))
    keys, natures = {one.key for one in mine}, {one.nature for one in told(mine)}
    found = told(one for one in theirs if one.anew or one.key in keys)
    if found or not natures:
        return found or told(theirs)
    return told(one for one in theirs if one.nature in natures)
