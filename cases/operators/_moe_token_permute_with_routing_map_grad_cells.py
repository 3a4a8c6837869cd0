"""The discrete cells of MoeTokenPermuteWithRoutingMapGrad, without padding and with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators import _moe_token_permute_with_routing_map_grad_maps as maps
from cases.operators import _moe_token_permute_with_routing_map_grad_sizes as padded
from cases.operators import _slot_sum_sizes as unpadded
from cases.operators._moe_token_permute_with_routing_map_grad_edges import edges
from cases.operators._slot_sum_cells import MOST_HIDDEN, least_kept, sized
from conformance.call.case import Case, numpy_dtype
from conformance.draw.layouts import LAYOUTS, layout_of
from conformance.draw.patterns import RANKS, rank_patterns, ranked
from conformance.draw.routings import unread_rows
from conformance.draw.sizes import FEW_ELEMENTS, cheap, few_more, hiddens
from conformance.draw.values import MOVED_FIRST, READABLE_FIRST, SEEDS, fills_with
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.derive.axes import of_machines, of_values
from conformance.values.fill import Fill

Call = Callable[..., Case]
MORE_EXPERTS = 5
"""Experts beyond those of one token, at most."""


@cache
def cells(call: Call, mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype; ``call`` is the record's, which makes a case of sizes."""
    axes, constraint = (_padded_axes if mode == "drop_pad" else _unpadded_axes)(dtype)
    return Cells(
        axes=(
            *axes,
            Axis("probs", maps.PROBS, lambda case: [maps.probs_of(case)]),
            Axis("probs' family", maps.VALUES, maps.values_of),
            Axis("map", maps.MAPS, lambda case: [maps.map_of(case)]),
            Axis("layout", LAYOUTS, lambda case: [layout_of(case.outputs["tokens_grad"])]),
            of_values("family", READABLE_FIRST, "permuted_token_output_grad"),
            *of_machines(),
        ),
        cases=lambda levels: _cases(call, mode, dtype, levels),
        constraints=(
            constraint,
            Constraint(("probs", "map"), maps.goes_with, "probs need a map (status 161001)"),
            Constraint(("probs", "probs' family"), maps.has_values, "values of what is there"),
        ),
        edges=edges(call, mode, dtype),
    )


def _unpadded_axes(dtype: str) -> tuple[tuple[Axis, ...], Constraint]:
    axes = (
        Axis("boundary", unpadded.BOUNDARIES, _boundaries_of),
        Axis("routing", RANKS, lambda case: rank_patterns(_indices(case))),
        Axis("slots", tuple(unpadded.SLOTS), lambda case: unpadded.LINES.class_of(top_k_of(case))),
    )
    return axes, sized(numpy_dtype(dtype).itemsize)


def _padded_axes(dtype: str) -> tuple[tuple[Axis, ...], Constraint]:
    axes = (
        Axis("boundary", padded.BOUNDARIES, _boundaries_of),
        Axis("sharing", padded.SHARING, lambda case: padded.sharing_of(_indices(case))),
        Axis("order", padded.ORDERS, _order_of),
    )
    over = ("boundary", "sharing", "order", "cores", "UB")
    reason = "no size meets these, or only one that is too big"
    given = (numpy_dtype(dtype).itemsize,)
    return axes, Constraint(over, _padded_solvable, reason, given=given)


def _padded_solvable(
    element_bytes: int, boundary: str, sharing: str, order: str, cores: str, ub: str
) -> bool:
    """Whether some size meets classes and patterns in so many bytes."""
    found = padded.sizes_at(boundary, cores, ub, element_bytes)
    return any(one.holds(sharing, order) for one in found)


@st.composite
def _cases(draw: st.DrawFn, call: Call, mode: str, dtype: str, levels: Levels) -> Case:
    """Cases that show these levels; every case takes as many choices."""
    terms, given = (_padded if mode == "drop_pad" else _unpadded)(draw, dtype, levels)
    rows, hidden = given["grad"]
    return call(
        mode,
        dtype,
        probs=levels["probs"],
        map_kind=levels["map"],
        probs_fill=draw(_values(levels, rows)),
        layout=levels["layout"],
        fill=draw(fills_with(levels["family"], terms, hidden)),
        **given,
    )


def _unpadded(draw: st.DrawFn, dtype: str, levels: Levels) -> tuple[int, dict[str, Any]]:
    """A token's rows, and what a call without padding says of sizes, indices and the map."""
    size = numpy_dtype(dtype).itemsize
    place = (levels["boundary"], levels["slots"], levels["cores"], levels["UB"])
    found = unpadded.sizes_at(unpadded.LINES, *place, size)
    kept = least_kept(levels["routing"])
    solved = [one for one in found if one.holds("none", kept)]
    chosen = cheap(draw, solved)
    more_tokens, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    more_experts, seed = draw(st.integers(0, MORE_EXPERTS)), draw(SEEDS)
    generator = np.random.default_rng(seed)
    top_k, tokens = chosen.top_k, chosen.tokens
    if tokens is None:
        more = few_more(more_tokens, top_k * (chosen.hidden or 1))
        tokens = min(chosen.fewest_tokens("none", kept) + more, chosen.most_tokens)
    rows, experts = tokens * top_k, top_k + more_experts
    most_hidden = max(1, FEW_ELEMENTS // rows)
    hidden = chosen.hidden or (any_hidden - 1) % most_hidden + 1
    indices = ranked(levels["routing"], rows, generator)
    mask = maps.routed(tokens, experts, top_k, generator)
    return top_k, {
        "grad": (rows, hidden),
        "indices": tuple(indices.tolist()),
        "tokens": tokens,
        "experts": experts,
        "map_values": maps.map_values(levels["map"], mask, generator),
        "unread": unread_rows(indices, rows),
        "machine": chosen.machine,
    }


def _padded(draw: st.DrawFn, dtype: str, levels: Levels) -> tuple[int, dict[str, Any]]:
    """The most rows of a token, and the same of a padded call."""
    size = numpy_dtype(dtype).itemsize
    found = padded.sizes_at(levels["boundary"], levels["cores"], levels["UB"], size)
    sharing, order = levels["sharing"], levels["order"]
    solved = [one for one in found if one.holds(sharing, order)]
    chosen = cheap(draw, solved)
    more_tokens, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    seed = draw(SEEDS)
    generator = np.random.default_rng(seed)
    tokens = chosen.tokens
    if tokens is None:
        most = max(unpadded.MOST_ELEMENTS // (chosen.hidden or 1), chosen.fewest_tokens(sharing))
        more = few_more(more_tokens, chosen.hidden or 1)
        tokens = min(chosen.fewest_tokens(sharing) + more, most)
    most_hidden = max(1, FEW_ELEMENTS // max(chosen.rows, tokens))
    hidden = chosen.hidden or (any_hidden - 1) % most_hidden + 1
    indices = padded.token_ids(chosen, tokens, sharing, order, generator)
    mask = maps.routed(tokens, chosen.experts, min(2, chosen.experts), generator)
    return int(np.bincount(indices).max()), {
        "grad": (chosen.rows, hidden),
        "indices": tuple(indices.tolist()),
        "tokens": tokens,
        "experts": chosen.experts,
        "map_values": maps.map_values(levels["map"], mask, generator),
        "machine": chosen.machine,
    }


def _values(levels: Levels, rows: int) -> SearchStrategy[Fill]:
    """Recipes for the permuted probs' gradient [rows]; any where it is not there."""
    family = levels["probs' family"]
    return fills_with(MOVED_FIRST[0] if family == maps.VALUES[0] else family, 1, rows, MOVED_FIRST)


def _indices(case: Case) -> padded.Indices:
    return np.asarray(case.arrays["sorted_indices"], np.int64)


def top_k_of(case: Case) -> int:
    """The rows of a token where nothing is padded."""
    rows = case.inputs["permuted_token_output_grad"].shape[0]
    tokens: int = case.attributes["tokens_num"]
    return rows // max(1, tokens)


def _order_of(case: Case) -> set[str]:
    indices = _indices(case)
    return padded.order_of(indices, case.attributes["num_experts"]) if indices.size else set()


def _boundaries_of(case: Case) -> set[str]:
    tokens, hidden = case.outputs["tokens_grad"].shape
    size = numpy_dtype(case.dtype).itemsize
    if case.mode == "drop_pad":
        rows = case.inputs["permuted_token_output_grad"].shape[0]
        return padded.boundaries_of(case.machine, rows, tokens, hidden, size)
    return unpadded.LINES.shown(case.machine, 0, tokens, hidden, size)
