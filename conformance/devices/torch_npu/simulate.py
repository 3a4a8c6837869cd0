"""A simulated NPU for a PyTorch program: call `simulate` before torch is imported.

What a program gets is torch_npu as it is installed, over the simulator's libraries: its bindings,
shapes, dtypes, autograd and error texts, and this project's kernels where it calls an operator of
the family. It never comes by itself, and says nothing of a real NPU's kernels.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from conformance.catalogue import through_torch as say
from conformance.devices.open import DEVICE_NODES, simulator_libraries, torch_npu_shims
from conformance.devices.torch_npu import fallback as cpu_kernels
from conformance.devices.torch_npu.activate import over_simulator
from conformance.devices.torch_npu.pins import mended
from conformance.devices.torch_npu.wheel import known_wheel
from conformance.errors import EnvironmentFailure, text_of


def simulate(
    libraries: Path | None = None, *, fallback: bool = False, beside_npu: bool = False
) -> Any:
    """Import torch_npu over the simulator and return it; ``torch.npu`` then has one device.

    ``libraries`` is a folder of the simulator's libraries, None: the suite's own, built if need be.
    With ``fallback`` PyTorch's CPU kernels serve its own operators there (`fallback.activate`).
    Raises EnvironmentFailure where torch was imported before, where the host has an NPU (unless
    ``beside_npu``: build servers with CANN and no card need not say so), or where it does not load.
    """
    if "torch" in sys.modules:
        raise EnvironmentFailure(say.TORCH_IMPORTED())
    nodes = sorted(DEVICE_NODES.glob("davinci[0-9]*"))
    if nodes and not beside_npu:
        raise EnvironmentFailure(say.HAS_NPU(node=nodes[0]))
    for name in [name for name in os.environ if name.startswith("ASCEND_")]:
        del os.environ[name]
    try:
        wheel = known_wheel()
    except EnvironmentFailure as error:
        raise EnvironmentFailure(mended(say.SIMULATE(error=text_of(error)))) from error
    folder = (libraries or simulator_libraries(None)).resolve()
    try:
        torch_npu = over_simulator(folder, torch_npu_shims(folder, wheel))
    except (ImportError, OSError, RuntimeError) as error:
        told = say.SIMULATE_WHEEL(version=wheel.version, error=text_of(error))
        raise EnvironmentFailure(mended(told)) from error
    if fallback:
        cpu_kernels.activate(sys.modules["torch"])
    return torch_npu
