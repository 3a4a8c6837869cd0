"""Quick looks by compiled loops, where numba is installed: the same windows, the same answers.

The code in numpy is the definition, and what there is without numba. `compiled_sums` and
`compiled_interval` have the loops. They are imported for large outputs alone: that takes longer
than to judge a small one.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.accepted import Mask
from conformance.numerics.lanes import Rows
from conformance.numerics.plan import Add, Plan
from reference.floats import BF16

VARIABLE = "MOE_CONFORMANCE_NUMBA"
"""Environment variable: 0 keeps large sums to numpy."""

LEAST_TERMS = 1 << 24
"""Terms of an output that are worth the import of numba."""


def name() -> str:
    """What judges large sums here: numba and its version, or numpy."""
    return f"numba {_version()}" if _version() and os.environ.get(VARIABLE) != "0" else "numpy"


def wanted(terms: int) -> bool:
    """Whether an output of so many terms is judged by compiled loops."""
    return terms >= LEAST_TERMS and name() != "numpy"


@cache
def _version() -> str | None:
    """The version of numba; None where it is not installed."""
    try:
        return version("numba") if find_spec("numba") else None
    except PackageNotFoundError:
        return None


def in_python() -> bool:
    """Whether numba is told to compile nothing, by ``NUMBA_DISABLE_JIT=1``."""
    from numba import config

    return bool(config.DISABLE_JIT)  # type: ignore[attr-defined]


def loop(function: Any) -> Any:
    """The function compiled; kept for later processes if there is a folder for that."""
    import numba

    if in_python():
        return np.errstate(all="ignore")(function)  # integers wrap
    try:
        return numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    except RuntimeError:
        return numba.njit(error_model="numpy", nogil=True)(function)


class CompiledSums:
    """Looks at windows as `bulk._Worker` does.

    ``limits`` are those of the certificate, None: a declared order. ``closely``: what the limits
    leave is certified by the terms, one element after the other; without it the suspects are those
    of `bulk._Worker`.
    """

    def __init__(
        self, source: Rows, limits: tuple[int, int] | None, *, closely: bool = True
    ) -> None:
        self.source, self.closely = source, closely
        self.span, self.finite = limits or (-1, 0)
        self.mask = np.empty((0, 0), np.bool_)

    @staticmethod
    def offered(source: Rows) -> bool:
        """Whether there are loops for such rows."""
        return source.packed or source.straight

    def look(
        self,
        plan: Plan,
        chosen: NDArray[Any],
        seen: NDArray[Any],
        weights: NDArray[np.float32] | None,
    ) -> Mask | None:
        """The suspects of a window, bool [rows, hidden]; None: there are none.

        The mask is overwritten by the next look.
        """
        from conformance.numerics import compiled_sums as loops

        factors = np.empty((0, 0), np.float32) if weights is None else weights
        steps, raw = _steps(plan), self.source.raw
        halves = seen if self.source.straight else seen.view(np.uint16)
        if len(self.mask) < len(seen):
            self.mask = np.empty(halves.shape, np.bool_)
        wrong = self.mask[: len(seen)]
        if self.source.straight:
            found = loops.single_sums(
                raw.view(np.float32), chosen, seen, steps, plan.registers, factors, wrong
            )
        else:
            bf16 = self.source.storage == BF16
            found = loops.half_sums(
                raw.view(np.uint16),
                chosen,
                halves,
                steps,
                plan.registers,
                factors,
                bf16,
                self.span,
                self.finite,
                self.closely,
                wrong,
            )
        if found < 0:
            wrong[:] = True
        return wrong if found else None


def _steps(plan: Plan) -> NDArray[np.int64]:
    """A plan as its loops take it: int64 [steps, 4]."""
    from conformance.numerics.compiled_sums import ADD, LOAD, LOAD_AND_ADD

    steps: list[tuple[int, int, int, int]] = []
    for step in plan.steps:
        if not isinstance(step, Add):
            steps.append((LOAD, step.slot, step.register, step.register))
        elif steps and steps[-1][0] == LOAD and steps[-1][3] == step.origin:
            steps[-1] = (LOAD_AND_ADD, steps[-1][1], step.into, step.origin)
        else:
            steps.append((ADD, 0, step.into, step.origin))
    return np.array(steps, np.int64)
