"""Judging a case that stays, with the calls before it."""

from __future__ import annotations

import numpy as np

from conformance.devices.device import Device
from conformance.judge.judged import Judged
from conformance.judge.legality import IllegalCase, check_call
from conformance.judge.sequences import check_before, judged, observed, rejection_of
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import IEEE
from conformance.record.frozen import Frozen
from conformance.record.operator import Operator
from conformance.session.trial import BrokenRecord, current


def judge_frozen(frozen: Frozen, operator: Operator, device: Device) -> Verdict:
    """Make the call of a case that stays, judge it as any call, and put the verdict on record.

    Raises `BrokenRecord` where the case is not the one that was frozen.
    """
    case, trial = frozen.case, current()
    records = {**(trial.records if trial is not None else {}), operator.name: operator}
    try:
        if rejection_of(operator, case) is None:
            check_call(case, operator)
        check_before(case, records)
    except IllegalCase as error:
        raise BrokenRecord(f"{frozen.kind} {frozen.name}: {error}") from error
    if case.digest != frozen.digest:
        raise BrokenRecord(
            f"{frozen.kind} {frozen.name} of {operator.name} has digest {case.digest}, frozen was"
            f" {frozen.digest}: its recipes make other values here (numpy {np.__version__}), or the"
            " file was changed"
        )
    observation = observed(records, case, device)
    verdict = judged(operator, case, observation, IEEE if trial is None else trial.arithmetic)
    if trial is not None:
        trial.record(Judged(case, observation, verdict, frozen.kind, frozen.name))
    return verdict
