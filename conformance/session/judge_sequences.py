"""Judging a drawn sequence: every answer, up to the first that is refused."""

from __future__ import annotations

from dataclasses import replace

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import session as say
from conformance.catalogue.verdict import OF_CALL
from conformance.devices.device import Device
from conformance.judge.beside import in_sequence, judged_beside
from conformance.judge.judged import Judged
from conformance.judge.sequences import alone, judged
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import IEEE
from conformance.record.operator import Operator
from conformance.session.trial import current, records_with


def judge_sequence(operator: Operator, device: Device, case: Case) -> Verdict:
    """Make the calls before a case and the case on the device opened anew, and judge every answer.

    The first that is refused is put on record as a case of its own, after the calls before it. A
    call of another operator that is refused on a new device too ends the sequence without a word:
    its own items tell that, and what comes after it would be blamed for it.
    """
    trial = current()
    records = records_with(operator)
    arithmetic = IEEE if trial is None else trial.arithmetic
    beside = None if trial is None else trial.beside

    def made(call: Case, after: tuple[Case, ...] = ()) -> tuple[Observation, Verdict]:
        called = records[call.operator]
        told, observation = replace(call, before=after), device.run(called, call)
        verdict = judged(called, told, observation, arithmetic)
        return judged_beside(beside, called, told, observation, verdict, in_sequence(called))

    def note(told: Case, observation: Observation, verdict: Verdict) -> Verdict:
        if trial is not None:
            trial.record(Judged(told, observation, verdict, "sequence"))
        return verdict

    device.renew()
    for count, call in enumerate(case.before):
        after = case.before[:count]
        observation, verdict = made(call, after)
        if observation.outcome is Outcome.NOT_POSSIBLE:
            continue
        if not verdict.ok and call.operator != operator.name:
            device.renew()
            if not count or not made(call)[1].ok:
                return note(case, Observation(Outcome.NOT_POSSIBLE), _ended(case, call))
        note(replace(call, before=after), observation, verdict)
        if not verdict.ok:
            return verdict
    return note(case, *made(alone(case), case.before))


def _ended(case: Case, call: Case) -> Verdict:
    """What is said of a sequence that another operator's mistake ends."""
    about = (case.operator, case.mode, case.dtype)
    what = say.AFTER_A_REFUSED_CALL(operator=call.operator)
    headline = OF_CALL(call=about, what=what)
    return Verdict(True, headline, subject=case, judged=False)
