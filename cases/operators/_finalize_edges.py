"""Where kernels that finalize change their path: edges there and on the vendor's paths.

The limits follow from what the header of the host tiling says of the unified buffer; a test holds
them equal to what it exports as MoeFinalizeRoutingV2TilingLimit, and every run asks the library.
Where the vendor's tiling cuts rows, and holds a whole bias, is in no public text as a number: rows
of which a buffer holds eight, four or none stand for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from cases.operators._extremes import Extremes
from cases.operators._finalize_call import EVEN_COLUMNS
from cases.operators._finalize_signature import DTYPES, SCALES_DTYPES, by_column
from cases.operators._slot_sum import TokenSum
from cases.operators._slot_sum_edges import edges_on, sizes_of
from cases.operators._slot_sum_limits import (
    BUFFERS,
    CHIPS,
    GRANULE_BYTES,
    INDEX_BYTES,
    SMALL,
    RowUb,
)
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Edges, Sizes

NAMES_SHARE = 4
"""All names of a token are held together where they fit such a part of the buffer."""

TOP_KS = (1, 8, 2000)


@dataclass(frozen=True)
class Kind:
    """What of a call decides how the buffer is shared, beside the dtype of its rows.

    ``scale_bytes`` 0: there are no scales, and top_k is 1. ``by_column``: the indices of a slot lie
    together, those of a token apart.
    """

    element_bytes: int
    scale_bytes: int
    biased: bool
    by_column: bool

    def row(self, ub_bytes: int, slots: int) -> RowUb:
        """The buffer where a token is named by so many slots."""
        experts = INDEX_BYTES * slots if self.biased else 0
        return RowUb(
            ub_bytes,
            self.element_bytes,
            INDEX_BYTES if self.by_column else INDEX_BYTES * slots,
            self.scale_bytes * slots,
            experts,
            name_buffers=slots if self.by_column else 1,
            wide_rows=3 if self.biased else 2,
        )

    @property
    def least(self) -> int:
        """The least buffer that the host tiling accepts: the names of one slot and a granule."""
        return self.row(0, 1).least

    def slots(self, ub_bytes: int) -> int:
        """The most slots of a token in one part; 0 below the least buffer."""
        if ub_bytes < self.least:
            return 0
        room = ub_bytes // NAMES_SHARE
        index = GRANULE_BYTES if self.by_column else INDEX_BYTES
        most = room // (index + self.scale_bytes + (INDEX_BYTES if self.biased else 0))
        for slots in range(most, 1, -1):
            row = self.row(ub_bytes, slots)
            if row.of_names(1) <= room and row.least <= ub_bytes:
                return slots
        return 1

    def part(self, ub_bytes: int, top_k: int) -> RowUb:
        """The buffer where a token of top_k slots is named by those of a part."""
        return self.row(ub_bytes, max(1, min(top_k, self.slots(ub_bytes))))

    def batch(self, ub_bytes: int, top_k: int, hidden: int) -> int:
        """The most tokens that a core has at a time: one, where it has several parts."""
        slots = self.slots(ub_bytes)
        return self.row(ub_bytes, top_k).names(hidden) if top_k <= slots else min(1, slots)


def kinds(dtype: str, by_column: bool, whole: bool = False) -> Iterator[tuple[str, Kind]]:
    """The kinds of calls in one layout of indices, each with what leads the names of its limits.

    ``whole``: of an operator in which bias and scales are always given, of the rows' data type.
    """
    size = numpy_dtype(dtype).itemsize
    if whole:
        yield "bias-", Kind(size, size, True, by_column)
        return
    scales = {"": size, "no-scales-": 0}
    if "float32" in SCALES_DTYPES[dtype] and dtype != "float32":
        scales["fp32-scales-"] = 4
    for biased, (prefix, scale_bytes) in product((False, True), scales.items()):
        yield f"{'bias-' * biased}{prefix}", Kind(size, scale_bytes, biased, by_column)


def limits(layouts: tuple[bool, ...] = (True, False), whole: bool = False) -> Iterator[Limit]:
    """Every limit of every kind of call, on a small machine and on the chips.

    ``layouts``: whether indices lie by column; ``whole`` as in `kinds`.
    """
    for dtype, columns in product(DTYPES, layouts):
        for prefix, kind in kinds(dtype, columns, whole):
            led = f"{'token-major-' * (not columns)}{prefix}"
            for top_k in TOP_KS if kind.scale_bytes else (1,):
                yield from _of(kind, led, top_k, dtype)


def _of(kind: Kind, prefix: str, top_k: int, dtype: str) -> Iterator[Limit]:
    yield Limit(f"{prefix}ub-bytes", kind.least, top_k, dtype)
    yield Limit(f"{prefix}cores", SMALL.cores, top_k, dtype, SMALL.cores)
    for ub in (kind.least - 1, kind.least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
        yield Limit(f"{prefix}slots", kind.slots(ub), top_k, dtype, ub_bytes=ub)
        row = kind.part(ub, top_k)
        for axis, buffers in BUFFERS.items():
            yield Limit(f"{prefix}{axis}", row.columns(buffers), top_k, dtype, ub_bytes=ub)
        for hidden in sorted({1, max(1, row.columns(4)), row.columns(2) + 1}):
            batch = kind.batch(ub, top_k, hidden)
            yield Limit(f"{prefix}batch", batch, top_k, dtype, 0, ub, hidden)
            yield Limit(f"{prefix}tokens", 3 * batch, top_k, dtype, 3, ub, hidden)


PATHS = (2, 4, 256)
"""top_k of the vendor's own paths; above the last, slots are cut in parts."""

BIASED, SCALE_BYTES, EXPERTS = "biased", "scale_bytes", "experts"
"""Sizes of an edge that fix whether there is a bias, 1 or 0, the bytes of a scale, 0: none, and the
rows of the bias."""


def edges(sums: TokenSum, mode: str, dtype: str, whole: bool = False) -> Edges:
    """The edges of one mode and dtype; those of this project's tiling fix the optional tensors.

    ``whole`` as in `kinds`."""
    size = numpy_dtype(dtype).itemsize
    own = (
        (limit, machine, sizes)
        for prefix, kind in kinds(dtype, by_column(mode), whole)
        for machine in (SMALL, *CHIPS)
        for limit, sizes in _own(machine, kind, f" {prefix.rstrip('-')}".rstrip())
    )
    declared = (*_vendor(size), *own)
    return replace(edges_on(sums, mode, dtype, declared), sizes_of=_sizes_of)


def extremes(mode: str, dtype: str, whole: bool = False) -> Extremes:
    """What is extreme in all that is added, and in scales; ``whole`` as in `kinds`."""
    plain = {SCALE_BYTES: numpy_dtype(dtype).itemsize, BIASED: int(whole)}
    if whole:  # an infinite scale times a row and its bias is no sum of infinities
        return Extremes(dict.fromkeys(("expanded_x", "x1", "x2", "bias"), plain))
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
