"""The discrete cells of operators that sort slots and copy rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._token_permute import TokenPermute
from cases.operators._token_permute_edges import edges
from cases.operators._token_permute_sizes import (
    BOUNDARIES,
    CORES,
    SMALL_UB,
    SORT_SIZES,
    TOP_KS,
    UB,
    Sizes,
    boundaries_of,
    sizes_at,
)
from conformance.case import Case, numpy_dtype
from conformance.cells import Axis, Cells, Constraint, Levels
from conformance.fill import Fill, families_of
from conformance.strategies.fills import MOVED_FIRST, SEEDS, fills_with
from conformance.strategies.keys import KEYS, key_patterns, keyed
from conformance.strategies.keys import LEAST_SLOTS as LEAST_KEYS
from conformance.strategies.sizes import FEW_ELEMENTS, cheap, few_more, hiddens

MOST_HIDDEN = 2000

INDEX_DTYPES = ("int32", "int64")
PROBS = ("absent", *MOVED_FIRST)
"""Whether there are probabilities, and their families of values."""

NUMBERS = st.integers(0, 2**20)


@cache
def cells(permute: TokenPermute, mode: str, dtype: str) -> Cells:
    """The cells of one mode that sorts and dtype."""
    element_bytes = numpy_dtype(dtype).itemsize
    levels = permute.windows.levels[mode]

    @cache
    def holds(boundary: str, top_k: str, cores: str, ub: str, slots: int) -> bool:
        found = sizes_at(boundary, top_k, cores, ub, element_bytes, permute.reserved_bytes)
        return any(sizes.holds(slots) for sizes in found)

    def solvable(
        boundary: str, top_k: str, cores: str, ub: str, keys: str, level: str = levels[0]
    ) -> bool:
        return holds(boundary, top_k, cores, ub, _least(permute, mode, keys, level))

    enough = permute.windows.least_slots(mode, levels[0])
    boundaries = tuple(name for name in BOUNDARIES if SORT_SIZES.get(name, enough) >= enough)
    ranges = (Axis("range", levels, permute.windows.shown),) if len(levels) > 1 else ()
    probs = (Axis("probs", PROBS, probs_shown),) if permute.probs else ()
    sized = ("boundary", "top_k", "cores", "UB", "keys", *(axis.name for axis in ranges))
    return Cells(
        axes=(
            Axis("boundary", boundaries, partial(_boundaries_of, permute.reserved_bytes)),
            Axis("keys", KEYS, _keys_of),
            Axis("top_k", tuple(TOP_KS), _top_ks_of),
            *ranges,
            Axis("family", MOVED_FIRST, families_shown),
            Axis("indices", INDEX_DTYPES, lambda case: [case.inputs["indices"].dtype]),
            *probs,
            Axis("cores", tuple(CORES), cores_shown),
            Axis("UB", tuple(UB), ub_shown),
        ),
        cases=lambda levels: _cases(permute, mode, dtype, levels),
        constraints=(
            Constraint(sized, solvable, "no size meets these, or only one that is too big"),
        ),
        edges=edges(permute, mode, dtype),
    )


@st.composite
def _cases(draw: st.DrawFn, permute: TokenPermute, mode: str, dtype: str, levels: Levels) -> Case:
    """Cases that show these levels; every one takes the same number of choices, so that fewer are
    no simpler.
    """
    level = levels.get("range", permute.windows.levels[mode][0])
    least = _least(permute, mode, levels["keys"], level)
    found = sizes_at(
        levels["boundary"],
        levels["top_k"],
        levels["cores"],
        levels["UB"],
        numpy_dtype(dtype).itemsize,
        permute.reserved_bytes,
    )
    solved = [sizes for sizes in found if sizes.holds(least)]
    chosen: Sizes = cheap(draw, solved)
    more_tokens, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    first, second = draw(NUMBERS), draw(NUMBERS)
    generator = np.random.default_rng(draw(SEEDS))
    fewest = max(1, -(-least // chosen.top_k))
    more = few_more(more_tokens, chosen.top_k * (chosen.hidden or 1))
    tokens = chosen.tokens or min(fewest + more, chosen.most_tokens)
    slots = tokens * chosen.top_k
    hidden = chosen.hidden or (any_hidden - 1) % max(1, FEW_ELEMENTS // slots) + 1
    flat = levels["top_k"] == "rank 1"
    asked = permute.windows.attributes(mode, level, slots, first, second)
    if permute.probs:
        weights = draw(probs_with(levels["probs"], tokens if flat else chosen.top_k))
        asked["probs"] = None if levels["probs"] == "absent" else weights
    return permute.call(
        mode,
        dtype,
        tokens=(tokens, hidden),
        top_k=None if flat else chosen.top_k,
        indices=tuple(keyed(levels["keys"], slots, generator).tolist()),
        index_dtype=levels["indices"],
        fill=draw(fills_with(levels["family"], 1, hidden, MOVED_FIRST)),
        machine=chosen.machine,
        **asked,
    )


def _least(permute: TokenPermute, mode: str, keys: str, level: str) -> int:
    """The fewest slots in which keys and range show."""
    return max(LEAST_KEYS[keys], permute.windows.least_slots(mode, level))


def _boundaries_of(reserved_bytes: int, case: Case) -> set[str]:
    tokens, *columns = case.inputs["tokens"].shape
    hidden = math.prod(columns)
    element_bytes = numpy_dtype(case.dtype).itemsize
    slots = case.inputs["indices"].size
    return boundaries_of(case.machine, tokens, slots, hidden, element_bytes, reserved_bytes)


def _keys_of(case: Case) -> set[str]:
    return key_patterns(np.asarray(case.arrays["indices"], np.int64).reshape(-1))


def _top_ks_of(case: Case) -> list[str]:
    shape = case.inputs["indices"].shape
    if len(shape) == 1:
        return ["rank 1"]
    return [name for name, top_ks in TOP_KS.items() if shape[1] >= top_ks[0]][-1:]


def families_shown(case: Case) -> tuple[str, ...]:
    """The families of values that the tokens of a case hold."""
    tokens = case.inputs["tokens"]
    return families_of(tokens.fill, tokens.shape[-1]) if tokens.fill else ()


def probs_shown(case: Case) -> tuple[str, ...]:
    """The families of values that the probabilities of a case hold, or that it has none."""
    probs = case.inputs.get("probs")
    if probs is None:
        return PROBS[:1]
    return families_of(probs.fill, probs.shape[-1]) if probs.fill else ()


def probs_with(level: str, columns: int) -> SearchStrategy[Fill]:
    """Recipes for probabilities of so many columns that show a level, where they are not absent."""
    family = MOVED_FIRST[0] if level == PROBS[0] else level
    return fills_with(family, 1, columns, MOVED_FIRST)


def cores_shown(case: Case) -> list[str]:
    """The class of a case's number of cores."""
    return _class_of(case, lambda machine: machine.cores, {n: c[0] for n, c in CORES.items()})


def ub_shown(case: Case) -> list[str]:
    """The class of a case's buffer."""
    return _class_of(case, lambda machine: machine.ub_bytes, {"small": 0, "large": SMALL_UB + 1})


def _class_of(case: Case, size: Callable[[Any], int], least: dict[str, int]) -> list[str]:
    """The last class whose least size the machine has."""
    if case.machine is None:
        return []
    return [name for name, first in least.items() if size(case.machine) >= first][-1:]
