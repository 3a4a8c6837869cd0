"""Up to three launches: rows added up, after a sort if padded; probs taken from the map or sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import AXES, Axis, Description, Sizes
from tests.kernels.tilings.work import COPY_BLOCKS, REPEATS, Cut, Work, merge_levels, round_up

PAD, MASK = "pad-", "mask-"
ENTRY_BYTES = 8


def has_probs(sizes: Sizes) -> bool:
    """Those of the names of kinds, but the plain one, and no variant."""
    return sizes.kind != "" and not sizes.variant


def rows_of(sizes: Sizes) -> int:
    return sizes.experts * sizes.capacity if sizes.kind == PAD else sizes.slots


def call(sizes: Sizes) -> Call:
    return {
        "tokens": sizes.tokens,
        "experts": sizes.experts,
        "hidden": sizes.hidden,
        "rows": rows_of(sizes),
        "hasProbs": int(has_probs(sizes)),
        "dropAndPad": int(sizes.kind == PAD),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, pads, rows = Work(), sizes.kind == PAD, rows_of(sizes)
    found.says["data type"] = data.dtype, sizes.dtype
    found.says["slots of a token"] = data.topK, 0 if pads else sizes.top_k
    each = shared.shared_out(found, "rows", data.rowCores, sizes.tokens, sizes.cores)
    name_bytes = ENTRY_BYTES if pads else shared.INDEX_BYTES * sizes.top_k
    names = rows if pads else each
    shared.sums(found, sizes, data.rows, names, source_rows=rows, name_bytes=name_bytes)
    if pads:
        sort(found, data.sort, rows, sizes.cores)
    if pads and has_probs(sizes):
        scatter(found, sizes, data.scatter)
    elif has_probs(sizes):
        mask, size = data.mask, shared.element_bytes(sizes.dtype)
        line = round_up(mask.tileExperts, 32) + round_up(mask.tileExperts * size, 32)
        buffers = [mask.tileTokens * line, mask.tileTokens * size]
        found.launches["mask"] = mask.usedCores, [shared.walk(found, sizes, mask, buffers)]
    found.says["blocks for probs"] = (
        (data.mask.usedCores > 0) + 2 * (data.scatter.usedCores > 0),
        has_probs(sizes) * (1 + pads),
    )
    return found


def sort(found: Work, cut: Any, rows: int, cores: int) -> None:
    runs = Cut(rows, cut.runEntries, REPEATS * 32, 32, rounded=True)
    found.says["entries"] = cut.entries, rows
    found.says["a list has whole blocks"] = cut.mergeEntries % 4, 0
    found.says["levels"] = cut.levels, merge_levels(runs.count)
    found.cuts["runs"] = runs
    found.cuts["merged"] = Cut(cut.mergeEntries, cut.mergeEntries, COPY_BLOCKS)
    found.counts["merge entries"] = cut.mergeEntries
    found.buffers["run"], found.buffers["merge"] = [24 * cut.runEntries], [64 * cut.mergeEntries]
    found.launches["sort"] = cut.usedCores, [min(runs.count, cores)]


def scatter(found: Work, sizes: Sizes, cut: Any) -> None:
    rows = rows_of(sizes)
    found.says["elements of the probs"] = cut.elements, sizes.tokens * sizes.experts
    found.says["experts of the probs"] = cut.experts, sizes.experts
    found.says["places of an expert"] = cut.capacity, sizes.capacity
    found.says["rows of the probs"] = cut.rows, rows
    found.launches["scatter"] = cut.usedCores, [sizes.cores if rows > sizes.cores else 1]
    last = rows - rows // cut.usedCores * (cut.usedCores - 1)
    found.cuts["scattered"] = Cut(last, cut.batch, COPY_BLOCKS)
    found.buffers["scatter"] = [shared.INDEX_BYTES * cut.batch, 32 * cut.batch]
    no_more_fit = (shared.INDEX_BYTES + 32) * (cut.batch + 1) + 28 > sizes.ub
    full = no_more_fit or cut.batch == min(last, COPY_BLOCKS)
    found.says["a batch has as many rows as fit"] = full, True


def fit(sizes: Sizes) -> Sizes:
    """Keys are exact up to 2^24 tokens, and rows are counted by 31 bits."""
    places = min(sizes.places, 10**9 // sizes.experts)
    return replace(sizes, places=places, top_k=1 if sizes.kind == PAD else sizes.top_k)


PADDED_ROWS = {"kind": PAD, "tokens": 5, "experts": 1}
OF_ONE_CORE = {**PADDED_ROWS, "cores": 1}
RIGHT = call(Sizes(kind=MASK, tokens=4, experts=3, top_k=2, hidden=16))
PADDED = call(Sizes(kind=PAD, tokens=4, experts=3, places=3, hidden=16))
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "padded": PADDED},
    fit,
    ("", PAD, MASK),
    axes={
        "experts": Axis("experts", "map tiles", fixed={"kind": MASK}),
        "tile-tokens": replace(AXES["map-batch"], fixed={"kind": MASK, "cores": 1}),
        "entries": Axis("places", "batches", fixed=OF_ONE_CORE),
        "run": Axis("places", "runs", fixed=OF_ONE_CORE),
        "sorted": Axis("places", "runs", None, fixed=PADDED_ROWS),
        "merge": Axis(says="merge entries", fixed={"kind": PAD}),
        "scatter": Axis("places", "scattered", fixed=OF_ONE_CORE),
    },
    checked=("tokens", "experts", "hidden", "rows"),
    changes={
        "data types": ({"dtype": FP16}, {"dtype": BF16}),
        "slots": (
            *(call(Sizes(kind=MASK, tokens=2, experts=600, top_k=k)) for k in (512, 513)),
            *(call(Sizes(kind=PAD, tokens=4, experts=3, places=n)) for n in (2**30 // 2, 2**30)),
            *(call(Sizes(kind=PAD, tokens=n, places=5)) for n in (2**24, 2**24 + 1)),
        ),
        "no probs": ({"hasProbs": 0}, {**PADDED, "hasProbs": 0}),
    },
)
