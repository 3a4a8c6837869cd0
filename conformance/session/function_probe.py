"""Probing a device: how exact its exp, ln, sqrt, division and reciprocal are.

A kernel of the suite's own calls one function alone (device_kernels/probes). So what it shows is
the function's, and no operator that is judged has a part in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import numpy as np

from conformance.call.case import Case, Machine, Tensor
from conformance.call.findings import ending
from conformance.call.observation import Outcome
from conformance.catalogue import device_profile as say
from conformance.devices.device import Device
from conformance.devices.function_traits import PROBE
from conformance.devices.isolated import IsolatedDevice
from conformance.devices.messages import OWN_KERNELS
from conformance.devices.npu import NpuDevice
from conformance.errors import EnvironmentFailure, OperatorUnavailable, UsageError, text_of
from conformance.numerics.function_steps import Float32s, traits_of
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Unspecified
from conformance.record.functions import NAMES, UNKNOWN, FunctionTraits
from conformance.record.operator import AttributeParameter, Mode, Operator, TensorParameter
from conformance.session.probe import NoAnswer

SEED = 11
CALL_ELEMENTS = 1 << 16
"""Elements of one call."""

WINDOWS, WINDOW = 64, 1024
"""Runs of operands that follow each other on the float32 grid: they show what is not monotone."""

DRAWN = 1 << 16
MOST_STEPS = 2048
"""Steps of the float32 grid, 1.2e-4 to 2.4e-4: a page allows Reciprocal, the roughest of these
functions, to miss 1e-4 (asc-devkit, Reciprocal)."""

LARGEST_EXP = 104.0
"""Beyond it exp of either sign is infinite or zero."""

CLAUSE = Clause(
    say.EACH_ELEMENT(),
    "device_kernels/probes/function_probe",
    SourceClass.SOURCE_READ,
)


def _never(*_: object) -> object:
    """The probe is asked, and not judged: nothing draws its cases or computes its outputs."""
    raise NotImplementedError


OPERATOR = Operator(
    name=PROBE,
    title="FunctionProbe",
    aclnn="aclnnFunctionProbe",
    sources=(),
    products=(),
    parameters=(
        TensorParameter("x", "x", "input"),
        TensorParameter("y", "y", "input"),
        AttributeParameter("function", "function"),
        TensorParameter("out", "out", "output"),
    ),
    modes=(Mode("plain", CLAUSE),),
    dtypes=("float32",),
    formula=_never,  # type: ignore[arg-type]
    contracts={"out": Unspecified(CLAUSE)},
    cases=_never,  # type: ignore[arg-type]
)


def probed_functions(
    device: Device, machine: Machine | None = None, names: Iterable[str] = NAMES
) -> Iterator[tuple[str, FunctionTraits | str]]:
    """Each function's name, with what its results show and of how many operands, or why there are
    none.

    ``machine`` is the simulated one, None: the device's own. A function whose call does not
    complete ends the probe: the next may take the time limit, too.
    """
    for name in names:
        left, right = operands(name)
        order = np.random.default_rng(SEED).permutation(left.size)
        try:
            result = computed(device, name, left, right, machine)
            moved = computed(device, name, left[order], right[order], machine)
        except (NoAnswer, OperatorUnavailable) as reason:
            yield name, text_of(reason)
            return
        otherwise = np.empty_like(moved)
        otherwise[order] = moved
        traits = traits_of(name, left, right, result, otherwise)
        yield name, replace(traits, source=f"{left.size} operands")


@contextmanager
def probes_of(device: Device) -> Iterator[Device]:
    """Where the functions of a device are probed: the suite's own kernels beside an NPU, or itself.

    Raises EnvironmentFailure where those kernels are not there, or do not open.
    """
    if not isinstance(device, NpuDevice):
        yield device
        return
    with closing(device.probes()) as beside:
        yield beside


def shown_functions(device: Device) -> Iterator[tuple[str, FunctionTraits | str]]:
    """`probed_functions` where those of the device are probed; what they show tells by which
    library."""
    seen = 0
    try:
        with probes_of(device) as probes:
            library = probes.profile.libraries.get(OWN_KERNELS)
            place = f"{PROBE}, {OWN_KERNELS} sha256 {library.sha256[:16]}" if library else PROBE
            for name, traits in probed_functions(probes):
                seen += 1
                yield name, traits if isinstance(traits, str) else _probed(traits, place)
    except EnvironmentFailure as error:
        yield NAMES[seen], text_of(error)


def probe_functions(device: Device, operators: Iterable[Operator]) -> None:
    """Probe the functions of a device, and keep in its profile what they show: those that a Python
    implementation offers, and of an NPU all, if an operator depends on some.

    Raises `UsageError` for an implementation that cannot be probed; a function of an NPU that
    cannot be stays as it was, and an unknown one has the reason.
    """
    found: dict[str, FunctionTraits] = {}
    if isinstance(device, IsolatedDevice) and device.offered:
        for name, traits in probed_functions(device, names=device.offered):
            if isinstance(traits, str):
                told = say.NOT_PROBED(reason=traits)
                raise UsageError("implementation", f"FUNCTIONS['{name}']", told)
            found[name] = _probed(traits, f"FUNCTIONS['{name}']")
    elif isinstance(device, NpuDevice) and any(one.computes for one in operators):
        known = device.profile.functions.by_name
        for name, traits in shown_functions(device):
            if isinstance(traits, str):
                unknown = [one for one in NAMES if one not in found and known[one] == UNKNOWN]
                found |= {one: replace(UNKNOWN, source=traits) for one in unknown}
            else:
                found[name] = _granted(traits, known[name])
    if found and isinstance(device, IsolatedDevice | NpuDevice):
        functions = replace(device.profile.functions, **found)
        device.adopt(replace(device.profile, functions=functions))


def _granted(traits: FunctionTraits, stated: FunctionTraits) -> FunctionTraits:
    """What is granted to a card by what its probe showed: a step more, as a probe speaks of some
    operands; or the steps that a page states of all, unless more were seen.

    Of a function beyond `MOST_STEPS` nothing is known, as it is another than its name says.
    """
    seen = traits.steps
    if seen is None:
        return traits
    if seen > MOST_STEPS:
        return replace(UNKNOWN, source=say.TOO_FAR(steps=seen, most=MOST_STEPS))
    told = -1 if stated.steps is None else stated.steps
    return replace(traits, steps=told if seen <= told else seen + 1)


def _probed(traits: FunctionTraits, place: str) -> FunctionTraits:
    return replace(traits, origin="probed", source=f"{place}, {traits.source}")


def operands(name: str) -> tuple[Float32s, Float32s]:
    """The operands of a function's probe: two arrays of float32 [elements], of which one suffices
    to most. They are all float16 and bfloat16 numbers, runs of neighbours, and drawn ones.

    None is subnormal: what a device makes of such operands is another question.
    """
    rng = np.random.default_rng(SEED)
    every = np.arange(1 << 16, dtype=np.uint16)
    starts = rng.integers(1 << 23, 0xFF << 23, WINDOWS) - WINDOW
    runs = (starts[:, None] + np.arange(WINDOW)).astype(np.uint32).ravel()
    runs |= np.repeat(rng.integers(0, 2, WINDOWS).astype(np.uint32) << 31, WINDOW)
    parts = [
        every.view(np.float16).astype(np.float32),
        (every.astype(np.uint32) << 16).view(np.float32),
        runs.view(np.float32),
        rng.uniform(-LARGEST_EXP, LARGEST_EXP, DRAWN).astype(np.float32),
        (1 + np.arange(-WINDOW, WINDOW) * 2.0**-23).astype(np.float32),
    ]
    left = np.concatenate(parts)
    magnitude = np.abs(left)
    left = left[(magnitude == 0) | (magnitude >= np.finfo(np.float32).smallest_normal)]
    if name != "div":
        return left, np.ones_like(left)
    # Beside pairs of any two, numerators and denominators of which one is the same and the other
    # rises.
    fixed = rng.choice(left, WINDOWS)
    rising = np.resize(parts[-1], (WINDOWS, WINDOW)).ravel()
    held = np.repeat(fixed, WINDOW)
    pairs = (left, rising, held), (rng.permutation(left), held, rising)
    numerators, denominators = (np.concatenate(some) for some in pairs)
    return numerators, denominators


def computed(
    device: Device, name: str, left: Float32s, right: Float32s, machine: Machine | None = None
) -> Float32s:
    """What the device computes of the operands, element by element.

    Raises NoAnswer where a call does not complete, OperatorUnavailable where there is no kernel.
    """
    parts = []
    for start in range(0, left.size, CALL_ELEMENTS):
        x, y = (one[start : start + CALL_ELEMENTS] for one in (left, right))
        made = Case(
            operator=PROBE,
            mode="plain",
            dtype="float32",
            attributes={"function": NAMES.index(name)},
            inputs={"x": _tensor(x), "y": _tensor(y)},
            outputs={"out": Tensor(x.shape, "float32")},
            machine=machine,
        )
        observation = device.run(OPERATOR, made)
        if observation.outcome is not Outcome.COMPLETED:
            raise NoAnswer(ending(observation))
        parts.append(np.ascontiguousarray(observation.outputs["out"], np.float32).reshape(-1))
    return np.concatenate(parts)


def _tensor(values: Float32s) -> Tensor:
    return Tensor(values.shape, "float32", values=tuple(values.view(np.uint32).tolist()))
