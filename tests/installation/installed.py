"""The project as its users have it: a wheel, installed into an environment that has nothing else.

The environment sees this one's dependencies, not its checkout: a path file names the folder of the
packages, and path files inside of that folder (that of an editable installation) are not read.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

from device_kernels.build import cache_folder
from tests.waiting import HANGS

ROOT = Path(__file__).parents[2]
KEPT = ("HOME", "LANG", "TMPDIR", "CXX")


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it. ``packages`` is its site-packages."""

    folder: Path
    packages: Path

    @property
    def environment(self) -> dict[str, str]:
        """A plain environment whose PATH begins with this installation's programs."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        path = f"{self.folder / 'bin'}{os.pathsep}{Path(sys.executable).parent}"
        # Builds are filed by content: what a checkout has built need not be built again.
        cache = {"MOE_CONFORMANCE_CACHE": str(cache_folder())}
        return {**kept, **cache, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}

    def run(
        self, *command: str, folder: Path, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command of this installation in ``folder``."""
        return subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            cwd=folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=HANGS,
        )


def build_wheel(into: Path) -> Path:
    """The project's wheel, built with the backend of this environment."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*command, "--directory", str(into)], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = into.glob("*.whl")
    return wheel


def install(folder: Path) -> Installed:
    """Builds the wheel and installs it into a new environment in ``folder``."""
    venv.create(folder / "environment", with_pip=False, symlinks=True)
    packages = next((folder / "environment" / "lib").glob("python3.*")) / "site-packages"
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = str(folder / "environment" / "bin" / "python")
    options = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "--python", python, "install", *options]
    subprocess.run([*command, str(build_wheel(folder))], check=True)
    return Installed(folder / "environment", packages)
