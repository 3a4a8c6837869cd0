"""Cases and records as the libraries of a device are meant to be asked (devices/traits.py)."""

from __future__ import annotations

from dataclasses import replace

from conformance.call.case import Case
from conformance.devices.traits import LibraryTraits
from conformance.record.operator import Operator


def fitted(case: Case, traits: LibraryTraits) -> Case:
    """The case on a machine with as much unified buffer as the libraries want."""
    machine = case.machine
    if machine is None or machine.ub_bytes >= traits.least_ub_bytes:
        return case
    return replace(case, machine=replace(machine, ub_bytes=traits.least_ub_bytes))


def asked(operator: Operator, traits: LibraryTraits) -> Operator:
    """The record with the documented calls that the libraries can be asked."""
    if not traits.least_ub_bytes and traits.checks_calls:
        return operator
    return replace(
        operator,
        examples=tuple(replace(one, case=fitted(one.case, traits)) for one in operator.examples),
        corpus=tuple(replace(one, case=fitted(one.case, traits)) for one in operator.corpus),
        regressions=tuple(
            replace(one, case=fitted(one.case, traits)) for one in operator.regressions
        ),
        rejections=operator.rejections if traits.checks_calls else (),
        quarantine=operator.quarantine if traits.checks_calls else (),
    )
