"""Where a verdict comes from: versions, host and the state of the sources."""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from conformance import places
from conformance.numerics import compiled

PACKAGES = ("numpy", "ml_dtypes", "hypothesis", "pytest", "pytest-xdist", "msgspec")
GIT_SECONDS = 10
DRIVER = Path("/usr/local/Ascend/driver/version.info")
"""Where the driver's installer writes its version (CANN's installation guide, "Checking")."""


def provenance(root: Path, directories: Iterable[Path] = ()) -> dict[str, Any]:
    """Versions of what judges, the host's architecture, and git's state of ``root``.

    ``sources`` is the hash of the judge's Python, the records of ``directories`` among it.
    """
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "byte_order": sys.byteorder,
        "packages": {name: _version(name) for name in PACKAGES},
        "sources": _digest([places.PACKAGE, root / "reference", root / "cases", *directories]),
        "git": _git_state(root),
        "driver": _driver(),
        "torch_npu": _version("torch_npu"),
        "sums": compiled.name(),
    }


def _digest(folders: Iterable[Path]) -> str:
    """SHA-256 of every Python file below ``folders``: its path there and its content."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{folder.name}/{path.relative_to(folder)}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def _driver() -> str | None:
    """The version of the NPU's driver as its installer leaves it; None where there is none."""
    try:
        written = re.search(r"^Version=([\w.+-]{1,64})$", DRIVER.read_text(), re.M | re.I)
    except (OSError, UnicodeDecodeError):
        return None
    return written[1] if written else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git_state(root: Path) -> dict[str, Any] | None:
    """Commit and whether tracked or new files differ from it; None outside of a repository."""
    commit = _git(root, "rev-parse", "--verify", "HEAD")
    changes = _git(root, "status", "--porcelain")
    if commit is None or changes is None:
        return None
    return {"commit": commit.strip(), "clean": not changes.strip()}


def _git(root: Path, *arguments: str) -> str | None:
    # Without optional locks git only looks: it neither rewrites the index nor leaves a lock there.
    command = ("git", "--no-optional-locks", "-C", str(root), *arguments)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
