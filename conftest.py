"""Loads the conformance plugin and gives its options short names in this checkout."""

from __future__ import annotations

import pytest

pytest_plugins = ["conformance.plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Short names of the plugin's options; another repository uses the long ones."""
    group = parser.getgroup("conformance")
    for name in ("device", "profile", "route", "seed", "operators"):
        group.addoption(
            f"--{name}",
            dest=f"conformance_{name}",
            action="append" if name == "operators" else "store",
            help=f"the same as --conformance-{name}",
        )
