"""Cases, edges and limits of MoeTokenUnpermuteWithRoutingMap: sums whose probs a map selects."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from cases.operators._map_sums import DROPLESS, DTYPES, LINES, PADDED, MapSums, OfRows
from cases.operators._moe_token_permute_with_routing_map_grad_sizes import least_pad_ub
from cases.operators._moe_token_unpermute_with_routing_map_call import INDICES, call, weighted
from cases.operators._slot_sum import EVERY, TokenSum
from cases.operators._slot_sum_edges import slot_edges
from cases.operators._slot_sum_limits import BUFFERS, CHIPS, INDEX_BYTES, SMALL, RowUb
from cases.operators._slot_sum_limits import limits as slot_limits
from cases.operators._token_permute_limits import MERGED_AT_ONCE, run_slots
from conformance.call.case import Machine, numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Sizes

SORT_KEYS = (97_281, 291_841)
"""One more than in 16 runs and in 48 runs of the vendor's sort, of 6080 keys each."""

SUM = TokenSum(
    call,
    uneven=("dropless", "dropless_probs"),
    routings=("in order", "permuted", "duplicates", EVERY),
    patterns=("none", "some", "slot 0", "whole tokens", "all"),
    lines=LINES,
)
ROWS = OfRows(call, names=lambda case: np.asarray(case.arrays[INDICES], np.int64).reshape(-1, 1))
SUMS = {mode: ROWS if mode in PADDED else SUM for mode in (*SUM.uneven, *PADDED)}


def _declared(mode: str, element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    """A few of a sum's edges: cores, tiles of a row, the vendor's buffers; padded, those of sums of
    sorted entries, of runs of the sort, and of the vendor's longest ones."""
    weight_bytes = element_bytes if mode == DROPLESS[1] else 0
    kept = ("tokens = 1 cores", "tokens = 2 cores", "hidden = ")
    for limit, machine, sizes in slot_edges(element_bytes, weight_bytes):
        if machine in (SMALL, *CHIPS) and limit.startswith(kept):
            yield limit, machine, {**sizes, "top_k": 1} if mode in PADDED else sizes
        elif limit.startswith("two tiles") and mode in DROPLESS:
            yield limit, machine, sizes
    if mode in DROPLESS:
        return
    for machine, (step, change) in product((SMALL, *CHIPS), STEPS.items()):
        hidden = 2 * _entries(machine.ub_bytes, element_bytes).columns(2)
        yield f"two tiles{step}", machine, {"top_k": 1, "hidden": hidden + change}
        run = {"top_k": 1, "tokens": run_slots(machine.ub_bytes) + change, "hidden": 1}
        yield f"run{step}", machine, run
    for keys in SORT_KEYS:
        yield f"{keys} keys", CHIPS[-1], {"top_k": 1, "tokens": keys, "hidden": 1}


def _entries(ub_bytes: int, element_bytes: int) -> RowUb:
    """The buffer where a row is named by a sorted token and its own number."""
    return RowUb(ub_bytes, element_bytes, INDEX_BYTES, second_name_bytes=INDEX_BYTES)


def limits() -> Iterator[Limit]:
    """The limits with probs of the tokens' data type, with wider ones and with none; then padded.

    In place of a run's keys, a list has so many elements in the buffer at once.
    """
    for dtype in DTYPES:
        size = numpy_dtype(dtype).itemsize
        yield from slot_limits((dtype,), weight_bytes=size)
        yield from slot_limits((dtype,), weight_bytes=4, prefix="fp32-probs-")
        yield from slot_limits((dtype,), prefix="no-probs-")
        for ub in (SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            row, run = _entries(ub, size), run_slots(ub)
            found = {axis: row.columns(count) for axis, count in BUFFERS.items()}
            found |= {"ub-bytes": least_pad_ub(size), "sort": run, "merge-1": MERGED_AT_ONCE * run}
            for axis, value in found.items():
                yield Limit(f"pad-{axis}", value, 1, dtype, ub_bytes=ub)
            for hidden in (1, row.columns(4), row.columns(2) + 1):
                yield Limit("pad-batch", row.names(hidden), 1, dtype, 0, ub, hidden)


MAP_SUMS = MapSums(SUMS, weighted, _declared)
