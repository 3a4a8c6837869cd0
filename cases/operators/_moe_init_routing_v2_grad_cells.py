"""The discrete cells of MoeInitRoutingV2Grad: families, routings, drops, top_k, sizes, machines."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from cases.operators._extremes import Extremes
from cases.operators._moe_init_routing_v2_grad_cases import routed, scope
from cases.operators._moe_init_routing_v2_grad_edges import edges
from cases.operators._moe_init_routing_v2_grad_sizes import (
    BOUNDARIES,
    CORES,
    EVERY_TUPLE,
    MOST_VALUES,
    SLOTS,
    SMALL_UB,
    UB,
    Sizes,
    boundaries_of,
    fewest_tokens,
    sizes_at,
)
from conformance.call.case import Case, numpy_dtype
from conformance.draw.patterns import (
    DROPPED,
    LEAST_KEPT,
    PLACES,
    RANKS,
    dropped_patterns,
    dropped_slots,
    every_tuple,
    holds_every_tuple,
    place_patterns,
    rank_patterns,
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


EXTREMES = Extremes({"grad_expanded_x": {}}, tiles="hidden = two tiles")


@cache
def cells(call: Call, mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype; ``call`` is the record's, which makes a case of sizes."""
    element_bytes = numpy_dtype(dtype).itemsize
    drops = () if mode == "dropless" else (Axis("dropped", DROPPED, _dropped_of),)
    routings = (*(PLACES if mode == "drop_pad" else RANKS), EVERY)

    constraints = [
        Constraint(
            ("boundary", "slots", "cores", "UB", "routing", *(axis.name for axis in drops)),
            _solvable,
            "no size meets these, or only one that is too big",
            seen_as={"routing": _least_kept},
            given=(element_bytes, MOST_VALUES[mode]),
        )
    ]
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
            Axis("boundary", BOUNDARIES, _boundaries_of),
            Axis("routing", routings, _routings_of),
            Axis("slots", tuple(SLOTS), _slots_of),
            *drops,
            Axis("family", READABLE_FIRST, _families_of),
            Axis("cores", tuple(CORES), _cores_of),
            Axis("UB", tuple(UB), _ub_of),
        ),
        cases=lambda levels: _cases(call, mode, dtype, levels),
        constraints=tuple(constraints),
        edges=edges(call, mode, dtype),
    )


@st.composite
def _cases(draw: st.DrawFn, call: Call, mode: str, dtype: str, levels: Levels) -> Case:
    """Cases that show these levels.

    Every case takes the same number of choices, also where a level leaves none: the shrinker holds
    fewer choices for simpler, and would else end at sizes that a boundary fixes.
    """
    routing, dropped = levels["routing"], levels.get("dropped", "none")
    kept = _least_kept(routing)
    found = sizes_at(
        levels["boundary"],
        levels["slots"],
        levels["cores"],
        levels["UB"],
        numpy_dtype(dtype).itemsize,
    )
    most_values = MOST_VALUES[mode]
    solved = [one for one in found if one.holds(dropped, kept, most_values)]
    chosen: Sizes = cheap(draw, solved)
    more_tokens, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    generator = np.random.default_rng(draw(SEEDS))
    top_k, values = chosen.top_k, chosen.values(most_values)
    tokens = chosen.tokens
    if kept == EVERY_TUPLE:
        tokens = values**top_k
    if tokens is None:
        more = few_more(more_tokens, top_k * (chosen.hidden or 1))
        tokens = min(fewest_tokens(dropped, top_k, kept) + more, chosen.most_tokens)
    most_hidden = max(1, FEW_ELEMENTS // (tokens * top_k))
    hidden = chosen.hidden or (any_hidden - 1) % most_hidden + 1
    if kept == EVERY_TUPLE:
        shape, indices = scope(mode, every_tuple(top_k, np.arange(values)), generator)
    else:
        mask = dropped_slots(dropped, tokens, top_k, kept, generator).ravel()
        few = mask.size * hidden <= FEW_ELEMENTS // 2
        shape, indices = routed(mode, routing, mask, generator, most_experts=8 if few else 2)
    return call(
        mode,
        dtype,
        source=(*shape, hidden),
        indices=tuple(indices.tolist()),
        top_k=top_k,
        fill=draw(fills_with(levels["family"], top_k, hidden)),
        unread=unread_rows(indices, int(np.prod(shape))),
        machine=chosen.machine,
    )


def _solvable(
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
    found = sizes_at(boundary, slots, cores, ub, element_bytes)
    return any(one.holds(dropped, kept, most_values) for one in found)


def _least_kept(routing: str) -> int:
    """The fewest kept slots in which a routing shows."""
    return {"in order": 1, EVERY: EVERY_TUPLE}.get(routing, LEAST_KEPT)


def _slots(case: Case) -> tuple[Indices, NDArray[np.bool_]]:
    """The indices of a case as [tokens, top_k], and which of them add nothing."""
    indices: Indices = np.asarray(case.arrays["expanded_row_idx"], np.int64)
    indices = indices.reshape(-1, max(1, case.attributes["top_k"]))
    if case.mode == "drop_pad":
        return indices, indices < 0
    return indices, indices >= case.inputs["grad_expanded_x"].shape[0]


def _dropped_of(case: Case) -> set[str]:
    return dropped_patterns(_slots(case)[1])


def _routings_of(case: Case) -> set[str]:
    indices, mask = _slots(case)
    named = indices[~mask]
    if case.mode == "drop_pad":
        experts, capacity = case.inputs["grad_expanded_x"].shape[:2]
        shown = place_patterns(named, experts, capacity)
    else:
        shown = rank_patterns(named)
    return shown | ({EVERY} if holds_every_tuple(indices) else set())


def _slots_of(case: Case) -> list[str]:
    top_k = case.attributes["top_k"]
    return [name for name, ks in SLOTS.items() if ks[0] <= top_k][-1:]


def _boundaries_of(case: Case) -> set[str]:
    tokens, hidden = case.outputs["grad_x"].shape
    element_bytes = numpy_dtype(case.dtype).itemsize
    return boundaries_of(case.machine, case.attributes["top_k"], tokens, hidden, element_bytes)


def _families_of(case: Case) -> tuple[str, ...]:
    gradient = case.inputs["grad_expanded_x"]
    return families_of(gradient.fill, gradient.shape[-1]) if gradient.fill else ()


def _cores_of(case: Case) -> list[str]:
    return _class_of(case, lambda machine: machine.cores, {n: c[0] for n, c in CORES.items()})


def _ub_of(case: Case) -> list[str]:
    return _class_of(case, lambda machine: machine.ub_bytes, {"small": 0, "large": SMALL_UB + 1})


def _class_of(case: Case, size: Callable[[Any], int], least: dict[str, int]) -> list[str]:
    """The last class whose least size the machine has."""
    if case.machine is None:
        return []
    return [name for name, first in least.items() if size(case.machine) >= first][-1:]
