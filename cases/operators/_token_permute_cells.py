"""The discrete cells of operators that sort slots and copy rows."""

from __future__ import annotations

import math
from functools import cache, partial
from itertools import product

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._token_permute import FAMILY, TokenPermute
from cases.operators._token_permute_edges import edges
from cases.operators._token_permute_sizes import (
    BOUNDARIES,
    FLAT,
    SORT_SIZES,
    TOP_KS,
    Sizes,
    VendorLines,
    boundaries_of,
    sizes_at,
)
from conformance.call.case import Case, numpy_dtype
from conformance.draw.keys import KEYS, key_patterns, keyed
from conformance.draw.keys import LEAST_SLOTS as LEAST_KEYS
from conformance.draw.sizes import FEW_ELEMENTS, cheap, few_more, hiddens
from conformance.draw.values import MOVED_FIRST, SEEDS, fills_with
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.derive.axes import class_of, of_dtypes, of_machines, of_values
from conformance.values.fill import Fill

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
    tokens = permute.windows.least_tokens.get(mode, 1)

    def goes_together(keys: str, *chosen: str) -> bool:
        level = chosen[0] if ranges else levels[0]
        return permute.keys_with(mode, keys, level, *chosen[len(ranges) :])

    enough = permute.windows.least_slots(mode, levels[0])
    of_mode = partial(permute.of_axis, mode)
    boundaries = tuple(
        name for name in of_mode("boundary", BOUNDARIES) if SORT_SIZES.get(name, enough) >= enough
    )
    top_ks = tuple(name for name in of_mode("top_k", tuple(TOP_KS)) if permute.flat or name != FLAT)
    several = len(permute.index_dtypes) > 1
    dtypes = (of_dtypes("indices", permute.index_dtypes, permute.indices),) * several
    ranges = (Axis(permute.windows.axis, levels, permute.windows.shown),) if len(levels) > 1 else ()
    probs = (of_values("probs", PROBS, "probs", absent=PROBS[0]),) if permute.probs else ()
    choices = tuple(Axis(one.name, one.levels[mode], one.shown) for one in permute.axes_of(mode))
    sized = ("boundary", "top_k", "cores", "UB", "keys", *(axis.name for axis in ranges))
    together = ("keys", *(axis.name for axis in (*ranges, *choices)))
    others = list(product(*(axis.levels for axis in (*ranges, *choices))))
    keys_of_mode = of_mode("keys", KEYS)
    known = tuple(
        keys for keys in keys_of_mode if any(goes_together(keys, *more) for more in others)
    )
    return Cells(
        axes=(
            Axis("boundary", boundaries, partial(_boundaries_of, permute)),
            Axis("keys", known, partial(_keys_of, permute)),
            Axis("top_k", top_ks, partial(_top_ks_of, permute)),
            *ranges,
            *choices,
            of_values(FAMILY, of_mode(FAMILY, MOVED_FIRST), permute.tokens),
            *dtypes,
            *probs,
            *of_machines(),
        ),
        cases=lambda levels: _cases(permute, mode, dtype, levels),
        constraints=(
            Constraint(
                sized,
                _solvable,
                "no size meets these, or only one that is too big",
                seen_as={
                    "keys": LEAST_KEYS.__getitem__,
                    permute.windows.axis: partial(permute.windows.least_slots, mode),
                },
                given=(element_bytes, permute.vendor, tokens, enough),
            ),
            Constraint(together, goes_together, "no keys of the pattern are such, or not surely"),
        ),
        edges=edges(permute, mode, dtype),
    )


def _solvable(
    element_bytes: int,
    vendor: VendorLines,
    tokens: int,
    enough: int,
    boundary: str,
    top_k: str,
    cores: str,
    ub: str,
    keys: int,
    window: int = 0,
) -> bool:
    """Whether some size meets classes in so many bytes, for so many tokens at least, and as many
    slots as keys and range need, or ``enough``.
    """
    found = sizes_at(boundary, top_k, cores, ub, element_bytes, vendor)
    return any(sizes.holds(max(keys, window or enough), tokens) for sizes in found)


@st.composite
def _cases(draw: st.DrawFn, permute: TokenPermute, mode: str, dtype: str, levels: Levels) -> Case:
    """Cases that show these levels; every one takes the same number of choices, so that fewer are
    no simpler.
    """
    level = levels.get(permute.windows.axis, permute.windows.levels[mode][0])
    least = _least(permute, mode, levels["keys"], level)
    found = sizes_at(
        levels["boundary"],
        levels["top_k"],
        levels["cores"],
        levels["UB"],
        numpy_dtype(dtype).itemsize,
        permute.vendor,
    )
    tokens = permute.windows.least_tokens.get(mode, 1)
    solved = [sizes for sizes in found if sizes.holds(least, tokens)]
    chosen: Sizes = cheap(draw, solved)
    more_tokens, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    first, second = draw(NUMBERS), draw(NUMBERS)
    generator = np.random.default_rng(draw(SEEDS))
    fewest = permute.windows.fewest_tokens(mode, level, chosen.top_k, least)
    more = few_more(more_tokens, chosen.top_k * (chosen.hidden or 1))
    tokens = chosen.tokens or min(fewest + more, chosen.most_tokens)
    slots = tokens * chosen.top_k
    hidden = chosen.hidden or (any_hidden - 1) % max(1, FEW_ELEMENTS // slots) + 1
    flat = levels["top_k"] == FLAT
    asked = permute.windows.attributes(mode, level, slots, first, second)
    if permute.probs:
        weights = draw(probs_with(levels["probs"], tokens if flat else chosen.top_k))
        asked["probs"] = None if levels["probs"] == "absent" else weights
    for choice in permute.choices:
        asked[choice.name] = levels.get(choice.name, choice.levels[mode][0])
    return permute.call(
        mode,
        dtype,
        tokens=(tokens, hidden),
        top_k=None if flat else chosen.top_k,
        indices=tuple(keyed(levels["keys"], slots, generator).tolist()),
        index_dtype=levels.get("indices", permute.index_dtypes[0]),
        fill=draw(permute.fills_with(mode, levels[FAMILY], hidden)),
        machine=chosen.machine,
        **asked,
    )


def _least(permute: TokenPermute, mode: str, keys: str, level: str) -> int:
    """The fewest slots in which keys and range show."""
    return max(LEAST_KEYS[keys], permute.windows.least_slots(mode, level))


def _boundaries_of(permute: TokenPermute, case: Case) -> set[str]:
    tokens, *columns = case.inputs[permute.tokens].shape
    hidden = math.prod(columns)
    element_bytes = numpy_dtype(case.dtype).itemsize
    slots = case.inputs[permute.indices].size
    return boundaries_of(case.machine, tokens, slots, hidden, element_bytes, permute.vendor)


def _keys_of(permute: TokenPermute, case: Case) -> set[str]:
    return key_patterns(np.asarray(case.arrays[permute.indices], np.int64).reshape(-1))


def _top_ks_of(permute: TokenPermute, case: Case) -> list[str]:
    shape = case.inputs[permute.indices].shape
    if len(shape) == 1:
        return [FLAT]
    return class_of(shape[1], {name: some[0] for name, some in TOP_KS.items()})


def probs_with(level: str, columns: int) -> SearchStrategy[Fill]:
    """Recipes for probabilities of so many columns that show a level, where they are not absent."""
    family = MOVED_FIRST[0] if level == PROBS[0] else level
    return fills_with(family, 1, columns, MOVED_FIRST)
