"""Cases, edges and limits of MoeTokenUnpermuteWithRoutingMapGrad: rows that each have one slot.

What `limits` says is what the host tiling exports; with probs slots are cut as in
MoeTokenUnpermuteGrad, their probs lying apart from each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from cases.operators._map_sums import DROPLESS, DTYPES, LINES, PADDED, MapSums, OfRows
from cases.operators._moe_token_unpermute_with_routing_map_grad_call import (
    OUT_INDEX,
    call,
    ids_of_rows,
    weighted,
)
from cases.operators._slot_grad_limits import MACHINES, TOP_KS, WeightedUb, core_edges, own_edges
from cases.operators._slot_grad_limits import limits as slot_limits
from cases.operators._slot_sum import ONCE, TokenSum
from cases.operators._slot_sum_limits import CHIPS, GRANULE_BYTES, SMALL
from conformance.call.case import Machine, numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Sizes

LEAST_UB_OF_ROWS = 2 * GRANULE_BYTES
"""Of a call without probs: a granule in either buffer."""

VENDOR_REDUCED = (512, 4096)
"""Columns from which the vendor's kernel adds products otherwise (its source, read)."""

OWN = ("1 x tile of 1 ", "2 x tile of 8 ", "3 x tile of 1 ", "1 x batch", "2 x batch", "a block")
"""Edges of this project's kernels that are kept; if nothing is padded, parts of a token, too."""

NEAR = replace(
    LINES,
    boundaries=tuple(one for one in LINES.boundaries if "vendor" not in one),
)
"""The vendor's rows are cut at other lengths than in sums: those are edges."""

SUM = TokenSum(
    call,
    uneven=DROPLESS,
    window=lambda case: (0, case.inputs[OUT_INDEX].size),
    routings=ONCE,
    patterns=("none", "some", "whole tokens"),
    lines=NEAR,
)
ROWS = OfRows(call, names=lambda case: ids_of_rows(case).reshape(-1, 1), lines=NEAR)
SUMS = {mode: ROWS if mode in PADDED else SUM for mode in (*DROPLESS, *PADDED)}


def _ub(
    element_bytes: int, prob_bytes: int, ub_bytes: int, top_k: int, padded: bool = False
) -> WeightedUb:
    """The buffer of a call with probs; padded, a row is the one slot of a token."""
    return WeightedUb(ub_bytes, 1 if padded else top_k, element_bytes, prob_bytes, apart=True)


def _columns(ub_bytes: int, element_bytes: int) -> int:
    """The longest row in one tile without probs."""
    return ub_bytes // 2 // GRANULE_BYTES * GRANULE_BYTES // element_bytes


def _vendor_columns(mode: str, ub_bytes: int, element_bytes: int) -> int:
    """The longest row that the vendor's kernel takes whole, beside 32 experts: what the document
    refuses says it, by a column."""
    if mode == PADDED[1]:
        return (ub_bytes - 2080) // (8 + element_bytes)
    left = ub_bytes - (element_bytes + 1) * 32 - (element_bytes + 8) * 256
    return left // (6 * element_bytes + 12)


def _declared(mode: str, element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    """Cores, tiles, parts and batches of a small machine and of the chips; the vendor's pieces."""
    buffer = partial(_ub, element_bytes, element_bytes, padded=mode in PADDED)
    for machine in MACHINES:
        yield from ((limit, machine, sizes) for limit, sizes in core_edges(machine, {}))
        if mode.endswith("probs"):
            own = (*OWN, "part") if mode in DROPLESS else OWN
            for limit, sizes in own_edges(machine, buffer, "", {}):
                if limit.startswith(own):
                    yield limit, machine, {**sizes, **({"top_k": 1} if mode in PADDED else {})}
            continue
        block = GRANULE_BYTES // element_bytes
        tile = _columns(machine.ub_bytes, element_bytes)
        for count, (step, change) in product((1, 2, 3), STEPS.items()):
            for unit, columns in (("tile", tile), ("block of columns", block)):
                hidden = max(1, count * columns + change)
                yield f"{count} x {unit}{step}", machine, {"top_k": 1, "hidden": hidden}
    for chip in CHIPS if mode.endswith("probs") else ():
        pieces = _vendor_columns(mode, chip.ub_bytes, element_bytes)
        for most, (step, change) in product((*VENDOR_REDUCED, pieces), STEPS.items()):
            yield f"hidden = vendor's {most}{step}", chip, {"top_k": 1, "hidden": most + change}


def limits() -> Iterator[Limit]:
    """The limits with probs of the tokens' data type, with wider ones and with none."""
    for dtype in DTYPES:
        size = numpy_dtype(dtype).itemsize
        for prefix, prob_bytes in (("", size), ("fp32-probs-", 4)):
            yield from slot_limits(prefix, dtype, TOP_KS, partial(_ub, size, prob_bytes))
            for ub in (SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
                zeros = 3 * (ub // GRANULE_BYTES * GRANULE_BYTES // prob_bytes)
                yield Limit(f"{prefix}zeros", zeros, 1, dtype, 3, ub)
        yield Limit("no-probs-ub-bytes", LEAST_UB_OF_ROWS, 1, dtype)
        for ub in (LEAST_UB_OF_ROWS, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            yield Limit("no-probs-hidden", _columns(ub, size), 1, dtype, ub_bytes=ub)


MAP_SUMS = MapSums(SUMS, weighted, _declared)
