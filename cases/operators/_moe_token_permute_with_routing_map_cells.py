"""The discrete cells of MoeTokenPermuteWithRoutingMap, without padding and with it."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cases.operators import _moe_token_permute_with_routing_map_maps as maps
from cases.operators import _moe_token_permute_with_routing_map_sizes as sizes
from cases.operators._moe_token_permute_with_routing_map_call import Mask, call
from cases.operators._moe_token_permute_with_routing_map_edges import edges
from cases.operators._token_permute_cells import MOST_HIDDEN, PROBS, probs_with
from cases.operators._token_permute_sizes import BOUNDARIES, boundaries_of, sizes_at
from conformance.call.case import Case, numpy_dtype
from conformance.draw.sizes import FEW_ELEMENTS, cheap, few_more, hiddens
from conformance.draw.values import MOVED_FIRST, SEEDS, fills_with
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.derive.axes import of_dtypes, of_machines, of_values

TOO_BIG = "no size meets these, or only one that is too big"
CHOICES = st.integers(0, 4095)


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype."""
    padded = mode == "drop_pad"
    axes, constraint = (_padded_axes if padded else _unpadded_axes)(dtype)
    return Cells(
        axes=(
            Axis("boundary", BOUNDARIES, _boundaries_of),
            *axes,
            Axis("numOutTokens", sizes.NUMBERS, _numbers_of),
            of_values("family", MOVED_FIRST, "tokens"),
            of_dtypes("map", maps.MAP_DTYPES, "routing_map"),
            of_values("probs", PROBS, "probs", absent=PROBS[0]),
            *of_machines(),
        ),
        cases=lambda levels: _cases(mode, dtype, levels),
        constraints=(constraint,),
        edges=edges(mode, dtype),
    )


def _unpadded_axes(dtype: str) -> tuple[tuple[Axis, ...], Constraint]:
    axes = (
        Axis("routing", maps.PATTERNS, lambda case: maps.patterns_of(map_of(case))),
        Axis("top_k", tuple(sizes.TOP_KS), _top_ks_of),
        Axis("experts", tuple(sizes.EXPERTS), _experts_of),
    )
    over = ("boundary", "top_k", "cores", "UB", "routing", "numOutTokens", "experts")
    return axes, Constraint(over, _solvable, TOO_BIG, given=(numpy_dtype(dtype).itemsize,))


def _solvable(element_bytes: int, *asked: str) -> bool:
    """Whether some size without padding meets classes and patterns."""
    boundary, top_k, cores, ub, pattern, number, experts = asked
    found = sizes_at(boundary, top_k, cores, ub, element_bytes)
    return any(sizes.holds(one, pattern, number, experts) for one in found)


def _padded_axes(dtype: str) -> tuple[tuple[Axis, ...], Constraint]:
    axes = (
        Axis("tokens of an expert", maps.COLUMNS, lambda case: maps.columns_of(map_of(case))),
        Axis("capacity", maps.FILLED, lambda case: maps.filled_of(map_of(case), capacity_of(case))),
        Axis("experts", tuple(sizes.SEVERAL), _several_of),
    )
    over = ("boundary", "cores", "UB", axes[0].name, "capacity", "numOutTokens", "experts")
    return axes, Constraint(over, _padded_solvable, TOO_BIG, given=(numpy_dtype(dtype).itemsize,))


def _padded_solvable(element_bytes: int, boundary: str, cores: str, ub: str, *asked: str) -> bool:
    """Whether some padded size meets classes and patterns."""
    found = sizes.padded_shapes_at(boundary, cores, ub, element_bytes)
    return any(one.holds(*asked) for one in found)


@st.composite
def _cases(draw: st.DrawFn, mode: str, dtype: str, levels: Levels) -> Case:
    """Cases that show these levels; every case takes as many choices."""
    given = (_padded if mode == "drop_pad" else _unpadded)(draw, dtype, levels)
    (_, hidden), (_, experts) = given["tokens"], given["routing_map"].shape
    weights = draw(probs_with(levels["probs"], experts))
    return call(
        mode,
        dtype,
        map_dtype=levels["map"],
        probs=None if levels["probs"] == PROBS[0] else weights,
        fill=draw(fills_with(levels["family"], 1, hidden, MOVED_FIRST)),
        **given,
    )


def _unpadded(draw: st.DrawFn, dtype: str, levels: Levels) -> dict[str, Any]:
    """The sizes and the map of a case without padding."""
    place = (levels["boundary"], levels["top_k"], levels["cores"], levels["UB"])
    pattern, number, wanted = levels["routing"], levels["numOutTokens"], levels["experts"]
    found = sizes_at(*place, numpy_dtype(dtype).itemsize)
    chosen = cheap(draw, [one for one in found if sizes.holds(one, pattern, number, wanted)])
    more_tokens, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    more_experts, rest = draw(CHOICES), draw(CHOICES)
    generator = np.random.default_rng(draw(SEEDS))
    top_k, tokens = chosen.top_k, chosen.tokens
    if tokens is None:
        more = few_more(more_tokens, top_k * (chosen.hidden or 1))
        tokens = min(sizes.fewest_tokens(pattern, number) + more, chosen.most_tokens)
    low, high = sizes.EXPERTS[wanted]
    experts = top_k + low + more_experts % (high - low + 1)
    experts = min(experts, max(top_k + low, sizes.MOST_ENTRIES // tokens))
    slots = tokens * top_k
    hidden = chosen.hidden or (any_hidden - 1) % max(1, FEW_ELEMENTS // slots) + 1
    uneven = number != sizes.NUMBERS[0]
    return {
        "tokens": (tokens, hidden),
        "routing_map": maps.mask(pattern, tokens, experts, top_k, generator),
        "num_out_tokens": slots + (1 + rest % max(1, tokens - 1)) * uneven,
        "machine": chosen.machine,
    }


def _padded(draw: st.DrawFn, dtype: str, levels: Levels) -> dict[str, Any]:
    """The same of a padded case."""
    place = (levels["boundary"], levels["cores"], levels["UB"])
    column, filled = levels["tokens of an expert"], levels["capacity"]
    number, wanted = levels["numOutTokens"], levels["experts"]
    found = sizes.padded_sizes_at(*place, numpy_dtype(dtype).itemsize)
    chosen = cheap(draw, [one for one in found if one.holds(column, filled, number, wanted)])
    any_hidden, rest = draw(hiddens(MOST_HIDDEN)), draw(CHOICES)
    generator = np.random.default_rng(draw(SEEDS))
    experts, rows = chosen.experts, chosen.rows
    most_hidden = max(1, FEW_ELEMENTS // max(rows, chosen.tokens))
    hidden = chosen.hidden or (any_hidden - 1) % most_hidden + 1
    uneven = number != sizes.NUMBERS[0]
    known = (chosen.tokens, experts, chosen.capacity)
    return {
        "tokens": (chosen.tokens, hidden),
        "routing_map": maps.padded_mask(column, filled, known, generator),
        "num_out_tokens": rows + (1 + rest % max(1, experts - 1)) * uneven,
        "machine": chosen.machine,
    }


def map_of(case: Case) -> Mask:
    """A case's map, as it stands for true and false."""
    return np.asarray(case.arrays["routing_map"], np.bool_)


def capacity_of(case: Case) -> int:
    """The rows of an expert of a padded case."""
    experts = case.inputs["routing_map"].shape[1]
    return case.outputs["permute_tokens"].shape[0] // max(1, experts)


def _boundaries_of(case: Case) -> set[str]:
    tokens, *columns = case.inputs["tokens"].shape
    rows = case.outputs["permute_tokens"].shape[0]
    copied, sorted_at_once = (rows, tokens) if case.mode == "drop_pad" else (tokens, rows)
    size = numpy_dtype(case.dtype).itemsize
    return boundaries_of(case.machine, copied, sorted_at_once, math.prod(columns), size)


def _numbers_of(case: Case) -> list[str]:
    rest = case.attributes["num_out_tokens"] - case.outputs["permute_tokens"].shape[0]
    return [sizes.NUMBERS[bool(rest)]]


def _top_k_of(case: Case) -> int:
    return case.outputs["permute_tokens"].shape[0] // max(1, case.inputs["tokens"].shape[0])


def _top_ks_of(case: Case) -> list[str]:
    return [name for name, some in sizes.TOP_KS.items() if _top_k_of(case) >= some[0]][-1:]


def _experts_of(case: Case) -> list[str]:
    more = case.inputs["routing_map"].shape[1] - _top_k_of(case)
    return [name for name, (least, _) in sizes.EXPERTS.items() if more >= least][-1:]


def _several_of(case: Case) -> list[str]:
    experts = case.inputs["routing_map"].shape[1]
    return [name for name, (least, _) in sizes.SEVERAL.items() if experts >= least][-1:]
