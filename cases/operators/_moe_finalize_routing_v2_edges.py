"""Edges of MoeFinalizeRoutingV2: the vendor's paths, and the limits of this project's tiling.

Where the vendor's tiling cuts rows, and holds a whole bias, is in no public text as a number: rows
of which a buffer holds eight, four or none stand for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from cases.operators._extremes import Extremes
from cases.operators._moe_finalize_routing_v2_call import EVEN_COLUMNS, SUM, by_column
from cases.operators._moe_finalize_routing_v2_limits import Kind, kinds
from cases.operators._slot_sum_edges import edges_on, sizes_of
from cases.operators._slot_sum_limits import BUFFERS, CHIPS, GRANULE_BYTES, SMALL
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.record.edges import STEPS, Edges, Sizes

PATHS = (2, 4, 256)
"""top_k of the vendor's own paths; above the last, slots are cut in parts."""

BIASED, SCALE_BYTES, EXPERTS = "biased", "scale_bytes", "experts"
"""Sizes of an edge that fix whether there is a bias, 1 or 0, the bytes of a scale, 0: none, and the
rows of the bias."""


def edges(mode: str, dtype: str) -> Edges:
    """The edges of one mode and dtype; those of this project's tiling fix the optional tensors."""
    size = numpy_dtype(dtype).itemsize
    own = (
        (limit, machine, sizes)
        for prefix, kind in kinds(dtype, by_column(mode))
        for machine in (SMALL, *CHIPS)
        for limit, sizes in _own(machine, kind, f" {prefix.rstrip('-')}".rstrip())
    )
    declared = (*_vendor(size), *own)
    return replace(edges_on(SUM, mode, dtype, declared), sizes_of=_sizes_of)


def extremes(mode: str, dtype: str) -> Extremes:
    """What is extreme in all that is added, and in scales."""
    plain = {SCALE_BYTES: numpy_dtype(dtype).itemsize, BIASED: 0}
    rows = {"expanded_x": {}, "x1": {}, "x2": {}, "bias": {**plain, BIASED: 1}}
    return Extremes(rows, {"scales": plain})


def _sizes_of(case: Case) -> Sizes:
    scales = case.inputs.get("scales")
    return {
        **sizes_of(case),
        BIASED: int("bias" in case.inputs),
        SCALE_BYTES: numpy_dtype(scales.dtype).itemsize if scales else 0,
    }


def _vendor(element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    for machine, (step, change) in product(CHIPS, STEPS.items()):
        for top_k in PATHS:
            yield f"top_k = {top_k}{step}", machine, {"top_k": top_k + change}
        for top_k in (8, 7):
            sizes = {"top_k": top_k, "hidden": EVEN_COLUMNS + change}
            yield f"hidden = {EVEN_COLUMNS} of {top_k} slots{step}", machine, sizes
        for rows in (8, 4, 1):
            hidden = machine.ub_bytes // rows // element_bytes + change
            yield f"hidden = a buffer of {rows} rows{step}", machine, {"top_k": 2, "hidden": hidden}
    for machine, count, (step, change) in product((SMALL, *CHIPS), (1, 2), STEPS.items()):
        tokens = count * machine.cores + change
        yield f"tokens = {count} cores{step}", machine, {"top_k": 3, "tokens": tokens}


def _own(machine: Machine, kind: Kind, name: str) -> Iterator[tuple[str, Sizes]]:
    """Tiles of a row, parts of a token and batches of tokens in one kind of call."""
    ub_bytes = machine.ub_bytes
    fixed = {BIASED: int(kind.biased), SCALE_BYTES: kind.scale_bytes}
    top_k = 8 if kind.scale_bytes else 1
    row = kind.part(ub_bytes, top_k)
    granule = GRANULE_BYTES // kind.element_bytes
    lengths = range(row.columns(4), 0, -granule)
    hidden = next((n for n in lengths if kind.batch(ub_bytes, top_k, n) > 1), 0)
    for step, change in STEPS.items():
        for axis, buffers in BUFFERS.items():
            sizes = {"top_k": top_k, "hidden": row.columns(buffers) + change}
            yield f"{axis}{name}{step}", {**sizes, **fixed}
        sizes = {"top_k": top_k, "hidden": 2 * row.columns(2) + change}
        yield f"two tiles{name}{step}", {**sizes, **fixed}
        if kind.scale_bytes:
            sizes = {"top_k": kind.slots(ub_bytes) + change}
            yield f"slots of a part{name}{step}", {**sizes, **fixed}
        if hidden:
            tokens = machine.cores * kind.batch(ub_bytes, top_k, hidden) + change
            sizes = {"top_k": top_k, "tokens": tokens, "hidden": hidden}
            yield f"batches{name}{step}", {**sizes, **fixed}
