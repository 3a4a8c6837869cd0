"""The simulator's own tests as an aarch64 host runs them: ``make proofs RUN=aarch64``.

The simulated device is cross-compiled; Python, numpy and the tests run under user-mode emulation.
An arm64 Python is fetched from the Debian mirror that apt uses, wheels from the package index that
pip uses; both stay in build/aarch64. Ends with status 2, and what to install, where a tool is
missing. Emulation makes the tests ten to twenty times slower.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "aarch64"
TOOLS = {
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "qemu-aarch64-static": "qemu-user-static",
    "apt-get": "apt",
    "dpkg": "dpkg",
}
PACKAGES = ("python3.11", "libstdc++6")
WHEELS = ("numpy", "ml_dtypes", "hypothesis", "pytest", "msgspec", "rich", "pytest-xdist")
PLATFORMS = ("manylinux2014_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64")
TESTS = ("tests/reference", "tests/simulator/test_language*.py", "tests/simulator/test_happens*.py")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pytest", nargs="*", help="what pytest gets instead of the tests")
    chosen = parser.parse_args().pytest
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        print(f"install {' '.join(missing)} first", file=sys.stderr)
        return 2
    system, wheels = FOLDER / "system", FOLDER / "wheels"
    if not system.exists():
        fetch_system(system)
    if not wheels.exists():
        fetch_wheels(wheels)
    tests = chosen or [str(path) for place in TESTS for path in sorted(ROOT.glob(place))]
    python = [shutil.which("qemu-aarch64-static") or "", "-L", str(system)]
    python += [str(system / "usr" / "bin" / "python3.11")]
    environment = {**os.environ, "CXX": "aarch64-linux-gnu-g++", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(wheels), str(ROOT)])
    run = [*python, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    return subprocess.run([*run, *tests], cwd=ROOT, env=environment).returncode


def fetch_system(folder: Path) -> None:
    """Debian's Python for arm64 and all that it needs, unpacked; nothing is installed."""
    work = FOLDER / "apt"
    shutil.rmtree(work, ignore_errors=True)
    for place in ("lists/partial", "cache/archives/partial"):
        (work / place).mkdir(parents=True)
    (work / "status").touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "Dir::State::lists": work / "lists",
        "Dir::Cache": work / "cache",
        "Dir::State::status": work / "status",
        "Debug::NoLocking": 1,
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "install", "--download-only", "-y", *PACKAGES], check=True)
    unpacked = work / "system"
    for package in sorted((work / "cache" / "archives").glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(unpacked)], check=True)
    unpacked.rename(folder)


def fetch_wheels(folder: Path) -> None:
    """The packages that the tests import, as wheels for aarch64."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--target", str(folder), "--only-binary=:all:", "--python-version", "3.11"]
    pip += [word for platform in PLATFORMS for word in ("--platform", platform)]
    subprocess.run([*pip, *WHEELS], check=True)


if __name__ == "__main__":
    sys.exit(main())
