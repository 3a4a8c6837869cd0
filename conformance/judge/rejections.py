"""The judge of calls that must be rejected, for their items and for replays."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.call.findings import call_findings, ending
from conformance.call.observation import UNTOLD, Observation, Outcome
from conformance.catalogue import verdict as say
from conformance.judge.effects import side_effects
from conformance.judge.headline import failed, unended
from conformance.judge.verdict import Verdict
from conformance.record.operator import Rejection


def judge_rejection(
    rejection: Rejection, observation: Observation, *, lenient: bool = False
) -> Verdict:
    """Judge one call that the interface must refuse: its status, and that it touched nothing.

    If ``lenient``, a function may carry it out: the headline says so, and the verdict is ok.
    """
    case = rejection.case
    about = (case.operator, case.mode, case.dtype, rejection.name)
    of_function = rejection.breaks is not None
    sayable = case.breach is None and not of_function
    if observation.outcome is Outcome.NOT_POSSIBLE and not sayable:
        headline: str = say.OF_CALL(call=about, what=ending(observation))
        return Verdict(True, headline, clause=rejection.clause, subject=case, judged=False)
    if of_function and observation.outcome in (Outcome.COMPLETED, Outcome.FAILED):
        # What a function answers such a call with fits no declared output: it fails then.
        headline = failed(about, [say.MUST_RAISE(ended=say.CARRIED_OUT())])
        hint = () if lenient else (say.LENIENT(),)
        return Verdict(lenient, headline, {}, hint, rejection.clause, case)
    problems = [*_problems(rejection, observation)]
    ended = observation.outcome is Outcome.REJECTED
    if not observation.outputs_untouched and (ended or not of_function):
        problems.append(say.OUTPUTS_WRITTEN())
    problems += side_effects(observation, values_right=False)
    ok = not problems
    refused = say.RIGHTLY_REFUSED(status=rejection.status)
    if rejection.status == UNTOLD:
        refused = say.RIGHTLY_RAISED()
    headline = failed(about, problems or [refused])
    clause = None if ok else rejection.clause
    return Verdict(ok, headline, {}, call_findings(observation), clause, case)


def _problems(rejection: Rejection, observation: Observation) -> Iterator[str]:
    """What is wrong with how the call ended."""
    if observation.outcome is not Outcome.REJECTED:
        ended: str = say.CARRIED_OUT()
        if observation.outcome is not Outcome.COMPLETED:
            ended = unended(ending(observation))
        if rejection.status == UNTOLD:
            yield say.MUST_RAISE(ended=ended)
        else:
            yield say.MUST_BE_REFUSED(ended=ended, status=rejection.status)
    elif rejection.status not in (UNTOLD, observation.status):
        reason = say.REASON(reason=observation.message) if observation.message else ""
        told = {"seen": observation.status, "reason": reason, "status": rejection.status}
        yield say.OTHER_STATUS(**told)
