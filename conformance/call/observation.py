"""What a device answered: bytes, codes and diagnostics, with no opinion on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from conformance.call.work import Work
from conformance.catalogue import outcomes as say

UNTOLD = -1
"""The status of a call that ended early and tells none, as an exception of Python."""


class Outcome(Enum):
    """How a call ended. ``REJECTED``: phase 1 refused it; ``FAILED``: phase 2 or the stream did;
    ``NOT_POSSIBLE``: it was never made, as the device has no room for a row-sparse tensor, or the
    route cannot express it.
    """

    COMPLETED = "completed"
    REJECTED = "rejected"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    NOT_POSSIBLE = "not possible here"

    @property
    def words(self) -> str:
        """The value, in the languages of the catalogue."""
        return OUTCOMES[self]()


OUTCOMES = {
    Outcome.COMPLETED: say.COMPLETED,
    Outcome.REJECTED: say.REJECTED,
    Outcome.FAILED: say.FAILED,
    Outcome.CRASHED: say.CRASHED,
    Outcome.TIMED_OUT: say.TIMED_OUT,
    Outcome.OUT_OF_MEMORY: say.OUT_OF_MEMORY,
    Outcome.NOT_POSSIBLE: say.NOT_POSSIBLE,
}


@dataclass(frozen=True)
class EarlierAccess:
    """The first of two accesses that do not go together: what did it, and where in the kernel."""

    operation: str
    file: str
    line: int
    block: int
    pipe: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding of the simulated machine about the kernel's behaviour.

    ``file`` and ``line`` are the kernel's own source; ``block`` is the block, -1 for the host.
    ``earlier`` is the other access where there are two.
    """

    code: str
    severity: str
    message: str
    advice: str = ""
    kernel: str = ""
    file: str = ""
    line: int = 0
    block: int = -1
    pipe: str = ""
    address: int = 0
    earlier: EarlierAccess | None = None


@dataclass(frozen=True)
class GuardDamage:
    """Bytes of a guard zone that changed: the buffer's name, the offset of the first changed byte
    from the buffer's start (negative: before it), and how many changed.
    """

    buffer: str
    offset: int
    count: int


@dataclass(frozen=True)
class Observation:
    """The answer of one call.

    ``outputs`` holds each output as an array of the case's shape and dtype. ``unwritten`` counts
    per output the elements that the call did not write; where there are some, ``unwritten_at`` has
    which, as an array of the output's shape. Of a call that did not complete, and that was not made
    again, they are those that hold what they held before. ``outputs_untouched``: so do all bytes of
    all outputs. ``inputs_changed`` names inputs whose bytes differ afterwards. ``status`` is the
    status of the failing function (0 when completed), ``phase`` its name, ``message`` the text of
    aclGetRecentErrMsg, ``seconds`` the wall time of the call (of one that timed out without its
    waits for a processor), ``tiling_key`` the branch of the kernel that its host tiling chose, None
    where that is unknown, ``two_phase`` the two-phase functions that the call of torch_npu reached,
    none where that is unknown, ``reopened`` how many processes the device lost with the call: it is
    opened anew for the next.
    ``work`` is what a simulated device counted (`conformance.call.work`), None if nothing did.
    ``beside`` is what a second implementation answered the same call, None without one.
    """

    outcome: Outcome
    status: int = 0
    phase: str = ""
    message: str = ""
    outputs: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)
    unwritten: Mapping[str, int] = field(default_factory=dict)
    unwritten_at: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    outputs_untouched: bool = False
    guard_damage: tuple[GuardDamage, ...] = ()
    inputs_changed: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    workspace_bytes: int = 0
    seconds: float = 0.0
    tiling_key: int | None = None
    two_phase: tuple[str, ...] = ()
    reopened: int = 0
    work: Work | None = None
    beside: Observation | None = None
