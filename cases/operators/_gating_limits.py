"""Where the kernels that select of a softmax change their path: this project's and the vendor's.

What `limits` says is what the host tilings export; a test holds them equal, and every run asks the
library. The vendor's limits follow from the conditions of its tilings; the width at which a row
fits beside its temporaries is in no public text as a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from cases.operators._slot_sum_limits import CHIPS
from cases.operators._token_permute_limits import KEY_BYTES, SORTED_AT_ONCE, run_slots
from conformance.call.case import Machine
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Sizes

MOST_K = 1024
LEAST_UB = 1024
"""The least buffer of a simulated machine."""

KS = (1, 8, 9, 32, 33, 129, 512, MOST_K)
SMALL = Machine(3, 4096)
"""Where the limits lie at few experts."""

VENDOR_BATCHED, VENDOR_BATCHED_K = 1024, 8
"""The most experts of a row that the vendor's fastest path takes, if they are a multiple of 8, and
the most that it selects of them (ops-transformer, moe_gating_top_k_softmax_v2 tiling)."""

VENDOR_NARROW, VENDOR_MAXIMUM = 7, 64
"""The most experts of a row that this path takes in any number, and of which it finds one by a
maximum, without a sort."""

VENDOR_WHOLE = 8160
"""The most experts of a row that the vendor takes in one piece."""


def in_sorts(experts: int) -> int:
    """Experts, with those that fill up the last sort."""
    return -(-experts // SORTED_AT_ONCE) * SORTED_AT_ONCE


def least_lanes(k: int) -> int:
    """The fewest experts of a piece of a row that is longer."""
    return in_sorts(k) + SORTED_AT_ONCE


def least_ub(experts: int, k: int) -> int:
    """The least bytes of a buffer in which our kernel selects k of so many experts."""
    return max(LEAST_UB, KEY_BYTES * min(in_sorts(experts), least_lanes(k)))


def piece(ub_bytes: int, k: int) -> int:
    """The most experts of a row in one piece; 0 if not even k fit."""
    run = run_slots(ub_bytes)
    return run if run >= in_sorts(k) else 0


def two_pieces(ub_bytes: int, k: int) -> int:
    """The most experts of a row in two pieces: the second has the best of the first, too. A buffer
    in which no second one fits takes those of one."""
    one = piece(ub_bytes, k)
    return 2 * one - in_sorts(k) if one >= least_lanes(k) else one


def batch(ub_bytes: int, experts: int, k: int) -> int:
    """The most rows of so many experts that a core takes at a time; 0 if it can take none."""
    one = piece(ub_bytes, k)
    if experts < k or (experts > one and one < least_lanes(k)):
        return 0
    return one // SORTED_AT_ONCE if experts <= SORTED_AT_ONCE else 1


def limits(dtypes: Iterable[str]) -> Iterator[Limit]:
    """Every limit on small machines and on the chips."""
    for dtype, k in product(dtypes, KS):
        least = KEY_BYTES * least_lanes(k)
        yield Limit("ub-bytes", KEY_BYTES * in_sorts(k), k, dtype)
        yield Limit("pieces-ub-bytes", least, k, dtype)
        yield Limit("cores", SMALL.cores, k, dtype, SMALL.cores)
        for ub in (least - 1, least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            yield Limit("experts", piece(ub, k), k, dtype, ub_bytes=ub)
            yield Limit("two-pieces", two_pieces(ub, k), k, dtype, ub_bytes=ub)
            for experts in (5, SORTED_AT_ONCE, SORTED_AT_ONCE + 1):
                rows = batch(ub, experts, k)
                sizes = {"ub_bytes": ub, "hidden": experts}
                yield Limit("batch", rows, k, dtype, **sizes)
                yield Limit("tokens", rows * SMALL.cores, k, dtype, SMALL.cores, **sizes)


def near_limits() -> Iterator[tuple[str, Machine, Sizes]]:
    """Sizes just below, at and just above each limit, on a small machine and on the chips."""
    for machine in (SMALL, *CHIPS):
        for step, change in STEPS.items():
            for limit, sizes in (*_own(machine, change), *_of_the_vendor(change)):
                if least_ub(sizes["expert"], sizes["slot"]) <= machine.ub_bytes:
                    yield f"{limit}{step}", machine, sizes
        yield from (
            (f"8 of {experts} experts", machine, {"row": 2, "expert": experts, "slot": 8})
            for experts in (VENDOR_BATCHED - 8, VENDOR_BATCHED + 8)
        )


def _own(machine: Machine, change: int) -> Iterator[tuple[str, Sizes]]:
    """Limits of this project's kernel."""
    cores, ub = machine.cores, machine.ub_bytes
    for count in (1, 2):
        rows = count * cores + change
        yield f"rows = {count} cores", {"row": rows, "expert": SORTED_AT_ONCE + 1, "slot": 2}
    batch = cores * (run_slots(ub) // SORTED_AT_ONCE)
    yield "rows of few experts at once", {"row": batch + change, "expert": 5, "slot": 2}
    few = SORTED_AT_ONCE + change
    yield "experts of one sort", {"row": 3, "expert": few, "slot": 3}
    yield "k of one sort", {"row": 2, "expert": 4 * SORTED_AT_ONCE, "slot": few}
    for k in (1, SORTED_AT_ONCE + 1):
        one = {"row": 2, "expert": piece(ub, k) + change, "slot": k}
        yield f"{k} of one piece", one
        yield f"{k} of two pieces", {**one, "expert": two_pieces(ub, k) + change}
    for experts in (MOST_K, VENDOR_WHOLE):
        yield f"most k of {experts} experts", _most_of(experts + change)


def _most_of(experts: int) -> Sizes:
    return {"row": 1, "expert": experts, "slot": min(MOST_K, experts)}


def _of_the_vendor(change: int) -> Iterator[tuple[str, Sizes]]:
    """Limits of the vendor's paths on Ascend910B and 910_93."""
    for experts, k in (
        (VENDOR_NARROW, 2),
        (VENDOR_NARROW, VENDOR_NARROW - 1),
        (VENDOR_BATCHED_K, VENDOR_NARROW),
        (VENDOR_MAXIMUM, 1),
        (VENDOR_MAXIMUM, 2),
        (VENDOR_BATCHED, VENDOR_BATCHED_K),
        (VENDOR_WHOLE, VENDOR_BATCHED_K),
    ):
        yield f"{k} of {experts} experts", {"row": 3, "expert": experts + change, "slot": k}
    for experts in (2 * VENDOR_BATCHED_K, VENDOR_BATCHED):
        k = VENDOR_BATCHED_K + change
        yield f"k 8 of {experts} experts", {"row": 3, "expert": experts, "slot": k}
    yield "k 32 of 256 experts", {"row": 3, "expert": 256, "slot": 32 + change}
    yield "1024 rows", {"row": 1024 + change, "expert": 2 * VENDOR_BATCHED_K, "slot": 2}
