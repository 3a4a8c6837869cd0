"""Which calls of a record are made where a version of CANN is kept to: those that this version is
known to carry out unharmed, and rejected ones that it is known to refuse.

An NPU keeps to that of its CANN, the simulator to one that it is asked for. By itself the simulator
makes every call, with kernels whose accesses it checks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from conformance.call.case import Case
from conformance.catalogue import versions as say
from conformance.devices.device import DeviceProfile
from conformance.record.operator import Mode, Operator, Rejection
from conformance.record.versions import Dated, Versions, numbers


def why_withheld(operator: Operator, case: Case, profile: DeviceProfile | None) -> str:
    """Why a call is not made on a device; "" if it is. Asked before each call."""
    if profile is None or not profile.keeps_to_cann:
        return ""
    return cell_withheld(operator, case.mode, "", profile) or _why(
        operator, [one for one in operator.dated if one.among(case)], profile
    )


def cell_withheld(operator: Operator, mode: str, dtype: str, profile: DeviceProfile | None) -> str:
    """Why no call of a mode and data type is made on a device; "" if some are."""
    known = mode_named(operator, mode)
    if known and (why := outside(known.versions, profile)):
        return say.OF_CALLS(operator=operator.name, what=mode, why=why)
    return _why(operator, [one for one in operator.dated if dtype and one.dtype == dtype], profile)


def _why(operator: Operator, dated: Iterable[Dated], profile: DeviceProfile | None) -> str:
    for one in dated:
        if why := outside(one.versions, profile):
            return say.OF_CALLS(operator=operator.name, what=one.what, why=why)
    return ""


def as_refused(operator: Operator, rejection: Rejection) -> Operator:
    """The record to make a rejected call by: of a rule that is lifted the rejection has the dates.

    The same call is a documented one of other versions.
    """
    return replace(operator, dated=()) if rejection.lifted else operator


def why_not_refused(rejection: Rejection, profile: DeviceProfile | None) -> str:
    """Why nobody knows that a device refuses a call, by the version of its CANN; "" if it does."""
    if rejection.lifted and rejection.versions and not (profile and profile.keeps_to_cann):
        return say.LIFTED(versions=rejection.versions.in_words, clause=_said(rejection.versions))
    return outside(rejection.versions, profile)


def outside(versions: Versions | None, profile: DeviceProfile | None) -> str:
    """Why nothing is known of the version that a device keeps to, "" if it is."""
    if versions is None or profile is None or not profile.keeps_to_cann:
        return ""
    if versions.hold(profile.cann):
        return ""
    known = numbers(profile.cann)
    cann = say.KNOWN(version=profile.cann) if known else say.UNKNOWN()
    return say.NOT_WITH(cann=cann, versions=versions.in_words, clause=_said(versions))


def _said(versions: Versions) -> str:
    return say.CLAUSE(text=versions.clause.text, source=versions.clause.source)


def may_be_withheld(operator: Operator, case: Case) -> bool:
    """Whether some device may leave out a call, for its version of CANN."""
    known = mode_named(operator, case.mode)
    dated = known is not None and known.versions is not None
    return dated or any(one.among(case) for one in operator.dated)


def mode_named(operator: Operator, name: str) -> Mode | None:
    """The mode of that name, None if the record has none."""
    return next((mode for mode in operator.modes if mode.name == name), None)
