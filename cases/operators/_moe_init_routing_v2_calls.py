"""Right calls of MoeInitRoutingV2, calls that it must reject, and those in quarantine."""

from __future__ import annotations

from functools import partial
from typing import Any

from cases.operators._interface import SORT, in_doubt
from cases.operators._moe_init_routing_v2_call import (
    COUNTS_FLAG,
    HOST,
    KERNELS,
    README,
    SIGNATURE,
    call,
)
from cases.operators._moe_init_routing_v2_examples import EXPERTS
from cases.operators._token_permute_examples import ADDRESSED
from conformance.call.case import Case
from conformance.record.clause import document
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Quarantine
from conformance.record.variations import in_mode, reshaped, retyped, with_attributes
from conformance.values.fill import Fill


def of_three(mode: str, *, expert_num: int = 4, **how: Any) -> Case:
    """Three tokens of two experts each."""
    return call(
        mode,
        "float32",
        x=(3, 16),
        top_k=2,
        experts=EXPERTS,
        expert_num=expert_num,
        fill=Fill(("lattice",), seed=1),
        **how,
    )


PLAIN, COUNTED = of_three("dropless"), of_three("dropless", counts="count")
ACTIVE = of_three("active", active_num=4)
_padded = partial(of_three, "drop_pad")
PADDED = _padded(capacity=2, counts="before")
RIGHT = (PLAIN, COUNTED, ACTIVE, PADDED, _padded(capacity=2), _padded(capacity=1))
WRONG = {
    "count flag is 3": with_attributes(COUNTED, **{COUNTS_FLAG: 3}),
    "x is float64": retyped(PLAIN, "x", "float64"),
    "drop/pad without experts": _padded(capacity=2, expert_num=0),
    "drop/pad without a capacity": _padded(capacity=0),
    "a capacity beyond all tokens": _padded(capacity=4),
    "cumsum of no experts": of_three("dropless", expert_num=0, counts="cumsum"),
    "counts of no experts": of_three("active", expert_num=0, counts="count", active_num=4),
    "every slot, activeNum 4": in_mode("active", with_attributes(PLAIN, active_num=4)),
    "4 rows without activeNum": in_mode("dropless", with_attributes(ACTIVE, active_num=0)),
    "places of rank 2": reshaped(PADDED, "expanded_x", (4 * 2, 16)),
    "indices of the active rows only": reshaped(ACTIVE, "expanded_row_idx", (4,)),
}


def is_of_mode(case: Case) -> bool:
    """Whether its attributes are those of its mode, or of none."""
    modes = {0: "active" if case.attributes["active_num"] > 0 else "dropless", 1: "drop_pad"}
    return modes.get(case.attributes["drop_pad_mode"], case.mode) == case.mode


REJECTIONS = rejections(SIGNATURE, *RIGHT, wrong=WRONG, is_of_mode=is_of_mode)


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open."""
    return (
        Quarantine(
            "a capacity of all tokens",
            of_three("drop_pad", capacity=3),
            document(
                "there are more tokens than the capacity of an expert; the host takes as many",
                f"{README}, constraints; {HOST}",
            ),
        ),
        Quarantine(
            "neighbouring experts beyond 2^24",
            call(
                "dropless",
                "float16",
                x=(4, 8),
                top_k=1,
                experts=(2**24 + 1, 2**24, 5, 2**24 + 3),
                fill=ADDRESSED,
            ),
            in_doubt("experts are sorted as fp32, where they are equal: any order of theirs", SORT),
        ),
        Quarantine(
            "x without columns",
            call(
                "dropless",
                "float32",
                x=(3, 0),
                top_k=2,
                experts=EXPERTS,
                expert_num=4,
                counts="count",
            ),
            in_doubt("some outputs are empty and others are not: copies of length 0", KERNELS),
        ),
        Quarantine(
            "no tokens, and counts of them",
            call("dropless", "float16", x=(0, 8), top_k=2, expert_num=4, counts="count"),
            in_doubt("some outputs are empty and others are not: counts of no slots", KERNELS),
        ),
        Quarantine(
            "top_k is 0",
            call("dropless", "float32", x=(3, 4), top_k=0, expert_num=4, counts="cumsum"),
            in_doubt("no slots, and so no rows, but counts of them", KERNELS),
        ),
    )
