"""What a call did with the device that no call may do, whatever its outputs hold.

It is told as diagnostics of the call: errors of operators that were built here, notes of others',
whose hosts may fill memory without a kernel and keep what they like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.call.case import Case
from conformance.call.observation import Diagnostic
from conformance.devices.messages import Answer, Call
from conformance.record.operator import Operator, Unspecified

ADVICE = {
    "no-launch": "Compute on the device: launch a kernel, or fill and copy there.",
    "written-early": "Let phase one plan alone: the outputs are the caller's until phase two.",
    "memory-left": "Free in phase two what the call allocates, or keep it for later calls.",
    "task-left": "Submit all work to the stream that is given, or order it there by an event.",
    "status-dropped": "Answer the status of every function of the runtime that fails.",
}
"""By code; docs/reference/diagnostics.md explains them."""

Told = Iterator[tuple[str, str]]
"""Codes, each with a message."""


def told(found: Iterable[tuple[str, str]], *, own: bool) -> tuple[Diagnostic, ...]:
    """The diagnostics of a call of operators that were built here (``own``) or of others'."""
    severity = "error" if own else "note"
    return tuple(Diagnostic(code, severity, message, ADVICE[code]) for code, message in found)


def ended(answer: Answer) -> bool:
    """Whether a call came to an end that it chose, so that its conduct can be asked about."""
    return answer.conduct is not None and answer.outcome in ("completed", "rejected")


def left_behind(count: int) -> Told:
    """That the call leaves so many bytes, and does so each time: what is allocated in the first of
    equal calls alone is kept for later ones.
    """
    if count:
        yield "memory-left", f"each such call leaves {count} bytes of device memory allocated"


def done(operator: Operator, case: Case, call: Call, answer: Answer) -> Told:
    """What is wrong with how a completed call came by its outputs: one that keeps the protocol."""
    conduct = answer.conduct
    if conduct is None or answer.outcome != "completed" or call.breach is not None:
        return
    if not conduct.launches and not conduct.tasks:
        due = [
            one.name
            for one in call.tensors
            if one.role == "output"
            and 0 not in one.shape
            and _is_promised(operator, case, one.name)
        ]
        if due:
            yield (
                "no-launch",
                f"the call launched no kernel, and filled and copied nothing on the device, "
                f"though {', '.join(due)} must be written",
            )
    if conduct.written_early:
        phase = f"{call.symbol}GetWorkspaceSize"
        yield "written-early", f"{phase} wrote to {', '.join(conduct.written_early)}"
    if conduct.waiting:
        noun = "task waits" if conduct.waiting == 1 else "tasks wait"
        yield (
            "task-left",
            f"{conduct.waiting} {noun} in a stream that is not the call's, and nothing orders that "
            f"before what follows the call",
        )
    for failure in conduct.failures:
        yield (
            "status-dropped",
            f"{failure.what} answered {failure.status}, and the call 0: {failure.text}",
        )


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
