"""Where a verdict comes from: versions, host and the state of the sources."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "ml_dtypes", "hypothesis", "pytest", "pytest-xdist", "msgspec")
GIT_SECONDS = 10


def provenance(root: Path) -> dict[str, Any]:
    """Versions of what judges, the host's architecture, and git's state of ``root``."""
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "byte_order": sys.byteorder,
        "packages": {name: _version(name) for name in PACKAGES},
        "git": _git_state(root),
    }


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
    command = ("git", "-C", str(root), *arguments)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
