"""The device of a setup, opened in this process: its libraries, its machine, and what they are."""

from __future__ import annotations

import os
from pathlib import Path

from conformance.catalogue import device as say
from conformance.devices.acl import Acl, AclError
from conformance.devices.messages import OWN_KERNELS, Opened, Setup
from conformance.devices.traits import traits_of
from conformance.errors import text_of

CANN = "ASCENDSIM_CANN"
"""The version of CANN that the simulator answers; its library reads it when it is loaded."""


class UnknownDeviceError(Exception):
    """The device asked for does not exist."""


def acl_of(setup: Setup) -> Acl:
    """The libraries of a setup, loaded with the environment that their traits name.

    Raises as `Acl` and `traits_of` do.
    """
    for name, value in traits_of(setup.libraries).environment.items():
        # An explicit setting wins; the library reads it when it is loaded.
        os.environ.setdefault(name, value)
    if setup.cann is not None:
        os.environ[CANN] = setup.cann
    only = setup.package.aclnn if setup.package else None
    return Acl(setup.libraries, setup.kernels, setup.first, only)


def opened_by(acl: Acl, setup: Setup) -> Opened:
    """Open the device of a setup, and tell what was opened.

    Raises AclError, UnknownDeviceError for what is not there, OSError without a simulator.
    """
    if setup.kind == "sim":
        if not acl.simulated:
            raise OSError(say.NO_SIMULATOR())
        try:
            acl.configure_machine(setup.soc, 0, 0)
        except AclError as error:
            why = error.message or text_of(error)
            raise UnknownDeviceError(say.NO_SUCH_SOC(soc=setup.soc, error=why)) from None
    acl.initialize()
    count = acl.device_count()
    if setup.device >= count:
        raise UnknownDeviceError(say.NO_SUCH_NUMBER(number=setup.device, count=count))
    acl.call("aclrtSetDevice", setup.device)
    return Opened(
        soc=acl.soc_name(),
        vector_cores=acl.vector_cores(setup.device),
        ub_bytes=acl.simulated_ub_bytes() if acl.simulated else None,
        cann=acl.cann_version(),
        libraries={**_loaded("libascendcl.so", "libopapi.so", OWN_KERNELS), **_beside(setup)},
        physical=None if setup.kind == "sim" else acl.physical_number(setup.device),
    )


def _beside(setup: Setup) -> dict[str, str]:
    """The libraries that are asked before CANN's general one, by name; where another has the name,
    too, by path. The suite's own kernels are among them, also behind a link of another name."""
    loaded = "\n".join(_maps())
    asked = setup.first if setup.kernels is None else (*setup.first, setup.kernels)
    found: dict[str, str] = {}
    for path in (one for one in asked if os.path.realpath(one) in loaded):
        name = os.path.basename(path)
        found[path if name in found else name] = path
    return found


def _loaded(*names: str) -> dict[str, str]:
    """The paths from which libraries are mapped into this process, by the name asked for."""
    paths = {line.split(maxsplit=5)[5] for line in _maps() if line.count("/")}
    return {n: p for n in names for p in sorted(paths) if os.path.basename(p).startswith(n)}


def _maps() -> list[str]:
    return Path("/proc/self/maps").read_text().splitlines()
