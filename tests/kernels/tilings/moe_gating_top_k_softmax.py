"""Rows are cut as those of the second version; their places are numbered."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import moe_gating_top_k_softmax_v2 as second
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.work import Work

MOST_PLACES = 2**31 - 1


def call(sizes: Sizes) -> Call:
    return second.rows_of(sizes)


def work(sizes: Sizes, data: Any) -> Work:
    found = Work()
    second.gating(found, sizes, data.gating)
    return found


OPERATOR = Description(
    call,
    work,
    {"right": call(second.SHORT), "pieces": call(second.LONG)},
    second.fit,
    second.KINDS,
    axes=second.AXES_OF_GATING,
    more_limits=second.LIMITS,
    changes={
        "data types": ({"dtype": BF16}, {"dtype": FP16}),
        "places": tuple(
            call(Sizes(tokens=MOST_PLACES // 2 + more, top_k=2, experts=8)) for more in (0, 1)
        ),
    },
    checked=("rows", "experts", "k"),
)
