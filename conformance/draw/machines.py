"""The simulated machine of a case, from one small core up to the real chip, and how it is run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.call.case import FUNCTIONS, PROGRAM, Case, Machine

CORES = (1, 2, 3, 40, 48)
UB_BYTES = tuple(1024 * kib for kib in (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192))
SMALL_UB_BYTES = (*UB_BYTES[:3], UB_BYTES[-1])
STEP_BYTES = 32
"""Any multiple of it may be a buffer."""

FEW_STEPS = 127
"""Steps above the least buffer among which most of the sizes that are no whole KiB are drawn: there
they are a large part of it."""


@cache
def machines(least_ub_bytes: int = 0, small: bool = False) -> SearchStrategy[Machine]:
    """Machines with that much unified buffer or more; shrinks to one core and the least buffer of
    whole KiB, or the least multiple of `STEP_BYTES` if none of whole KiB shows it.

    Branches that a real chip takes at thousands of tokens show at a handful on a small one.
    ``small`` is for cases that fit whole into every buffer but the least ones.
    """
    drawn = SMALL_UB_BYTES if small else UB_BYTES
    fitting = [ub for ub in drawn if ub >= least_ub_bytes]
    if not fitting:
        raise ValueError(
            f"least_ub_bytes={least_ub_bytes}: must be at most {UB_BYTES[-1]}, the largest machine"
        )
    least = -(-max(least_ub_bytes, UB_BYTES[0]) // STEP_BYTES) * STEP_BYTES
    every = range(least, UB_BYTES[-1] + 1, STEP_BYTES)
    few = every[: FEW_STEPS + 1]
    kinds: list[Sequence[int]] = [fitting, few] if small else [fitting, few, every]
    # Each kind goes round its sizes until it has as many places as there are sizes at all.
    ends = list(accumulate(-(-len(every) // len(kind)) * len(kind) for kind in kinds))

    def sized(place: int) -> int:
        number = bisect_right(ends, place)
        kind, first = kinds[number], ends[number - 1] if number else 0
        return kind[(place - first) % len(kind)]

    # One choice among all: a case shrinks from one kind of size to the other.
    ub_bytes = st.sampled_from(range(ends[-1])).map(sized)
    return st.builds(Machine, cores=st.sampled_from(CORES), ub_bytes=ub_bytes)


@cache
def seam_machines(ub_bytes: int, most_steps: int) -> SearchStrategy[Machine]:
    """One core with that buffer, or up to so many steps more, within which seams stay the same."""
    steps = st.integers(0, most_steps)
    return steps.map(lambda more: Machine(1, ub_bytes + more * STEP_BYTES))


@cache
def block_orders() -> SearchStrategy[str]:
    """The orders in which the blocks of a launch may run; shrinks to forward."""
    shuffled = st.integers(0, 999).map(lambda seed: f"shuffled:{seed}")
    return st.sampled_from(("forward", "reverse")) | shuffled


@cache
def implementations() -> SearchStrategy[str]:
    """How a machine may compute exp and its like; shrinks to each result correctly rounded."""
    return st.sampled_from(FUNCTIONS)


@cache
def schedules() -> SearchStrategy[str]:
    """When the instructions of a machine may take effect; shrinks to the order of the program."""
    seeded = st.integers(0, 999).map(lambda seed: f"random:{seed}")
    return st.sampled_from((PROGRAM, "late")) | seeded


def in_drawn_order(draw: st.DrawFn, cases: SearchStrategy[Case], computes: bool = False) -> Case:
    """One of the cases, its blocks in a drawn order. The case is drawn first, as it was before.

    If the operator ``computes`` functions such as exp, their implementation is drawn, too; last the
    schedule of the pipes. A case that leaves the machine to the device has all of the device's.
    """
    case = ordered(draw(cases), draw(block_orders()))
    case = computed_by(case, draw(implementations())) if computes else case
    return scheduled(case, draw(schedules()))


@st.composite
def in_any_order(draw: st.DrawFn, cases: SearchStrategy[Case], computes: bool = False) -> Case:
    """The cases, each on a machine with a drawn order of blocks and schedule of pipes, and
    functions if it ``computes`` any."""
    return in_drawn_order(draw, cases, computes)


def ordered(case: Case, block_order: str) -> Case:
    """The case with its blocks in this order, where it names its machine."""
    if case.machine is None:
        return case
    return replace(case, machine=replace(case.machine, block_order=block_order))


def computed_by(case: Case, functions: str) -> Case:
    """The case with that implementation of functions, where it names its machine."""
    if case.machine is None:
        return case
    return replace(case, machine=replace(case.machine, functions=functions))


def scheduled(case: Case, pipes: str) -> Case:
    """The case with that schedule of pipes, where it names its machine."""
    if case.machine is None:
        return case
    return replace(case, machine=replace(case.machine, pipes=pipes))
