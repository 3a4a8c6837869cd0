"""The judge of calls that must be refused, for their items and for replays."""

from __future__ import annotations

from conformance.call.findings import call_findings, ending
from conformance.call.observation import Observation, Outcome
from conformance.judge.effects import side_effects
from conformance.judge.verdict import Verdict
from conformance.record.operator import Rejection


def judge_rejection(rejection: Rejection, observation: Observation) -> Verdict:
    """Judge one call that the interface must refuse: its status, and that it touched nothing."""
    case = rejection.case
    about = f"{case.operator}, {case.mode}, {case.dtype}, {rejection.name}"
    problems: list[str] = []
    if observation.outcome is Outcome.NOT_POSSIBLE and case.breach is not None:
        headline = f"{about}: {ending(observation)}"
        return Verdict(True, headline, clause=rejection.clause, subject=case, judged=False)
    if observation.outcome is not Outcome.REJECTED:
        ended = "the call was carried out"
        if observation.outcome is not Outcome.COMPLETED:
            ended = ending(observation).rstrip(".")
        problems.append(f"{ended}, it must be refused with status {rejection.status}")
    elif observation.status != rejection.status:
        message = f' ("{observation.message}")' if observation.message else ""
        problems.append(
            f"refused with status {observation.status}{message}, must be {rejection.status}"
        )
    if not observation.outputs_untouched:
        problems.append("the outputs of a refused call were written to")
    problems += side_effects(observation, values_right=False)
    ok = not problems
    refused = f"refused with status {rejection.status}, as it must be"
    headline = f"{about}: {'; '.join(problems) if problems else refused}."
    clause = None if ok else rejection.clause
    return Verdict(ok, headline, {}, call_findings(observation), clause, case)
