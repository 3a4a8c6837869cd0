"""The project's kernels call what the vendor's public headers declare."""

from __future__ import annotations

import os
import re
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
        ("DataCopyPad", "DataCopyPadded"),
        ("CAST_RINT", "CAST_NEAREST"),
        ("AllocTensor", "AllocateTensor"),
        ("PIPE_V", "PIPE_W"),
    ],
)
def test_a_call_that_does_not_exist_is_refused(right: str, wrong: str, tmp_path: Path) -> None:
    name = "moe_init_routing_v2_grad"
    shutil.copytree(KERNELS / name, tmp_path / "kernels" / name)
    kernel = tmp_path / "kernels" / name / f"{name}_kernel.cpp"
    text = kernel.read_text()
    assert right in text
    kernel.write_text(re.sub(rf"\b{right}\b", wrong, text))
    refused = refused_lines(kernel, HOME, TILING, tmp_path)
    assert any(wrong in line for line in refused)


def test_a_call_that_does_not_exist_is_refused_in_a_part_that_operators_share(
    tmp_path: Path,
) -> None:
    name = "moe_token_permute_with_ep"
    for folder in (name, "shared"):
        shutil.copytree(KERNELS / folder, tmp_path / "kernels" / folder)
    part = tmp_path / "kernels" / "shared" / "sorting" / "stable_sort_kernel.h"
    part.write_text(re.sub(r"\bMrgSort\b", "MergeSorted", part.read_text()))
    kernel = tmp_path / "kernels" / name / f"{name}_kernel.cpp"
    refused = refused_lines(kernel, HOME, TILING, tmp_path)
    assert any("MergeSorted" in line for line in refused)
