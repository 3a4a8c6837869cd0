"""Import torch_npu in this process: over CANN as it is, or over the simulator's libraries.

A simulated NPU never appears by itself: only a process that calls `over_simulator` has one, and
that refuses where the host has a real one, unless the simulator was asked for by name.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

QUIET = {
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",  # plain `import torch` would load torch_npu before us
    "TASK_QUEUE_ENABLE": "0",  # a call fails where it is made, not in another thread
}
"""What the environment must say before torch is imported, where it says nothing."""


def over_simulator(lib: Path, shims: Path) -> Any:
    """torch_npu over the libraries of the simulator in ``lib`` and ``shims``.

    The loader knows a library by its name once it is there: by their paths they are loaded before
    torch_npu asks for them. Raises OSError where one does not load.
    """
    for name in ("libascendcl.so", "libopapi.so"):
        ctypes.CDLL(str(lib / name))
    for path in sorted(shims.glob("*.so")):
        ctypes.CDLL(str(path))
    return over_cann()


def over_cann(device: int = 0) -> Any:
    """torch_npu over what the loader finds, on the card of that number. Raises ImportError."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    import torch
    import torch_npu

    if device:  # the first card is torch_npu's own choice
        torch.npu.set_device(device)
    # The first tensor on the device makes torch_npu set the device up, and say what it warns of.
    torch.zeros(1).to("npu").cpu()
    return torch_npu
