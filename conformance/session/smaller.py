"""Making the smallest refused case smaller where Hypothesis cannot: its calls before, its
machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.draw.machines import CORES, UB_BYTES
from conformance.session.trial import Trial


def shorten(trial: Trial, body: Callable[[Case], None]) -> None:
    """Leave out the calls before the smallest refused case without which it is still refused:
    all of them, then one after the other, the last one first.
    """
    shown = trial.smallest
    if shown is None or not shown.case.before:
        return
    before = shown.case.before
    if trial.still_refused(body, shown, replace(shown.case, before=())):
        return
    trial.alone_accepted = True
    for at in reversed(range(len(before))):
        if trial.budget.is_over or shown.observation.outcome is Outcome.TIMED_OUT:
            return
        fewer = before[:at] + before[at + 1 :]
        if fewer and trial.still_refused(body, shown, replace(shown.case, before=fewer)):
            before = fewer


def narrow(trial: Trial, body: Callable[[Case], None]) -> None:
    """Look for the smallest machine on which the smallest refused case ends in the same way:
    the fewest cores, then the least buffer.

    Hypothesis cannot: where sizes are drawn around those of the machine, a smaller one makes
    another case of it.
    """
    for axis, sizes in (("cores", CORES), ("ub_bytes", UB_BYTES)):
        shown = trial.smallest
        if shown is None or shown.case.machine is None or trial.budget.is_over:
            return
        hangs = shown.observation.outcome is Outcome.TIMED_OUT
        least = trial.libraries.least_ub_bytes if axis == "ub_bytes" else 0
        smaller = [size for size in sizes if least <= size < getattr(shown.case.machine, axis)]
        for size in smaller[:1] if hangs else smaller:
            changed: dict[str, Any] = {axis: size}
            machine = replace(shown.case.machine, **changed)
            if trial.still_refused(body, shown, replace(shown.case, machine=machine)):
                break
