"""Where the kernels of MoeReRouting change their path: this project's and the vendor's.

What `limits` says is what the host tiling exports; a test holds them equal, and every run asks the
library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from cases.operators._slot_sum_limits import CHIPS
from conformance.call.case import Machine, numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Sizes

MOST_HIDDEN = 16384
WORD, BLOCK, TILES, MOST_TILE = 4, 32, 6, 65280
"""Bytes of a row number, of a block, and of the largest of six tiles."""

VENDOR_RESERVED, VENDOR_ROW = 12288, 8
"""Bytes of UB, and of a row beside its tokens, in the vendor's pass (membase tiling, read)."""

SMALL = Machine(3, 4096)
LINES = (1, 7, 8, 9, 1000)
FEW: Sizes = {"rank": 3, "expert": 3}


def cursor_bytes(lines: int) -> int:
    """The bytes of a cursor for each rank or expert, whichever are fewer."""
    return -(-WORD * max(lines, 1) // BLOCK) * BLOCK


def tile_bytes(ub_bytes: int, lines: int) -> int:
    """The bytes that are moved at once."""
    return min((ub_bytes - cursor_bytes(lines)) // TILES // BLOCK * BLOCK, MOST_TILE)


def vendor_rows(ub_bytes: int, row_bytes: int) -> int:
    """The rows of one pass of the vendor's kernel."""
    return (ub_bytes - VENDOR_RESERVED) // 2 // (row_bytes + VENDOR_ROW)


def limits(dtypes: Iterable[str]) -> Iterator[Limit]:
    """Every limit on small machines and on the chips."""
    for dtype, lines in product(dtypes, LINES):
        least = cursor_bytes(lines) + TILES * BLOCK
        yield Limit("ub-bytes", least, lines, dtype)
        for ub in (least - 1, least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            tile = tile_bytes(ub, lines) if ub >= least else 0
            cores = SMALL.cores if tile else 0
            yield Limit("cores", cores, lines, dtype, SMALL.cores, ub)
            yield Limit("hidden", tile // numpy_dtype(dtype).itemsize, lines, dtype, ub_bytes=ub)
            yield Limit("batch", tile // WORD, lines, dtype, ub_bytes=ub)
            yield Limit("tokens", tile // WORD * SMALL.cores, lines, dtype, SMALL.cores, ub)


def near_limits(element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    """Sizes just below, at and just above each limit, on a small machine and on the chips."""
    yield "no row", CHIPS[-1], {**FEW, "row": 0, "hidden": 5}
    yield "the most columns", SMALL, {**FEW, "row": 7, "hidden": MOST_HIDDEN}
    for machine, (step, change) in product((SMALL, *CHIPS), STEPS.items()):
        cores, tile = machine.cores, tile_bytes(machine.ub_bytes, 3)
        found: dict[str, Sizes] = {f"rows = {cores}": {**FEW, "row": cores + change}}
        for count in (1, 2):
            ranks = count * cores + change
            found[f"ranks = {count} cores"] = {"rank": ranks, "expert": 2, "longest": 2}
        hidden = tile // element_bytes + change
        found["columns of a tile"] = {**FEW, "row": 4, "hidden": min(hidden, MOST_HIDDEN)}
        found["counts of a tile"] = {"rank": 2, "expert": tile // WORD + change, "row": 9}
        found["lines of a block"] = {"rank": 8 + change, "expert": 8 + change, "longest": 2}
        if machine == SMALL:
            rows = cores * tile // WORD + change
            found["numbers of a tile"] = {"rank": 1, "expert": 1, "row": rows, "hidden": 1}
        else:
            for hidden, count in product((64, 7168, MOST_HIDDEN), (1, 2)):
                rows = vendor_rows(machine.ub_bytes, hidden * element_bytes) * count + change
                sizes = {"rank": 2, "expert": 2, "longest": rows, "hidden": hidden}
                found[f"{count} vendor passes of {hidden} columns"] = sizes
        yield from ((f"{limit}{step}", machine, sizes) for limit, sizes in found.items())
