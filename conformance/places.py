"""Where the suite lives: its records, its workloads and its kernels; for every room."""

from __future__ import annotations

from pathlib import Path

from conformance import SUITE

PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    """The folder that holds ``cases``: the wheel's own copy of the suite, or the checkout."""
    return SUITE if SUITE.is_dir() else PACKAGE.parent


def workloads() -> Path:
    """The folder of the suite's own workloads."""
    return root() / "cases" / "workloads"


def own_kernels() -> Path:
    """The folder of the suite's own kernels."""
    return root() / "device_kernels" / "kernels"


def probe_kernels() -> Path:
    """The folder of kernels that are asked what a device does, and not judged."""
    return root() / "device_kernels" / "probes"


def records() -> Path:
    """The suite's own folder of operator records."""
    return root() / "cases" / "operators"
