"""The matrix: how often every judge rejects every mistake, and how often it could have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass

import numpy as np

from tests.kill_matrix.judges import Judge
from tests.kill_matrix.mistakes import Mistake
from tests.kill_matrix.problem import SCALES, Problem, made


@dataclass(frozen=True)
class Trial:
    """One judge on one wrong output; ``illegal``: some element is one that no legal order gives.

    Legal is the promised order for a judge that counts on it. Asked for this suite's judges only.
    ``rejects`` is None where the judge does not speak.
    """

    judge: Judge
    mistake: Mistake
    illegal: bool
    rejects: bool | None


@dataclass
class Counts:
    """Trials by outcome.

    ``missed`` were illegal and not rejected, ``false_alarms`` legal and rejected, of ``silent``
    ones the judge says nothing.
    """

    trials: int = 0
    rejected: int = 0
    illegal: int = 0
    missed: int = 0
    false_alarms: int = 0
    silent: int = 0

    def add(self, trial: Trial) -> None:
        rejected = bool(trial.rejects)
        self.trials += 1
        self.rejected += rejected
        self.illegal += trial.illegal
        self.missed += trial.illegal and not rejected
        self.false_alarms += rejected and not trial.illegal
        self.silent += trial.rejects is None

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class Cell:
    """One judge, mistake, dtype and scale over all seeds."""

    judge: Judge
    mistake: Mistake
    dtype: str
    scale: float
    seeds: int
    counts: Counts


def cells(
    judges: Iterable[Judge], mistakes: Iterable[Mistake], dtypes: Iterable[str], seeds: int
) -> Iterator[Cell]:
    """Every cell of the matrix, dtype by dtype."""
    judges, mistakes = tuple(judges), tuple(mistakes)
    for dtype in dtypes:
        for scale in SCALES[dtype]:
            counts = {(j.name, m.name): Counts() for j in judges for m in mistakes}
            for seed in range(seeds):
                for trial in trials(judges, mistakes, dtype, scale, seed):
                    counts[trial.judge.name, trial.mistake.name].add(trial)
            for judge in judges:
                for mistake in mistakes:
                    found = counts[judge.name, mistake.name]
                    yield Cell(judge, mistake, dtype, scale, seeds, found)


def trials(
    judges: Iterable[Judge], mistakes: Iterable[Mistake], dtype: str, scale: float, seed: int
) -> Iterator[Trial]:
    """Every judge on every mistake, on one draw of the data that the judge asks for."""
    judges = tuple(judges)
    for values in dict.fromkeys(judge.values for judge in judges):
        problems: dict[str, Problem] = {}
        asking = [judge for judge in judges if judge.values is values]
        for mistake in mistakes:
            if mistake.mode not in problems:
                problems[mistake.mode] = made(dtype, mistake.mode, seed, scale, values)
            problem = problems[mistake.mode]
            with np.errstate(all="ignore"):
                bits = mistake.compute(problem)
            for judge in asking:
                illegal = judge.ours and problem.illegal(bits, declared=judge.promised)
                yield Trial(judge, mistake, illegal, judge.rejects(problem, bits))
