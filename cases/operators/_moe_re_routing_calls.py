"""Calls of MoeReRouting: rows by rank and expert, edges, extremes, ladders, workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._extremes import INDEX_COST, PRIME_COLUMNS, Extreme
from cases.operators._moe_re_routing_limits import MOST_HIDDEN, SMALL, WORD, near_limits, tile_bytes
from cases.operators._sized_calls import Drawn, SizedCalls
from cases.operators._workloads import CHIP
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.machines import machines, seam_machines
from conformance.draw.values import MOVED, MOVED_FIRST, fills_with
from conformance.record.cells import Axis, Constraint
from conformance.record.derive.axes import of_dtypes, of_sizes, of_values
from conformance.record.edges import Edges, Sizes
from conformance.record.size_ladders import Ladder
from conformance.record.workload import Batch
from conformance.values.fill import Fill
from conformance.values.special_rows import KINDS

Make = Callable[..., Case]
COUNTS, SUMS, SCALES = "expert_token_num_per_rank", "expert_token_num", "per_token_scales"
COUNT_DTYPES = ("int32", "int64")
SCALED = "scaled"
ANY, NONE = "any", "none"
COLUMNS = 3
"""Of a call where nothing fixes them."""

SPANS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "rank": {"one": (1, 1), "few": (2, 4), "39 to 49": (39, 49)},
    "expert": {
        **{"one": (1, 1), "few": (2, 4), "7 to 9": (7, 9)},
        **{"31 to 33": (31, 33), "255 to 257": (255, 257)},
    },
    "hidden": {
        **{"one": (1, 1), "few": (2, 14), "15 to 17": (15, 17)},
        **{"31 to 33": (31, 33), "2000 to 2100": (2000, 2100)},
    },
    "longest": {NONE: (0, 0), "few": (1, 3), "tens": (31, 70)},
}
"""The least and the most of each level of a size; "longest" is that of the segments."""

SEGMENTS: Mapping[str, Callable[[Any, Any], Any]] = {
    ANY: lambda rank, expert: rank >= 0,
    NONE: lambda rank, expert: rank < 0,
    "of one rank": lambda rank, expert: rank == rank.max(),
    "of one expert": lambda rank, expert: expert == expert.max(),
    "one": lambda rank, expert: (rank == rank.max()) & (expert == 0),
    "every second": lambda rank, expert: (rank + expert) % 2 == 0,
}
"""Which segments have rows, by the numbers of their ranks and experts; "any": they may."""


def sizes_of(case: Case) -> dict[str, int]:
    """The sizes of a call, and the rows of its longest segment."""
    rank, expert = case.inputs[COUNTS].shape
    row, hidden = case.inputs["tokens"].shape
    longest = int(case.arrays[COUNTS].max(initial=0))
    return {"rank": rank, "expert": expert, "row": row, "hidden": hidden, "longest": longest}


def segments_of(case: Case) -> list[str]:
    """Which segments of a call have rows."""
    counts: NDArray[Any] = case.arrays[COUNTS]
    filled = counts > 0
    places = np.indices(filled.shape)
    return [ANY, *(name for name, may in SEGMENTS.items() if (may(*places) == filled).all())]


AXES = (
    *(of_sizes(name, spans, sizes_of) for name, spans in SPANS.items()),
    Axis("segments", tuple(SEGMENTS), segments_of),
    of_values("values", MOVED_FIRST, "tokens"),
    of_dtypes("counts", COUNT_DTYPES, COUNTS),
)
CONSTRAINTS = (
    Constraint(
        ("segments", "longest"),
        lambda segments, longest: (segments == NONE) == (longest == NONE),
        "without rows no segment has any",
    ),
)


def drawn_counts(sizes: Sizes, segments: str, seed: int) -> NDArray[np.int64]:
    """Rows by rank and expert, [ranks, experts]: ``row`` in all, or the ``longest`` of a segment
    and few of the others."""
    generator = np.random.default_rng(seed)
    shape = (sizes["rank"], sizes["expert"])
    may = SEGMENTS[segments](*np.indices(shape))
    if "row" in sizes:
        chosen = generator.integers(may.size, size=sizes["row"])
        return np.bincount(chosen, minlength=may.size).reshape(shape)
    if not may.any():
        return np.zeros(shape, np.int64)
    most = min(sizes["longest"], 3 if may.size < 100 else 1)
    counts: NDArray[np.int64] = generator.integers(segments != ANY, most + 1, shape) * may
    counts.flat[generator.choice(np.flatnonzero(may))] = sizes["longest"]
    return counts


def of_counts(
    make: Make,
    mode: str,
    dtype: str,
    counts: NDArray[Any],
    hidden: int,
    fill: Fill,
    machine: Machine | None = None,
    counts_dtype: str = COUNT_DTYPES[0],
) -> Case:
    """The call of these counts; scales have the seed of ``fill`` and any bits."""
    given: dict[str, dict[str, Any]] = {
        "tokens": {"fill": fill},
        COUNTS: {"values": tuple(counts.ravel().tolist()), "dtype": counts_dtype},
        SUMS: {"dtype": counts_dtype},
    }
    if mode == SCALED:
        given[SCALES] = {"fill": Fill(("bits",), fill.seed)}
    rank, expert = counts.shape
    sizes = {"row": int(counts.sum()), "hidden": hidden, "rank": rank, "expert": expert}
    return make(mode, dtype, sizes, given, machine=machine)


def routed(make: Make) -> SizedCalls:
    """The calls of the operator; ``make`` is like `call`, theirs like `of_counts`."""
    made = partial(of_counts, make)
    seam = {"longest": tile_bytes(1024, 3) // WORD + 2}
    return SizedCalls(
        made,
        at=partial(_at, made),
        sized=partial(_sized, made),
        few=partial(_few, made, {"longest": 2}, machines(small=True)),
        on_a_seam=partial(_few, made, seam, seam_machines(1024, 3)),
        near=lambda dtype: near_limits(numpy_dtype(dtype).itemsize),
        cost=_cost,
        sizes_of=sizes_of,
        extremes=Planted,
        axes=AXES,
        constraints=CONSTRAINTS,
    )


def _few(
    make: Make, rows: Sizes, machine: SearchStrategy[Machine], mode: str, dtype: str
) -> SearchStrategy[Case]:
    """Calls of a few ranks, experts and columns, and of these rows."""
    of = {name: st.integers(1, 3) for name in ("rank", "expert", "hidden")}
    return st.tuples(st.fixed_dictionaries(of), machine).flatmap(
        lambda drawn: _sized(make, mode, dtype, {**drawn[0], **rows}, drawn[1])
    )


def _sized(
    make: Make, mode: str, dtype: str, sizes: Sizes, machine: Machine
) -> SearchStrategy[Case]:
    hidden = sizes.get("hidden", COLUMNS)

    def made(fill: Fill, counts_dtype: str, seed: int) -> Case:
        counts = drawn_counts(sizes, ANY, seed)
        return make(mode, dtype, counts, hidden, fill, machine, counts_dtype)

    return st.builds(made, MOVED, st.sampled_from(COUNT_DTYPES), st.integers(0, 999))


def workload_cases(make: Make, dtype: str, batch: Batch) -> SearchStrategy[Case]:
    """The slots of a batch, whose tokens came in equal shares from the workload's ranks."""
    ranks, experts = batch.workload.ranks, batch.workload.experts
    of_tokens = np.arange(batch.tokens) * ranks // batch.tokens
    cells = of_tokens[:, None] * experts + batch.experts
    counts = np.bincount(cells.ravel(), minlength=ranks * experts).reshape(ranks, experts)
    return st.builds(lambda fill: make(SCALED, dtype, counts, batch.columns, fill, CHIP), MOVED)


def ladders(sized: Drawn) -> tuple[Ladder, ...]:
    """Rows, rows of a segment, ranks, experts and columns, each grown alone."""

    def along(name: str, **others: int) -> Drawn:
        def cases(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
            return sized(mode, dtype, {**others, name: size}, machine)

        return cases

    few = {"rank": 3, "expert": 3}
    return (
        Ladder("rows", along("row", hidden=1, **few)),
        Ladder("rows of a segment", along("longest", hidden=1, **few)),
        Ladder("ranks", along("rank", expert=2, row=16, hidden=2)),
        Ladder("experts", along("expert", rank=2, row=16, hidden=2)),
        Ladder("columns", along("hidden", row=6, **few), most=MOST_HIDDEN),
    )


@st.composite
def _at(draw: st.DrawFn, make: Make, mode: str, dtype: str, levels: Mapping[str, str]) -> Case:
    """A call that shows these levels."""
    sizes = {name: draw(st.integers(*spans[levels[name]])) for name, spans in SPANS.items()}
    counts = drawn_counts(sizes, levels["segments"], draw(st.integers(0, 999)))
    fill = draw(fills_with(levels["values"], 1, sizes["hidden"], MOVED_FIRST))
    machine = draw(machines())
    return make(mode, dtype, counts, sizes["hidden"], fill, machine, levels["counts"])


def _cost(sizes: Sizes, machine: Machine) -> int:
    """Rows are moved, and each core reads all counts."""
    counts = sizes["rank"] * sizes["expert"]
    rows = sizes.get("row", counts + sizes.get("longest", 0))
    return rows * (sizes.get("hidden", COLUMNS) + INDEX_COST) + counts * machine.cores


@dataclass(frozen=True)
class Planted:
    """What is extreme in the calls of a mode and data type; integers have no special values."""

    mode: str
    dtype: str

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs whose values may be planted."""
        tokens = ("tokens",) if self.dtype != "int8" else ()
        return (*tokens, SCALES) if self.mode == SCALED else tokens

    def declared(self, near: Edges) -> Iterator[Extreme]:
        """The extremes of sizes, then those of values."""
        yield _extreme("the fewest rows of one column", 1, 1, 1)
        yield _extreme("a prime number of columns", 3, 6, PRIME_COLUMNS)
        for name in self.names:
            wide = len(KINDS) * 6 if name == "tokens" else 3
            yield _extreme(f"special values in every slot of {name}", 2, 6, wide, name)
        tile = tile_bytes(SMALL.ub_bytes, 2) // numpy_dtype(self.dtype).itemsize
        if "tokens" in self.names:
            told = "special values in every column of tokens, two tiles"
            yield _extreme(told, 2, 4, tile + 1, "tokens")


def _extreme(limit: str, ranks: int, rows: int, hidden: int, planted: str = "") -> Extreme:
    sizes = {"rank": ranks, "expert": ranks, "row": rows, "hidden": hidden}
    return Extreme(limit, sizes, planted, SMALL, _cost(sizes, SMALL))
