"""Cases and cells of sums over slots whose probs a map selects, and of the gradients of these.

A padded call is drawn as if every row were the one slot of a token: its tokens are the rows that
indices name, so there may be fewer of them than rows, or more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._moe_token_permute_with_routing_map_maps import MAP_DTYPES
from cases.operators._slot_sum import Indices, Shape, TokenSum, names_of, of_tokens
from cases.operators._slot_sum_cases import near_cases
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._slot_sum_edges import edges_on, sized
from cases.operators._slot_sum_sizes import Lines
from cases.operators._values import WEIGHTS, weight_fills, weights_with
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.built import built
from conformance.draw.patterns import Mask, ranked
from conformance.draw.values import SEEDS
from conformance.record.cells import Axis, Cells, Constraint
from conformance.record.derive.axes import of_dtypes, of_values
from conformance.record.edges import STEPS, Edge, Edges, Sizes
from conformance.values.fill import Fill

DROPLESS, PADDED = ("dropless", "dropless_probs"), ("padded", "padded_probs")
DTYPES = ("float16", "bfloat16", "float32")
PROBS_DTYPES = {"float16": DTYPES[:1], "bfloat16": DTYPES[1:], "float32": DTYPES[2:]}
"""By the data type of the tokens, those that probs may have."""

MAP, PROBS = "routing_map", "probs"
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
PROBS_KINDS = ("as the tokens", "float32 beside others")
ANY_DTYPE, ANY_MAP = st.sampled_from(DTYPES), st.sampled_from(MAP_DTYPES)
ANY_PROBS = weight_fills()
Declared = Callable[[str, int], Iterator[tuple[str, Machine, Sizes]]]


@dataclass(frozen=True, eq=False)
class OfRows(TokenSum):
    """Padded calls, whose indices are the tokens of the rows."""

    uneven: tuple[str, ...] = ()
    window: Callable[[Case], tuple[int, int]] = lambda case: (0, of_tokens(case).shape[0])
    routings: tuple[str, ...] = ROUTINGS
    slots: tuple[str, ...] = ("1",)
    most_top_k: int = 1
    lines: Lines = LINES

    def sizes(self, case: Case) -> tuple[int, int, int]:
        """One slot, the rows and the columns of a case."""
        return 1, names_of(case).size, of_tokens(case).shape[1]

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


@dataclass(frozen=True, eq=False)
class MapSums:
    """An operator: the sums of each mode, what gives a case probs and a map, and its edges.

    ``declared`` are limit, machine and sizes of each edge, by mode and bytes of an element.
    """

    sums: Mapping[str, TokenSum]
    weighted: Callable[..., Case]
    declared: Declared

    def with_probs(
        self,
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
        return built(self.weighted, drawn, dtypes, probs, maps, st.just(experts), SEEDS)

    def cases(
        self, mode: str, dtype: str, small: bool = False, seam: bool = False
    ) -> SearchStrategy[Case]:
        """Cases of one mode and dtype; shrinks to one token, one column, one small core."""
        return _cases(self, mode, dtype, small, seam)

    def cells(self, mode: str, dtype: str) -> Cells:
        """The cells of one mode and dtype: those of the sum, and what probs and map are."""
        size = numpy_dtype(dtype).itemsize
        near = edges_on(self.sums[mode], mode, dtype, self.declared(mode, size))
        found = slot_cells(self.sums[mode], mode, dtype, self._of_mode(mode, dtype, near))
        if not mode.endswith("probs"):
            return found
        return found.completed(
            Axis("probs dtype", PROBS_KINDS, lambda case: [PROBS_KINDS[_is_mixed(case)]]),
            of_values("probs", WEIGHTS, PROBS),
            of_dtypes("map", MAP_DTYPES, MAP),
            cases=lambda drawn, levels: self.with_probs(
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

    def _of_mode(self, mode: str, dtype: str, near: Edges) -> Edges:
        """The edges as the mode draws them, with probs where it has them."""

        def shown(case: Case) -> Sizes:
            top_k, tokens, hidden = self.sums[mode].sizes(case)
            more = {"experts": case.inputs[PROBS].shape[1]} if PROBS in case.inputs else {}
            return {"top_k": top_k, "tokens": tokens, "hidden": hidden, **more}

        return replace(near, sizes_of=shown, cases=partial(self.on_edge, mode, dtype))

    def on_edge(self, mode: str, dtype: str, edge: Edge) -> SearchStrategy[Case]:
        """Cases of the sizes of an edge."""
        sizes = {**edge.sizes, **({"top_k": 1} if mode in PADDED else {})}
        drawn = sized(self.sums[mode], mode, dtype, sizes, edge.machine)
        return self.with_probs(mode, drawn, st.just(dtype), experts=sizes.get("experts", 0))


@cache
def _cases(sums: MapSums, mode: str, dtype: str, small: bool, seam: bool) -> SearchStrategy[Case]:
    near = near_cases(sums.sums[mode], mode, dtype, small=small, seam=seam)
    return sums.with_probs(mode, near)


def _is_mixed(case: Case) -> bool:
    return case.inputs[PROBS].dtype != case.dtype
