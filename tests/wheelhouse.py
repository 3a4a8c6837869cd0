"""``make wheelhouse``: every wheel that a host without a network needs, of both machines.

pip takes the markers of dependencies from the Python that it runs in, not from the one that it
downloads for, so that what only older ones need is named here.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import requires
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "wheelhouse"
MACHINES = ("x86_64", "aarch64")
LIBRARIES = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")
"""The oldest C library of a host that CANN supports, and those before it."""
OF_OLDER_PYTHONS = ("tomli>=1.1", "exceptiongroup>=1", "typing_extensions>=4.6")


def requirements(numpy: str) -> list[str]:
    """What the package needs without any extra; ``numpy`` is a version, such as ``1.26.*``."""
    needed = [one for one in requires("moe-conformance") or [] if ";" not in one]
    return [*needed, *OF_OLDER_PYTHONS, *([f"numpy=={numpy}"] if numpy else [])]


def commands(pythons: Sequence[str], numpy: str) -> Iterator[list[str]]:
    """pip's calls: the wheel of the checkout, then those that it needs on each host."""
    pip = [sys.executable, "-m", "pip"]
    yield [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(FOLDER), str(ROOT)]
    for python in pythons:
        for machine in MACHINES:
            where = [f"--platform={library}_{machine}" for library in LIBRARIES]
            options = ["--quiet", "--only-binary=:all:", f"--python-version={python}", *where]
            yield [*pip, "download", *options, "--dest", str(FOLDER), *requirements(numpy)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pythons", default="3.10 3.11 3.12 3.13")
    parser.add_argument("--numpy", default="")
    asked = parser.parse_args()
    for command in commands(asked.pythons.split(), asked.numpy):
        if (status := subprocess.run(command).returncode) != 0:
            return status
    wheels = list(FOLDER.glob("*.whl"))
    size = sum(wheel.stat().st_size for wheel in wheels)
    print(f"{FOLDER.name}: {len(wheels)} wheels, {size / 2**20:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
