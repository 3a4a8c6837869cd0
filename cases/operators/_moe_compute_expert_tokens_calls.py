"""Calls of MoeComputeExpertTokens: ascending entries of experts, edges, ladders, workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._slot_sum_limits import CHIPS
from cases.operators._workloads import CHIP
from conformance.call.case import Case, Machine
from conformance.draw.machines import machines, seam_machines
from conformance.record.call_rules import Limit
from conformance.record.cells import Axis, Cells, Constraint
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.derive.axes import of_sizes
from conformance.record.edges import STEPS, Edge, Edges, Sizes, distinct
from conformance.record.size_ladders import Ladder
from conformance.record.workload import Batch

ENTRIES = "sorted_experts"
MOST_EXPERTS, MOST_ENTRIES = 2048, 2**24 - 1
FEW, FEW_EXPERTS = 12000, 256
"""Of more entries, or of more experts, the kernels go another way."""

LEAST_UB, BLOCK, LANES = 416, 32, 64
SMALL, SINGLE = Machine(3, 4096), Machine(1, 1024)

ANY, EQUAL, NOT_FIRST, NOT_LAST, GAP = "any", "all equal", "not the first", "not the last", "gap"
SPANS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "entry": {
        **{"one": (1, 1), "few": (2, 9), "31 to 33": (31, 33), "63 to 65": (63, 65)},
        **{"100 to 700": (100, 700), "beyond 12000": (FEW + 1, FEW + 200)},
    },
    "expert": {
        **{"one": (1, 1), "few": (3, 9), "31 to 33": (31, 33), "63 to 65": (63, 65)},
        **{"255 to 257": (255, 257), "2040 to 2048": (2040, MOST_EXPERTS)},
    },
}
Make = Callable[..., Case]


def tile_entries(ub_bytes: int) -> int:
    """The entries that our kernel counts at once; 0 if the buffer holds none."""
    left = ub_bytes - LEAST_UB + 4 * BLOCK
    whole, rest = divmod(max(left, 0), 12 * 512 + BLOCK)
    return whole * 512 + max(rest - BLOCK, 0) // 12 // 8 * 8


def limits() -> Iterator[Limit]:
    """What the host tiling exports, on small machines and on the chips."""
    for ub in (*range(LEAST_UB - BLOCK, 4096, BLOCK), *USABLE_UB_BYTES.values()):
        yield Limit("batch", tile_entries(ub), 0, "int32", ub_bytes=ub)
    yield Limit("ub-bytes", LEAST_UB, 0, "int32")


def keys_of(case: Case) -> list[str]:
    """What the entries of a call show."""
    held: NDArray[Any] = case.arrays[ENTRIES]
    experts, found = case.attributes["num_experts"], np.unique(held)
    if not held.size:
        return [ANY]
    shown = {
        EQUAL: found.size == 1,
        NOT_FIRST: found[0] > 0,
        NOT_LAST: found[-1] < experts - 1,
        GAP: bool((np.diff(found) > 1).any()),
    }
    return [ANY, *(name for name, shows in shown.items() if shows)]


def sizes_of(case: Case) -> dict[str, int]:
    """The sizes of a call."""
    return {"entry": case.inputs[ENTRIES].size, "expert": case.outputs["out"].size}


def entries(keys: str, sizes: Sizes, seed: int) -> NDArray[Any]:
    """Ascending entries that show what ``keys`` says."""
    generator, experts = np.random.default_rng(seed), sizes["expert"]
    ends = int(keys == NOT_FIRST), experts - (keys == NOT_LAST)
    held: NDArray[Any] = np.sort(generator.integers(*ends, sizes["entry"]))
    if keys == EQUAL:
        held[:] = held[0]
    if keys == GAP:
        held = np.where(np.arange(held.size) * 2 < held.size, 0, experts - 1)
    return held


def of(make: Make, held: NDArray[Any], experts: int, machine: Machine | None = None) -> Case:
    """The call of these entries."""
    given = {ENTRIES: {"values": tuple(held.tolist())}}
    return make({"entry": held.size, "expert": experts}, given, machine=machine)


def drawn(
    make: Make, sizes: Any, machine: SearchStrategy[Machine] | Machine, keys: str = ANY
) -> SearchStrategy[Case]:
    """Calls of these sizes, which may be drawn."""
    machine = st.just(machine) if isinstance(machine, Machine) else machine
    some = st.fixed_dictionaries(
        {name: st.just(one) if isinstance(one, int) else one for name, one in sizes.items()}
    )
    return st.builds(
        lambda sizes, machine, seed: of(make, entries(keys, sizes, seed), sizes["expert"], machine),
        some,
        machine,
        st.integers(0, 999),
    )


AXES = (
    *(of_sizes(name, spans, sizes_of) for name, spans in SPANS.items()),
    Axis("keys", (ANY, EQUAL, NOT_FIRST, NOT_LAST, GAP), keys_of),
)
CONSTRAINTS = (
    Constraint(
        ("keys", "expert"),
        lambda keys, expert: keys in (ANY, EQUAL) or expert != "one",
        "one expert has all entries",
    ),
    Constraint(
        ("keys", "entry"),
        lambda keys, entry: keys != GAP or entry != "one",
        "a gap lies between two entries",
    ),
)


def near_limits() -> Iterator[tuple[str, Machine, Sizes]]:
    """Sizes just below, at and just above each limit, on small machines and on the chips."""
    yield "the fewest rows of one column", SMALL, {"entry": 1, "expert": 1}
    yield "a prime number of columns", SMALL, {"entry": 97, "expert": 97}
    yield "the most experts", SMALL, {"entry": FEW + 1, "expert": MOST_EXPERTS}
    for machine in (SINGLE, SMALL, *CHIPS):
        cores, tile = machine.cores, tile_entries(machine.ub_bytes)
        for step, change in STEPS.items():
            found: dict[str, Sizes] = {
                f"entries = {FEW}": {"entry": FEW + change, "expert": 5},
                f"entries = {FEW} of {FEW_EXPERTS}": {"entry": FEW + change, "expert": FEW_EXPERTS},
                "experts = 256, few entries": {"entry": 300, "expert": FEW_EXPERTS + change},
                "experts = 256": {"entry": FEW + 1, "expert": FEW_EXPERTS + change},
                "entries = 65536 of 8": {"entry": 2**16 + change, "expert": 8},
                "experts = 8 of 65536": {"entry": 2**16, "expert": 8 + change},
                f"experts = {cores}": {"entry": 70, "expert": max(cores + change, 1)},
                "experts = 2 cores": {"entry": 70, "expert": 2 * cores + change},
                "entries of a tile": {"entry": tile + change, "expert": FEW_EXPERTS + 9},
                "entries of two tiles": {"entry": 2 * tile + change, "expert": FEW_EXPERTS + 9},
                "results of a tile": {"entry": FEW + 1, "expert": 64 + change},
            }
            yield from ((f"{limit}{step}", machine, sizes) for limit, sizes in found.items())


def _cost(sizes: Sizes, machine: Machine) -> int:
    """Entries are read once, or halved; a tile is counted by vectors for each expert."""
    tile = min(sizes["entry"], tile_entries(machine.ub_bytes))
    return sizes["entry"] // 8 + sizes["expert"] * tile // LANES


@cache
def cells(make: Make) -> Cells:
    """What a run judges."""
    declared = [
        Edge(limit, machine, sizes, _cost(sizes, machine))
        for limit, machine, sizes in near_limits()
    ]
    edges = Edges(distinct(declared), sizes_of, lambda edge: drawn(make, edge.sizes, edge.machine))

    def cases(levels: Mapping[str, str]) -> SearchStrategy[Case]:
        sizes = {name: st.integers(*spans[levels[name]]) for name, spans in SPANS.items()}
        return drawn(make, sizes, machines(LEAST_UB), levels["keys"])

    return Cells(AXES, cases, CONSTRAINTS, edges)


def cases(make: Make, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Any calls; small ones; of entries in two tiles, on a seam."""
    if not small and not seam:
        return cells(make).drawn({})
    tile = tile_entries(1024)
    sizes = {"entry": st.integers(tile + 1, tile + 2) if seam else st.integers(1, 4)}
    machine = seam_machines(1024, 1) if seam else machines(LEAST_UB, small=True)
    return drawn(make, {**sizes, "expert": st.integers(1, 3)}, machine)


def workload(make: Make, batch: Batch) -> SearchStrategy[Case]:
    """The slots of a batch in the order of their experts."""
    return st.just(of(make, np.sort(batch.experts.ravel()), batch.workload.experts, CHIP))


def ladders(make: Make) -> tuple[Ladder, ...]:
    """Entries and experts, each grown alone."""

    def along(**others: int) -> Callable[..., SearchStrategy[Case]]:
        def cases(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
            return drawn(make, {"entry": size, "expert": size, **others}, machine)

        return cases

    return (
        Ladder("entries", along(expert=5)),
        Ladder("entries of many experts", along(expert=FEW_EXPERTS + 1)),
        Ladder("experts", along(entry=700), most=MOST_EXPERTS),
    )
