"""What a call returned when it was dumped, judged as if a device had answered so now.

Of the device nothing is known, so what a known one would not do may be accepted, and a value that
is computed through exp or a division is not bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.call.observation import Observation, Outcome
from conformance.field.foreign import Call
from conformance.judge.calls import judge
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import UNKNOWN
from conformance.record.contract import Unspecified
from conformance.record.operator import Operator
from conformance.record.torch_binding import Binding

Outputs = Mapping[str, NDArray[Any]]


def returned(call: Call, operator: Operator, case: Case) -> Outputs | None:
    """The outputs of a case as the file has them, None unless it has all that are specified."""
    if not isinstance(operator.torch_npu, Binding):
        return None
    named = zip(operator.torch_npu.results, call.results, strict=False)
    found = {name: one.values for name, one in named if one is not None}
    outputs: dict[str, NDArray[Any]] = {}
    for name, declared in case.outputs.items():
        values = found.get(name)
        if isinstance(operator.contract(name, case), Unspecified):
            values = np.zeros(declared.shape, numpy_dtype(declared.dtype))
        if values is None:
            return None
        outputs[name] = values
    return outputs


def judged(operator: Operator, case: Case, outputs: Outputs) -> Verdict:
    """The verdict on outputs that were dumped. Raises as `judge` does."""
    written = dict.fromkeys(outputs, 0)
    observation = Observation(Outcome.COMPLETED, outputs=dict(outputs), unwritten=written)
    return judge(operator, case, observation, UNKNOWN)
