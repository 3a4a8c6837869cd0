"""What is guessed of a failure, of which a smallest case is known and perhaps a larger one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.diagnosis.guess import Guess, joint

if TYPE_CHECKING:
    from conformance.judge.judged import Judged


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
