"""Which modes of a record are called on an NPU: those that its CANN is known to carry out unharmed.

The simulator makes every call, with kernels whose accesses it checks.
"""

from __future__ import annotations

import re

from conformance.case import Case
from conformance.devices.device import DeviceProfile
from conformance.operator import Mode, Operator

NUMBERS = re.compile(r"(\d+)\.(\d+)")


def why_withheld(operator: Operator, mode: str, profile: DeviceProfile | None) -> str:
    """Why calls of a mode are not made on a device; "" if they are."""
    known = mode_named(operator, mode)
    if known is None or known.until is None or profile is None or profile.kind != "npu":
        return ""
    if (numbers := _numbers(profile.cann)) and numbers <= _numbers(known.until.cann):
        return ""
    with_it = f"CANN {profile.cann}" if numbers else "a CANN whose version is not known"
    clause = known.until.clause
    return (
        f"{operator.name}, {mode}: not called on an NPU with {with_it}, but up to CANN"
        f" {known.until.cann}: {clause.text} [{clause.source}]"
    )


def may_be_withheld(operator: Operator, case: Case) -> bool:
    """Whether some device may leave out a call, for its version of CANN."""
    known = mode_named(operator, case.mode)
    return known is not None and known.until is not None


def mode_named(operator: Operator, name: str) -> Mode | None:
    """The mode of that name, None if the record has none."""
    return next((mode for mode in operator.modes if mode.name == name), None)


def _numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version text such as 8.5.0.alpha003; () for another text."""
    found = NUMBERS.match(version)
    return tuple(map(int, found.groups())) if found else ()
