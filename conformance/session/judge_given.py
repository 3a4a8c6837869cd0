"""Judging a case that is given in a file, as `run --case FOLDER` asks."""

from __future__ import annotations

from conformance.catalogue import field as say
from conformance.devices.device import Device
from conformance.failure import replay
from conformance.field.given import GivenCase
from conformance.judge.judged import Judged
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import IEEE
from conformance.record.operator import Operator
from conformance.session.trial import current, records_with


def judge_given(given: GivenCase, operator: Operator, device: Device) -> Verdict:
    """Make the call of a saved case, judge it as it was saved to be, and put the verdict on record.

    What is said of it, if it fails, names the file. Raises `UsageError` for a case that no record
    allows, which the front door leaves out.
    """
    saved, trial = given.saved, current()
    found, judged = replay.judgement(saved, records_with(operator))
    arithmetic = IEEE if trial is None else trial.arithmetic
    observation, verdict = judged(device, arithmetic, None if trial is None else trial.beside)
    if trial is not None:
        if saved.judged_as == "values":
            verdict = trial.by_standard.reconsider(found, saved.case, observation, verdict)
        trial.noted = say.OF_FILE(file=given.file)
        trial.record(Judged(saved.case, observation, verdict, saved.judged_as, saved.name))
    return verdict
