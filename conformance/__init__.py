"""The conformance harness: draws cases, runs a device, judges what it answers."""

import sys
from pathlib import Path

from conformance.former_names import install

SUITE = Path(__file__).resolve().parent / "_suite"
"""Where a wheel carries ``reference``, ``cases`` and ``device_kernels``; a checkout has no such
folder, but these three beside this package."""

if SUITE.is_dir():
    # First: a folder called cases/ or reference/ where pytest is started would be taken for ours.
    sys.path.insert(0, str(SUITE))

install()
