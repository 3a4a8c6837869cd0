"""What kernels find on the chips of CANN 8 and 9: buffers that tilings may use."""

from __future__ import annotations

USABLE_UB_BYTES = {"Ascend910B": 196352, "Ascend910_93": 196608}
"""Bytes of unified buffer that a tiling may use, by the start of the SoC's name: 196608, less the
256 that the platform reserves on Ascend910B (asc-devkit, platform_ascendc.cpp)."""
