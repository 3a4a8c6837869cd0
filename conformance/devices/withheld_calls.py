"""Which calls of a record are made on an NPU: those that its CANN is known to carry out unharmed.

The simulator makes every call, with kernels whose accesses it checks.
"""

from __future__ import annotations

import re

from conformance.call.case import Case
from conformance.catalogue import device as say
from conformance.devices.device import DeviceProfile
from conformance.record.operator import Mode, Newer, Operator

NUMBERS = re.compile(r"(\d+)\.(\d+)")


def why_withheld(
    operator: Operator, mode: str, profile: DeviceProfile | None, dtype: str = ""
) -> str:
    """Why calls of a mode, and of a data type if one is given, are not made on a device; "" if they
    are.
    """
    if profile is None or profile.kind != "npu":
        return ""
    numbers = _numbers(profile.cann)
    cann = say.CANN_VERSION(version=profile.cann) if numbers else say.UNKNOWN_CANN()
    known = mode_named(operator, mode)
    if known and known.until and not (numbers and numbers <= _numbers(known.until.cann)):
        what, words, version, clause = (
            mode,
            say.WITHHELD_AFTER,
            known.until.cann,
            known.until.clause,
        )
    elif (newer := _newer(operator, dtype)) and not numbers > _numbers(newer.after):
        what, words, version, clause = dtype, say.WITHHELD_UNTIL, newer.after, newer.clause
    else:
        return ""
    told = say.CLAUSE(text=clause.text, source=clause.source)
    return words(operator=operator.name, what=what, cann=cann, version=version, clause=told)


def may_be_withheld(operator: Operator, case: Case) -> bool:
    """Whether some device may leave out a call, for its version of CANN."""
    known = mode_named(operator, case.mode)
    dated = known is not None and known.until is not None
    return dated or _newer(operator, case.dtype) is not None


def _newer(operator: Operator, dtype: str) -> Newer | None:
    return next((one for one in operator.newer if one.dtype == dtype), None)


def mode_named(operator: Operator, name: str) -> Mode | None:
    """The mode of that name, None if the record has none."""
    return next((mode for mode in operator.modes if mode.name == name), None)


def _numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version text such as 8.5.0.alpha003; () for another text."""
    found = NUMBERS.match(version)
    return tuple(map(int, found.groups())) if found else ()
