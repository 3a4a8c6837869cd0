"""What is declared of the functions of a device, by its kind and its SoC, and its words.

A page that gives no bound says nothing here. For Ascend910B and Ascend910_93 none is printed.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.catalogue import device_profile as say
from conformance.catalogue.message import row
from conformance.record.functions import ALL_UNKNOWN, UNKNOWN, UNUSED, Functions, FunctionTraits

PROBE = "function_probe"
"""The operator that computes one function alone (conformance/session/function_probe.py)."""

_SIMULATED = FunctionTraits(steps=1, flush=True, uniform=True, origin="declared")

SIMULATED = Functions(*(_SIMULATED for _ in ALL_UNKNOWN.by_name))
"""Those of the simulator: what each of its implementations keeps, so none is told by them."""

_STATED = FunctionTraits(
    steps=2, origin="declared", source="asc-devkit, docs/zh/api/SIMD-API, 2026-07-30"
)

STATED: Mapping[str, Functions] = {
    "Ascend950": Functions(exp=_STATED, ln=_STATED, sqrt=_STATED, div=_STATED)
}
"""What pages state, by the start of the SoC's name.

Exp, Ln, Sqrt and Div have "maximum error 1 ulp" by default there, and subnormals are flushed
(asc-devkit, docs/zh/api/SIMD-API, sections tagged 950, 2026-07-30). An error of 1 ulp against the
exact value is 1 step of the correctly rounded one, or 2 below a power of two: the grid halves.
Reciprocal has no such bound.
"""


def stated_of(soc: str) -> Functions:
    """What pages state of the functions of an NPU; unknown for a SoC of which none does."""
    found = [functions for start, functions in STATED.items() if soc.startswith(start)]
    return found[0] if found else ALL_UNKNOWN


def words_of(traits: FunctionTraits) -> str:
    """A function's traits as a person reads them."""
    if traits.origin == UNUSED.origin:
        return say.UNUSED()
    steps = say.UNKNOWN() if traits.steps is None else say.STEPS(steps=traits.steps)
    if traits == UNKNOWN:
        return steps
    said = [steps]
    said += [say.FLUSHES()] if traits.flush else []
    said += [say.UNIFORM()] if traits.uniform else []
    said += [say.MONOTONE()] if traits.monotone else []
    return row(said, ", ")
