"""Where the library lies that an NPU's functions are probed by: the suite's own kernels, as CANN's
compiler builds them (device_kernels/cmake/npu.cmake)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import structs

from conformance.catalogue import device as say
from conformance.devices.cards import Card
from conformance.devices.isolated import IsolatedDevice
from conformance.devices.messages import OWN_KERNELS, Setup
from conformance.errors import EnvironmentFailure, text_of

FOLDER = "MOE_CONFORMANCE_PROBES"

Open = Callable[[Card], IsolatedDevice]
"""Opens a process on a card."""


def probe_library(environment: Mapping[str, str] | None = None) -> Path | None:
    """The library in the folder that MOE_CONFORMANCE_PROBES names, None if that is not set.

    Raises EnvironmentFailure for a folder that has none.
    """
    named = (os.environ if environment is None else environment).get(FOLDER)
    if not named:
        return None
    library = Path(named).absolute() / OWN_KERNELS
    if not library.is_file():
        raise EnvironmentFailure(say.NO_PROBES(variable=FOLDER, folder=named, file=OWN_KERNELS))
    return library


def probes_beside(setup: Setup, open_probe: Callable[[Setup], IsolatedDevice]) -> Open | None:
    """What opens the probe on a card, beside a device of that setup: by the folder that is named,
    else by the suite's own kernels that the device has; None without either.

    Raises EnvironmentFailure as `probe_library` does.
    """
    library = probe_library()
    kernels = setup.kernels if library is None else str(library)
    if kernels is None:
        return None
    beside = structs.replace(setup, package=None, first=(), route="kernel", kernels=kernels)

    def opened(card: Card) -> IsolatedDevice:
        try:
            return open_probe(structs.replace(beside, device=card.number))
        except EnvironmentFailure as error:
            if library is None:
                raise
            named = {"variable": FOLDER, "folder": library.parent, "file": OWN_KERNELS}
            why = text_of(error)
            raise EnvironmentFailure(say.PROBES_NOT_OPEN(**named, why=why)) from None

    return opened
