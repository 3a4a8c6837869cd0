"""Judging a case that stays, with the calls before it."""

from __future__ import annotations

import numpy as np

from conformance.catalogue import session as say
from conformance.devices.device import Device
from conformance.errors import text_of
from conformance.judge.beside import in_sequence, judged_beside
from conformance.judge.judged import Judged
from conformance.judge.legality import IllegalCase, check_call
from conformance.judge.sequences import check_before, judged, observed, rejection_of
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import IEEE
from conformance.record.frozen import Frozen
from conformance.record.operator import Operator
from conformance.session.trial import BrokenRecord, current, records_with


def judge_frozen(frozen: Frozen, operator: Operator, device: Device) -> Verdict:
    """Make the call of a case that stays, judge it as any call, and put the verdict on record.

    Raises `BrokenRecord` where the case is not the one that was frozen.
    """
    case, trial = frozen.case, current()
    records = records_with(operator)
    kind = say.CORPUS() if frozen.kind == "corpus" else say.REGRESSION()
    try:
        if rejection_of(operator, case) is None:
            check_call(case, operator)
        check_before(case, records)
    except IllegalCase as error:
        told = say.FROZEN_CASE(kind=kind, name=frozen.name, error=text_of(error))
        raise BrokenRecord(told) from error
    if case.digest != frozen.digest:
        told = say.FROZEN_OTHERWISE(
            kind=kind,
            name=frozen.name,
            operator=operator.name,
            digest=case.digest,
            frozen=frozen.digest,
            version=np.__version__,
        )
        raise BrokenRecord(told)
    observation = observed(records, case, device)
    verdict = judged(operator, case, observation, IEEE if trial is None else trial.arithmetic)
    if trial is not None:
        observation, verdict = judged_beside(
            trial.beside, operator, case, observation, verdict, in_sequence(operator)
        )
        trial.record(Judged(case, observation, verdict, frozen.kind, frozen.name))
    return verdict
