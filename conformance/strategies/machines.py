"""The simulated machine of a case, from one small core up to the real chip."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.case import Machine

CORES = (1, 2, 3, 40, 48)
UB_BYTES = tuple(1024 * kib for kib in (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192))


def machines(least_ub_bytes: int = 0) -> SearchStrategy[Machine]:
    """Machines with that much unified buffer or more; shrinks to one core and the least buffer.

    Branches that a real chip takes at thousands of tokens show at a handful on a small one.
    """
    fitting = [ub for ub in UB_BYTES if ub >= least_ub_bytes]
    if not fitting:
        raise ValueError(
            f"least_ub_bytes={least_ub_bytes}: must be at most {UB_BYTES[-1]}, the largest machine"
        )
    return st.builds(Machine, cores=st.sampled_from(CORES), ub_bytes=st.sampled_from(fitting))
