"""Where the kernels of MoeFinalizeRoutingV2Grad change their path.

What `limits` says is what the host tiling exports as MoeFinalizeRoutingV2GradTilingLimit; a test
holds them equal, and every run asks the library. Where the vendor's tiling cuts is in no public
text as a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from hypothesis.strategies import SearchStrategy

from cases.operators import _slot_grad_limits as slot_grad
from cases.operators._moe_finalize_routing_v2_grad_call import (
    BIAS,
    DTYPES,
    SINGLE,
    SINGLE_PLACED,
    SUM,
    rows_of,
)
from cases.operators._slot_grad_limits import (
    MACHINES,
    TOP_KS,
    MovedUb,
    SlotUb,
    WeightedUb,
    core_edges,
    own_edges,
)
from cases.operators._slot_sum_edges import edges_on, sizes_of
from cases.operators._slot_sum_limits import GRANULE_BYTES, SMALL
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Edge, Edges, Sizes

BIASED_EDGE, EXPERTS_EDGE, PLACES_EDGE = "biased", "experts", "places"
"""Sizes of an edge that fix whether there is a bias, 1 or 0, its rows, and whether rows are places
of experts, 1 or 0."""


def _buffer(element_bytes: int, biased: bool) -> Callable[[int, int], SlotUb]:
    """The buffer of a call with scales, which have the dtype of the rows, by bytes and top_k."""
    return lambda ub_bytes, top_k: WeightedUb(ub_bytes, top_k, element_bytes, element_bytes, biased)


def _moved(element_bytes: int) -> Callable[[int, int], SlotUb]:
    return lambda ub_bytes, _: MovedUb(ub_bytes, element_bytes)


def zeros(ub_bytes: int, element_bytes: int) -> int:
    """Zeros that one core writes at once: whole blocks in all of the buffer."""
    return ub_bytes // GRANULE_BYTES * GRANULE_BYTES // element_bytes


def limits() -> Iterator[Limit]:
    """The limits with scales, with a bias as well, and with neither."""
    for dtype in DTYPES:
        size = numpy_dtype(dtype).itemsize
        for prefix, top_ks, of in (
            ("", TOP_KS, _buffer(size, False)),
            ("bias-", TOP_KS, _buffer(size, True)),
            ("no-scales-", (1,), _moved(size)),
        ):
            yield from slot_grad.limits(prefix, dtype, top_ks, of)
            least = of(0, 1).least
            for ub in (least - 1, least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
                found = SMALL.cores * zeros(ub, size) if ub >= least else 0
                yield Limit(f"{prefix}zeros", found, 1, dtype, SMALL.cores, ub)


def edges(mode: str, dtype: str) -> Edges:
    """The edges of one mode and dtype; with scales an edge fixes whether there is a bias."""
    size = numpy_dtype(dtype).itemsize
    declared = [
        (limit, machine, sizes) for machine in MACHINES for limit, sizes in _on(machine, size, mode)
    ]
    single = mode == "single"
    near, placed = (
        edges_on(sums, mode, dtype, declared, products=not single)
        for sums in ((SINGLE, SINGLE_PLACED) if single else (SUM, SUM))
    )

    def cases(edge: Edge) -> SearchStrategy[Case]:
        return (placed if edge.sizes.get(PLACES_EDGE) else near).cases(edge)

    return replace(near, sizes_of=_sizes_of, cases=cases)


def _sizes_of(case: Case) -> Sizes:
    return {
        **sizes_of(case),
        "rows": rows_of(case),
        BIASED_EDGE: int(BIAS in case.inputs),
        PLACES_EDGE: case.attributes["drop_pad_mode"],
    }


def _on(machine: Machine, element_bytes: int, mode: str) -> Iterator[tuple[str, Sizes]]:
    yield from core_edges(machine, {BIASED_EDGE: 0})
    if mode == "single":
        yield from own_edges(machine, _moved(element_bytes), "", {BIASED_EDGE: 0})
        yield from _zeros(machine, element_bytes, 1)
        return
    for biased in (0, 1):
        kind = ", bias" if biased else ""
        yield from own_edges(
            machine, _buffer(element_bytes, bool(biased)), kind, {BIASED_EDGE: biased}
        )
    if mode == "drop_pad":
        yield from _zeros(machine, element_bytes, 2)


def _zeros(machine: Machine, element_bytes: int, top_k: int) -> Iterator[tuple[str, Sizes]]:
    """How many zeros a core writes: none on the last one, or as many as it has room for."""
    fixed = {"top_k": top_k, BIASED_EDGE: 0, PLACES_EDGE: 1}
    fewer = {"tokens": machine.cores, "rows": 1, "hidden": machine.cores - 1}
    yield "zeros = cores - 1", {**fewer, **fixed}
    most = zeros(machine.ub_bytes, element_bytes)
    for count, (step, change) in product((1, 2), STEPS.items()):
        sizes = {"tokens": 1, "rows": machine.cores, "hidden": count * most + change}
        yield f"{count} x zeros of every core{step}", {**sizes, **fixed}
