"""Slots are cut over the cores: rows with weights, or rows that are only moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, NONE, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import AXES, Description, Sizes
from tests.kernels.tilings.moe_token_unpermute import FAR, KINDS, fit, probs_dtype
from tests.kernels.tilings.work import Work


def call(sizes: Sizes) -> Call:
    rows, probs = (sizes.slots, sizes.hidden), (sizes.tokens, sizes.top_k)
    return {
        "permutedTokens": rows,
        "unpermutedTokensGrad": (sizes.tokens, sizes.hidden),
        "sortedIndices": rows[:1],
        "probs": None if probs_dtype(sizes) == NONE else probs,
        "permutedTokensGrad": rows,
        "probsGrad": None if probs_dtype(sizes) == NONE else probs,
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
        "rows": tuple(
            {**of, "permutedTokens": (rows, 16), "permutedTokensGrad": (rows, 16)}
            for rows in (7, 9)
            for of in (RIGHT, BARE)
        ),
        "probs": ({"probs": (4, 0)}, {"probs": (FAR, 2)}, {**BARE, "probsGrad": (3, 0, 9)}),
        "slots": tuple(call(Sizes(tokens=2, top_k=top_k)) for top_k in (512, 513)),
    },
)
