"""Sizes of operators that sort slots and copy rows, where a kernel changes its path.

`one_core_slots` and `row_columns` are the vendor's limits as functions of the machine. Sources:
ops-transformer, tilings of MoeTokenPermuteWithEp and MoeTokenPermute, read. Kernels of this project
draw their own lines; shapes around the vendor's on small machines lie near theirs too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from conformance.call.case import Machine
from conformance.draw.machines import UB_BYTES
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.derive.axes import CORES, SMALL_UB

LEAST_UB_BYTES = 16384
"""The smallest buffer on whose boundaries cases are drawn: what the vendor's tiling keeps back for
tokens of 512 slots, and the indices and rows of one of them."""

SORTED_BYTES_PER_SLOT = 32
SORT_GRANULE = 32
LISTS_OF_ONE_MERGE = 4
RESERVED_BYTES = 4096
"""Of the buffer, what MoeTokenPermuteWithEp keeps back for indices; MoeTokenPermute keeps half."""

CORE_BYTES = 32
"""Of the buffer, what both keep back from the sort for each core."""

MOST_TOP_K = 512
MOST_PADDED_TOKENS = 2**31
"""With paddedMode indices name tokens, which come back as int32."""

FLAT = "rank 1"
TOP_KS = {
    FLAT: (1,),
    "1": (1,),
    "2-3": (2, 3),
    "4-8": tuple(range(4, 9)),
    "9-64": tuple(range(9, 65)),
    "65-511": tuple(range(65, 512)),
    "512": (512,),
}
"""top_k of each class; with the first the indices have one axis."""

UB = {
    "small": tuple(ub for ub in UB_BYTES if LEAST_UB_BYTES <= ub <= SMALL_UB),
    "large": tuple(ub for ub in UB_BYTES if ub > SMALL_UB),
}
STEPS = {"": 0, " - 1": -1, " + 1": 1}
SORT_SIZES = {f"slots = {slots}": slots for slots in (1, 31, 32, 33)}
BOUNDARIES = (
    *(f"tokens = cores{step}" for step in STEPS),
    *SORT_SIZES,
    *(f"slots = one core{step}" for step in STEPS),
    "slots = four lists + 1",
    *(f"hidden = row{step}" for step in STEPS),
    "hidden = two rows + 1",
    *(f"hidden = vendor row{step}" for step in STEPS),
)
"""``one core``: the most slots that one core sorts; ``four lists``: the most that one merge of four
cores' lists does; ``row``: the most columns of which two rows fit the buffer; ``vendor row``: the
same on the vendor's chips."""

MOST_SLOTS = 7_000
MOST_ELEMENTS = 800_000
"""Elements of the outputs of one case, if it keeps every slot: bounds its time."""


@dataclass(frozen=True)
class VendorLines:
    """What the vendor's tiling of an operator draws its lines by: see `one_core_slots` and
    `row_columns`. ``columns``, where they are not 0, are those of its row, whatever the buffer.
    """

    reserved_bytes: int = RESERVED_BYTES
    core_bytes: int = CORE_BYTES
    columns: int = 0

    def row(self, ub_bytes: int, element_bytes: int) -> int:
        """The most columns that it copies at once on one of its chips."""
        return self.columns or row_columns(ub_bytes, element_bytes, self.reserved_bytes)


WITH_EP = VendorLines()
"""Those of MoeTokenPermuteWithEp."""


@dataclass(frozen=True)
class Sizes:
    """A machine and the sizes that a boundary fixes; ``tokens`` or ``hidden`` None is free."""

    machine: Machine
    top_k: int
    tokens: int | None = None
    hidden: int | None = None

    @property
    def most_tokens(self) -> int:
        """The most tokens within the bounds of a case."""
        return min(MOST_SLOTS, MOST_ELEMENTS // (self.hidden or 1)) // self.top_k

    def holds(self, slots: int, fewest_tokens: int = 1) -> bool:
        """Whether there can be that many slots and tokens, within the bounds of a case."""
        least = max(fewest_tokens, -(-slots // self.top_k))
        tokens = self.most_tokens if self.tokens is None else self.tokens
        return least <= tokens <= self.most_tokens


def one_core_slots(machine: Machine, core_bytes: int = CORE_BYTES) -> int:
    """The most slots that one core sorts at once."""
    usable = machine.ub_bytes - core_bytes * machine.cores
    return usable // SORTED_BYTES_PER_SLOT // SORT_GRANULE * SORT_GRANULE


def row_columns(ub_bytes: int, element_bytes: int, reserved_bytes: int = RESERVED_BYTES) -> int:
    """The most columns of which two rows fit what the buffer has beside indices."""
    return (ub_bytes - reserved_bytes) // 2 // 32 * 32 // element_bytes


@cache
def sizes_at(
    boundary: str,
    top_k: str,
    cores: str,
    ub: str,
    element_bytes: int,
    vendor: VendorLines = WITH_EP,
) -> tuple[Sizes, ...]:
    """The sizes on a boundary, fewest elements first; empty where the classes do not meet it."""
    found = {
        sizes
        for count, ub_bytes in product(CORES[cores], UB[ub])
        for sizes in _on(boundary, TOP_KS[top_k], Machine(count, ub_bytes), element_bytes, vendor)
        if sizes.holds(1)
    }
    return tuple(sorted(found, key=_simplicity))


def boundaries_of(
    machine: Machine | None,
    tokens: int,
    slots: int,
    hidden: int,
    element_bytes: int,
    vendor: VendorLines = WITH_EP,
) -> set[str]:
    """The boundaries on which a case's sizes lie; without a machine, those of no machine."""
    shown = {name for name, size in SORT_SIZES.items() if slots == size}
    rows = {vendor.row(usable, element_bytes) for usable in USABLE_UB_BYTES.values()}
    shown |= {f"hidden = vendor row{s}" for s, d in STEPS.items() if hidden - d in rows}
    if machine is None:
        return shown
    core = one_core_slots(machine, vendor.core_bytes)
    row = row_columns(machine.ub_bytes, element_bytes, vendor.reserved_bytes)
    for step, change in STEPS.items():
        shown |= {f"tokens = cores{step}"} if tokens == machine.cores + change else set()
        shown |= {f"slots = one core{step}"} if slots == core + change else set()
        shown |= {f"hidden = row{step}"} if hidden == row + change else set()
    shown |= {"slots = four lists + 1"} if slots == LISTS_OF_ONE_MERGE * core + 1 else set()
    return shown | ({"hidden = two rows + 1"} if hidden == 2 * row + 1 else set())


def _on(
    boundary: str,
    top_ks: tuple[int, ...],
    machine: Machine,
    element_bytes: int,
    vendor: VendorLines,
) -> Iterator[Sizes]:
    """The sizes of one machine and class of top_k on a boundary."""
    what, _, step = boundary.partition(" = ")
    change = next((change for word, change in STEPS.items() if word and step.endswith(word)), 0)
    ends = sorted({top_ks[0], top_ks[-1]})
    if what == "slots":
        core = one_core_slots(machine, vendor.core_bytes)
        slots = {"one core": core + change, "four lists": LISTS_OF_ONE_MERGE * core + 1}.get(
            step.removesuffix(" + 1").removesuffix(" - 1"), 0
        ) or SORT_SIZES[boundary]
        fitting = [top_k for top_k in top_ks if slots % top_k == 0]
        yield from (Sizes(machine, top_k, slots // top_k) for top_k in fitting)
    elif what == "tokens":
        yield from (Sizes(machine, top_k, machine.cores + change) for top_k in ends)
    else:
        rows = [row_columns(machine.ub_bytes, element_bytes, vendor.reserved_bytes)]
        if "vendor" in step:
            rows = [vendor.row(usable, element_bytes) for usable in USABLE_UB_BYTES.values()]
        for row, top_k in product(rows, ends):
            yield Sizes(machine, top_k, hidden=row * (2 if "two" in step else 1) + change)


def _simplicity(sizes: Sizes) -> tuple[int, ...]:
    hidden, tokens = sizes.hidden or 1, sizes.tokens or 1  # None is free, and begins with 1
    machine = sizes.machine
    return (sizes.top_k * tokens * hidden, machine.cores, machine.ub_bytes, sizes.top_k, hidden)
