"""What is told of calls whose right answer is in doubt; their verdict is ok."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.findings import call_findings, ending
from conformance.call.observation import Observation, Outcome
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
            told = (
                "carried out as the contract says" if found.ok else f"otherwise: {found.headline}"
            )
        except (ReferenceDisagreement, ValueError, TypeError) as undefined:
            answer = f"outputs of sha256 {_digest(observation.outputs)}"
            told = f"carried out, of which the reference says nothing: {undefined}; {answer}"
        notes = dict.fromkeys(one.message for one in observation.diagnostics)
        told += "".join(f"; the device notes: {note}" for note in notes)
    return Verdict(
        ok=True,
        headline=(
            f"{case.operator}, {case.mode}, {case.dtype}, {quarantined.name}: {told}"
            f" [in doubt: {quarantined.clause.text}]"
        ),
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
