"""Runs of the front door, as people and CI start it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from device_kernels.build import build
from tests.conformance import forked_python
from tests.waiting import HANGS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAME = "moe_init_routing_v2_grad"
WRONG = ("--operators", str(HERE / "wrong"), "--operator", "first_slot_only")
ON_SIMULATOR = ("--device", "sim")
BY_WORKERS = (*ON_SIMULATOR, "--operator", NAME)
ONE_OPERATOR = (*BY_WORKERS, "-n", "0")
"""By one process: a worker takes longer to start than what most tests ask for."""


@dataclass(frozen=True)
class Ended:
    """A command that has ended: its status, and what it told people (err) and programs (out)."""

    status: int
    out: str
    err: str


def conformance(*arguments: str, folder: Path, before: tuple[str, ...] = (), **env: str) -> Ended:
    """Run a command in ``folder``; ``before`` is put before it, as ``nice`` would be."""
    environment = host(**env)
    if not before and forked_python.can_fork(environment):
        return Ended(*forked_python.run("conformance", arguments, folder, environment))
    done = subprocess.run(
        [*before, sys.executable, "-m", "conformance", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def with_one_kernel(checkout: Path, cache: Path) -> dict[str, str]:
    """What makes a run take a copy of the checkout, of whose kernels only that of `NAME` is left.

    ``cache``: a folder for its builds, to which this checkout's runtime is copied.
    """
    runtime = build(quiet=True).runtime.parent
    shutil.copytree(runtime, cache / runtime.name)
    for kernel in checkout.glob("device_kernels/kernels/*/*_kernel.cpp"):
        if kernel.parent.name != NAME:
            shutil.rmtree(kernel.parent)
    return {"PYTHONPATH": str(checkout), "MOE_CONFORMANCE_CACHE": str(cache)}


def host(**changed: str) -> dict[str, str]:
    """The environment of a host without CANN."""
    kept = {name: value for name, value in os.environ.items() if name != "ASCEND_HOME_PATH"}
    return {**kept, "PYTHONPATH": str(ROOT), **changed}
