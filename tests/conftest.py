"""What the project's own tests share.

How long an example of Hypothesis takes says nothing of the code. And hundreds of tests start Python
anew, which takes a second longer where no compiled modules are kept.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Generator

import pytest
from hypothesis import Phase, settings

# As in a run, nothing is explained: to explain a case others are drawn, of fewer choices perhaps,
# which count as simpler and are not shrunk.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
settings.register_profile("tests", deadline=None, phases=PHASES)
settings.load_profile("tests")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# No test waits for a card that another process of this host judges on.
os.environ["MOE_CONFORMANCE_CARDS"] = tempfile.mkdtemp(prefix="moe-conformance-cards-")
atexit.register(shutil.rmtree, os.environ["MOE_CONFORMANCE_CARDS"], ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for garbage in what tests make, and not in the tests themselves: 22,000 of them and
    all records are there to stay, and each search takes half a second in each worker.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
