"""What the project's own tests share.

How long an example of Hypothesis takes says nothing of the code. And hundreds of tests start Python
anew, which takes a second longer where no compiled modules are kept.
"""

from __future__ import annotations

import atexit
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
