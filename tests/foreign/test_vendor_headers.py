"""The project's kernels call what the vendor's public headers declare."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.foreign.vendor_headers import compiler, refused_lines
from tests.simulator.simulated_machine import LANGUAGE

HOME = Path(os.environ.get("ASC_DEVKIT_HOME", "/nowhere"))
KERNELS = Path(__file__).parents[2] / "device_kernels" / "kernels"
OPERATORS = sorted(path.parent.name for path in KERNELS.glob("*/*_kernel.cpp"))
TILING = LANGUAGE / "kernel_tiling" / "kernel_tiling.h"

pytestmark = [
    pytest.mark.skipif(
        not (HOME / "include" / "kernel_operator.h").exists(),
        reason="ASC_DEVKIT_HOME names no checkout of the public Ascend C headers",
    ),
    pytest.mark.skipif(compiler() is None, reason="no clang++, which goes on behind an error"),
]


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_kernel_is_accepted(operator: str, tmp_path: Path) -> None:
    kernel = KERNELS / operator / f"{operator}_kernel.cpp"
    assert refused_lines(kernel, HOME, TILING, tmp_path) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("DataCopyPad(", "DataCopyPadded("),
        ("RoundMode::CAST_RINT", "RoundMode::CAST_NEAREST"),
        ("AllocTensor<", "AllocateTensor<"),
        ("PipeBarrier<PIPE_V>", "PipeBarrier<PIPE_W>"),
    ],
)
def test_a_call_that_does_not_exist_is_refused(right: str, wrong: str, tmp_path: Path) -> None:
    folder = KERNELS / "moe_init_routing_v2_grad"
    shutil.copytree(folder, tmp_path / "kernel")
    kernel = tmp_path / "kernel" / "moe_init_routing_v2_grad_kernel.cpp"
    text = kernel.read_text()
    assert right in text
    kernel.write_text(text.replace(right, wrong))
    refused = refused_lines(kernel, HOME, TILING, tmp_path)
    assert any(wrong.rstrip("(<") in line or "PIPE_W" in line for line in refused)
