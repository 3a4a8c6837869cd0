"""Where the library lies that an NPU's functions are probed by: the suite's own kernels, as CANN's
compiler builds them (device_kernels/cmake/npu.cmake)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from conformance.catalogue import device as say
from conformance.devices.messages import OWN_KERNELS
from conformance.errors import EnvironmentFailure, text_of

FOLDER = "MOE_CONFORMANCE_PROBES"


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


def not_open(library: Path | None, error: EnvironmentFailure) -> EnvironmentFailure:
    """Why the probe does not open, with the variable that names its ``library`` if one does."""
    if library is None:
        return error
    named = {"variable": FOLDER, "folder": library.parent, "file": OWN_KERNELS}
    return EnvironmentFailure(say.PROBES_NOT_OPEN(**named, why=text_of(error)))
