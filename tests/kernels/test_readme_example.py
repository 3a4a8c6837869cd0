"""A program written for CANN runs unedited on the simulated device, with the printed values."""

import subprocess
from pathlib import Path

from device_kernels.build import build

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("programs") / "readme_example.cpp"
INCLUDE = ROOT / "device_kernels" / "simulator" / "include"


def test_the_documented_example_as_a_cpp_program_gives_the_documented_values(
    tmp_path: Path,
) -> None:
    lib = build().lib
    program = tmp_path / "readme_example"
    link = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-lopapi", "-lascendcl"]
    subprocess.run(
        ["g++", "-std=c++17", f"-I{INCLUDE}", str(PROGRAM), "-o", str(program), *link], check=True
    )
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0.30000001", "0.30000001", "0.70000005", "0.70000005"]
