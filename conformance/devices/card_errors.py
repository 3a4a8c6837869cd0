"""What a status 507xxx says: of the kernel, of the process's context, or of the card.

The numbers are those of CANN's ``rt_error_codes.h``. A kernel that faults is told of by the verdict
of its case. A context that is lost is another's fault as often as the kernel's: a new process asks
once more. A card that is lost answers no process, whatever is asked of it.
"""

from __future__ import annotations

from enum import Enum

CLASS = range(507000, 508000)
"""Statuses of the device and its software, after which a process is not used again."""


class Loss(Enum):
    """What is lost with a status, and what helps."""

    KERNEL = "the kernel faulted"
    CONTEXT = "the context was lost"
    CARD = "the card was lost"


KERNEL_FAULTS = {
    507014: "AI core timed out",
    507015: "AI core exception",
    507016: "AI core trap",
    507017: "AI CPU timed out",
    507018: "AI CPU exception",
    507034: "vector core timed out",
    507035: "vector core exception",
    507036: "vector core trap",
    507042: "AI core trap: read out of range",
    507043: "AI core trap: write out of range",
    507044: "vector core trap: read out of range",
    507045: "vector core trap: write out of range",
    507046: "the stream did not end in time",
    507048: "task timed out",
    507049: "task exception",
    507050: "task trap",
}
CARD_FAULTS = {
    507010: "the task scheduler's heartbeat is lost",
    507033: "the device cannot be set up",
    507053: "device memory error",
    507054: "uncorrectable ECC error of device memory",
    507899: "internal error of the driver",
    507901: "the connection between host and device is lost",
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
    return f"{status}, {words}" if words else str(status)
