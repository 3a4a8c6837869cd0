"""Slots are cut over the cores: rows with weights, or rows that are only moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, NONE, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import AXES, Description, Sizes
from tests.kernels.tilings.moe_token_unpermute import KINDS, fit, probs_dtype
from tests.kernels.tilings.work import Work


def call(sizes: Sizes) -> Call:
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        "probsDtype": probs_dtype(sizes),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, probs, slots = Work(), probs_dtype(sizes), data.slots
    found.says["data type"] = data.dtype, sizes.dtype
    found.says["data type of the probs"] = data.probsDtype, probs
    found.says["slots"] = slots.slots, sizes.slots
    found.says["slots of a token"] = slots.topK, sizes.top_k
    found.says["columns"] = slots.hidden, sizes.hidden
    found.says["rows"] = slots.rows, sizes.slots
    if probs == NONE:
        busy = shared.copies(found, sizes, data.copies)
        found.counts["slots at once"] = data.copies.tokensPerBatch
        shared.ranks(found, data.copies, 0, sizes.slots)
    else:
        busy = [shared.weighted(found, sizes, slots, shared.element_bytes(probs), False)]
    found.launches["blocks"] = data.usedCores, busy
    return found


BATCH = replace(AXES["batch"], says="slots at once", in_slots=True)
RIGHT = call(Sizes(tokens=4, top_k=2, hidden=16))
BARE = call(Sizes(tokens=4, hidden=16, kind="no-probs-"))
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "no probs": BARE},
    fit,
    KINDS,
    axes={"batch": BATCH},
    changes={
        "data types": ({"dtype": BF16}, {"dtype": FP16, "probsDtype": BF16}),
        "rows": tuple({**of, "rows": rows} for rows in (7, 9) for of in (RIGHT, BARE)),
        "slots": tuple(call(Sizes(tokens=2, top_k=top_k)) for top_k in (512, 513)),
    },
    checked=("tokens", "topK", "hidden", "rows"),
)
