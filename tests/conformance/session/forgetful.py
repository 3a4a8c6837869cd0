"""A device in this process that adds right, and keeps what it must forget until it is renewed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.judge.judged import Judged
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import Operator, Rejection
from conformance.session.judge_sequences import judge_sequence
from conformance.session.search_budget import SearchBudget
from conformance.session.trial import Trial
from tests.conformance.segment_sum import case, observe, operator, right

RULE = Clause("topK is positive.", "segment_sum.md, Rules", SourceClass.DOCUMENT)
SMALL = case([[1.0, 2.0]], [[0]], "float32")
LARGE = case([[1.0, 2.0], [3.0, 4.0]], [[0], [1], [0]], "float32")
MUST_BE_REFUSED = replace(SMALL, attributes={"topK": 0})
OPERATOR = operator(rejections=(Rejection("topK is 0", MUST_BE_REFUSED, 161002, RULE),))
OTHER = replace(OPERATOR, name="other_sum", rejections=())


def of_other(one: Case) -> Case:
    """The same call of another operator."""
    return replace(one, operator=OTHER.name)


@dataclass
class Forgetful:
    """``keeps`` is what makes later calls wrong: larger, refused, other; "" none.

    ``broken`` are the operators whose every call is wrong.
    """

    keeps: str = ""
    broken: tuple[str, ...] = ()
    made: list[Case] = field(default_factory=list)
    renewed: int = 0

    def renew(self) -> None:
        self.renewed += 1
        self.made.clear()

    def run(self, called: Operator, one: Case) -> Observation:
        assert called.name == one.operator
        assert not one.before
        rows = one.outputs["y"].shape[0]
        before = list(self.made)
        self.made.append(one)
        if one.attributes["topK"] == 0:
            return Observation(Outcome.REJECTED, 161002, outputs_untouched=True)
        wrong = (
            called.name in self.broken
            or {
                "larger": any(other.outputs["y"].shape[0] > rows for other in before),
                "refused": any(other.attributes["topK"] == 0 for other in before),
                "other": any(other.operator != one.operator for other in before),
                "": False,
            }[self.keeps]
        )
        y = right(one)
        return observe(y + 1 if wrong else y)


@dataclass
class Bench:
    """A trial of a sequence on a device, and what it put on record."""

    device: Forgetful
    noted: list[Judged] = field(default_factory=list)

    def __post_init__(self) -> None:
        records = {one.name: one for one in (OPERATOR, OTHER)}
        self.trial = Trial(
            lambda judged, phase, seconds: self.noted.append(judged),
            SearchBudget(60.0),
            records=records,
        )

    def body(self, one: Case) -> None:
        verdict = judge_sequence(OPERATOR, self.device, one)  # type: ignore[arg-type]
        assert verdict.ok, verdict

    def attempt(self, *calls: Case) -> None:
        """Make the calls in this order as a drawn sequence."""
        *before, last = calls
        drawn = replace(last, before=tuple(before))
        self.trial.attempt(lambda: self.body(drawn), drawn)
