"""One item's attempts: what was judged, what was refused, and how long it may look for less.

A template's body runs many times: on drawn cases, and after the first refusal, by Hypothesis, on
ever smaller ones. A trial stands between the two and keeps seven promises.

* A refused case is remembered, so that Hypothesis's repetitions of it cost nothing. A hang costs
  the whole time limit, and Hypothesis runs the same case again before it shrinks and at its end.
* Shrinking has a budget (search_budget.py). After it, a new case counts as accepted without being
  run: the smallest refused case so far then stands as Hypothesis's result, and the text says that
  a smaller one was not looked for.
* A failure of a known diagnosis is not made smaller (known_diagnoses.py).
* A sequence whose call is refused without the calls before it is told as that call.
* Of the calls before it, a case keeps those without which it is accepted.
* The machine is made small last, the case being as small as it gets.
* What is reported was observed: in the end the smallest refused case is really run once more, on
  the device opened anew, and its text is that run's. If that run is accepted, the text says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import NoReturn

from conformance.call.case import Case
from conformance.catalogue import session as say
from conformance.devices.traits import LibraryTraits
from conformance.errors import EnvironmentFailure, OperatorUnavailable
from conformance.failure.guessed import telling
from conformance.judge.beside import Beside
from conformance.judge.broken import PASSED_ON, explained
from conformance.judge.by_standard import ByStandard
from conformance.judge.judged import Judged
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.operator import Operator
from conformance.session.endings import BrokenRecord, Lost, NothingJudged, OutOfTime, Refused, Spent
from conformance.session.known_diagnoses import KnownDiagnoses
from conformance.session.search_budget import SearchBudget
from conformance.suite.on_demand import OnDemand

__all__ = [
    "BrokenRecord",
    "Judged",
    "Lost",
    "NothingJudged",
    "OutOfTime",
    "Refused",
    "Spent",
    "Trial",
    "current",
]

Key = tuple[object, ...]

ALL_CHECKED, CHECKED = 8, 16
"""On so many cases of an item the suite is held against itself, then on one of so many: to do it on
all would take longer than the verdicts, and a record that contradicts itself does so on many."""


@dataclass
class Trial:
    """The attempts of one item.

    ``note(judged, phase, seconds)`` is called for every verdict. ``records`` are all operators by
    name; ``by_standard`` adds what published standards say, ``beside`` a second implementation;
    if ``lenient``, a function may carry out what it must refuse;
    ``arithmetic`` is the device's, and ``libraries`` says what machines its libraries are meant
    for; ``of_sequences`` that the item draws sequences, which take long to draw.

    ``smallest`` is the refused verdict that was met last: after Hypothesis has ended, that of its
    smallest case. ``lost`` says what was lost after a refusal, which stands then without having
    been run again; ``alone_accepted`` that the case was accepted without the calls before it;
    ``noted`` what a ladder or a workload says of it; ``withheld`` why its calls are not made on
    this device; ``cut`` that the item's time ended before a refusal.
    """

    note: Callable[[Judged, str, float], None]
    budget: SearchBudget
    diagnoses: KnownDiagnoses = field(default_factory=KnownDiagnoses)
    by_standard: ByStandard = field(default_factory=ByStandard)
    beside: Beside | None = None
    lenient: bool = False
    records: Mapping[str, Operator] = field(default_factory=dict)
    arithmetic: Arithmetic = IEEE
    libraries: LibraryTraits = field(default_factory=LibraryTraits)
    of_sequences: bool = False
    smallest: Judged | None = None
    unrepeatable: bool = False
    alone_accepted: bool = False
    noted: str = ""
    lost: str = ""
    cut: bool = False
    withheld: str = ""
    _again: Callable[[], None] | None = None
    _replaying: bool = False
    _passed: frozenset[Key] = frozenset()
    _began: float = 0.0
    _judged: bool = False
    _drawn: int = 0
    _looking: bool = False
    _verdicts: list[Judged] = field(default_factory=list)
    _refused: dict[Key, Judged] = field(default_factory=dict)

    @property
    def phase(self) -> str:
        """What the current attempt is for: generate, shrink or replay."""
        if self._replaying:
            return "replay"
        if self.budget.runs:
            return "shrink"
        return "generate"

    def attempt(
        self,
        body: Callable[[], None],
        case: Case | None = None,
        other: Callable[[Case], None] | None = None,
    ) -> None:
        """Run a template's body once; ``case`` is its drawn case, if it has one, and ``other`` runs
        it on another.

        Raises `Refused` for a refused case, `NothingJudged` where the body judged nothing, `Lost`,
        `Spent`, and what the body raises.
        """
        __tracebackhide__ = True
        if self.of_sequences and self._budget_spent():
            raise Spent
        if case is not None:
            known = self._refused.get(case.key)
            if known is not None and case.key in self._passed:
                return
            if known is not None:
                self._refuse(known, body)
            if self._budget_spent():
                return
            self._check_time()
        try:
            refused = self._run(body)
        except (EnvironmentFailure, OperatorUnavailable) as lost:
            raise Lost(lost) from lost
        if refused is not None:
            if other is not None and refused.case.before and not self.budget.runs:
                alone = functools.partial(other, replace(refused.case, before=()))
                refused_alone = self._run(alone)
                if refused_alone is not None:
                    refused, body = refused_alone, alone
            self._remember(refused, case)
            self._refuse(refused, body)

    def settle(self) -> None:
        """End an item: what was refused before its time was spent stands."""
        __tracebackhide__ = True
        if self.smallest is not None:
            raise Refused(self.smallest.verdict)

    def conclude(self) -> bool:
        """Settle of which diagnosis the failure is; False if the item is to be run again."""
        if self.smallest is None or self.diagnoses.settle(self.smallest, self.telling()):
            return True
        self.budget.begin_anew()
        self._refused.clear()
        return False

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Within, larger refused cases are looked for beside the smallest, which stays."""
        kept = self.smallest, self._again
        self._passed, self._looking = frozenset(self._refused), True
        yield
        self._passed, self._looking = frozenset(), False
        self.smallest, self._again = kept

    def telling(self) -> Judged | None:
        """Of the refused cases the one that shows most; None where none shows enough."""
        return telling(self.smallest, self._refused.values())

    def replay(self) -> None:
        """Run the smallest refused case again; `smallest` becomes what is observed this time."""
        if self._again is None:
            return
        before = self.smallest
        self._replaying = True
        try:
            again = self._run(self._again)
        finally:
            self._replaying = False
        self.unrepeatable = again is None
        self.smallest = again or before

    def checks_suite(self) -> bool:
        """Whether the suite's own definitions are held against each other on the next case."""
        self._drawn += 1
        return self._drawn <= ALL_CHECKED or self._drawn % CHECKED == 0

    def record(self, judged: Judged) -> None:
        """Note a verdict of the running attempt."""
        self._verdicts.append(judged)
        self._judged = True
        now = self.budget.clock()
        self.note(judged, self.phase, now - self._began)
        self._began = now

    def _run(self, body: Callable[[], None]) -> Judged | None:
        """One real run of the body; returns the first refused verdict."""
        __tracebackhide__ = True
        self._began = self.budget.clock()
        self._verdicts.clear()
        token = _current.set(self)
        try:
            body()
        except AssertionError:
            if all(judged.verdict.ok for judged in self._verdicts):
                raise
        except PASSED_ON:
            raise
        except Exception as error:
            raise BrokenRecord(explained(error)) from error
        finally:
            _current.reset(token)
        if not self._verdicts:
            raise NothingJudged(say.JUDGED_NOTHING())
        return next((judged for judged in self._verdicts if not judged.verdict.ok), None)

    def still_refused(self, body: Callable[[Case], None], shown: Judged, case: Case) -> bool:
        """Whether a smaller case ends as the one shown; then it is the smallest."""
        again = functools.partial(body, case)
        refused = self._run(again)
        if (
            refused is None
            or refused.case.key != case.key
            or refused.observation.outcome is not shown.observation.outcome
        ):
            return False
        self.smallest, self._again = refused, again
        return True

    def _refuse(self, judged: Judged, body: Callable[[], None]) -> NoReturn:
        """The one place that refuses: Hypothesis tells bugs apart by where they are raised."""
        __tracebackhide__ = True
        self.smallest, self._again = judged, body
        raise Refused(judged.verdict)

    def _remember(self, refused: Judged, case: Case | None) -> None:
        if case is not None:
            self._refused[case.key] = refused
        if not self.budget.runs:
            self.diagnoses.see(refused)
        self.budget.count(refused.observation)

    def _check_time(self) -> None:
        if self._judged and not self.budget.runs and self.budget.is_over:
            raise OutOfTime

    def _budget_spent(self) -> bool:
        if not self.budget.runs:
            return False
        if self._looking:
            return not self.budget.leaves_larger
        return self.diagnoses.as_drawn or self.budget.is_spent


_current: ContextVar[Trial | None] = ContextVar("conformance_trial", default=None)


def current() -> Trial | None:
    """The trial of the attempt that runs now; None outside of one."""
    return _current.get()


def records_with(operator: Operator) -> Mapping[str, Operator]:
    """The records of the current trial, with ``operator`` in place of the one of its name."""
    trial, mine = current(), operator.name
    others: Mapping[str, Operator] = {} if trial is None else trial.records
    names = dict.fromkeys((*others, mine))
    return OnDemand(names, lambda name: operator if name == mine else others[name])
