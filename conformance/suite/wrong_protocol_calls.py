"""Calls that every operator must refuse because they break the protocol of the two phases.

They are made from a documented call of the record, so that nothing but the protocol is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conformance.call.case import Case
from conformance.call.protocol_breach import Breach
from conformance.catalogue import wrong_calls as say
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Operator, Rejection

NULL_POINTER, INVALID, RUNTIME = 161001, 161002, 361001
"""ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR (CANN operator library
reference, aclnn return codes)."""

MOST = 1 << 18
"""Elements of a documented call that these are made from."""


def own(rule: str) -> Clause:
    """A rule that the vendor leaves undefined, with the suite's own interface as its source."""
    text = say.OWN_STATUS(rule=rule)
    return Clause(text, "device_kernels/opapi/plan.h", SourceClass.INFERRED)


PLACES = source_read(say.PLACES(), say.PLACES_READ())
EXECUTOR = source_read(say.EXECUTOR(), say.EXECUTOR_READ())
WORKSPACE = source_read(say.WORKSPACE(), say.WORKSPACE_READ())
ONCE = document(
    say.OWN_STATUS(rule=say.ONCE()), "CANN operator library reference, two-phase interface"
)
KNOWN = own(say.KNOWN())
ENOUGH = own(say.ENOUGH())
ALIGNED = own(say.ALIGNED())
LIVE = own(say.LIVE())


@dataclass(frozen=True)
class Mistake:
    """One way to break the protocol, and the status that it must answer.

    ``checked_by_cann`` is that of `Rejection`.
    """

    name: str
    breach: Breach
    status: int
    clause: Clause
    checked_by_cann: bool = False


MISTAKES = (
    Mistake("no place for the size", Breach(size_place="null"), NULL_POINTER, PLACES),
    Mistake("no place for the executor", Breach(executor_place="null"), NULL_POINTER, PLACES),
    Mistake("phase two without phase one", Breach(executor="null"), NULL_POINTER, EXECUTOR, True),
    Mistake("executor of nobody", Breach(executor="made up"), INVALID, KNOWN),
    Mistake("executor used twice", Breach(executor="used"), INVALID, ONCE),
    Mistake(
        "executor used again on another stream",
        Breach(executor="used", stream="another"),
        INVALID,
        ONCE,
    ),
    Mistake("executor destroyed", Breach(executor="destroyed"), INVALID, KNOWN),
    Mistake("workspace null", Breach(workspace="null"), NULL_POINTER, WORKSPACE, True),
    Mistake("workspace absent", Breach(workspace="absent"), NULL_POINTER, ENOUGH),
    Mistake("workspace too small", Breach(workspace="short"), INVALID, ENOUGH),
    Mistake("workspace misaligned", Breach(workspace="misaligned"), INVALID, ALIGNED),
    Mistake("stream destroyed", Breach(stream="destroyed"), RUNTIME, LIVE),
)
"""The family, the same for all operators."""


def of_the_protocol(operator: Operator) -> tuple[Rejection, ...]:
    """Each mistake, made with the smallest documented call that writes something.

    None without such a call.
    """
    return tuple(
        Rejection(
            f"protocol: {one.name}",
            replace(case, breach=one.breach),
            one.status,
            one.clause,
            checked_by_cann=one.checked_by_cann,
        )
        for case in _smallest(operator)
        for one in MISTAKES
    )


def _smallest(operator: Operator) -> Iterator[Case]:
    """The smallest documented call with elements in all outputs, of a mode of every route if there
    is one."""
    anywhere = {mode.name for mode in operator.modes if not mode.routes}
    fitting = [
        one.case
        for one in operator.examples
        if all(output.size for output in one.case.outputs.values()) and _elements(one.case) <= MOST
    ]
    fitting.sort(key=lambda case: (case.mode not in anywhere, _elements(case)))
    yield from fitting[:1]


def _elements(case: Case) -> int:
    return sum(one.held_size for one in (*case.inputs.values(), *case.outputs.values()))
