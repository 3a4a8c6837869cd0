"""MoeTokenPermuteWithEp with paddedMode: indices that name tokens, near and far, and cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._token_permute_cells import INDEX_DTYPES, MOST_HIDDEN, PROBS, probs_with
from cases.operators._token_permute_sizes import BOUNDARIES, Sizes, boundaries_of, sizes_at
from conformance.call.case import Case, numpy_dtype
from conformance.draw.far import far_routings, mostly
from conformance.draw.machines import machines
from conformance.draw.patterns import LEAST_KEPT, RANKS, rank_patterns, ranked
from conformance.draw.routings import Indices, unread_rows
from conformance.draw.sizes import FEW_ELEMENTS, cheap, few_more, hiddens, token_counts
from conformance.draw.values import MOVED, MOVED_FIRST, SEEDS, fills_with
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.derive.axes import of_dtypes, of_machines, of_values

PADDED_BOUNDARIES = tuple(name for name in BOUNDARIES if not name.startswith("slots"))
"""``tokens`` are the rows of the result here: nothing is sorted."""

IGNORED_RANGES = st.sampled_from([None, (0, 0), (1, 0), (3, 9)])
MOST_ROWS = 2_000
LARGEST_CASE = 30_000

Call = Callable[..., Case]


def padded_cases(call: Call, dtype: str, small: bool = False) -> SearchStrategy[Case]:
    """Cases of one dtype, a few of them with tokens beyond 2^31 elements."""
    return mostly(near_cases(call, dtype, small), far_cases(call, dtype, small))


@st.composite
def near_cases(draw: st.DrawFn, call: Call, dtype: str, small: bool = False) -> Case:
    """Cases of one dtype; shrinks to one row, which is the one token, and one column."""
    most_rows, most_hidden = (8, 64) if small else (MOST_ROWS, 5000)
    machine = draw(machines())
    rows = draw(token_counts(machine.cores, most_rows))
    hidden = draw(hiddens(max(1, min(most_hidden, LARGEST_CASE // rows))))
    routing = draw(st.sampled_from(RANKS if rows >= LEAST_KEPT else ("in order",)))
    indices = ranked(routing, rows, np.random.default_rng(draw(SEEDS)))
    tokens = int(indices.max()) + 1 + draw(st.integers(0, 3))
    return call(
        dtype,
        tokens=(tokens, hidden),
        indices=tuple(indices.tolist()),
        index_dtype=draw(st.sampled_from(INDEX_DTYPES)),
        experts=draw(st.sampled_from(divisors(rows))),
        probs=draw(st.none() | MOVED),
        rank_range=draw(IGNORED_RANGES),
        num_out_tokens=draw(st.sampled_from([0, 1, -1, 3])),
        fill=draw(MOVED),
        unread=unread_rows(indices, tokens),
        machine=machine,
    )


@st.composite
def far_cases(draw: st.DrawFn, call: Call, dtype: str, small: bool = False) -> Case:
    """Cases that read the last token of 2^31 or 2^32 elements and a little more."""
    machine = draw(machines())
    rows = draw(token_counts(machine.cores, 8 if small else 64))
    far = draw(far_routings(rows, 1, most_groups=1, most_hidden=64 if small else 2000))
    named = tuple(index if index >= 0 else far.rows[-1] for index in far.indices)
    return call(
        dtype,
        tokens=far.shape[1:],
        indices=named,
        index_dtype=draw(st.sampled_from(INDEX_DTYPES)),
        fill=draw(MOVED),
        held=far.rows,
        unread=tuple(sorted(set(far.rows) - set(named))),
        machine=machine,
    )


@cache
def padded_cells(call: Call, dtype: str) -> Cells:
    """The cells of one dtype; ``call`` makes a case of sizes."""
    element_bytes = numpy_dtype(dtype).itemsize

    def solvable(boundary: str, cores: str, ub: str, routing: str) -> bool:
        found = sizes_at(boundary, "1", cores, ub, element_bytes)
        return any(sizes.holds(_least(routing)) for sizes in found)

    return Cells(
        axes=(
            Axis("boundary", PADDED_BOUNDARIES, _boundaries_of),
            Axis("routing", RANKS, _routings_of),
            of_values("family", MOVED_FIRST, "tokens"),
            of_dtypes("indices", INDEX_DTYPES, "indices"),
            of_values("probs", PROBS, "probs", absent=PROBS[0]),
            *of_machines(),
        ),
        cases=lambda levels: _cases(call, dtype, levels),
        constraints=(
            Constraint(
                ("boundary", "cores", "UB", "routing"),
                solvable,
                "no size meets these, or only one that is too big",
            ),
        ),
    )


@st.composite
def _cases(draw: st.DrawFn, call: Call, dtype: str, levels: Levels) -> Case:
    """Cases that show these levels; every one takes the same number of choices."""
    least = _least(levels["routing"])
    element_bytes = numpy_dtype(dtype).itemsize
    found = sizes_at(levels["boundary"], "1", levels["cores"], levels["UB"], element_bytes)
    solved = [sizes for sizes in found if sizes.holds(least)]
    chosen: Sizes = cheap(draw, solved)
    more_rows, any_hidden = draw(st.integers(0, 60)), draw(hiddens(MOST_HIDDEN))
    more = few_more(more_rows, chosen.hidden or 1)
    rows = chosen.tokens or min(least + more, chosen.most_tokens)
    hidden = chosen.hidden or (any_hidden - 1) % max(1, FEW_ELEMENTS // rows) + 1
    indices = ranked(levels["routing"], rows, np.random.default_rng(draw(SEEDS)))
    shares = divisors(rows)
    experts = shares[draw(st.integers(0, 4095)) % len(shares)]
    weights, tokens = draw(probs_with(levels["probs"], experts)), int(indices.max()) + 1
    return call(
        dtype,
        tokens=(tokens, hidden),
        indices=tuple(indices.tolist()),
        index_dtype=levels["indices"],
        experts=experts,
        probs=None if levels["probs"] == "absent" else weights,
        fill=draw(fills_with(levels["family"], 1, hidden, MOVED_FIRST)),
        unread=unread_rows(indices, tokens),
        machine=chosen.machine,
    )


def divisors(rows: int) -> list[int]:
    """Numbers of experts among which the rows can be shared, up to 8."""
    return [experts for experts in range(1, 9) if rows % experts == 0]


def _least(routing: str) -> int:
    """The fewest rows in which a routing shows."""
    return 1 if routing == "in order" else LEAST_KEPT


def _boundaries_of(case: Case) -> set[str]:
    rows, hidden = case.outputs["permute_tokens"].shape
    element_bytes = numpy_dtype(case.dtype).itemsize
    return boundaries_of(case.machine, rows, 0, hidden, element_bytes)


def _routings_of(case: Case) -> set[str]:
    indices: Indices = np.asarray(case.arrays["indices"], np.int64)
    return rank_patterns(indices)
