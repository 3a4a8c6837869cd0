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
# Records, tests and draws make a great many objects, of which few are ever garbage: searches for it
# took a twentieth of the time of the tests.
gc.set_threshold(50_000, 20, 100)


def pytest_collection_finish() -> None:
    """What is there now is in use until the end."""
    gc.freeze()
