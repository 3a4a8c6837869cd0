"""C++ programs that call operators, as their users compile and run them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from device_kernels.build import build
from device_kernels.toolchain import compiler

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "device_kernels" / "simulator" / "include"


def printed_by(source: Path, *flags: str) -> str:
    """What a program prints that is compiled with the project's headers alone, and linked with the
    simulated device; the executable lies beside its source."""
    lib, program = build(quiet=True).lib, source.with_suffix("")
    link = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-lopapi", "-lascendcl"]
    compilation = [compiler(), "-std=c++17", *flags, f"-I{INCLUDE}", str(source), "-o"]
    subprocess.run([*compilation, str(program), *link], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
