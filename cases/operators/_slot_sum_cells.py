"""The discrete cells of sums over slots: families, ranks, drops, top_k, sizes, machines.

The first input of such a call holds the rows, the second names them, and ``out`` has a row for
each token.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from cases.operators._slot_sum_edges import edges, names_of, of_tokens
from cases.operators._slot_sum_sizes import (
    BOUNDARIES,
    CORES,
    EVERY_TUPLE,
    SLOT_BYTES,
    SLOTS,
    SMALL_UB,
    Sizes,
    boundaries_of,
    sizes_at,
)
from conformance.call.case import Case, Machine, Tensor, numpy_dtype
from conformance.draw.patterns import (
    DROPPED,
    LEAST_KEPT,
    RANKS,
    dropped_patterns,
    dropped_slots,
    every_tuple,
    holds_every_tuple,
    least_tokens,
    rank_patterns,
    ranked_beside_drops,
)
from conformance.draw.routings import unread_rows
from conformance.draw.sizes import FEW_ELEMENTS, cheap, few_more, hiddens
from conformance.draw.values import READABLE_FIRST, SEEDS, fills_with
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.values.fill import families_of

EVERY = "every tuple"
MOST_HIDDEN = 2000

Indices = NDArray[np.int64]
Call = Callable[..., Case]
Window = Callable[[Case], tuple[int, int]]
Names = Callable[[Case], Indices]


def every_row(case: Case) -> tuple[int, int]:
    """The indices that name a row: those below the number of rows."""
    return 0, source_of(case).shape[0]


def token_by_token(case: Case) -> Indices:
    """The indices of a case as [tokens, top_k], where they lie so."""
    indices = case.arrays[list(case.inputs)[1]]
    return np.asarray(indices, np.int64).reshape(-1, max(1, top_k_of(case)))


@cache
def cells(
    call: Call,
    mode: str,
    dtype: str,
    slots: tuple[str, ...] = tuple(SLOTS),
    weight_bytes: int = 0,
    window: Window = every_row,
    routings: tuple[str, ...] = (*RANKS, EVERY),
    patterns: tuple[str, ...] = DROPPED,
    names: Names = token_by_token,
    boundaries: tuple[str, ...] = BOUNDARIES,
    slot_bytes: int = SLOT_BYTES,
) -> Cells:
    """The cells of one mode and dtype; ``call`` is the record's, which makes a case of sizes.

    In mode "uneven", where no slot is dropped there are more rows than slots. ``window`` is the
    first index of a case that names a row, and the first beyond that names none; ``routings`` are
    the ways in which slots may name rows, ``patterns`` those in which some name none; ``names``
    gives the indices as [tokens, top_k]. ``slot_bytes`` of the buffer are left for each slot of a
    token.
    """
    element_bytes = numpy_dtype(dtype).itemsize
    top_ks = [top_k for name in slots for top_k in SLOTS[name]]
    shown = tuple(name for name in patterns if any(least_tokens(name, k, 1) for k in top_ks))
    dropped_of = partial(_dropped_of, window=window, names=names)
    drops = (Axis("dropped", shown, dropped_of),) if mode == "uneven" else ()

    constraints = [sized(element_bytes, slot_bytes, drops)]
    if drops:
        constraints += [
            Constraint(
                ("dropped", "routing"),
                lambda dropped, routing: dropped != "all" or routing == "in order",
                "where no slot is kept there is no order",
            ),
            Constraint(
                ("dropped", "routing"),
                lambda dropped, routing: routing != EVERY or dropped == "some",
                "among all tuples some slots are dropped and some are not",
            ),
        ]
    return Cells(
        axes=(
            Axis("boundary", boundaries, partial(_boundaries_of, boundaries=boundaries)),
            Axis("routing", routings, partial(_routings_of, window=window, names=names)),
            Axis("slots", slots, _slots_of),
            *drops,
            Axis("family", READABLE_FIRST, _families_of),
            Axis("cores", tuple(CORES), cores_of),
            Axis("UB", ("small", "large"), ub_of),
        ),
        cases=lambda levels: _cases(call, mode, dtype, levels, slot_bytes),
        constraints=tuple(constraints),
        edges=edges(call, mode, dtype, weight_bytes),
    )


@st.composite
def _cases(
    draw: st.DrawFn, call: Call, mode: str, dtype: str, levels: Levels, slot_bytes: int
) -> Case:
    """Cases that show these levels.

    Every case takes the same number of choices, also where a level leaves none: the shrinker holds
    fewer choices for simpler, and would else end at sizes that a boundary fixes.
    """
    routing, dropped = levels["routing"], levels.get("dropped", "none")
    kept = least_kept(routing)
    size = numpy_dtype(dtype).itemsize
    chosen_by = (levels[axis] for axis in ("boundary", "slots", "cores", "UB"))
    found = sizes_at(*chosen_by, size, slot_bytes)
    solved = [one for one in found if one.holds(dropped, kept)]
    chosen: Sizes = cheap(draw, solved)
    more_tokens, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    generator = np.random.default_rng(draw(SEEDS))
    top_k, tokens = chosen.top_k, chosen.tokens
    if kept == EVERY_TUPLE:
        tokens = chosen.values() ** top_k
    if tokens is None:
        more = few_more(more_tokens, top_k * (chosen.hidden or 1))
        tokens = min(chosen.fewest_tokens(dropped, kept) + more, chosen.most_tokens)
    most_hidden = max(1, FEW_ELEMENTS // (tokens * top_k))
    hidden = chosen.hidden or (any_hidden - 1) % most_hidden + 1
    if kept == EVERY_TUPLE:
        values = np.arange(chosen.values())
        indices = generator.permutation(every_tuple(top_k, values)).ravel()
        rows = 1 if mode == "uneven" else indices.size
    else:
        mask = dropped_slots(dropped, tokens, top_k, kept, generator).ravel()
        rows, indices = ranked_beside_drops(routing, mask, generator)
        if mode == "uneven" and dropped == "none":
            rows += int(generator.integers(1, 5))
    return call(
        mode,
        dtype,
        source=(rows, hidden),
        indices=tuple(indices.tolist()),
        top_k=top_k,
        fill=draw(fills_with(levels["family"], top_k, hidden)),
        unread=unread_rows(indices, rows),
        machine=chosen.machine,
    )


def sized(
    element_bytes: int, slot_bytes: int = SLOT_BYTES, drops: tuple[Axis, ...] = ()
) -> Constraint:
    """Why some boundaries, routings, numbers of slots and machines do not go together."""
    return Constraint(
        ("boundary", "slots", "cores", "UB", "routing", *(axis.name for axis in drops)),
        _solvable,
        "no size meets these, or only one that is too big",
        seen_as={"routing": least_kept},
        given=(element_bytes, slot_bytes),
    )


def _solvable(
    element_bytes: int,
    slot_bytes: int,
    boundary: str,
    slots: str,
    cores: str,
    ub: str,
    kept: int,
    dropped: str = "none",
) -> bool:
    """Whether some size meets classes and patterns in so many bytes."""
    found = sizes_at(boundary, slots, cores, ub, element_bytes, slot_bytes)
    return any(one.holds(dropped, kept) for one in found)


def least_kept(routing: str) -> int:
    """The fewest kept slots in which a routing shows."""
    return {"in order": 1, EVERY: EVERY_TUPLE}.get(routing, LEAST_KEPT)


def top_k_of(case: Case) -> int:
    """The slots of every token of a call; 0 where there is none."""
    return names_of(case).size // max(1, of_tokens(case).shape[0])


def source_of(case: Case) -> Tensor:
    """The tensor whose rows are added."""
    return next(iter(case.inputs.values()))


def _slots(case: Case, window: Window, names: Names) -> tuple[Indices, NDArray[np.bool_]]:
    """The rows that a case's indices name as [tokens, top_k], and which of them add nothing."""
    indices = names(case)
    first, end = window(case)
    return indices - first, (indices < first) | (indices >= end)


def _dropped_of(case: Case, window: Window, names: Names) -> set[str]:
    return dropped_patterns(_slots(case, window, names)[1])


def _routings_of(case: Case, window: Window, names: Names) -> set[str]:
    indices, mask = _slots(case, window, names)
    return rank_patterns(indices[~mask]) | ({EVERY} if holds_every_tuple(indices) else set())


def _slots_of(case: Case) -> list[str]:
    return slots_class(top_k_of(case))


def slots_class(top_k: int) -> list[str]:
    """The class of a number of slots."""
    return [name for name, ks in SLOTS.items() if ks[0] <= top_k][-1:]


def _boundaries_of(case: Case, boundaries: tuple[str, ...]) -> set[str]:
    tokens, hidden = of_tokens(case).shape
    size = numpy_dtype(case.dtype).itemsize
    return boundaries_of(case.machine, tokens, hidden, size, boundaries)


def _families_of(case: Case) -> tuple[str, ...]:
    source = source_of(case)
    return families_of(source.fill, source.shape[-1]) if source.fill else ()


def cores_of(case: Case) -> list[str]:
    """The class of a machine's cores."""
    return _class_of(case, lambda machine: machine.cores, {n: c[0] for n, c in CORES.items()})


def ub_of(case: Case) -> list[str]:
    """The class of a machine's unified buffer."""
    return _class_of(case, lambda machine: machine.ub_bytes, {"small": 0, "large": SMALL_UB + 1})


def _class_of(case: Case, size: Callable[[Machine], Any], least: dict[str, int]) -> list[str]:
    """The last class whose least size the machine has."""
    if case.machine is None:
        return []
    return [name for name, first in least.items() if size(case.machine) >= first][-1:]
