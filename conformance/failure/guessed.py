"""What is guessed of a failure, of which a smallest case is known and perhaps a larger one."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.diagnosis.guess import Guess, joint
from conformance.judge.judged import Judged, contrast

MOST_TELLING = 4
"""Refused cases of which it is asked what is guessed: each takes a part of a second."""


def guessed(judged: Judged, telling: Judged | None = None) -> list[str]:
    """The guesses that hold of the smallest refused case and of the larger one, as far as there is
    one; of an output that is wrong in the smallest case alone, those of that.
    """
    small = judged.verdict.outputs
    if telling is None or telling.case == judged.case:
        return [guess for output in small.values() for guess in output.guesses]
    large = telling.verdict.outputs
    found: list[str] = []
    for name, output in large.items():
        before = small[name].guesses if name in small and not small[name].ok else ()
        if not output.ok:
            found += joint(before, output.guesses)
    alone = [output for name, output in small.items() if name not in large or large[name].ok]
    return found or [guess for output in alone for guess in output.guesses]


def natures(judged: Judged, telling: Judged | None = None) -> list[str]:
    """Of what nature the mistake is by what is guessed, in rising order; empty if nothing is."""
    found = (one for one in guessed(judged, telling) if isinstance(one, Guess))
    return sorted({one.nature for one in found})


def telling(smallest: Judged | None, refused: Iterable[Judged]) -> Judged | None:
    """Of the refused cases the one in which right and wrong elements of an output stand side by
    side in the largest number, of a few such the first of which something is guessed; None where
    there is none in which both are some.
    """
    shown = sorted(filter(contrast, refused), key=contrast, reverse=True)
    if smallest is not None:
        for one in shown[:MOST_TELLING]:
            if guessed(smallest, one):
                return one
    return shown[0] if shown else None
