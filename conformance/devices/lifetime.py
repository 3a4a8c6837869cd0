"""What a process that we start inherits, and how it ends with us (Linux, prctl)."""

from __future__ import annotations

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def end_with(parent: int, number: signal.Signals) -> None:
    """Have the system send this process the signal ``number`` once the process ``parent`` ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def interruptible(parent: int) -> None:
    """Let an interrupt reach this process, and interrupt it once the process ``parent`` ends.

    What a shell starts in the background ignores interrupts, and so would all that it starts.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with(parent, signal.SIGINT)
