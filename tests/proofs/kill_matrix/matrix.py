"""The matrix: how often every judge rejects every mistake, and how often it could have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass

import numpy as np

from tests.proofs.kill_matrix.judges import Judge
from tests.proofs.kill_matrix.mistakes import Mistake
from tests.proofs.kill_matrix.problem import SCALES, Problem, made


@dataclass(frozen=True)
class Trial:
    """One judge on one wrong output; ``illegal``: some element is one that no legal order gives.

    Legal is the promised order for a judge that counts on it. Asked for this suite's judges only.
    ``rejects`` is None where the judge does not speak, or where the mistake does not show in the
    data of a published standard: what is right is nothing to reject.
    """

    judge: Judge
    mistake: Mistake
    illegal: bool
    rejects: bool | None


@dataclass
class Counts:
    """Trials by outcome.

    ``missed`` were illegal and not rejected, ``false_alarms`` legal and rejected; ``silent`` ones
    count for nothing, because the judge says nothing of them or is not asked.
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
    problems: dict[tuple[Callable[..., np.ndarray], str], Problem] = {}
    judges = tuple(judges)
    for mistake in mistakes:
        for values in dict.fromkeys(judge.data(mistake) for judge in judges):
            if (values, mistake.mode) not in problems:
                problems[values, mistake.mode] = made(dtype, mistake.mode, seed, scale, values)
            problem = problems[values, mistake.mode]
            with np.errstate(all="ignore"):
                bits = mistake.compute(problem)
            shows = mistake.right or not problem.is_right(bits)
            for judge in (j for j in judges if j.data(mistake) is values):
                illegal = judge.ours and problem.illegal(bits, declared=judge.promised)
                speaks = judge.ours or shows
                yield Trial(
                    judge, mistake, illegal, judge.rejects(problem, bits) if speaks else None
                )
