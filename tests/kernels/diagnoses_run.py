"""What is said of each seeded mistake in values: `python -m tests.kernels.diagnoses_run`.

Each mutant is built and judged until it is refused, the refused case is made smaller, and larger
ones are looked for, as a run does (`refused`). What the failure's text guesses is compared with the
mistake's nature as it is written down by hand (`natures`):

* right: every guess names the nature; among: one of several does;
* place: nothing is guessed, the text says where the wrong elements lie;
* misleading: no guess names the nature.

Mistakes that the machine reports by code and line, or that damage a guard zone, are not asked.
`--keep DIR` keeps what was observed, so that another diagnosis can be asked of it in seconds.

Ends with status 1 where a mistake has no nature on record, one guess misleads, or fewer than 70 %
are right.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from conformance.failure.guessed import guessed
from tests.kernels.mutation_run import MUTANTS
from tests.kernels.natures import EXPECTED, named
from tests.kernels.refused import found_of, record

RIGHT, AMONG, PLACE, MISLEADING = "right", "among", "place", "misleading"
JUDGED = (RIGHT, AMONG, PLACE, MISLEADING)
LEAST_RIGHT = 0.7
SHRINK_SECONDS = 5.0
Work = tuple[str, str]


@dataclass(frozen=True)
class Row:
    """A line of the table; ``outcome`` is one of `JUDGED`, or says why nothing was judged."""

    operator: str
    mutant: str
    outcome: str
    told: tuple[str, ...] = ()

    def __str__(self) -> str:
        line = f"{self.outcome:10} {self.operator}: {self.mutant}"
        return "\n".join([line, *(f"{'':11}{one}" for one in self.told)])


def expected(mutant: str) -> tuple[str, ...]:
    """The natures of a mistake; none where it has none on record."""
    return next((n for name, n in EXPECTED.items() if fnmatchcase(mutant, name)), ())


def outcome(natures: Sequence[str], told: Sequence[str]) -> str:
    """Whether the sentences of a diagnosis name one of the natures of a mistake."""
    guesses = [one for one in told if one.startswith("guess: ")]
    if not guesses:
        return PLACE
    fits = [any(nature in natures for nature in named(one)) for one in guesses]
    return RIGHT if all(fits) else AMONG if any(fits) else MISLEADING


def row(work: Work, keep: Path | None) -> Row:
    """Run one mistake, or look up what was observed of it, and diagnose that."""
    name, mutant_name = work
    (mutant,) = (one for one in MUTANTS[name] if one.name == mutant_name)
    operator = record(name)
    found = found_of(operator, mutant, keep, SHRINK_SECONDS)
    if found.smallest is None:
        return Row(name, mutant_name, "not refused in smoke's values")
    if not found.smallest.in_values:
        return Row(name, mutant_name, "told by the machine")
    natures = expected(mutant_name)
    telling = None if found.telling is None else found.telling.judged(operator)
    told = tuple(guessed(found.smallest.judged(operator), telling))
    return Row(name, mutant_name, outcome(natures, told) if natures else "no nature", told)


def works(operators: Sequence[str], mutants: Sequence[str], sample: int) -> list[Work]:
    """The mistakes asked for: all that a drawn case can show, or a sample over all operators."""
    every = [
        (name, one.name)
        for name, ones in MUTANTS.items()
        for one in ones
        if not (one.open or one.documented)
        and (not operators or name in operators)
        and (not mutants or one.name in mutants)
    ]
    random.Random(0).shuffle(every)
    return every[:sample] if sample else every


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operator", action="append", default=[], help="all if absent")
    parser.add_argument("--mutant", action="append", default=[], help="all if absent")
    parser.add_argument("--sample", type=int, default=0, help="so many of them, 0: all")
    parser.add_argument("--keep", type=Path, help="keep what was observed in this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    found: Counter[str] = Counter()
    asked = works(chosen.operator, chosen.mutant, chosen.sample)
    with multiprocessing.get_context("fork").Pool(chosen.jobs) as pool:
        for one in pool.imap(partial(row, keep=chosen.keep), asked):
            print(one, flush=True)
            found[one.outcome] += 1
    of = sum(found[name] for name in JUDGED)
    print(f"{len(asked)} mistakes, {of} judged by their values:")
    for name, count in found.most_common():
        share = f", {count / of:.0%} of those in values" if name in JUDGED else ""
        print(f"  {name}: {count}{share}")
    well = found[RIGHT] + found[AMONG] >= LEAST_RIGHT * of
    return 0 if well and not found[MISLEADING] and not found["no nature"] else 1


if __name__ == "__main__":
    sys.exit(main())
