"""The judge of calls that must be rejected, for their items and for replays."""

from __future__ import annotations

from conformance.call.findings import call_findings, ending
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import verdict as say
from conformance.judge.effects import side_effects
from conformance.judge.headline import failed, unended
from conformance.judge.verdict import Verdict
from conformance.record.operator import Rejection


def judge_rejection(rejection: Rejection, observation: Observation) -> Verdict:
    """Judge one call that the interface must refuse: its status, and that it touched nothing."""
    case = rejection.case
    about = (case.operator, case.mode, case.dtype, rejection.name)
    problems: list[str] = []
    if observation.outcome is Outcome.NOT_POSSIBLE and case.breach is not None:
        headline: str = say.OF_CALL(call=about, what=ending(observation))
        return Verdict(True, headline, clause=rejection.clause, subject=case, judged=False)
    if observation.outcome is not Outcome.REJECTED:
        ended: str = say.CARRIED_OUT()
        if observation.outcome is not Outcome.COMPLETED:
            ended = unended(ending(observation))
        problems.append(say.MUST_BE_REFUSED(ended=ended, status=rejection.status))
    elif observation.status != rejection.status:
        reason = say.REASON(reason=observation.message) if observation.message else ""
        told = {"seen": observation.status, "reason": reason, "status": rejection.status}
        problems.append(say.OTHER_STATUS(**told))
    if not observation.outputs_untouched:
        problems.append(say.OUTPUTS_WRITTEN())
    problems += side_effects(observation, values_right=False)
    ok = not problems
    refused = say.RIGHTLY_REFUSED(status=rejection.status)
    headline = failed(about, problems or [refused])
    clause = None if ok else rejection.clause
    return Verdict(ok, headline, {}, call_findings(observation), clause, case)
