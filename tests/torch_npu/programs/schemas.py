"""The arguments of torch_npu's functions, each with whether it must be given: prints them as JSON.

Their names are the words of the command line.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from conformance.devices.torch_npu.simulate import simulate

torch_npu = simulate(Path(os.environ["SUITE_LIBRARIES"]))
import torch  # noqa: E402

found = {}
for name in sys.argv[1:]:
    schema = getattr(torch.ops.npu, name).default._schema
    found[name] = {one.name: not one.has_default_value() for one in schema.arguments}
print(json.dumps(found))
