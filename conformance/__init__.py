"""The conformance harness: draws cases, runs a device, judges what it answers."""

import importlib
import sys
from pathlib import Path
from typing import Any

from conformance.former_names import install

SUITE = Path(__file__).resolve().parent / "_suite"
"""Where a wheel carries ``reference``, ``cases`` and ``device_kernels``; a checkout has no such
folder, but these three beside this package."""

if SUITE.is_dir():
    # First: a folder called cases/ or reference/ where pytest is started would be taken for ours.
    sys.path.insert(0, str(SUITE))

install()

OF_OWN_TESTS = ("judge_implementation", "judged")
"""What tests of one's own use, imported when it is used: every room imports this module."""


def __getattr__(name: str) -> Any:
    if name not in OF_OWN_TESTS:
        raise AttributeError(name)
    return getattr(importlib.import_module("conformance.own_tests"), name)
