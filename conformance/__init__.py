"""The conformance harness: draws cases, runs a device, judges what it answers."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.former_names import install

SUITE = Path(__file__).resolve().parent / "_suite"
"""Where a wheel carries ``reference``, ``cases`` and ``device_kernels``; a checkout has no such
folder, but these three beside this package."""

if SUITE.is_dir():
    # First: a folder called cases/ or reference/ where pytest is started would be taken for ours.
    sys.path.insert(0, str(SUITE))

install()

if TYPE_CHECKING:
    from conformance.own_tests import judge_implementation, judged

__all__ = ["judge_implementation", "judged"]


def __getattr__(name: str) -> Any:
    """What tests of one's own use, imported where it is used."""
    if name not in __all__:
        raise AttributeError(name)
    from conformance import own_tests

    return getattr(own_tests, name)
