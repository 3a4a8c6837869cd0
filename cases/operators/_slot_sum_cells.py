"""The discrete cells of sums over slots: families, ranks, drops, top_k, sizes, machines."""

from __future__ import annotations

from functools import partial

import numpy as np
from hypothesis import strategies as st

from cases.operators._slot_sum import EVERY, Indices, TokenSum, source_of
from cases.operators._slot_sum_sizes import (
    EVERY_TUPLE,
    LINES,
    MOST_VALUES,
    Lines,
    Sizes,
    largest_at,
    sizes_at,
)
from conformance.call.case import Case, numpy_dtype
from conformance.draw.patterns import (
    LEAST_KEPT,
    Mask,
    dropped_patterns,
    dropped_slots,
    every_tuple,
    holds_every_tuple,
    least_tokens,
)
from conformance.draw.sizes import FEW_ELEMENTS, cheap, few_more, hiddens
from conformance.draw.values import READABLE_FIRST, SEEDS, fills_with
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.derive.axes import of_machines, of_values
from conformance.record.edges import Edges

MOST_HIDDEN = 2000


def cells(sums: TokenSum, mode: str, dtype: str, edges: Edges | None) -> Cells:
    """The cells of one mode and dtype, and its edges.

    In an uneven mode there are more rows than slots, if no slot is dropped.
    """
    lines, size = sums.lines, numpy_dtype(dtype).itemsize
    slots = sums.slots or tuple(lines.classes)
    top_ks = [top_k for name in slots for top_k in lines.classes[name]]
    shown = tuple(name for name in sums.patterns if any(least_tokens(name, k, 1) for k in top_ks))
    drops = (Axis("dropped", shown, partial(_dropped_of, sums)),) if mode in sums.uneven else ()
    constraints = [sized(size, lines, drops, sums.most_values(mode))]
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
            Axis("boundary", lines.boundaries, partial(_boundaries_of, sums)),
            Axis("routing", sums.routings, partial(_routings_of, sums)),
            Axis("slots", slots, lambda case: lines.class_of(sums.sizes(case)[0])),
            *drops,
            of_values("family", READABLE_FIRST, source_of),
            *of_machines(),
        ),
        cases=lambda levels: _cases(sums, mode, dtype, levels),
        constraints=tuple(constraints),
        edges=edges,
    )


@st.composite
def _cases(draw: st.DrawFn, sums: TokenSum, mode: str, dtype: str, levels: Levels) -> Case:
    """Cases that show these levels.

    Every case takes the same number of choices, also where a level leaves none: the shrinker holds
    fewer choices for simpler, and would else end at sizes that a boundary fixes.
    """
    routing, dropped = levels["routing"], levels.get("dropped", "none")
    kept, most_values = least_kept(routing), sums.most_values(mode)
    size = numpy_dtype(dtype).itemsize
    chosen_by = (levels[axis] for axis in ("boundary", "slots", "cores", "UB"))
    found = sizes_at(sums.lines, *chosen_by, size)
    solved = [one for one in found if one.holds(dropped, kept, most_values)]
    chosen: Sizes = cheap(draw, solved)
    more_tokens, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    generator = np.random.default_rng(draw(SEEDS))
    top_k, tokens = chosen.top_k, chosen.tokens
    if kept == EVERY_TUPLE:
        tokens = chosen.values(most_values) ** top_k
    if tokens is None:
        more = few_more(more_tokens, top_k * (chosen.hidden or 1))
        tokens = min(chosen.fewest_tokens(dropped, kept) + more, chosen.most_tokens)
    most_hidden = max(1, FEW_ELEMENTS // (tokens * top_k))
    hidden = chosen.hidden or (any_hidden - 1) % most_hidden + 1
    if kept == EVERY_TUPLE:
        tuples = every_tuple(top_k, np.arange(chosen.values(most_values)))
        shape, indices = sums.scope(mode, tuples, generator)
    else:
        mask = dropped_slots(dropped, tokens, top_k, kept, generator).ravel()
        few = mask.size * hidden <= FEW_ELEMENTS // 2
        shape, indices = sums.routed(mode, routing, mask, few, generator)
    fill = draw(fills_with(levels["family"], top_k, hidden))
    how = {"top_k": top_k, "fill": fill, "machine": chosen.machine}
    return sums.drawn(mode, dtype, shape, hidden, indices, **how)


def sized(
    element_bytes: int,
    lines: Lines = LINES,
    drops: tuple[Axis, ...] = (),
    most_values: int = MOST_VALUES,
) -> Constraint:
    """Why some boundaries, routings, numbers of slots and machines do not go together."""
    return Constraint(
        ("boundary", "slots", "cores", "UB", "routing", *(axis.name for axis in drops)),
        _solvable,
        "no size meets these, or only one that is too big",
        seen_as={"routing": least_kept},
        given=(lines, element_bytes, most_values),
    )


def _solvable(
    lines: Lines,
    element_bytes: int,
    most_values: int,
    boundary: str,
    slots: str,
    cores: str,
    ub: str,
    kept: int,
    dropped: str = "none",
) -> bool:
    """Whether some size meets classes and patterns in so many bytes."""
    found = largest_at(lines, boundary, slots, cores, ub, element_bytes)
    return any(one.holds(dropped, kept, most_values) for one in found)


def least_kept(routing: str) -> int:
    """The fewest kept slots in which a routing shows."""
    return {"in order": 1, EVERY: EVERY_TUPLE}.get(routing, LEAST_KEPT)


def _slots(sums: TokenSum, case: Case) -> tuple[Indices, Mask]:
    """The rows that a case's indices name as [tokens, top_k], and which of them add nothing."""
    indices = sums.names(case)
    first, end = sums.window(case)
    return indices - first, (indices < first) | (indices >= end)


def _dropped_of(sums: TokenSum, case: Case) -> set[str]:
    return dropped_patterns(_slots(sums, case)[1])


def _routings_of(sums: TokenSum, case: Case) -> set[str]:
    indices, mask = _slots(sums, case)
    return sums.shown(case, indices[~mask]) | ({EVERY} if holds_every_tuple(indices) else set())


def _boundaries_of(sums: TokenSum, case: Case) -> set[str]:
    size = numpy_dtype(case.dtype).itemsize
    return sums.lines.shown(case.machine, *sums.sizes(case), size)
