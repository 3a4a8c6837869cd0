"""The device process of route python: it imports the functions, and calls them until its end."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from msgspec import structs

from conformance.catalogue import python_route as say
from conformance.devices import messages
from conformance.devices.function_traits import PROBE
from conformance.devices.messages import (
    Answer,
    AskLimits,
    Call,
    Fault,
    Functions,
    Opened,
    Refused,
    Setup,
    Unavailable,
)
from conformance.devices.python.load import Loaded, NotCallable, loaded
from conformance.devices.python.numpy_tensors import NumpyTensors
from conformance.devices.python.offered import offered
from conformance.devices.python.route import PythonRoute
from conformance.devices.python.surroundings import Host, SimulatedNpu
from conformance.devices.segment import Segment
from conformance.devices.torch_tensors import TorchTensors
from conformance.errors import EnvironmentFailure, text_of

Runs = Callable[[PythonRoute, Call], Answer | Unavailable | Fault]


def serve(
    setup: Setup, functions: Functions, segment: Segment, commands: int, replies: int, run: Runs
) -> None:
    """Serve one parent until it closes the pipe; ``run`` makes one call."""
    if not functions.simulated and not functions.place.startswith("npu"):
        # torch would import torch_npu, and fail where CANN is not.
        os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
    try:
        around = SimulatedNpu(setup, segment) if functions.simulated else Host()
        tensors = _tensors(functions, segment)
        found = {name: loaded(where) for name, where in functions.by_operator.items()}
        for name, keywords in functions.keywords.items():
            if why := found[name].misfit(keywords, name):
                raise NotCallable(why)
        offers = offered(functions, found)
    except NotCallable as error:
        messages.send(replies, Refused(text_of(error), usage=True))
        return
    except EnvironmentFailure as error:
        messages.send(replies, Refused(text_of(error)))
        return
    opened = _opened(functions, found, around.opened)
    said = {"traits": offers.traits, "offered": tuple(offers.callables)}
    messages.send(replies, structs.replace(opened, **said))
    route = PythonRoute(segment, {**found, PROBE: offers.probe}, tensors, around)
    while isinstance(call := messages.receive(commands, messages.REQUESTS), Call | AskLimits):
        if isinstance(call, AskLimits):
            messages.send(replies, Unavailable(call.symbol))
            continue
        segment.follow()
        messages.send(replies, run(route, call))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _tensors(functions: Functions, segment: Segment) -> TorchTensors | NumpyTensors:
    """The tensors that functions are given. Raises `NotCallable` where there is no such place."""
    if functions.tensors == "numpy":
        return NumpyTensors(segment)
    place = "npu:0" if functions.simulated else functions.place
    kind, _, number = place.partition(":")
    try:
        import torch
    except Exception as error:  # a package that torch loads may raise anything
        raise NotCallable(say.NO_TORCH(error=_first_line(error))) from error
    try:
        if kind == "npu":
            import torch_npu  # noqa: F401 - it adds torch.npu
        if kind != "cpu":
            getattr(torch, kind).set_device(int(number))
            torch.zeros(1, device=place)
    except Exception as error:  # of another class for each way in which a device is missing
        raise NotCallable(say.NO_PLACE(place=functions.place, error=_first_line(error))) from error
    return TorchTensors(torch, segment, place)


def _opened(functions: Functions, found: dict[str, Loaded], device: Opened | None) -> Opened:
    """What was opened: Python and torch by their versions, and the files of the functions, beside
    those of the simulated ``device``.
    """
    python: Any = say.OF_PYTHON(version=platform.python_version())
    place: Any = functions.place
    if device is not None:
        place = say.ON_SIMULATED(version=_version("torch_npu"), soc=device.soc)
    if functions.tensors == "torch":
        python = say.OF_TORCH(python=python, torch=_version("torch"), place=place)
    else:
        python = say.OF_NUMPY(python=python, numpy=_version("numpy"))
    libraries: dict[str, str] = {}
    for one in found.values():
        if one.file is not None:
            name = os.path.basename(one.file)
            libraries[one.file if libraries.get(name, one.file) != one.file else name] = one.file
    if device is not None:
        return structs.replace(device, libraries={**libraries, **device.libraries}, words=python)
    return Opened(
        soc=functions.place,
        vector_cores=0,
        ub_bytes=None,
        cann="none",
        libraries=libraries,
        words=python,
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
