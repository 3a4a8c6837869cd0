"""Where the kernels that select of groups change their path: this project's and the vendor's.

What `limits` says is what the host tiling exports; a test holds them equal, and every run asks the
library. The vendor's limits follow from the conditions of its tiling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from cases.operators._gating_limits import in_sorts
from cases.operators._slot_sum_limits import CHIPS
from cases.operators._token_permute_limits import SORTED_AT_ONCE
from conformance.call.case import Machine
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Sizes

MOST_EXPERTS = 2048
MOST_GROUPS = MOST_EXPERTS // SORTED_AT_ONCE
"""Groups of one expert each count as much as those of 32."""

LANE_BYTES, LEAST_UB = 32, 1024
KS = (1, 8, 31, 32, 33, 64, 65, 256, 2047, MOST_EXPERTS)
SMALL = Machine(3, 16384)
"""Where the limits lie at few rows."""


def aligned(groups: int, members: int) -> int:
    """Experts of all groups, each of them filled up."""
    return groups * in_sorts(members)


def least_ub(sizes: Sizes) -> int:
    """The least bytes of a buffer in which our kernel selects in a call of these sizes: groups are
    filled up each if some are left out, and have more than one expert."""
    groups, members = sizes["group"], sizes["member"]
    if sizes["kept"] == groups or members == 1:
        groups, members = 1, groups * members
    return max(LEAST_UB, LANE_BYTES * aligned(groups, members))


def most_experts(ub_bytes: int, k: int) -> int:
    """The most experts of a row in one group; 0 if not even k fit."""
    most = min(ub_bytes // LANE_BYTES // SORTED_AT_ONCE * SORTED_AT_ONCE, MOST_EXPERTS)
    return most if most >= in_sorts(k) else 0


def limits(dtypes: Iterable[str]) -> Iterator[Limit]:
    """Every limit on small machines and on the chips."""
    for dtype, k in product(dtypes, KS):
        least = LANE_BYTES * in_sorts(k)
        yield Limit("ub-bytes", least, k, dtype)
        for ub in (least - 1, least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            most = most_experts(ub, k)
            yield Limit("experts", most, k, dtype, ub_bytes=ub)
            cores = SMALL.cores if most else 0
            yield Limit("cores", cores, k, dtype, SMALL.cores, ub_bytes=ub)


def near_limits() -> Iterator[tuple[str, Machine, Sizes]]:
    """Sizes just below, at and just above each limit, on a small machine and on the chips."""
    for machine in (SMALL, *CHIPS):
        for step, change in STEPS.items():
            for limit, sizes in (*_own(machine, change), *_of_the_vendor(change)):
                experts = sizes["group"] * sizes["member"]
                fits = least_ub(sizes) <= machine.ub_bytes and experts <= MOST_EXPERTS
                if fits and aligned(sizes["group"], sizes["member"]) <= MOST_EXPERTS:
                    yield f"{limit}{step}", machine, sizes


def _sizes(rows: int, groups: int, members: int, kept: int, k: int) -> Sizes:
    return {"row": rows, "group": groups, "member": members, "kept": kept, "slot": k}


def _own(machine: Machine, change: int) -> Iterator[tuple[str, Sizes]]:
    """Limits of this project's kernel."""
    for count in (1, 2):
        yield f"rows = {count} cores", _sizes(count * machine.cores + change, 2, 4, 1, 2)
    for sorts in (1, 2):
        lanes = sorts * SORTED_AT_ONCE
        yield f"{lanes} experts", _sizes(3, 1, lanes + change, 1, 3)
        yield f"k {lanes}", _sizes(2, 1, 4 * SORTED_AT_ONCE, 1, lanes + change)
    for kept in (1, 3):
        yield f"{kept} of 8 groups of one sort", _sizes(3, 8, SORTED_AT_ONCE + change, kept, 9)
    yield "groups of one sort", _sizes(2, SORTED_AT_ONCE + change, 3, 5, 6)
    yield "all groups but one", _sizes(3, 8, 5, 7 + change, 9)
    yield "most groups", _sizes(2, MOST_GROUPS + change, 2, 17, 5)
    yield "most experts", _sizes(2, 1, MOST_EXPERTS + change, 1, 8)
    if most_experts(machine.ub_bytes, 1) < MOST_EXPERTS:
        yield "experts of the buffer", _sizes(1, 1, machine.ub_bytes // LANE_BYTES + change, 1, 1)


def _of_the_vendor(change: int) -> Iterator[tuple[str, Sizes]]:
    """Limits of the vendor's paths on Ascend910B and 910_93: its fastest one takes 256 experts,
    4 of their 8 groups, and at most 32 of them."""
    yield "32 of 256 experts in 4 of 8 groups", _sizes(3, 8, 32, 4, 32 + change)
    yield "4 of 8 groups of 256 experts", _sizes(3, 8, 32, 4 + change, 8)
    yield "256 experts", _sizes(3, 1, 256 + change, 1, 8)
    yield "4 kept groups", _sizes(2, 16, 8, 4 + change, 8)
    yield "16 kept groups", _sizes(2, 32, 4, 16 + change, 8)
