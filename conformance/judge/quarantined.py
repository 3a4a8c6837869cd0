"""What is told of calls whose right answer is in doubt; their verdict is ok."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.findings import call_findings, ending
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import verdict as say
from conformance.catalogue.message import row
from conformance.errors import text_of
from conformance.judge.agreement import ReferenceDisagreement
from conformance.judge.calls import judge
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.operator import Operator, Quarantine


def observe_quarantined(
    quarantined: Quarantine,
    operator: Operator,
    observation: Observation,
    arithmetic: Arithmetic = IEEE,
) -> Verdict:
    """What became of a call in quarantine: the verdict is ok, whatever it was."""
    case = quarantined.case
    told = ending(observation)
    if observation.outcome is Outcome.COMPLETED:
        try:
            found = judge(operator, case, observation, arithmetic)
            told = say.AS_THE_CONTRACT_SAYS()
            if not found.ok:
                told = say.OTHERWISE(headline=found.headline)
        except (ReferenceDisagreement, ValueError, TypeError) as undefined:
            digest = _digest(observation.outputs)
            told = say.UNDEFINED(why=text_of(undefined), digest=digest)
        notes = dict.fromkeys(one.message for one in observation.diagnostics)
        told = row([told, *(say.DEVICE_NOTES(note=note) for note in notes)])
    call = (case.operator, case.mode, case.dtype, quarantined.name)
    doubt = say.IN_DOUBT(what=told, clause=quarantined.clause.text)
    return Verdict(
        ok=True,
        headline=say.OF_CALL(call=call, what=doubt),
        findings=call_findings(observation),
        clause=quarantined.clause,
        subject=case,
        judged=False,
    )


def _digest(outputs: Mapping[str, NDArray[Any]]) -> str:
    """What two answers have in common only where they are the same."""
    found = hashlib.sha256()
    for name, array in sorted(outputs.items()):
        found.update(f"{name} {array.dtype} {array.shape} ".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]
