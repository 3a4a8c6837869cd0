"""Where the kernels of MoeGatingTopKBackward change their path: this project's and the vendor's.

What `limits` says is what the host tiling exports; a test holds them equal, and every run asks the
library. At how many rows the vendor fills its buffer depends on temporaries of its library, which
no public text has as a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from cases.operators._slot_sum_limits import CHIPS
from conformance.call.case import Machine
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Sizes

FEWEST_EXPERTS, MOST_EXPERTS = 2, 2048
GRANULE = 16
"""Experts and slots of a row are filled up to a multiple of it."""

EXPERT_BYTES, SLOT_BYTES, LEAST_UB = 8, 16, 1024
MOST_ROWS = 4095
"""That one copy takes."""

VENDOR_SLOTS = 8
"""Slots are filled up to a multiple of it there, with expert 0 (ops-transformer, kernel, read)."""

KS = (1, 8, 15, 16, 17, 64, 2047, MOST_EXPERTS)
SMALL = Machine(3, 4096)
"""Where the limits lie at few rows and experts."""


def filled(count: int) -> int:
    """Experts or slots, with those that fill up their granule."""
    return -(-count // GRANULE) * GRANULE


def row_bytes(experts: int, k: int) -> int:
    """The bytes of a row in a buffer."""
    return EXPERT_BYTES * filled(experts) + SLOT_BYTES * filled(k)


def least_ub(sizes: Sizes) -> int:
    """The least bytes of a simulated machine's buffer in which our kernel carries out a call."""
    return max(LEAST_UB, row_bytes(sizes["expert"], sizes["slot"]))


def most_experts(ub_bytes: int, k: int) -> int:
    """The most experts of a row; 0 if not even k fit."""
    left = ub_bytes - SLOT_BYTES * filled(k)
    most = min(max(left, 0) // EXPERT_BYTES // GRANULE * GRANULE, MOST_EXPERTS)
    return most if most >= filled(k) else 0


def batch(ub_bytes: int, experts: int, k: int) -> int:
    """The most rows that a core takes at a time; 0 if there are none of so many experts."""
    if not max(k, FEWEST_EXPERTS) <= experts <= most_experts(ub_bytes, k):
        return 0
    return min(ub_bytes // row_bytes(experts, k), MOST_ROWS)


def limits(dtypes: Iterable[str]) -> Iterator[Limit]:
    """Every limit on small machines and on the chips."""
    for dtype, k in product(dtypes, KS):
        least = row_bytes(k, k)
        yield Limit("ub-bytes", least, k, dtype)
        for ub in (least - 1, least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            most = most_experts(ub, k)
            yield Limit("experts", most, k, dtype, ub_bytes=ub)
            cores = SMALL.cores if most else 0
            yield Limit("cores", cores, k, dtype, SMALL.cores, ub_bytes=ub)
            for experts in (FEWEST_EXPERTS, GRANULE, 256):
                rows, sizes = batch(ub, experts, k), {"ub_bytes": ub, "hidden": experts}
                yield Limit("batch", rows, k, dtype, **sizes)
                yield Limit("tokens", rows * SMALL.cores, k, dtype, SMALL.cores, **sizes)


def near_limits() -> Iterator[tuple[str, Machine, Sizes]]:
    """Sizes just below, at and just above each limit, on a small machine and on the chips."""
    for machine in (SMALL, *CHIPS):
        for step, change in STEPS.items():
            for limit, sizes in (*_own(machine, change), *_of_the_vendor(change)):
                few = max(FEWEST_EXPERTS, sizes["slot"])
                fits = least_ub(sizes) <= machine.ub_bytes
                if fits and few <= sizes["expert"] <= MOST_EXPERTS:
                    yield f"{limit}{step}", machine, sizes


def _sizes(rows: int, experts: int, k: int) -> Sizes:
    return {"row": rows, "expert": experts, "slot": k}


def _own(machine: Machine, change: int) -> Iterator[tuple[str, Sizes]]:
    """Limits of this project's kernel."""
    cores, ub = machine.cores, machine.ub_bytes
    for count in (1, 2):
        yield f"rows = {count} cores", _sizes(count * cores + change, 5, 2)
    for count in (1, 2):
        rows = count * cores * batch(ub, GRANULE, 8) + change
        yield f"{count} batches of few experts", _sizes(rows, GRANULE, 8)
    for count in (GRANULE, 4 * GRANULE):
        yield f"{count} experts", _sizes(3, count + change, 3)
        yield f"k {count}", _sizes(2, 8 * GRANULE, count + change)
    if (most := most_experts(ub, 1)) < MOST_EXPERTS:
        yield "experts of the buffer", _sizes(1, most + change, 1)
    yield "most experts", _sizes(2, MOST_EXPERTS + change, 8)
    yield "every one of the most experts", _sizes(1, MOST_EXPERTS, MOST_EXPERTS + change)


def _of_the_vendor(change: int) -> Iterator[tuple[str, Sizes]]:
    """Limits of the vendor's kernel on Ascend910B and 910_93, and sizes of models."""
    for count in (1, 2):
        k = count * VENDOR_SLOTS
        yield f"k {k} of 256 experts", _sizes(3, 256, k + change)
        yield f"k {k} of as many experts", _sizes(3, k + change, k + change)
    for experts in (64, 256, 384):
        yield f"8 of {experts} experts", _sizes(3, experts + change, VENDOR_SLOTS)
