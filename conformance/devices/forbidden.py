"""What a call did with the device that no call may do, whatever its outputs hold.

It is told as diagnostics of the call: errors of operators that were built here, notes of others',
whose hosts may fill memory without a kernel and keep what they like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.call.case import Case
from conformance.call.observation import Diagnostic
from conformance.catalogue import advice, conduct
from conformance.devices.messages import Answer, Call
from conformance.record.contract import Unspecified
from conformance.record.operator import Operator

ADVICE = {
    "no-launch": advice.NO_LAUNCH,
    "written-early": advice.WRITTEN_EARLY,
    "memory-left": advice.MEMORY_LEFT,
    "task-left": advice.TASK_LEFT,
    "status-dropped": advice.STATUS_DROPPED,
}
"""By code; docs/reference/diagnostics.md explains them."""

Told = Iterator[tuple[str, str]]
"""Codes, each with a message."""


def told(found: Iterable[tuple[str, str]], *, own: bool) -> tuple[Diagnostic, ...]:
    """The diagnostics of a call of operators that were built here (``own``) or of others'."""
    severity = "error" if own else "note"
    return tuple(Diagnostic(code, severity, message, ADVICE[code]()) for code, message in found)


def ended(answer: Answer) -> bool:
    """Whether a call came to an end that it chose, so that its conduct can be asked about."""
    return answer.conduct is not None and answer.outcome in ("completed", "rejected")


def left_behind(count: int) -> Told:
    """That the call leaves so many bytes, and does so each time: what is allocated in the first of
    equal calls alone is kept for later ones.
    """
    if count:
        yield "memory-left", conduct.MEMORY_LEFT(count=count)


def done(operator: Operator, case: Case, call: Call, answer: Answer) -> Told:
    """What is wrong with how a completed call came by its outputs: one that keeps the protocol."""
    seen = answer.conduct
    if seen is None or answer.outcome != "completed" or call.breach is not None:
        return
    if not seen.launches and not seen.tasks:
        due = [
            one.name
            for one in call.tensors
            if one.role == "output"
            and 0 not in one.shape
            and _is_promised(operator, case, one.name)
        ]
        if due:
            yield "no-launch", conduct.NO_LAUNCH(outputs=due)
    if seen.written_early:
        phase = f"{call.symbol}GetWorkspaceSize"
        outputs = tuple(seen.written_early)
        yield "written-early", conduct.WRITTEN_EARLY(phase=phase, outputs=outputs)
    if seen.waiting:
        yield "task-left", conduct.TASK_LEFT(count=seen.waiting)
    for one in seen.failures:
        dropped = conduct.STATUS_DROPPED(what=one.what, status=one.status, reason=one.text)
        yield "status-dropped", dropped


def _is_promised(operator: Operator, case: Case, name: str) -> bool:
    """Whether the operator's record says anything of the elements of an output."""
    if name not in operator.contracts:
        return True
    contract = operator.contract(name, case)
    if isinstance(contract, Unspecified):
        return False
    if contract.specified is None:
        return True
    return bool(contract.specified(case.arrays, case.attributes).any())
