"""One case judged again: what ``run --case`` and ``replay`` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from conformance.call.observation import Observation
from conformance.catalogue import commands, front_door, implementation, options, run_lines
from conformance.catalogue.python_route import NOT_ASKED
from conformance.cli.progress import bar
from conformance.devices.device import Device, DeviceProfile
from conformance.devices.foreign import checkout_libraries
from conformance.devices.messages import Functions
from conformance.devices.npu import NpuDevice
from conformance.devices.open import Kernels, open_device
from conformance.devices.packages.delivered import DeliveredPackage, delivered, package_lines
from conformance.devices.python.named import folder_of_function, placed, with_keywords
from conformance.devices.traits import loosened_lines
from conformance.errors import (
    ACCEPTED,
    ENVIRONMENT,
    REFUSED,
    EnvironmentFailure,
    UsageError,
    text_of,
)
from conformance.evidence.implementation import (
    Implementation,
    absent,
    check_called,
    compared,
    of_device,
    unusable,
)
from conformance.failure import replay
from conformance.judge.broken import PASSED_ON, explained
from conformance.judge.by_standard import by_standard
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import Arithmetic
from conformance.record.operator import REFERENCE, RELATIONS, ROUTES, Operator
from conformance.record.torch_binding import PYTHON
from conformance.session.against import NOTHING_BESIDE, Second, against_named
from conformance.session.against import told as told_of
from conformance.session.context import DEFAULTS, one_of
from conformance.session.function_probe import probe_functions
from conformance.session.left_out import told
from conformance.suite import records as suite
from conformance.suite.on_route import all_on_route
from conformance.text.device_profile import functions_lines
from conformance.text.one_screen import unbounded_line


@dataclass(frozen=True, kw_only=True)
class Asked:
    """On what a case is judged again, and by what beside its contract; ``route`` None: its own.

    ``kernels`` is a checkout; ``own_kernels``: the suite's own, whatever failed. ``beside`` is the
    folder that the case lies in: nothing there is run unless it is named.
    """

    device: str
    limit: float
    beside: Path
    route: str | None = None
    libraries: Path | None = None
    package: Path | None = None
    kernels: Path | None = None
    own_kernels: bool = False
    standard: str | None = None
    standards: bool = False
    directories: tuple[Path, ...] = ()
    functions: Functions | None = None
    second: Second = NOTHING_BESIDE

    @property
    def named(self) -> bool:
        """Whether an implementation is named; an NPU that is named is one."""
        given = (self.libraries, self.package, self.kernels, self.functions)
        return self.own_kernels or any(given) or self.device.startswith("npu")


@dataclass(frozen=True)
class Again:
    """What came of it; ``status`` is the front door's, ``beside`` what was called beside what
    failed (`conformance.evidence.implementation.compared`)."""

    operator: Operator
    observation: Observation
    verdict: Verdict
    profile: DeviceProfile
    status: int
    called: str
    beside: str


def judge_again(
    saved: replay.Replay, records: Mapping[str, Operator], asked: Asked, console: Console
) -> Again:
    """Judge a saved case on what failed, or on what is named in its place; print the verdict.

    Raises `UsageError` for a case that cannot be called on the route, EnvironmentFailure
    where what failed is not here, and nothing else is named.
    """
    check_asked(asked)
    failed = saved.implementation
    asked = on_what_failed(failed, asked)
    route = one_of(ROUTES, options.ROUTE_OF_CASE(), asked.route or saved.route)
    called_there = all_on_route(records, route)
    operator, judged = replay.judgement(saved, called_there)
    judges = by_standard(asked.standard, asked.standards, (operator,))
    oracle = RELATIONS if saved.judged_as == "relation" else REFERENCE
    called = {operator.name, *(one.operator for one in saved.case.before)}
    wanted = [called_there[name] for name in called_there if name in called]
    wanted = suite.with_related(wanted, called_there, oracle)
    folders = suite.kernel_folders(wanted, asked.directories)
    kernels = Kernels(folders, suite.kernel_names(wanted, folders))
    package = delivered(asked.package, [operator])
    libraries = asked.libraries
    if asked.kernels is not None:
        checkout = checkout_libraries(asked.kernels.absolute(), wanted)
        for line in told(checkout.unbuilt):
            console.print(line, markup=False)
        libraries = checkout.libraries
    functions = None if asked.functions is None else with_keywords(asked.functions, records)
    second = against_named(
        asked.second, device=asked.device, route=route, operators=[operator], functions=functions
    )
    place = (asked.device, console, asked.limit, libraries, kernels, route, package)
    device, pair = open_and_tell(*place, functions), None
    try:
        probe_functions(device, wanted)
        for line in functions_lines(device.profile.functions):
            console.print(line, markup=False)
        if second is not None:
            device = pair = second.paired(device, kernels, asked.limit, records, wanted)
            console.print(told_of(pair.second, second), markup=False)
        now = of_device(device, operator.name)
        if not asked.named:
            check_called(failed, now)
        with bar(console) as progress:
            task = progress.add_task(front_door.MAKING_TENSORS(), total=3)
            _ = saved.case.arrays
            progress.update(task, advance=1, description=front_door.RUNNING_CALL())
            judge = second.beside(pair, route) if second is not None and pair is not None else None
            observation, verdict = judged(device, Arithmetic.of(device.profile), judge)
            progress.update(task, advance=1, description=front_door.JUDGING())
    except (UsageError, *PASSED_ON):
        raise
    except Exception as error:
        raise EnvironmentFailure(explained(error)) from error
    finally:
        device.close()
    if saved.judged_as == "values":
        verdict = judges.reconsider(operator, saved.case, observation, verdict)
    console.print(verdict.text, markup=False)
    for name, ruling in verdict.standards.items():
        console.print(commands.RULING(standard=name, ruling=ruling), markup=False)
    if unbounded := sum(one.unbounded for one in verdict.outputs.values()):
        known = device.profile.functions.known
        line = unbounded_line(operator.name, unbounded, route, known=known)
        console.print(line, markup=False)
    beside = compared(failed, now)
    if beside:
        console.print(beside, markup=False)
    status = (ACCEPTED if verdict.ok else REFUSED) if verdict.judged else ENVIRONMENT
    if verdict.ok and unbounded and failed is not None and failed.probed and not now.probed:
        console.print(implementation.NOT_PROBED_NOW(), markup=False)
        status = ENVIRONMENT
    return Again(operator, observation, verdict, device.profile, status, now.words, beside)


def check_asked(asked: Asked) -> None:
    """Raise `UsageError` for options that do not go together."""
    if asked.kernels is not None:
        check_checkout(asked.kernels, asked.device, asked.route, asked.libraries)
    others = {"libraries": asked.libraries, "package": asked.package, "kernels": asked.kernels}
    given = [(name, value) for name, value in others.items() if value is not None]
    if asked.own_kernels and given:
        raise UsageError(*given[0], options.NOT_WITH(option="--own-kernels"))
    if asked.own_kernels and asked.device.startswith("npu"):
        raise UsageError("device", asked.device, options.SIMULATOR(option="--own-kernels"))
    if asked.package is not None and asked.kernels is not None:
        raise UsageError("package", asked.package, options.NOT_WITH(option="--kernels"))


def check_checkout(checkout: Path, device: str, route: str | None, libraries: Path | None) -> None:
    """Raise `UsageError` for what does not go together with ``--kernels``."""
    if not checkout.is_dir():
        raise UsageError("kernels", checkout, options.FOLDER())
    if libraries is not None:
        raise UsageError("libraries", libraries, options.NOT_WITH(option="--kernels"))
    if not device.startswith(("auto", "sim")):
        raise UsageError("device", device, options.SIMULATOR(option="--kernels"))
    if route not in (None, DEFAULTS["route"]):
        raise UsageError("route", route, options.KERNELS_ROUTE(route=DEFAULTS["route"]))


def on_what_failed(failed: Implementation | None, asked: Asked) -> Asked:
    """What is asked for; where nothing is named, of the libraries, package or checkout that failed.

    Raises EnvironmentFailure where these are not here, or cannot be opened by a replay.
    """
    if asked.own_kernels:
        return replace(asked, device="sim" if asked.device == "auto" else asked.device)
    of_functions = failed is not None and failed.source == PYTHON and asked.functions is None
    if failed is not None and of_functions and asked.route in (None, PYTHON):
        return _on_functions(failed, asked)
    if failed is None or any((asked.libraries, asked.package, asked.kernels, asked.functions)):
        return asked
    if failed.source == "plugin" and not asked.named:
        raise absent(failed, commands.NO_PLUGIN())
    if failed.source not in ("libraries", "package", "checkout"):
        return asked
    why = unusable(failed.place, asked.beside)
    if not why:
        place = Path(failed.place)
        return replace(
            asked,
            libraries=place if failed.source == "libraries" else None,
            package=place if failed.source == "package" else None,
            kernels=place if failed.source == "checkout" else None,
        )
    if asked.named:
        return asked
    raise absent(failed, why)


def _on_functions(failed: Implementation, asked: Asked) -> Asked:
    """What is asked for, of the Python functions that failed.

    Raises `UsageError` for what does not go together with them, EnvironmentFailure if one of them,
    or its libraries, are not here, or may be somebody else's.
    """
    for name, value in {"package": asked.package, "kernels": asked.kernels}.items():
        if value is not None:
            raise UsageError(name, value, options.NOT_WITH(option="--implementation"))
    functions = placed(failed.functions or Functions({}), asked.device, asked.libraries)
    folders = [folder_of_function(one) for one in (failed.place, *functions.by_operator.values())]
    if functions.libraries is not None and asked.libraries is None:
        folders.append(Path(functions.libraries))
    for folder in folders:
        if why := unusable(str(folder), asked.beside):
            raise absent(failed, why)
    return replace(asked, functions=functions)


def open_and_tell(
    spec: str,
    console: Console,
    limit: float,
    libraries: Path | None,
    kernels: Kernels,
    route: str,
    package: DeliveredPackage | None = None,
    functions: Functions | None = None,
) -> Device:
    """Open a device and say which it is."""
    try:
        device = open_device(
            spec,
            time_limit=limit,
            libraries=libraries,
            kernels=kernels,
            route=route,
            package=package,
            functions=functions,
        )
    except ValueError as error:
        raise UsageError("device", spec, text_of(error)) from error
    opened = front_door.DEVICE(device=device.profile.describe())
    if isinstance(device, NpuDevice):
        words = device.profile.describe()
        opened = front_door.DEVICE_AND_CARD(device=words, card=str(device.card))
    console.print(opened, markup=False)
    console.print(run_lines.CALLED(implementation=of_device(device).words), markup=False)
    if functions is not None:
        console.print(NOT_ASKED(), markup=False)
    for line in loosened_lines([device.profile.loosened]):
        console.print(line, markup=False)
    if package is not None:
        for line in package_lines(package, device.profile):
            console.print(line, markup=False)
    return device
