"""Choosing a device: an NPU where one opens, else the simulator; never the simulator in silence."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from conformance.catalogue import device as say
from conformance.catalogue import python_route, through_torch
from conformance.catalogue.marks import OR
from conformance.catalogue.message import row, unpacked
from conformance.devices import function_traits
from conformance.devices.arithmetic_traits import IEEE, SIMULATED, UNKNOWN
from conformance.devices.cards import Card, lock_folder, wanted_cards
from conformance.devices.device import ARCHIVE, Device, DeviceProfile, Library, Origin
from conformance.devices.isolated import IsolatedDevice
from conformance.devices.messages import OWN_KERNELS, Functions, Opened, Setup
from conformance.devices.npu import NpuDevice
from conformance.devices.packages.delivered import DeliveredPackage
from conformance.devices.packages.lookup import GENERAL, candidates
from conformance.devices.probes import probes_beside
from conformance.devices.torch_npu.pins import mended
from conformance.devices.torch_npu.wheel import Wheel, known_wheel
from conformance.devices.traits import loosened, traits_of
from conformance.errors import EnvironmentFailure, UsageError, text_of
from conformance.printable import warn
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.functions import ALL_UNKNOWN
from conformance.record.torch_binding import PYTHON, TORCH_NPU
from conformance.record.versions import numbers

TIME_LIMIT = 20.0
"""Seconds that one call may take."""

MEMORY_LIMIT = 4 << 30
"""Bytes that the device process may take beyond its use at start, device buffers included."""

BACKSTOP = 2 << 30
"""Bytes of address space that the simulator's process may map beyond twice its memory limit. The
limit itself is on resident bytes, watched from outside: this only stops what is never touched, and
leaves a watcher that gets no time on a busy host a second to notice the rest."""

DEVICE_NODES = Path("/dev")


class Kernels(NamedTuple):
    """Kernels of which the simulator is built: those of ``folders`` (None: the suite's own), of
    which ``only`` names the operators that are needed (None: all)."""

    folders: Sequence[Path] | None = None
    only: Collection[str] | None = None


OWN = Kernels()
"""All of the suite's own."""


def open_device(
    spec: str = "auto",
    *,
    time_limit: float = TIME_LIMIT,
    memory_limit: int = MEMORY_LIMIT,
    libraries: Path | None = None,
    kernels: Kernels = OWN,
    route: str = "aclnn",
    package: DeliveredPackage | None = None,
    functions: Functions | None = None,
    python: Path | None = None,
) -> Device:
    """Open the device that ``spec`` names: auto, sim, sim:SOC, npu, npu:N or npu:N,M.

    A simulated one may end in @VERSION, the version of its CANN: sim@9.1, sim:SOC@9.1. Of several
    cards, and of all if none is named, the first that is free is taken.
    ``time_limit`` is seconds for one call, ``memory_limit`` bytes of the process's own memory.
    ``libraries`` is a folder with libascendcl.so and libopapi.so; by default the simulator's are
    built from ``kernels``, and an NPU's are found by the loader.
    ``route`` is how operators are called (`conformance.record.operator.ROUTES`).
    ``package`` is what is judged in the place of the device's own operators; ``functions`` are
    Python functions that are called instead, where they say themselves. ``python`` is another
    program of Python that runs the device's process, with the packages that it has.
    Raises ValueError for a spec that names no device, UsageError for functions that cannot be
    called, EnvironmentFailure where the device does not open.
    """
    limits = (time_limit, memory_limit)
    if functions is not None:
        return _open_functions(functions, kernels, *limits, python)
    try:
        return _open_device(spec, *limits, libraries, kernels, route, package, python)
    except EnvironmentFailure as error:
        if route != TORCH_NPU:
            raise
        raise EnvironmentFailure(mended(text_of(error))) from error


def _open_device(
    spec: str,
    time_limit: float,
    memory_limit: int,
    libraries: Path | None,
    kernels: Kernels,
    route: str,
    package: DeliveredPackage | None,
    python: Path | None,
) -> Device:
    """`open_device`, without what is known of torch_npu's pins."""
    kind, which, cann = _parse(spec)
    if not time_limit > 0 or not memory_limit > 0:
        raise ValueError(
            f"time_limit {time_limit} and memory_limit {memory_limit} must be positive"
        )
    signs = npu_signs() if kind == "auto" else []
    origin = _origin(kind == "npu" or bool(signs), libraries, kernels, package)
    if kind == "npu" or signs:
        setup = structs.replace(_npu(libraries, 0, route), python=_text(python))
        if package is not None:
            setup = structs.replace(setup, package=package.judged)
        elif setup.libraries is None and route == "aclnn":
            setup = structs.replace(setup, first=_asked_first())

        def open_card(card: Card) -> IsolatedDevice:
            chosen = structs.replace(setup, device=card.number)
            return _open(chosen, time_limit, memory_limit, package, origin)

        def open_probe(beside: Setup) -> IsolatedDevice:
            return _open(beside, time_limit, memory_limit, None, origin)

        probes = probes_beside(setup, open_probe)
        try:
            return NpuDevice(wanted_cards(which, DEVICE_NODES), lock_folder(), open_card, probes)
        except (ValueError, EnvironmentFailure) as error:
            why = text_of(error)
            if not signs:
                raise EnvironmentFailure(say.DOES_NOT_OPEN(spec=spec, why=why)) from None
            told = say.NO_NPU_OPENS(signs=row(signs, say.AND), why=why)
            raise EnvironmentFailure(told) from None
    wheel = _wheel_of_route(python) if route == TORCH_NPU else None
    folder = _folder(libraries or simulator_libraries(*kernels))
    shims = str(torch_npu_shims(Path(folder), wheel)) if wheel else None
    setup = Setup("sim", folder, which or None, 0, 2 * memory_limit + BACKSTOP, route, shims)
    own = libraries is None and package is None and route != TORCH_NPU
    setup = structs.replace(setup, own=own, cann=cann, python=_text(python))
    if package is not None:
        setup = structs.replace(setup, package=package.judged)
    try:
        return _open(setup, time_limit, memory_limit, package, origin)
    except ValueError as error:
        raise ValueError(say.OF_DEVICE(spec=spec, why=text_of(error))) from None
    except EnvironmentFailure as error:
        raise EnvironmentFailure(say.DOES_NOT_OPEN(spec=spec, why=text_of(error))) from None


def _open_functions(
    functions: Functions,
    kernels: Kernels,
    time_limit: float,
    memory_limit: int,
    python: Path | None,
) -> Device:
    """Python functions in a process of their own. Raises as `open_device`."""
    setup = Setup("host", None, None, 0, 0, PYTHON, functions=functions)
    if functions.simulated:
        try:
            setup = _simulated_npu(functions, kernels, python)
        except EnvironmentFailure as error:
            told = python_route.NOT_SIMULATED(error=text_of(error))
            raise EnvironmentFailure(mended(told)) from error
    setup = structs.replace(setup, python=_text(python))
    origin = Origin("python", functions=functions)
    try:
        return _open(setup, time_limit, memory_limit, None, origin)
    except ValueError as error:
        where = ", ".join(functions.by_operator.values())
        raise UsageError("implementation", where, text_of(error)) from None
    except EnvironmentFailure as error:
        told = say.DOES_NOT_OPEN(spec=functions.place, why=text_of(error))
        raise EnvironmentFailure(told) from None


def _simulated_npu(functions: Functions, kernels: Kernels, python: Path | None) -> Setup:
    """torch_npu over the simulator for Python functions. Raises EnvironmentFailure."""
    if nodes := sorted(DEVICE_NODES.glob("davinci[0-9]*")):
        raise EnvironmentFailure(python_route.HAS_NPU(node=nodes[0]))
    wheel = known_wheel(python)
    named = None if functions.libraries is None else Path(functions.libraries)
    # A function may call other operators than that which it carries out: all are built.
    folder = _folder(named or simulator_libraries(kernels.folders))
    shims = str(torch_npu_shims(Path(folder), wheel))
    _, soc, cann = _parse(functions.place)
    return Setup("sim", folder, soc or None, 0, 0, PYTHON, shims, cann=cann, functions=functions)


def _wheel_of_route(python: Path | None) -> Wheel:
    """The torch_npu of a Python, None: of this one. Raises EnvironmentFailure."""
    try:
        return known_wheel(python)
    except EnvironmentFailure as error:
        raise EnvironmentFailure(through_torch.ON_ROUTE(error=text_of(error))) from error


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _parse(spec: str) -> tuple[str, str, str | None]:
    """Kind, SoC or number, and the version of CANN if one is asked for. Raises ValueError."""
    spec, at, cann = spec.partition("@")
    kind, colon, which = spec.partition(":")
    if kind not in ("auto", "sim", "npu") or (colon and (kind == "auto" or not which)):
        raise ValueError(say.NO_SUCH_DEVICE(spec=spec))
    if kind == "npu" and which and not re.fullmatch(r"\d+(,\d+)*", which, re.ASCII):
        raise ValueError(say.NO_NUMBER(spec=spec, which=which))
    if at and not (kind == "sim" and numbers(cann)):
        raise ValueError(say.NO_VERSION(spec=spec, version=cann))
    return kind, which, cann or None


def _origin(
    npu: bool,
    libraries: Path | None,
    kernels: Kernels,
    package: DeliveredPackage | None,
) -> Origin:
    """Where the operators are from that a device calls. Raises ValueError as `traits_of` does."""
    if package is not None:
        return Origin("package", str(package.package.root))
    if libraries is not None:
        checkout = traits_of(libraries).checkout
        return Origin("checkout" if checkout else "libraries", checkout or str(libraries.resolve()))
    if npu:
        return Origin("npu")
    return Origin("built", folders=tuple(map(str, kernels.folders or ())))


def _open(
    setup: Setup,
    time_limit: float,
    memory_limit: int,
    package: DeliveredPackage | None,
    origin: Origin,
) -> IsolatedDevice:
    device = IsolatedDevice(setup, time_limit=time_limit, memory_limit=memory_limit)
    try:
        opened = device.open()
        parts = _parts(origin, setup, opened, package)
        opened = structs.replace(opened, libraries={**opened.libraries, **parts})
        device.adopt(replace(_profile(setup, opened), origin=origin))
    except BaseException:
        device.close()
        raise
    return device


def _parts(
    origin: Origin, setup: Setup, opened: Opened, package: DeliveredPackage | None
) -> dict[str, str]:
    """The files that single operators lie in, beside the libraries that were loaded, by name."""
    if package is not None:
        return {name: str(path) for name, path in package.parts(opened.soc).items()}
    if origin.source != "built" or setup.libraries is None:
        return {}
    return {path.name: str(path) for path in sorted(Path(setup.libraries).glob(f"*{ARCHIVE}"))}


def npu_signs() -> list[str]:
    """What on this host says that it is meant to have an NPU."""
    nodes = sorted(DEVICE_NODES.glob("davinci*"))
    signs = [str(nodes[0])] if nodes else []
    if home := os.environ.get("ASCEND_HOME_PATH"):
        signs.append(f"ASCEND_HOME_PATH={home}")
    if importlib.util.find_spec("torch_npu") is not None:
        signs.append("torch_npu")
    return signs


def simulator_libraries(
    kernels: Sequence[Path] | None,
    only: Collection[str] | None = None,
    *,
    coverage: bool = False,
) -> Path:
    """The folder of the simulator's libraries, built if their sources have changed.

    ``kernels`` are folders of operators, None: the suite's own; ``only`` names those of them that
    are needed, None: all. With ``coverage`` they count what is run (gcov). Raises
    EnvironmentFailure.
    """
    from device_kernels.build import ROOT, build

    folders = kernels or (ROOT / "kernels",)
    there = [name for name in only or () if any((one / name).is_dir() for one in folders)]
    if there and (absent := [name for name in only or () if name not in there]):
        places = row(map(str, folders), OR)
        warn(say.NO_KERNEL(names=absent, places=places))
    try:
        return build(*folders, only=there or only, coverage=coverage).lib
    except (RuntimeError, OSError) as error:
        raise EnvironmentFailure(say.SIMULATOR_NOT_BUILT(error=text_of(error))) from error


def torch_npu_shims(libraries: Path, wheel: Wheel) -> Path:
    """What a torch_npu needs beside the simulator's libraries, built where it is not there.

    Raises EnvironmentFailure.
    """
    from device_kernels.shims import shims

    try:
        return shims(libraries, wheel.binds)
    except (RuntimeError, OSError) as error:
        raise EnvironmentFailure(say.SHIMS_NOT_BUILT(error=text_of(error))) from error


def _npu(libraries: Path | None, device: int, route: str) -> Setup:
    """An NPU of the libraries in a folder: CANN's own or stand-ins for them, the project's kernels
    (device_kernels/cmake/npu.cmake), or both. Those of CANN are else found by the loader.

    The kernels are there for their own route alone: they have aclnn functions of the same names.
    """
    own = libraries / OWN_KERNELS if libraries is not None else None
    kernels = str(own.resolve()) if own is not None and own.is_file() else None
    cann = libraries is not None and (kernels is None or (libraries / "libopapi.so").exists())
    folder = _folder(libraries) if libraries is not None and cann else None
    beside = kernels if route == "kernel" else None
    return Setup("npu", folder, None, device, 0, route, kernels=beside)


def _asked_first() -> tuple[str, ...]:
    """The libraries that this host asks for an operator before CANN's general one, in order.

    One that is passed over is told: what is judged in its place may be the built-in operator.
    """
    found = []
    for one in candidates(os.environ, os.getuid()):
        if one.skipped:
            warn(say.PASSED_OVER(path=one.path, source=one.source, why=one.skipped))
        elif one.path.name != GENERAL:
            found.append(str(one.path))
    return tuple(found)


def _folder(libraries: Path) -> str:
    """The folder as text. Raises EnvironmentFailure where it lacks a library."""
    for name in ("libascendcl.so", "libopapi.so"):
        if not (libraries / name).is_file():
            raise EnvironmentFailure(say.LACKS(folder=libraries, file=name))
    return str(libraries.resolve())


def _profile(setup: Setup, opened: Opened) -> DeviceProfile:
    simulated = setup.kind == "sim"
    ieee = simulated or opened.soc == "cpu"
    kernels_alone = simulated and setup.functions is None
    arithmetic = SIMULATED if kernels_alone else IEEE if ieee else UNKNOWN
    stated = function_traits.stated_of(opened.soc) if setup.kind == "npu" else ALL_UNKNOWN
    declared = [ub for start, ub in USABLE_UB_BYTES.items() if opened.soc.startswith(start)]
    return DeviceProfile(
        name=str(unpacked(opened.words))
        or (str(say.SIMULATED(soc=opened.soc)) if simulated else opened.soc),
        kind=setup.kind,
        soc=opened.soc,
        vector_cores=opened.vector_cores,
        ub_bytes=opened.ub_bytes or (declared[0] if declared else None),
        cann=opened.cann,
        libraries={name: Library(path, hashed(path)) for name, path in opened.libraries.items()},
        cast_mode=arithmetic["cast_mode"],
        flush_to_zero=arithmetic["flush_to_zero"],
        overflow_mode=arithmetic["overflow_mode"],
        determinism=arithmetic["determinism"],
        loosened=loosened(traits_of(setup.libraries), os.environ) if simulated else {},
        functions=function_traits.SIMULATED if kernels_alone else replace(stated, **opened.traits),
        cann_asked=setup.cann is not None,
    )


def hashed(path: str | Path) -> str:
    """The SHA-256 of a file's bytes. Raises `OSError`."""
    with open(path, "rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
