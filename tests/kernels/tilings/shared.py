"""The work of the parts that tilings share, as the tables in their headers have it."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import FP32, INT8
from tests.kernels.tilings.description import Sizes
from tests.kernels.tilings.work import (
    BLOCK_BYTES,
    COPY_BLOCKS,
    REPEATS,
    Cut,
    Work,
    in_blocks,
    merge_levels,
    round_up,
)

LANES = 64
INDEX_BYTES = 4
PAIR_BYTES = 8
KEYS_AT_ONCE = 32


def element_bytes(dtype: int) -> int:
    """Bytes of an element; 0 of a tensor that is not there."""
    return {FP32: 4, INT8: 1, -1: 0}.get(dtype, 2)


def tiles(sizes: Sizes, columns: int, most: int | None = None) -> Cut:
    """The columns of a row in tiles, each of which but the last ends on a block."""
    return Cut(sizes.hidden, columns, most, BLOCK_BYTES // element_bytes(sizes.dtype))


def shared_out(work: Work, name: str, used: int, tokens: int, cores: int) -> int:
    """Tokens are cut over as many cores as there are or it takes; the most that fall to one."""
    work.launches[name] = used, [min(tokens, cores)]
    work.counts["share"] = -(-tokens // used) if used > 0 else 0
    return work.counts["share"]


def sums(
    work: Work,
    sizes: Sizes,
    rows: Any,
    names: int,
    *,
    source_rows: int,
    name_bytes: int,
    name_buffers: int = 1,
    beside: tuple[int, ...] = (),
    wide_rows: int = 2,
    more_rows: int = 0,
) -> None:
    """shared/rows/row_sum_tiling.h: a core has so many names, with so many bytes beside each."""
    size = element_bytes(sizes.dtype)
    columns = round_up(rows.tileColumns, BLOCK_BYTES // size)
    work.says["tokens"] = rows.tokens, sizes.tokens
    work.says["hidden"] = rows.hidden, sizes.hidden
    work.says["source rows"] = rows.sourceRows, source_rows
    work.says["2 to 4 input buffers"] = 2 <= rows.inputBuffers <= 4, True
    work.cuts["tiles"] = tiles(sizes, rows.tileColumns)
    work.cuts["batches"] = Cut(names, rows.batch)
    work.counts["buffers missing"] = 4 - rows.inputBuffers
    work.buffers["rows"] = [
        *[columns * size] * (rows.inputBuffers + 1),
        (more_rows + (0 if size == 4 else wide_rows)) * 4 * columns,
        *[rows.batch * name_bytes] * name_buffers,
        *(rows.batch * each for each in beside),
    ]


def sums_of_slots(work: Work, sizes: Sizes, data: Any, *, beside: tuple[int, ...] = ()) -> None:
    """A core adds up the rows that the indices of its tokens name: one index for each slot."""
    work.says["slots of a token"] = data.topK, sizes.top_k
    each = shared_out(work, "blocks", data.usedCores, sizes.tokens, sizes.cores)
    of_indices = INDEX_BYTES * sizes.top_k
    sums(
        work,
        sizes,
        data.rows,
        each,
        source_rows=sizes.slots,
        name_bytes=of_indices,
        beside=beside,
    )


def copies(
    work: Work,
    sizes: Sizes,
    slots: Any,
    *,
    copied: int | None = None,
    top_k: int | None = None,
    index_bytes: int = 0,
) -> list[int]:
    """shared/slots/slot_copy_tiling.h, but for the sort: the blocks that copies keep busy."""
    copied = sizes.tokens if copied is None else copied
    top_k = sizes.top_k if top_k is None else top_k
    at_once, columns = slots.tokensPerBatch, slots.tileColumns
    row = in_blocks(columns * element_bytes(sizes.dtype))
    parts = Cut(at_once * top_k, slots.slotsPerBatch, COPY_BLOCKS if slots.hasProbs else None)
    work.says["tokens"] = slots.tokens, sizes.tokens
    work.says["slots of a token"] = slots.topK, top_k
    work.says["hidden"] = slots.hidden, sizes.hidden
    work.cuts["cores"] = Cut(copied, slots.tokensPerCore)
    work.cuts["batches"] = Cut(slots.tokensPerCore, at_once, COPY_BLOCKS)
    work.cuts["parts"] = parts
    work.cuts["tiles"] = tiles(sizes, columns)
    work.counts["share"] = slots.tokensPerCore
    work.buffers["copies"] = [
        2 * at_once * row,
        INDEX_BYTES * slots.slotsPerBatch,
        2 * BLOCK_BYTES * slots.slotsPerBatch * slots.hasProbs,
        index_bytes * at_once,
    ]
    whole = columns == sizes.hidden and parts.count == 1
    work.says["rows of a batch are whole, with all their slots"] = at_once == 1 or whole, True
    return [work.cuts["cores"].count]


def ranks(work: Work, slots: Any, first: int, count: int) -> None:
    """Ranks that have a place in the output."""
    work.says["first rank"] = slots.firstRank, first
    work.says["last rank"] = slots.endRank, first + count


def sort(work: Work, sizes: Sizes, slots: Any) -> list[int]:
    """shared/sorting/stable_sort_tiling.h, and its workspace: the blocks that it keeps busy."""
    cut, tile = slots.sort, slots.sort.tileKeys
    most = min(4 * tile, REPEATS * KEYS_AT_ONCE)
    runs = Cut(sizes.slots, cut.runKeys, most, KEYS_AT_ONCE, rounded=True)
    work.cuts["runs"] = runs
    work.cuts["keys at once"] = Cut(4 * tile, 4 * tile, REPEATS * KEYS_AT_ONCE)
    work.counts["levels"] = merge_levels(cut.runs)
    work.says["keys"] = cut.keys, sizes.slots
    work.says["runs"] = cut.runs, runs.count
    work.says["a tile has whole quarters of them"] = tile % (KEYS_AT_ONCE // 4), 0
    work.says["no more merges than runs need"] = (
        work.counts["levels"],
        merge_levels(-(-sizes.slots // (4 * tile))),
    )
    work.buffers["sort"] = [PAIR_BYTES * 4 * tile] * 3
    pairs = PAIR_BYTES * sizes.slots if cut.runs > 1 else 0
    work.workspace_bytes = slots.workspaceBytes
    work.workspace += [
        (0, INDEX_BYTES * sizes.slots),
        (slots.pairsOffset, pairs),
        (slots.pairsOffset + slots.pairsBytes, pairs),
    ]
    return [min(cut.runs, sizes.cores)]


def routed_rows(
    work: Work, sizes: Sizes, data: Any, rows: int, *, copied_bytes: int = 0
) -> list[int]:
    """shared/routing/routed_rows_tiling.h, of rows as int8, or of copies with so many bytes of an
    element: the blocks that they keep busy.
    """
    slots, columns = data.slots, data.slots.tileColumns
    busy = [min(max(sizes.slots, rows, 1), sizes.cores), *sort(work, sizes, slots)]
    work.says["tokens"] = slots.tokens, sizes.tokens
    work.says["rows"] = slots.endRank, rows
    work.says["hidden"] = slots.hidden, sizes.hidden * max(copied_bytes, 1)
    most, granule = (None, BLOCK_BYTES) if copied_bytes else (REPEATS * LANES, 8)
    work.cuts["tiles"] = Cut(slots.hidden, columns, most, granule)
    work.counts["zeros"] = data.zeroBytes
    work.buffers["rows"] = [
        INDEX_BYTES * data.counted.tileEntries,
        INDEX_BYTES * slots.slotsPerBatch,
        data.zeroBytes,
        BLOCK_BYTES,
        *([2 * in_blocks(columns)] if copied_bytes else [*[4 * columns] * 4, columns, BLOCK_BYTES]),
    ]
    return busy


def gather(work: Work, sizes: Sizes, probs: Any, used: int) -> None:
    """shared/slots/slot_gather_tiling.h."""
    size, batch = element_bytes(sizes.dtype), probs.batch
    work.cuts["gathers"] = Cut(-(-probs.slots // used), batch)
    work.buffers["gather"] = [INDEX_BYTES * batch, BLOCK_BYTES * batch, size * batch]


def weighted(work: Work, sizes: Sizes, slots: Any, weight_bytes: int, has_bias: bool) -> int:
    """shared/slots/slot_grad_tiling.h: the blocks that slots keep busy."""
    size, top_k = element_bytes(sizes.dtype), sizes.top_k
    each, batch, part = slots.slotsPerCore, slots.slotsPerBatch, slots.slotsPerPart
    columns = round_up(slots.tileColumns, BLOCK_BYTES // size)
    names = INDEX_BYTES * batch
    work.cuts["cores"] = Cut(sizes.slots, each)
    work.cuts["batches"] = Cut(each, batch)
    work.cuts["parts"] = Cut(top_k, part, min(REPEATS, batch))
    work.cuts["tiles"] = tiles(sizes, slots.tileColumns, REPEATS * LANES)
    work.counts["share"] = -(-each // top_k)
    work.counts["slots at once"] = batch
    of_each = -(-sizes.slots // sizes.cores)
    few = sizes.tokens < sizes.cores
    work.says["few tokens share their slots, others are not cut"] = (
        each,
        of_each if few else round_up(of_each, top_k),
    )
    lanes = slots.tileColumns % LANES == 0 or LANES % slots.tileColumns == 0
    work.says["a column has the same lane in every cut"] = (
        lanes or slots.tileColumns == sizes.hidden,
        True,
    )
    unit = top_k if batch >= top_k else part
    work.says["a batch has whole tokens or whole parts"] = batch == each or batch % unit == 0, True
    work.buffers["slots"] = [
        *[2 * columns * size] * (3 + has_bias),
        0 if size == 4 else 4 * columns * (2 + has_bias),
        4 * LANES * part,
        names,
        *[weight_bytes * batch] * 2,
        names if weight_bytes < 4 else 0,
        names * has_bias,
    ]
    return work.cuts["cores"].count


def walk(work: Work, sizes: Sizes, cut: Any, buffers: list[int]) -> int:
    """shared/routing_map/routing_map_tiling.h, with its buffers: the blocks that it keeps busy."""
    work.says["tokens of the map"] = cut.tokens, sizes.tokens
    work.says["experts of the map"] = cut.experts, sizes.experts
    work.cuts["map tiles"] = Cut(sizes.experts, cut.tileExperts, multiple=KEYS_AT_ONCE)
    share = -(-sizes.tokens // cut.usedCores)
    work.cuts["map batches"] = Cut(share, cut.tileTokens, COPY_BLOCKS)
    whole = cut.tileTokens == 1 or cut.tileExperts == sizes.experts
    work.says["a tile of some experts has one token"] = whole, True
    counts = [3 * INDEX_BYTES * round_up(cut.tileExperts, KEYS_AT_ONCE)]
    work.buffers["map"] = counts + buffers
    return min(sizes.tokens, sizes.cores)
