"""Cases and discrete cells of MoeTokenUnpermuteWithRoutingMap: sums over slots, with a map's probs.

A padded call is drawn as if every row were the one slot of a token: its tokens are the rows that
indices name, so there may be fewer of them than rows, or more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._moe_token_permute_with_routing_map_grad_sizes import least_pad_ub
from cases.operators._moe_token_permute_with_routing_map_maps import MAP_DTYPES
from cases.operators._moe_token_unpermute_with_routing_map_call import (
    DROPLESS,
    DTYPES,
    INDICES,
    MAP,
    OUT,
    PADDED,
    PROBS,
    Shape,
    call,
    weighted,
)
from cases.operators._slot_sum import EVERY, Indices, TokenSum
from cases.operators._slot_sum_cases import near_cases
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._slot_sum_edges import edges_on, sized, slot_edges
from cases.operators._slot_sum_limits import BUFFERS, CHIPS, INDEX_BYTES, SMALL, RowUb
from cases.operators._slot_sum_limits import limits as slot_limits
from cases.operators._slot_sum_sizes import Lines
from cases.operators._token_permute_limits import MERGED_AT_ONCE, run_slots
from cases.operators._values import WEIGHTS, weight_fills, weights_with
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.built import built
from conformance.draw.patterns import Mask, ranked
from conformance.draw.values import SEEDS
from conformance.record.call_rules import Limit
from conformance.record.cells import Axis, Cells, Constraint
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.derive.axes import of_dtypes, of_values
from conformance.record.edges import STEPS, Edge, Edges, Sizes
from conformance.values.fill import Fill

LINES = Lines(
    (
        *(f"tokens = cores{step}" for step in STEPS),
        "hidden = 32 bytes",
        "hidden = 32 bytes + 1",
        "hidden = 4 vendor buffers + 1",
        "hidden = two vendor pieces + 1",
    ),
    {"1": (1,), "2-7": (2, 3, 7), "8-127": (8, 33, 127), "511": (511,), "512": (512,)},
)
"""In padded calls, of the rows in place of tokens."""

ROUTINGS = ("in order", "reversed", "permuted", "duplicates", "one row")
SORT_KEYS = (97_281, 291_841)
"""One more than in 16 runs and in 48 runs of the vendor's sort, of 6080 keys each."""

PROBS_KINDS = ("as the tokens", "float32 beside others")
ANY_DTYPE, ANY_MAP = st.sampled_from(DTYPES), st.sampled_from(MAP_DTYPES)
ANY_PROBS = weight_fills()


@dataclass(frozen=True, eq=False)
class OfRows(TokenSum):
    """Padded calls, whose indices are the tokens of the rows."""

    def sizes(self, case: Case) -> tuple[int, int, int]:
        """One slot, the rows and the columns of a case."""
        return 1, case.inputs[INDICES].size, case.outputs[OUT].shape[1]

    def routed(
        self, mode: str, routing: str, mask: Mask, few: bool, generator: np.random.Generator
    ) -> tuple[Shape, Indices]:
        """The tokens, some of which no row may name, and the token of every row.

        Duplicates are so many that there are more rows than tokens.
        """
        count = mask.size
        if routing == "duplicates":
            named = generator.permutation(max(1, -(-count // int(generator.integers(2, 4)))))
            ids = np.resize(named, count)
        else:
            ids = ranked(routing, count, generator)
        return (int(ids.max()) + 1 + int(generator.integers(0, 4)),), ids


SUM = TokenSum(
    call,
    uneven=("dropless", "dropless_probs"),
    routings=("in order", "permuted", "duplicates", EVERY),
    patterns=("none", "some", "slot 0", "whole tokens", "all"),
    lines=LINES,
)
ROWS = OfRows(
    call,
    uneven=(),
    window=lambda case: (0, case.outputs[OUT].shape[0]),
    names=lambda case: np.asarray(case.arrays[INDICES], np.int64).reshape(-1, 1),
    routings=ROUTINGS,
    slots=("1",),
    most_top_k=1,
    lines=LINES,
)
SUMS = {mode: ROWS if mode in PADDED else SUM for mode in (*SUM.uneven, *PADDED)}


def _with_probs(
    mode: str,
    drawn: SearchStrategy[Case],
    dtypes: SearchStrategy[str] = ANY_DTYPE,
    probs: SearchStrategy[Fill] = ANY_PROBS,
    maps: SearchStrategy[str] = ANY_MAP,
    experts: int = 0,
) -> SearchStrategy[Case]:
    """The cases with probs and a map, in a mode that has them."""
    if not mode.endswith("probs"):
        return drawn
    return built(weighted, drawn, dtypes, probs, maps, st.just(experts), SEEDS)


def _is_mixed(case: Case) -> bool:
    return case.inputs[PROBS].dtype != case.dtype


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core."""
    return _with_probs(mode, near_cases(SUMS[mode], mode, dtype, small=small, seam=seam))


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, and what probs and map are."""
    size = numpy_dtype(dtype).itemsize
    near = edges_on(SUMS[mode], mode, dtype, _declared(mode, size))
    found = slot_cells(SUMS[mode], mode, dtype, _of_mode(mode, dtype, near))
    if not mode.endswith("probs"):
        return found
    return found.completed(
        Axis("probs dtype", PROBS_KINDS, lambda case: [PROBS_KINDS[_is_mixed(case)]]),
        of_values("probs", WEIGHTS, PROBS),
        of_dtypes("map", MAP_DTYPES, MAP),
        cases=lambda drawn, levels: _with_probs(
            mode,
            drawn,
            st.just("float32" if levels["probs dtype"] == PROBS_KINDS[1] else dtype),
            weights_with(levels["probs"]),
            st.just(levels["map"]),
        ),
        on=lambda drawn, edge: drawn,
        constraints=(
            Constraint(
                ("probs dtype",),
                lambda probs: probs == PROBS_KINDS[0] or dtype == "bfloat16",
                "float32 probs go with bfloat16 tokens, of all others",
            ),
        ),
    )


def _of_mode(mode: str, dtype: str, near: Edges) -> Edges:
    """The edges as the mode draws them, with probs where it has them."""

    def shown(case: Case) -> Sizes:
        top_k, tokens, hidden = SUMS[mode].sizes(case)
        more = {"experts": case.inputs[PROBS].shape[1]} if PROBS in case.inputs else {}
        return {"top_k": top_k, "tokens": tokens, "hidden": hidden, **more}

    return replace(near, sizes_of=shown, cases=partial(on_edge, mode, dtype))


def on_edge(mode: str, dtype: str, edge: Edge) -> SearchStrategy[Case]:
    """Cases of the sizes of an edge."""
    sizes = {**edge.sizes, **({"top_k": 1} if mode in PADDED else {})}
    drawn = sized(SUMS[mode], mode, dtype, sizes, edge.machine)
    return _with_probs(mode, drawn, st.just(dtype), experts=sizes.get("experts", 0))


def _declared(mode: str, element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    """A few of a sum's edges: cores, tiles of a row, the vendor's buffers; padded, those of sums of
    sorted entries, of runs of the sort, and of the vendor's longest ones."""
    weight_bytes = element_bytes if mode == DROPLESS[1] else 0
    kept = ("tokens = 1 cores", "tokens = 2 cores", "hidden = ")
    for limit, machine, sizes in slot_edges(element_bytes, weight_bytes):
        if machine in (SMALL, *CHIPS) and limit.startswith(kept):
            yield limit, machine, {**sizes, "top_k": 1} if mode in PADDED else sizes
        elif limit.startswith("two tiles") and mode in DROPLESS:
            yield limit, machine, sizes
    if mode in DROPLESS:
        return
    for machine, (step, change) in product((SMALL, *CHIPS), STEPS.items()):
        hidden = 2 * _entries(machine.ub_bytes, element_bytes).columns(2)
        yield f"two tiles{step}", machine, {"top_k": 1, "hidden": hidden + change}
        run = {"top_k": 1, "tokens": run_slots(machine.ub_bytes) + change, "hidden": 1}
        yield f"run{step}", machine, run
    for keys in SORT_KEYS:
        yield f"{keys} keys", CHIPS[-1], {"top_k": 1, "tokens": keys, "hidden": 1}


def _entries(ub_bytes: int, element_bytes: int) -> RowUb:
    """The buffer where a row is named by a sorted token and its own number."""
    return RowUb(ub_bytes, element_bytes, INDEX_BYTES, second_name_bytes=INDEX_BYTES)


def limits() -> Iterator[Limit]:
    """The limits with probs of the tokens' data type, with wider ones and with none; then padded.

    In place of a run's keys, a list has so many elements in the buffer at once.
    """
    for dtype in DTYPES:
        size = numpy_dtype(dtype).itemsize
        yield from slot_limits((dtype,), weight_bytes=size)
        yield from slot_limits((dtype,), weight_bytes=4, prefix="fp32-probs-")
        yield from slot_limits((dtype,), prefix="no-probs-")
        for ub in (SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            row, run = _entries(ub, size), run_slots(ub)
            found = {axis: row.columns(count) for axis, count in BUFFERS.items()}
            found |= {"ub-bytes": least_pad_ub(size), "sort": run, "merge-1": MERGED_AT_ONCE * run}
            for axis, value in found.items():
                yield Limit(f"pad-{axis}", value, 1, dtype, ub_bytes=ub)
            for hidden in (1, row.columns(4), row.columns(2) + 1):
                yield Limit("pad-batch", row.names(hidden), 1, dtype, 0, ub, hidden)
