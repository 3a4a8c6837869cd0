"""From wrong elements to what may have made them; a guess is labelled and shows its evidence.

A known mistake is a wrong reference. It is told only if it explains every wrong element that was
looked at and leaves every right one right (`explain`), and if no more than one other kind of
mistake does as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from conformance.catalogue import guess as say
from conformance.diagnosis.explain import Explanation, explanations
from conformance.diagnosis.guess import Guess, Guesses, told
from conformance.diagnosis.mistake import EXTRA, ROWS, UNWRITTEN
from conformance.diagnosis.pattern import pattern
from conformance.diagnosis.sources import decoded
from conformance.diagnosis.subject import Sample, Subject, sample_of
from reference.floats import ordered


@dataclass(frozen=True)
class Diagnosis:
    """Where the wrong elements lie, in a phrase, and what may have made them, in sentences."""

    pattern: str
    guesses: Guesses


def diagnose(subject: Subject) -> Diagnosis:
    """Describe the wrong elements of a subject that has some."""
    itemsize = subject.storage.storage_bits // 8
    where = pattern(subject.wrong, itemsize, subject.cores, subject.readers())
    return Diagnosis(where, Guesses(lambda: guesses(subject)))


def guesses(subject: Subject) -> Iterator[Guess]:
    """What was found untouched; else every mistake that explains all that is looked at."""
    sample = sample_of(subject)
    wrong = int(np.count_nonzero(sample.wrong))
    seen = sample.observed[sample.wrong]
    if subject.unwritten and (seen == seen[0]).all():
        digits = subject.storage.storage_bits // 4
        bits = f"0x{int(seen[0]):0{digits}x}"
        words = say.UNTOUCHED(unwritten=subject.unwritten, wrong=wrong, bits=bits)
        yield Guess(say.GUESS(words=words), UNWRITTEN)
        return
    every = [Guess(one, ROWS, rank=-1, anew=True) for one in decoded(subject)]
    every += [_told(one, sample) for one in explanations(subject, sample)]
    yield from every
    if not told(every) and _added(subject, sample):
        weighted = sample.weights is not None
        found = say.NAN_OF_WEIGHTED_TERMS if weighted else say.NAN_OF_FINITE_TERMS
        yield Guess(say.GUESS(words=found(wrong=wrong)), EXTRA)


def _told(explanation: Explanation, sample: Sample) -> Guess:
    """The guess with its evidence."""
    mistake = explanation.mistake
    wrong = int(np.count_nonzero(sample.wrong))
    right = int(np.count_nonzero(explanation.known & ~sample.wrong))
    sentence = say.EXPLAINS_ALL(words=mistake.words, wrong=wrong)
    if right:
        sentence = say.EXPLAINS_ALL_AND_RIGHT(words=mistake.words, wrong=wrong, right=right)
    return Guess(
        sentence,
        mistake.nature,
        mistake.words,
        rank=mistake.rank,
        sure=explanation.sure,
        anew=mistake.of_this_call,
    )


def _added(subject: Subject, sample: Sample) -> bool:
    """Whether all wrong elements are NaN though nothing that they add is."""
    seen = sample.observed[sample.wrong]
    nan = np.abs(ordered(seen, subject.storage)) > subject.storage.infinity_bits
    return bool((nan & np.isfinite(sample.values[:, sample.wrong]).all(axis=0)).all())
