"""What a status 507xxx says: of the kernel, of the process's context, or of the card.

The numbers are those of CANN's ``rt_error_codes.h``. A kernel that faults is told of by the verdict
of its case. A context that is lost is another's fault as often as the kernel's: a new process asks
once more. A card that is lost answers no process, whatever is asked of it.
"""

from __future__ import annotations

from enum import Enum

from conformance.catalogue import cards as say

CLASS = range(507000, 508000)
"""Statuses of the device and its software, after which a process is not used again."""


class Loss(Enum):
    """What is lost with a status, and what helps."""

    KERNEL = "kernel"
    CONTEXT = "context"
    CARD = "card"


KERNEL_FAULTS = {
    507014: say.AI_CORE_TIMED_OUT,
    507015: say.AI_CORE_EXCEPTION,
    507016: say.AI_CORE_TRAP,
    507017: say.AI_CPU_TIMED_OUT,
    507018: say.AI_CPU_EXCEPTION,
    507034: say.VECTOR_CORE_TIMED_OUT,
    507035: say.VECTOR_CORE_EXCEPTION,
    507036: say.VECTOR_CORE_TRAP,
    507042: say.AI_CORE_READ,
    507043: say.AI_CORE_WRITE,
    507044: say.VECTOR_CORE_READ,
    507045: say.VECTOR_CORE_WRITE,
    507046: say.STREAM_TIMED_OUT,
    507048: say.TASK_TIMED_OUT,
    507049: say.TASK_EXCEPTION,
    507050: say.TASK_TRAP,
}
CARD_FAULTS = {
    507010: say.HEARTBEAT_LOST,
    507033: say.NOT_SET_UP,
    507053: say.MEMORY_ERROR,
    507054: say.ECC_ERROR,
    507899: say.DRIVER_ERROR,
    507901: say.CONNECTION_LOST,
}


def loss_of(status: int) -> Loss | None:
    """What is lost with ``status``; None for a status of another class."""
    if status not in CLASS:
        return None
    if status in KERNEL_FAULTS:
        return Loss.KERNEL
    return Loss.CARD if status in CARD_FAULTS else Loss.CONTEXT


def in_words(status: int) -> str:
    """The status with what CANN calls it: ``507010, the task scheduler's heartbeat is lost``."""
    words = {**KERNEL_FAULTS, **CARD_FAULTS}.get(status)
    return say.STATUS(status=status, words=words()) if words else str(status)
