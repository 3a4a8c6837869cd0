"""The arguments with which pytest judges the suite, on whatever host."""

from __future__ import annotations

import os
from pathlib import Path

from conformance import SUITE


def of_suite(root: Path) -> list[str]:
    """The arguments of every session that judges; ``root`` is the folder that holds ``cases``."""
    command = [str(root / "cases"), "-p", "conformance.plugin"]
    if SUITE.is_dir():
        # The nearest configuration above an installed suite belongs to another project.
        command += ["-c", os.devnull]
    command += ["--rootdir", str(root), "--import-mode=importlib", "-p", "no:cacheprovider"]
    # At the end of each process it collects garbage five times, for a second, to tell of nothing.
    command += ["-p", "no:unraisableexception"]
    return [*command, "-q", "--tb=short"]


def environment_of_suite(root: Path) -> dict[str, str]:
    """This process's environment, in which pytest finds the suite at ``root`` first."""
    paths = [str(root), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
