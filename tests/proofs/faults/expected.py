"""With which status a run may end that one fault strikes: by what the struck call was for.

The calls of a run without faults say it by their order: a device process opens its device, serves
calls of the operator, and gives its memory back. In a call of the operator with two inputs and two
outputs, four copies go up, that of the workspace and those of its guards, the stream is waited for,
and all but the workspace comes back in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

EFFECTS = {
    "error": "500000",
    "short": "short",
    "wrong": "wrong",
    "crash": "crash",
    "hang": "hang",
    "memory": "207001",
}
"""The faults by the words of a report, as ASCENDSIM_FAULTS has them."""

CARD_EFFECTS = {"context": "507011", "card": "507010", "kernel": "507035"}
"""What a card answers beside them: its context is lost, itself is, or a kernel faulted."""

OPENING = ("aclInit", "aclrtGetDeviceCount", "aclrtSetDevice", "aclrtCreateStream")
COPY = "aclrtMemcpy"
PLAN = "aclrtMemcpyAsync"
"""The operator library's own: what its host tiling tells the kernel."""

WAIT = "aclrtSynchronizeStream"
INPUTS, TENSORS = 2, 4
ACCEPTED, REFUSED, ENVIRONMENT = 0, 1, 3


class Role(Enum):
    """What a call is for."""

    OPENING = "opening"
    MEMORY = "allocation"
    INPUT = "upload of an input"
    POISON = "upload of an output's poison"
    WORKSPACE = "upload of the workspace's poison"
    GUARDS = "upload of guards"
    PLAN = "upload of a plan"
    RUN = "run"
    LOOK = "reading back of an input"
    RESULT = "reading back of an output"
    DAMAGE = "reading back of guards"
    END = "end"


SENT = (Role.INPUT, Role.POISON, Role.GUARDS)


@dataclass(frozen=True)
class Struck:
    """A call of the run without faults: its number from 1, its function, and what it is for.

    ``call`` counts the calls of the operator that its process had made before.
    """

    number: int
    function: str
    role: Role
    call: int = 0


def roles(calls: Sequence[tuple[str, int]]) -> list[Struck]:
    """What each call of a run without faults is for, where one process at a time makes calls."""
    found: list[Struck] = []
    for _, made in groupby(calls, key=lambda call: call[1]):
        functions = [function for function, _ in made]
        last_copy = max((i for i, f in enumerate(functions) if f == COPY), default=-1)
        back, copies, expected, call = False, 0, TENSORS, 0
        for place, function in enumerate(functions):
            if function == COPY:
                if back and copies == expected:
                    back, copies, call = False, 0, call + 1
                role = _copied(copies, back=back)
                copies += 1
            elif function in OPENING:
                role = Role.OPENING
            elif function == PLAN:
                role = Role.PLAN
            elif function == WAIT:
                back, expected, copies = True, copies - (copies > TENSORS), 0
                role = Role.RUN
            elif place > last_copy:
                role = Role.END
            else:
                role = Role.MEMORY
            found.append(Struck(len(found) + 1, function, role, call))
    return found


def _copied(copies: int, *, back: bool) -> Role:
    if copies < INPUTS:
        return Role.LOOK if back else Role.INPUT
    if copies < TENSORS:
        return Role.RESULT if back else Role.POISON
    if back:
        return Role.DAMAGE
    return Role.GUARDS if copies > TENSORS else Role.WORKSPACE


def allowed(struck: Struck, effect: str) -> set[int]:
    """The statuses with which the run may end.

    A fault of the opening is the environment's, and one at the end comes too late to change a
    verdict. A struck call of the operator is refused. Of copies that are short or wrong in one bit,
    and say success: an input that comes back otherwise than it was sent is looked at again, so
    that nothing is refused for the way back; a bit of the poison is written over by the kernel, if
    it is not one of the guard zone; nobody reads a workspace's; of a plan not every byte need
    matter to this call; and the half that is left out of what is sent may lie there since the call
    before. All others are seen, by what comes back or by a guard zone.
    """
    silent = effect in ("short", "wrong")
    if silent and struck.role is Role.PLAN:
        return {ACCEPTED, REFUSED}
    if effect == "short" and struck.role in SENT and struck.call > 0:
        return {ACCEPTED, REFUSED}
    if silent and (struck.function != COPY or struck.role in (Role.LOOK, Role.WORKSPACE)):
        return {ACCEPTED}
    if effect == "wrong" and struck.role is Role.POISON:
        return {ACCEPTED, REFUSED}
    if struck.role is Role.OPENING:
        return {ENVIRONMENT}
    return {ACCEPTED} if struck.role is Role.END else {REFUSED}
