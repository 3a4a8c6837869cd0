"""Slots are cut over the cores: rows with weights apart, or rows that are only moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, FP32, NONE, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import AXES, Axis, Description, Sizes
from tests.kernels.tilings.work import BLOCK_BYTES, Cut, Work, round_up

WIDE, BARE = "fp32-probs-", "no-probs-"


def probs_dtype(sizes: Sizes) -> int:
    return {WIDE: FP32, BARE: NONE}.get(sizes.kind, sizes.dtype)


def fit(sizes: Sizes) -> Sizes:
    """Padded calls are the other form. Of others a token has no more slots than experts."""
    if sizes.variant:
        return replace(sizes, top_k=1, places=min(sizes.capacity, sizes.tokens))
    return replace(sizes, experts=max(sizes.experts, sizes.top_k))


def slots_of(sizes: Sizes) -> int:
    return sizes.experts * sizes.places if sizes.variant else sizes.slots


def call(sizes: Sizes) -> Call:
    return {
        "tokens": sizes.tokens,
        "hidden": sizes.hidden,
        "slots": slots_of(sizes),
        "experts": sizes.experts * (probs_dtype(sizes) != NONE),
        "padded": int(sizes.variant),
        "probsDtype": probs_dtype(sizes),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, probs, slots, count = Work(), probs_dtype(sizes), data.slots, slots_of(sizes)
    one = replace(sizes, tokens=count) if sizes.variant else sizes
    found.says["data type"] = data.dtype, sizes.dtype
    found.says["data type of the probs"] = data.probsDtype, probs
    found.says["padded"] = data.padded, sizes.variant
    found.says["slots"] = slots.slots, count
    found.says["slots of a token"] = slots.topK, one.top_k
    found.says["columns"] = slots.hidden, sizes.hidden
    found.says["rows"] = slots.rows, count
    if probs == NONE:
        size, columns = shared.element_bytes(sizes.dtype), slots.tileColumns
        found.cuts["tiles"] = shared.tiles(sizes, columns)
        found.buffers["rows"] = [round_up(columns * size, BLOCK_BYTES)] * 2
        found.launches["blocks"] = data.usedCores, [min(count, sizes.cores)]
        return found
    size, every = shared.element_bytes(probs), sizes.tokens * sizes.experts
    found.says["probs"] = data.probs, every
    found.says["experts"] = data.experts, sizes.experts
    found.says["capacity"] = data.capacity, sizes.places * sizes.variant
    busy = shared.weighted(found, one, slots, size, False)
    apart = [shared.INDEX_BYTES * slots.slotsPerBatch, BLOCK_BYTES * slots.slotsPerBatch]
    sums = 2 * apart[1] * (size < shared.element_bytes(FP32))
    found.buffers["slots"] = [*found.buffers["slots"][:-4], *apart, sums]
    blocks = min(-(-every * size // BLOCK_BYTES), sizes.cores)
    found.launches["blocks"] = data.usedCores, [busy, blocks]
    found.cuts["zeros"] = Cut(
        -(-every // data.usedCores), data.zerosAtOnce, multiple=BLOCK_BYTES // size, rounded=True
    )
    found.buffers["zeros"] = [data.zerosAtOnce * size]
    return found


RIGHT = call(Sizes(tokens=4, top_k=2, experts=3, hidden=16))
PADDED = call(Sizes(tokens=4, experts=3, places=4, hidden=16, variant=True))
UNWEIGHED = call(Sizes(tokens=4, top_k=2, hidden=16, kind=BARE))
BATCH = replace(AXES["batch"], says="slots at once", in_slots=True)
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "padded": PADDED, "no probs": UNWEIGHED},
    fit,
    ("", WIDE, BARE),
    axes={"batch": BATCH, "zeros": Axis("experts", "zeros", fixed={"tokens": 1})},
    changes={
        "data types": tuple(
            {**RIGHT, "dtype": one, "probsDtype": other}
            for one, other in ((FP16, FP16), (BF16, BF16), (BF16, FP32))
        ),
        "slots": (
            *({**RIGHT, "slots": n} for n in (7, 16, 2052, 2**31)),
            {**RIGHT, "slots": 2048, "experts": 512},
            {**RIGHT, "slots": 2052, "experts": 513},
            *({**PADDED, "slots": n} for n in (11, 15)),
            {**PADDED, "slots": 7, "experts": 0, "probsDtype": NONE},
            *({**UNWEIGHED, "slots": n} for n in (7, 2052)),
        ),
    },
    checked=("tokens", "hidden", "slots", "experts", "padded"),
)
