"""What a run would show of a kernel with a mistake: the smallest refused case, and a larger one.

An item of drawn cases is run as the plugin runs one, in this process and for a shorter time. What
was observed is kept in a folder, so that it can be diagnosed again without the kernel.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.call.case import Case
from conformance.call.findings import errors
from conformance.call.observation import Observation, Outcome
from conformance.devices.open import open_device
from conformance.draw.profiles import PROFILES
from conformance.judge.calls import judge
from conformance.judge.judged import Judged
from conformance.record.operator import Operator
from conformance.session.binding import OfRun, bind
from conformance.session.search import look
from conformance.session.search_budget import SearchBudget
from conformance.session.smaller import narrow
from conformance.session.template import body_of
from conformance.session.trial import OutOfTime, Refused, Spent, Trial
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from tests.kernels.detection_run import cells_of
from tests.kernels.mutants import Mutant
from tests.kernels.mutation_run import build_mutant

TIME_LIMIT = 3.0
PROFILE = replace(PROFILES["smoke"], corpus=False)


@dataclass(frozen=True)
class Seen:
    """A refused case and what was observed of it."""

    case: Case
    observation: Observation

    @property
    def in_values(self) -> bool:
        """Whether wrong values alone tell of the mistake: the call ended, the machine is silent."""
        observation = self.observation
        return (
            observation.outcome is Outcome.COMPLETED
            and not errors(observation)
            and not observation.guard_damage
            and not observation.inputs_changed
        )

    def judged(self, operator: Operator) -> Judged:
        """The case judged anew, with what is said of it now."""
        case = replace(self.case)
        return Judged(case, self.observation, judge(operator, case, self.observation))


@dataclass(frozen=True)
class Found:
    """The smallest refused case and a larger one, either of which there may not be."""

    smallest: Seen | None = None
    telling: Seen | None = None


def found_of(operator: Operator, mutant: Mutant, keep: Path | None, seconds: float) -> Found:
    """What is shown of a mistake: from the folder ``keep`` if it is there, else by running it for
    ``seconds`` of shrinking."""
    file = (
        None if keep is None else keep / operator.name / f"{mutant.name.replace('/', '-')}.pickle"
    )
    if file is not None and file.exists():
        found: Found = pickle.loads(file.read_bytes())
        return found
    with tempfile.TemporaryDirectory() as folder:
        found = _run(operator, mutant, build_mutant(operator, mutant, Path(folder)), seconds)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(found))
    return found


def _run(operator: Operator, mutant: Mutant, lib: Path, seconds: float) -> Found:
    """The first of the cells in which the mistake can show that shows it, by modes."""
    seen: set[str] = set()
    for route, mode, dtype in cells_of(operator, mutant):
        if mode in seen:
            continue
        seen.add(mode)
        with closing(
            open_device("sim", time_limit=TIME_LIMIT, libraries=lib, route=route)
        ) as device:
            found = run_item(on_route(operator, route), mode, dtype, device, seconds)
        if found.smallest is not None:
            return found
    return Found()


def run_item(operator: Operator, mode: str, dtype: str, device: Any, seconds: float) -> Found:
    """Run the item of a cell's values as the plugin does."""
    from cases.test_values import test_values

    body = body_of(test_values)
    assert body is not None
    trial = Trial(lambda *_: None, SearchBudget(seconds))
    parameters = {"operator": operator, "mode": mode, "dtype": dtype}
    of_run = OfRun(PROFILE, seed=0, operators=(operator,))
    streams = bind(body, parameters, trial, of_run, f"{mode}-{dtype}", operator.dtypes_in(mode))
    arguments = {**parameters, "device": device}
    run: Callable[[Case], None] = lambda case: body(**arguments, case=case)  # noqa: E731
    with suppress(Refused, OutOfTime, Spent):
        for draw in streams.drawn:
            draw(**arguments)
    if trial.smallest is None:
        return Found()
    narrow(trial, run)
    look(trial, streams, arguments)
    return Found(_kept(trial.smallest), _kept(trial.telling()))


def _kept(judged: Judged | None) -> Seen | None:
    return None if judged is None else Seen(replace(judged.case), judged.observation)


def record(name: str) -> Operator:
    """The record of an operator."""
    (operator,) = suite.chosen(suite.records(), [name])
    return operator
