"""The calls that a bundle makes before its own."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.call.case import Case
from conformance.catalogue import bundle as say
from conformance.failure.bundle.arguments import arguments_of, guards_file
from conformance.failure.bundle.manifest import BeforeEntry
from conformance.failure.bundle.stored import Arrays
from conformance.judge.sequences import rejection_of
from conformance.record.operator import Operator
from conformance.suite.on_route import two_phase


def before_of(
    case: Case, route: str, operators: Mapping[str, Operator], arrays: Arrays
) -> tuple[tuple[BeforeEntry, ...], str]:
    """The calls before a case, whose inputs are stored; or why not all can be told."""
    found: list[BeforeEntry] = []
    for number, one in enumerate(case.before, 1):
        operator = operators.get(one.operator)
        arguments, why_not = arguments_of(one, operator, route, arrays, number)
        if why_not or operator is None:
            return (), say.BEFORE_IT(number=number, reason=why_not)
        rejection = rejection_of(operator, one)
        found.append(
            BeforeEntry(
                operator=one.operator,
                digest=one.digest,
                symbol=operator.symbol(two_phase(route)),
                status=0 if rejection is None else rejection.status,
                machine=machine_of(one),
                memory=one.setting.memory,
                arguments=arguments,
                guards=guards_file(number),
            )
        )
    return tuple(found), ""


def machine_of(case: Case) -> dict[str, int | str] | None:
    """The simulated machine of a case as the manifest tells it."""
    if case.machine is None:
        return None
    machine = case.machine
    return {
        "cores": int(machine.cores),
        "ub_bytes": int(machine.ub_bytes),
        "block_order": machine.block_order,
        "functions": machine.functions,
        "pipes": machine.pipes,
    }
