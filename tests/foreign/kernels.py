"""Whether kernels of the public operator repositories are understood by the CPU model, as they are.

``python -m tests.foreign.kernels FOLDER`` lists the operators below a folder. A kernel is checked
as its build compiles it, for every column of its data types; no object file is made.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from device_kernels.foreign.operator_folder import OperatorFolder, read
from tests.simulator.simulated_machine import COMPILER, LANGUAGE

HEADERS = ("operator_build.h", "kernel_tiling/kernel_tiling.h")
"""What an operator build includes before the operator's own tiling structs."""


@dataclass(frozen=True)
class Finding:
    """What became of one operator; ``missing`` is the first error, empty where there is none."""

    name: str
    builds: int
    missing: str

    def __str__(self) -> str:
        said = f"compiled, {self.builds} data types" if not self.missing else self.missing
        return f"{self.name:44}{said}"


def first_missing(operator: OperatorFolder, folder: Path) -> str:
    """The first error over all builds of a kernel; ``folder`` takes its tiling header."""
    tiling = folder / f"{operator.name}_tiling.h"
    tiling.write_text(f"#pragma once\n{operator.tiling}\n")
    for macros in operator.builds:
        command = [COMPILER, "-std=c++20", "-w", "-fsyntax-only", f"-I{LANGUAGE}"]
        for header in (*HEADERS, str(tiling)):
            command += ["-include", header]
        command += [*(f"-D{macro}" for macro in macros), str(operator.kernel)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            error = re.search(r"^(.*?):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", done.stderr, re.M)
            if error is None:
                return done.stderr[:300]
            return f"{Path(error[1]).name}:{error[2]}: {error[3]}"
    return ""


def judge(folder: Path, scratch: Path) -> Finding:
    """One operator's folder."""
    try:
        operator = read(folder)
    except (OSError, ValueError) as error:
        return Finding(folder.name, 0, f"not read: {error}")
    return Finding(operator.name, len(operator.builds), first_missing(operator, scratch))


def judge_all(below: Path) -> list[Finding]:
    """Every operator below a folder that has a kernel for Ascend910B, by name."""
    folders = [path.parent for path in sorted(below.glob("*/op_kernel"))]
    kernels = [path for path in folders if (path / "op_kernel" / f"{path.name}.cpp").exists()]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda folder: judge(folder, Path(scratch)), kernels))


if __name__ == "__main__":
    findings = judge_all(Path(sys.argv[1]))
    print(*findings, sep="\n")
    print(f"{sum(not one.missing for one in findings)} of {len(findings)} compile as they are")
