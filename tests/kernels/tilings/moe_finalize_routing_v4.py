"""Tokens are cut as those of MoeFinalizeRoutingV2; ranges of experts take rows beside."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import BF16, Call
from tests.kernels.tilings import moe_finalize_routing_v2 as v2
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.work import Work

RANGED = tuple(
    major + "ranges-" + scales
    for major in ("", "token-major-")
    for scales in ("", "no-scales-", "fp32-scales-")
)
LIMITS = (
    "ub-bytes",
    "slots",
    "four-buffers",
    "three-buffers",
    "hidden",
    "batch",
    "tokens",
    "cores",
)
FAR = 2**63


def call(sizes: Sizes) -> Call:
    """Constant experts 2 and 3, and others beside them if the sizes are a variant."""
    ranged = "ranges" in sizes.kind
    more = {"zeroExperts": (0, 1), "copyExperts": (4, 9)} if ranged and sizes.variant else {}
    own = {"constantExperts": (2, 4), "constantRows": 2, "hasExpertIdx": 1, **more}
    return {**v2.call(sizes), **(own if ranged else {})}


def work(sizes: Sizes, data: Any) -> Work:
    found, ranged = v2.work(sizes, data), "ranges" in sizes.kind
    found.says["ranges"] = data.hasRanges, ranged
    zero, copy = ((0, 1), (4, 9)) if ranged and sizes.variant else ((0, 0), (0, 0))
    found.says["zero"] = (data.zeroStart, data.zeroEnd), zero
    found.says["copy"] = (data.copyStart, data.copyEnd), copy
    found.says["constant"] = (data.constantStart, data.constantEnd), (2, 4) if ranged else (0, 0)
    return found


def zero(*span: int) -> Call:
    return {"zeroExperts": span}


RIGHT = {**call(Sizes("ranges-", tokens=4, top_k=2, hidden=16, variant=True)), "biasRows": 9}
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "bare": call(Sizes(tokens=4, top_k=2, hidden=16, kind="no-scales-"))},
    kinds=(*v2.KINDS, *RANGED),
    more_limits=tuple(kind + axis for kind in RANGED for axis in LIMITS),
    changes={
        "ranges": tuple(zero(*one) for one in ((0, 2), (0, 3), (1, 1), (2, 1), (-1, 1))),
        "ends": tuple({"copyExperts": (4, end)} for end in (5, 10, FAR - 1)),
        "order": ({"zeroExperts": (9, 10), "biasRows": 0}, {"zeroExperts": (3, 5)}),
        "no experts": ({"hasExpertIdx": 0},),
        "constant rows": ({"constantRows": 3}, {"constantRows": 9, "constantExperts": None}),
        "one range": tuple(
            {**dict.fromkeys(("zeroExperts", "copyExperts", "constantExperts")), name: (1, 3)}
            for name in ("zeroExperts", "copyExperts", "constantExperts")
        ),
        "least buffers": tuple(
            {"dtype": BF16, "scalesDtype": BF16, "ubBytes": ub} for ub in (447, 448)
        ),
    },
    checked=(*v2.OPERATOR.checked, "zeroExperts", "copyExperts", "constantExperts"),
)
