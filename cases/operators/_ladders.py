"""Ladders that several operators have: their tokens, slots, top_k and columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from hypothesis.strategies import SearchStrategy

from cases.operators._token_permute_sizes import MOST_TOP_K
from conformance.call.case import Case, Machine, Tensor
from conformance.record.cells import Cells
from conformance.record.edges import Edge, Sizes
from conformance.record.size_ladders import MOST, Ladder

SINGLE = "single"
"""The mode of several operators in which every token has one slot."""

FEW = 8
"""top_k of a ladder of slots that are more than tokens, and tokens of one of experts."""

EVERY_TOP_K = 64
"""Each top_k up to it is judged: a kernel may have a table of them."""

PADDED_EXPERTS = 2**13
"""A token has 512 slots at most: a map of n experts, each with a row, has n / 512 tokens, and grows
by the square of n."""

COLUMNS = 16
"""Of a ladder of top_k: in a single one a lost slot may not show, as where the sum is NaN."""

HIDING = frozenset({"special", "scaled", "cancellation", "knife"})
"""Families of values of which some are lost beside others."""

Drawn = Callable[[str, str, Edge], SearchStrategy[Case]]


def on_edges(cells: Callable[[str, str], Cells]) -> Drawn:
    """Calls of the sizes of an edge, as the edges of an operator's cells draw them."""

    def drawn(mode: str, dtype: str, edge: Edge) -> SearchStrategy[Case]:
        near = cells(mode, dtype).edges
        if near is None:
            raise ValueError(f"edges of {mode}, {dtype}: a ladder in this mode needs them")
        return near.cases(edge)

    return drawn


def ladder(
    name: str,
    drawn: Drawn,
    sizes: Callable[[int], Sizes],
    *,
    most: int = MOST,
    least: int = 1,
    step: int = 1,
    every: int = 0,
    modes: Collection[str] = (),
    cheap: int = MOST,
) -> Ladder:
    """A ladder of which ``sizes`` gives those of an edge."""

    def cases(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
        edge = Edge(f"{name} = {size}", machine, sizes(size), 0)
        if mode == SINGLE:
            edge = replace(edge, sizes={**edge.sizes, "top_k": 1})
        return drawn(mode, dtype, edge).map(_readable)

    return Ladder(name, cases, most, least, step, every, tuple(modes), cheap)


def _readable(case: Case) -> Case:
    """The case without values beside which a lost slot does not show: infinities, and large ones
    beside small ones."""
    return replace(case, inputs={name: _plain(one) for name, one in case.inputs.items()})


def _plain(tensor: Tensor) -> Tensor:
    if tensor.fill is None or not HIDING.intersection(tensor.fill.stripes):
        return tensor
    stripes = ("lattice" if one in HIDING else one for one in tensor.fill.stripes)
    return replace(tensor, fill=replace(tensor.fill, stripes=tuple(dict.fromkeys(stripes))))


def of_slots(
    drawn: Drawn,
    *,
    kind: str = "",
    modes: Collection[str] = (),
    most_top_k: int = MOST_TOP_K,
    least_tokens: int = 1,
) -> tuple[Ladder, ...]:
    """Ladders of tokens, slots, top_k and columns in ``modes``, none named: all.

    ``kind`` tells those of some modes from those of others that have kernels of their own.
    ``least_tokens`` are the fewest of any of the modes.
    """
    return (
        *of_tokens(drawn, kind=kind, modes=modes, least_tokens=least_tokens),
        slots(drawn, kind=kind, modes=modes, least_tokens=least_tokens),
        ladder(
            f"top_k{kind}",
            drawn,
            lambda n: {"top_k": n, "hidden": COLUMNS},
            most=most_top_k,
            every=EVERY_TOP_K,
            modes=modes,
        ),
    )


def slots(
    drawn: Drawn, *, kind: str = "", modes: Collection[str] = (), least_tokens: int = 1
) -> Ladder:
    """A ladder of slots that are more than tokens."""
    return ladder(
        f"slots{kind}",
        drawn,
        lambda n: {"top_k": FEW, "tokens": n // FEW, "hidden": 1},
        least=FEW * least_tokens,
        step=FEW,
        modes=modes,
    )


def of_tokens(
    drawn: Drawn, *, kind: str = "", modes: Collection[str] = (), least_tokens: int = 1
) -> tuple[Ladder, ...]:
    """Ladders of tokens and columns alone, as in modes where a token has one slot."""
    return (
        ladder(
            f"tokens{kind}",
            drawn,
            lambda n: {"top_k": 1, "tokens": n, "hidden": 1},
            least=least_tokens,
            modes=modes,
        ),
        ladder(f"columns{kind}", drawn, lambda n: {"top_k": 2, "hidden": n}, modes=modes),
    )


def of_a_map(drawn: Drawn) -> tuple[Ladder, ...]:
    """Ladders of an operator with a map of tokens and experts, padded or not."""
    flat, padded, kind = ("dropless",), ("drop_pad",), ", padded"

    def experts(n: int) -> Sizes:
        return {"top_k": 1, "tokens": FEW, "probs": 1, "hidden": 1, "experts": n}

    def padded_experts(n: int) -> Sizes:
        return {"probs": 1, "hidden": 1, "experts": n}

    return (
        *of_slots(drawn, modes=flat, most_top_k=MOST_TOP_K - 1),
        ladder("experts", drawn, experts, modes=flat),
        *of_tokens(drawn, kind=kind, modes=padded),
        ladder(f"experts{kind}", drawn, padded_experts, modes=padded, cheap=PADDED_EXPERTS),
        ladder(f"capacity{kind}", drawn, lambda n: {"capacity": n, "hidden": 1}, modes=padded),
    )
