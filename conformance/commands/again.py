"""One case judged again: what ``run --case`` and ``replay`` have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from conformance import replay, suite
from conformance.by_standard import by_standard
from conformance.context import one_of
from conformance.controller import ACCEPTED, ENVIRONMENT, REFUSED
from conformance.devices.device import Device, DeviceProfile
from conformance.devices.npu import NpuDevice
from conformance.devices.open import open_device
from conformance.gate.reading import printable
from conformance.numerics.arithmetic import Arithmetic
from conformance.observation import Observation
from conformance.operator import ROUTES, Operator
from conformance.packages.delivered import DeliveredPackage, delivered, package_lines
from conformance.progress import bar
from conformance.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class Asked:
    """On what a case is judged again, and by what beside its contract; ``route`` None: its own."""

    device: str
    limit: float
    route: str | None = None
    libraries: Path | None = None
    package: Path | None = None
    standard: str | None = None
    standards: bool = False
    directories: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Again:
    """What came of it; ``status`` is the front door's."""

    operator: Operator
    observation: Observation
    verdict: Verdict
    profile: DeviceProfile
    status: int


def judge_again(
    saved: replay.Replay, operators: Sequence[Operator], asked: Asked, console: Console
) -> Again:
    """Judge a saved case and print the verdict.

    Raises `suite.UsageError` for a case that cannot be called on the route.
    """
    route = one_of(ROUTES, "route of the case", asked.route or saved.route)
    on_route = [operator.on_route(route) for operator in operators]
    operator, judged = replay.judgement(saved, on_route)
    judges = by_standard(asked.standard, asked.standards, (operator,))
    called = {operator.name, *(one.operator for one in saved.case.before)}
    kernels = suite.kernel_folders(
        [one for one in on_route if one.name in called], asked.directories
    )
    package = delivered(asked.package, [operator])
    device = open_and_tell(
        asked.device, console, asked.limit, asked.libraries, kernels, route, package
    )
    try:
        with bar(console) as progress:
            task = progress.add_task("making the tensors", total=3)
            _ = saved.case.arrays
            progress.update(task, advance=1, description="running the call")
            observation, verdict = judged(device, Arithmetic.of(device.profile))
            progress.update(task, advance=1, description="judging")
    finally:
        device.close()
    if saved.judged_as == "values":
        verdict = judges.reconsider(operator, saved.case, observation, verdict)
    console.print(printable(str(verdict)), markup=False)
    for name, ruling in verdict.standards.items():
        console.print(f"  {name}: {ruling}", markup=False)
    status = (ACCEPTED if verdict.ok else REFUSED) if verdict.judged else ENVIRONMENT
    return Again(operator, observation, verdict, device.profile, status)


def open_and_tell(
    spec: str,
    console: Console,
    limit: float,
    libraries: Path | None,
    kernels: Sequence[Path] | None,
    route: str,
    package: DeliveredPackage | None = None,
) -> Device:
    """Open a device and say which it is; this builds the simulator where it is not built yet."""
    try:
        device = open_device(
            spec,
            time_limit=limit,
            libraries=libraries,
            kernels=kernels,
            route=route,
            package=package,
        )
    except ValueError as error:
        raise suite.UsageError("device", spec, str(error)) from error
    card = f", {device.card}" if isinstance(device, NpuDevice) else ""
    console.print(f"device: {device.profile.describe()}{card}", markup=False)
    if package is not None:
        for line in package_lines(package, device.profile):
            console.print(line, markup=False)
    return device
