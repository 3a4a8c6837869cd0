"""Which operators ``run`` judges, and what it was asked for and cannot judge."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from conformance.catalogue import left_out as say
from conformance.cli.again import check_checkout
from conformance.cli.other_routes import operators_elsewhere
from conformance.devices.foreign import Checkout, checkout_libraries, contents
from conformance.devices.packages.delivered import of_package
from conformance.errors import EnvironmentFailure
from conformance.record.operator import Operator
from conformance.session.left_out import not_on_route, told
from conformance.suite import records as suite
from conformance.suite.on_route import reachable


@dataclass(frozen=True)
class Chosen:
    """The operators that a run judges.

    ``left_out`` is what it was asked for besides, each with the reason; ``checkout`` has what was
    built of a checkout; ``failure`` is why nothing can be judged.
    """

    operators: tuple[Operator, ...]
    left_out: Mapping[str, str]
    checkout: Checkout | None = None
    failure: EnvironmentFailure | None = None


def choose(
    parsed: argparse.Namespace,
    known: Mapping[str, Operator],
    route: str,
    package: Path | None,
    pytest_arguments: Sequence[str],
    console: Console,
) -> Chosen:
    """Choose among the ``known`` operators; what is left out is told before anything is built.

    Raises `UsageError` for a name without a record, and for what does not go together.
    """
    directories = [directory.absolute() for directory in parsed.operators]
    wanted = suite.chosen(known, parsed.operator, directories)
    if parsed.kernels is not None:
        check_checkout(parsed.kernels, parsed.device, parsed.route, parsed.libraries)
    left_out = not_on_route(wanted, route, parsed.operator, pytest_arguments)
    others = [operator for operator in wanted if operator.name not in left_out]
    _tell([*told(left_out), *operators_elsewhere(others, route)], console)
    chosen = reachable(wanted, route)
    if parsed.kernels is not None:
        return _of_checkout(parsed, chosen, left_out, list(known), console)
    if package is not None:
        return _of_package(package, chosen, left_out, parsed.operator, console)
    return Chosen(chosen, left_out)


def _of_checkout(
    parsed: argparse.Namespace,
    wanted: tuple[Operator, ...],
    left_out: Mapping[str, str],
    known: Sequence[str],
    console: Console,
) -> Chosen:
    """The operators of a checkout, built. A folder that is there asks for its operator."""
    folder = parsed.kernels.absolute()
    there = contents(folder, wanted, known)
    named = [name for name in there.absent if name in parsed.operator]
    missing = {**dict.fromkeys(named, say.NOT_IN_CHECKOUT(folder=parsed.kernels)), **there.halves}
    others = [name for name in there.absent if name not in named]
    _tell(told(missing), console)
    _tell([say.NO_RECORD(names=there.unknown)] if there.unknown else [], console)
    _tell([say.NOT_IN_THE_CHECKOUT(names=others)] if others else [], console)
    left_out = {**left_out, **missing}
    present = [one for one in wanted if one.name not in (*there.absent, *missing)]
    if missing and not present:
        return Chosen((), left_out)
    try:
        checkout = checkout_libraries(folder, present, coverage=parsed.kernel_coverage)
    except EnvironmentFailure as failure:
        return Chosen(wanted, left_out, failure=failure)
    _tell(told(checkout.unbuilt), console)
    judged = tuple(one for one in present if one.name in checkout.folders)
    return Chosen(judged, {**left_out, **checkout.unbuilt}, checkout)


def _of_package(
    folder: Path,
    wanted: tuple[Operator, ...],
    left_out: Mapping[str, str],
    named: Sequence[str],
    console: Console,
) -> Chosen:
    """Those of the operators of which a package has a part; a part that is missing fails later."""
    try:
        judged = of_package(folder, wanted)
    except EnvironmentFailure as failure:
        return Chosen(wanted, left_out, failure=failure)
    absent = [one.name for one in wanted if one not in judged]
    if not judged and not named:
        nothing = say.EMPTY_PACKAGE(folder=folder, operators=absent)
        return Chosen(wanted, left_out, failure=EnvironmentFailure(nothing))
    missing = {name: say.NOT_IN_PACKAGE(folder=folder) for name in absent if name in named}
    _tell(told(missing), console)
    others = [name for name in absent if name not in named]
    _tell([say.NOT_IN_THE_PACKAGE(names=others)] if others else [], console)
    return Chosen(judged, {**left_out, **missing})


def _tell(lines: Iterable[str], console: Console) -> None:
    for line in lines:
        console.print(line, markup=False)
