"""From wrong rows and integers to what may have misplaced them; a guess shows its evidence.

What is moved is right bit for bit or wrong, so a mistake is a rule by which the wrong places hold
what belongs elsewhere, or by which their bits changed on the way. A rule is told if it explains
every wrong place that it speaks of, and if no right place between these contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import guess as say
from conformance.catalogue import mistakes_of_moves as mistakes
from conformance.diagnosis import moved_integers, moved_rows
from conformance.diagnosis.guess import Guess
from conformance.diagnosis.mistake import BITS, FLUSHED, UNWRITTEN
from conformance.diagnosis.moved_rule import Rule
from reference.floats import Format

Mask = NDArray[np.bool_]
Integers = NDArray[Any]

LEAST_WRONG = 2
"""Wrong elements of which a rule can be evidence."""

LEAST_HALVED = 4
"""Different halves of patterns by which it is told that no more was moved."""


@dataclass(frozen=True)
class Moved:
    """A moved or counted output that came back wrong.

    ``expected`` and ``seen`` are the patterns, or the integers of an output that counts;
    ``storage`` is the format of patterns, None for integers; ``unwritten`` is how many elements
    the device found untouched. ``inputs`` are the call's, what is moved as patterns.
    """

    expected: Integers
    seen: Integers
    wrong: Mask
    storage: Format | None = None
    unwritten: int = 0
    inputs: Mapping[str, Integers] = field(default_factory=dict)


def guesses(moved: Moved) -> Iterator[Guess]:
    """That all is untouched, or the rules that explain all wrong elements that are not."""
    expected, seen, wrong = moved.expected, moved.seen, moved.wrong
    count = int(np.count_nonzero(wrong))
    if moved.unwritten and moved.unwritten >= count:
        yield Guess(say.GUESS(words=say.AS_BEFORE()), UNWRITTEN)
        return
    wrong = wrong & ~_untouched(moved)  # the headline says how many these are
    rules: list[Iterator[Rule]] = []
    if moved.storage is not None:
        rules.append(_changed_bits(expected, seen, wrong, moved.storage))
    elif expected.ndim == 1:
        rules.append(moved_integers.rules(expected, seen, wrong, moved.inputs))
    rules.append(moved_rows.rules(expected, seen, wrong, moved.inputs))
    rank = 0
    for rank, rule in enumerate(chain.from_iterable(rules), 1):
        sentence = say.GUESS(words=rule.words)
        if rule.places:
            all_wrong = say.ALL_WRONG_ROWS if rule.what == "rows" else say.ALL_WRONG_ELEMENTS
            sentence = all_wrong(words=rule.words, count=rule.places)
        yield Guess(
            sentence,
            rule.nature,
            rule.words,
            rank=rank,
            sure=rule.sure,
            anew=rule.anew,
        )


def _untouched(moved: Moved) -> Mask:
    """The wrong elements that hold what was there before, where their pattern tells: as many as the
    device found untouched are alike."""
    none = np.zeros(moved.wrong.shape, np.bool_)
    if not moved.unwritten:
        return none
    values, counts = np.unique(moved.seen[moved.wrong], return_counts=True)
    same = values[counts == moved.unwritten]
    if same.size != 1 or (moved.unwritten == 1 and counts.size > 1):
        return none
    return np.asarray(moved.wrong & (moved.seen == same[0]))


def _changed_bits(expected: Integers, seen: Integers, wrong: Mask, fmt: Format) -> Iterator[Rule]:
    """Values that were changed on the way, as no move may."""
    count = int(np.count_nonzero(wrong))
    sign = fmt.sign_bit
    must, observed = expected.astype(np.int64), seen.astype(np.int64)
    magnitude = must & (sign - 1)
    nan = magnitude > fmt.infinity_bits
    quiet = 1 << (fmt.precision - 2)
    some = observed[nan & wrong]
    subnormal = (magnitude > 0) & (magnitude < 1 << (fmt.precision - 1))
    half = fmt.storage_bits // 2
    kept = must & ((1 << half) - 1)
    rules: dict[str, tuple[Mask, str]] = {
        mistakes.QUIET_NANS(): (nan & (observed == (must | quiet)), BITS),
        mistakes.PLUS_ZERO(): ((must == sign) & (observed == 0), BITS),
        mistakes.FLUSHED(): (subnormal & (observed & (sign - 1) == 0), FLUSHED),
    }
    if some.size:
        bits = f"0x{int(some[0]):0{fmt.storage_bits // 4}x}"
        rules[mistakes.ONE_NAN(bits=bits)] = (nan & (observed == some[0]), BITS)
    if np.unique(kept[wrong]).size >= LEAST_HALVED:
        low = observed & ((1 << half) - 1)
        rules[mistakes.LOW_BITS_MOVED(bits=half)] = (low == kept, BITS)
    for words, (explained, nature) in rules.items():
        if count and explained[wrong].all():
            yield Rule(words, nature, count, sure=count >= LEAST_WRONG)
