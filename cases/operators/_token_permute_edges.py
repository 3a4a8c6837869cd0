"""Edges of operators that sort slots and copy rows: every limit of both tilings on every chip.

Modes share one kernel, so limits of the sort and of the copies are met in one mode that keeps all
slots and in one that keeps a window.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
from hypothesis import strategies as st

from cases.operators._extremes import Extremes
from cases.operators._token_permute import TokenPermute
from cases.operators._token_permute_limits import MERGED_AT_ONCE, CopyUb, run_slots
from cases.operators._token_permute_sizes import LISTS_OF_ONE_MERGE, VendorLines, one_core_slots
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.keys import keyed
from conformance.draw.values import MOVED, SEEDS
from conformance.draw.wide_keys import FAMILIES, Family
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Edge, Edges, Sizes, distinct

CHIPS = tuple(Machine(cores, ub) for cores in (40, 48) for ub in USABLE_UB_BYTES.values())
SMALL = Machine(3, 2048)
MOST_TOP_K = 512
FREE_TOKENS, FREE_HIDDEN = 4, 8
"""The most tokens or columns where the edge leaves them free."""

SLOT_COST = 8
SPLIT_GRANULE_BYTES = 512
MOST_TOKENS_OF_A_PASS = 4095
PATTERNS = ("cycle", "one missing", "descending", "negative", "all equal")
MOST_SLOTS = 2**24 - 2
"""Sources refuse more: beyond it, fp32 no longer tells every position of a sort."""

NUMBERS = st.integers(0, 2**20)
WIDEST = ("all", "all but one", "all but both ends", "none dropped")
"""Levels that keep the most rows; a mode without any keeps the most by the number 0."""


def edges(permute: TokenPermute, mode: str, dtype: str) -> Edges | None:
    """The edges of one mode that sorts and dtype."""
    if mode not in permute.edge_modes:
        return None
    size = numpy_dtype(dtype).itemsize
    declared = [
        (limit, machine, sizes)
        for machine in (SMALL, *CHIPS)
        for limit, sizes in (
            *sort_edges(machine, permute.vendor),
            *copy_edges(
                machine,
                size,
                permute.vendor,
                batches=permute.batches,
                probs=permute.probs,
                top_ks=permute.top_ks,
                columns=None if permute.copies else partial(permute.columns, mode),
            ),
        )
    ]
    if mode == permute.edge_modes[0] and dtype == "float16":
        # Half a minute on the simulated device: once for each operator.
        most = {"top_k": 2, "tokens": MOST_SLOTS // 2, "hidden": 1}
        declared.append(("slots = the most", CHIPS[-1], most))
    if mode == permute.edge_modes[0]:
        declared += [(one.name, SMALL, _sizes_of_family(one)) for one in _families(permute)]
    near = distinct(Edge(limit, machine, sizes, _cost(sizes)) for limit, machine, sizes in declared)
    return Edges(near, partial(_sizes_of, permute), partial(sorted_cases, permute, mode, dtype))


def extremes(permute: TokenPermute, mode: str, dtype: str, *, quantised: bool = False) -> Extremes:
    """What is extreme in a mode, which may need more than one slot to be told from others. No
    infinities and NaN are among integers, nor among the values of rows that are ``quantised``.
    """
    windows = permute.windows
    fewest = windows.fewest_tokens(mode, windows.levels[mode][0], 1)
    weights = {"probs": {"probs": 1}} if permute.probs else {}
    rows: dict[str, Sizes] = {} if quantised or dtype == "int8" else {permute.tokens: {}}
    return Extremes(rows, weights, tokens=fewest, tiles="hidden, ")


def sort_edges(machine: Machine, vendor: VendorLines) -> Iterator[tuple[str, Sizes]]:
    """Numbers of slots at which one of the sorts takes another way."""
    own = run_slots(machine.ub_bytes)
    most = {"sort": own, "merge-1": own * MERGED_AT_ONCE, "merge-2": own * MERGED_AT_ONCE**2}
    most["runs"] = own * machine.cores
    if machine in CHIPS:
        held = one_core_slots(machine, vendor.core_bytes)
        most |= {"one vendor core": held, "four vendor lists": held * LISTS_OF_ONE_MERGE}
        most |= {"vendor cores": held * machine.cores, "vendor core and granule": held + 32}
        most["sixteen vendor lists"] = held * LISTS_OF_ONE_MERGE**2
        most["sort of 32"] = 32
    for (limit, slots), (step, change) in product(most.items(), STEPS.items()):
        yield f"slots = {limit}{step}", {"top_k": 1, "tokens": slots + change, "hidden": 1}


def copy_edges(
    machine: Machine,
    element_bytes: int,
    vendor: VendorLines,
    *,
    batches: bool,
    probs: bool,
    top_ks: tuple[int, ...] = (2, MOST_TOP_K),
    columns: Callable[[int, int, int, bool], int] | None = None,
) -> Iterator[tuple[str, Sizes]]:
    """Tokens and columns at which one of the copies takes another way.

    ``top_ks`` are those with which the columns of a tile are met, the fewest first: it is the one
    of all other edges. ``columns`` are those of a tile where rows are not cut as `CopyUb` has it.
    """
    ub, few = machine.ub_bytes, top_ks[0]
    hiddens = {"a vendor row": vendor.row(ub, element_bytes)}
    half = (ub - vendor.reserved_bytes) // 2 // SPLIT_GRANULE_BYTES * SPLIT_GRANULE_BYTES
    if batches:
        hiddens["two vendor pieces"] = 2 * half // element_bytes
    for step, change in STEPS.items():
        tokens = machine.cores + change
        yield f"tokens = cores{step}", {"top_k": few, "tokens": tokens}
        if machine in CHIPS:
            for limit, hidden in hiddens.items():
                yield f"hidden = {limit}{step}", {"top_k": few, "hidden": hidden + change}
            for top_k, hidden in ((8, 2048), (MOST_TOP_K, 1), (1, 1)) * batches:
                row = -(-hidden * element_bytes // 32) * 32
                most = min(MOST_TOKENS_OF_A_PASS, ub // (2 * row + 16 * top_k)) * machine.cores
                sizes = {"top_k": top_k, "tokens": most + change, "hidden": hidden}
                yield f"tokens = vendor passes of {hidden}x{top_k}{step}", sizes
        for given, top_k in product((0, 1) if probs else (0,), top_ks):
            copy = CopyUb(ub, top_k, element_bytes, bool(given))
            fixed = {"top_k": top_k, "probs": given}
            told = f"{top_k} slots, {'probs' if given else 'no probs'}{step}"
            if columns:
                tile = columns(ub, top_k, element_bytes, bool(given))
                yield f"hidden, {told}", {**fixed, "hidden": tile + change}
                continue
            yield f"hidden, {told}", {**fixed, "hidden": copy.columns + change}
            if given:
                yield f"two tiles, {told}", {**fixed, "hidden": 2 * copy.columns + change}
            hiddens_of_batches = range(copy.columns - 64 // element_bytes, 0, -16)
            at = bisect_left(hiddens_of_batches, True, key=lambda n: copy.batch(n) > 1)
            if at < len(hiddens_of_batches) and top_k == few:
                hidden = hiddens_of_batches[at]
                tokens = machine.cores * copy.batch(hidden) + change
                yield f"batches, {told}", {**fixed, "tokens": tokens, "hidden": hidden}


def _cost(sizes: Sizes) -> int:
    """Elements that are copied, and slots that are listed and sorted."""
    slots = sizes["top_k"] * sizes.get("tokens", FREE_TOKENS)
    return slots * (sizes.get("hidden", FREE_HIDDEN) + SLOT_COST)


def _sizes_of(permute: TokenPermute, case: Case) -> Sizes:
    """The sizes of a case that an edge may fix, and which families of wide keys it holds."""
    tokens, *columns = case.inputs[permute.tokens].shape
    given = case.inputs[permute.indices]
    top_k = given.size // max(1, tokens)
    probs = int("probs" in case.inputs)
    sizes = {"top_k": top_k, "tokens": tokens, "hidden": math.prod(columns), "probs": probs}
    wide = [one for one in FAMILIES if (one.dtype, one.slots) == (given.dtype, given.size)]
    if wide:
        keys = np.asarray(case.arrays[permute.indices], np.int64).reshape(-1)
        sizes |= {one.name: 1 for one in wide if one.is_shown(keys)}
    return sizes


def _families(permute: TokenPermute) -> list[Family]:
    """The families of wide keys that its indices may hold."""
    return [one for one in FAMILIES if permute.wide and one.dtype in permute.index_dtypes]


def _sizes_of_family(family: Family) -> Sizes:
    """The sizes of a case that shows all of a family of keys."""
    return {"top_k": 2, "tokens": family.slots // 2, "hidden": 1, family.name: 1}


@st.composite
def sorted_cases(
    draw: st.DrawFn, permute: TokenPermute, mode: str, dtype: str, edge: Edge, widest: bool = False
) -> Case:
    """Cases on an edge, of any mode that sorts; the ``widest`` keep as many rows as they can."""
    sizes, top_k = edge.sizes, edge.sizes["top_k"]
    levels = permute.windows.levels[mode]
    level = next((one for one in WIDEST if widest and one in levels), levels[0])
    some_tokens, some_hidden = draw(st.integers(1, FREE_TOKENS)), draw(st.integers(1, FREE_HIDDEN))
    fewest = permute.windows.fewest_tokens(mode, level, top_k)
    tokens = sizes.get("tokens", max(some_tokens, fewest))
    slots, hidden = tokens * top_k, sizes.get("hidden", some_hidden)
    first, second = draw(NUMBERS), draw(NUMBERS)
    asked = permute.windows.attributes(mode, level, slots, 0 if widest else first, second)
    pattern = draw(st.sampled_from(PATTERNS if slots > 2 else ("in order",)))
    generator = np.random.default_rng(draw(SEEDS))
    if permute.probs:
        given, weights = draw(st.booleans()), draw(MOVED)
        asked["probs"] = weights if sizes.get("probs", given) else None
    wide = next((one for one in FAMILIES if one.name in sizes), None)
    for choice in permute.choices:
        every = choice.levels[mode]
        some = [one for one in every if not wide or permute.keys_with(mode, "large", level, one)]
        asked[choice.name] = draw(st.sampled_from(some))
    any_dtype = draw(st.sampled_from(permute.index_dtypes))
    keys = wide.keys(generator) if wide else keyed(pattern, slots, generator)
    return permute.call(
        mode,
        dtype,
        tokens=(tokens, hidden),
        top_k=top_k,
        indices=tuple(keys.tolist()),
        index_dtype=wide.dtype if wide else any_dtype,
        fill=draw(permute.fills(mode)),
        machine=edge.machine,
        **asked,
    )
