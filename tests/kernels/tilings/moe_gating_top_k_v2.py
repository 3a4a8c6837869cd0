"""Rows are cut as those of MoeGatingTopK; a table may have their experts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import Call
from tests.kernels.tilings import moe_gating_top_k as by_key
from tests.kernels.tilings.description import Sizes
from tests.kernels.tilings.work import Work

LOOKED_UP = {"inputIdBytes": 8, "expertIdBytes": 4}
MOST_LOOKED_UP = 64


def may_look_up(sizes: Sizes) -> bool:
    return sizes.variant and sizes.kind == "" and sizes.top_k <= MOST_LOOKED_UP


def call(sizes: Sizes) -> Call:
    """``variant``: with a table, too, if it may have one."""
    return {**by_key.call(sizes), **(LOOKED_UP if may_look_up(sizes) else {})}


def work(sizes: Sizes, data: Any) -> Work:
    found = by_key.work(sizes, data)
    for name, size in LOOKED_UP.items():
        found.says[name] = getattr(data, name), size if may_look_up(sizes) else 0
    return found


LOOKUP = {**by_key.call(by_key.PLAIN), **LOOKED_UP}
MANY = {**by_key.call(replace(by_key.PLAIN, experts=70, top_k=65)), **LOOKED_UP}
OPERATOR = replace(
    by_key.OPERATOR,
    call=call,
    work=work,
    calls={"looked up": LOOKUP},
    changes={
        "k of a table": (MANY, {**MANY, "k": 64}, {**MANY, "inputIdBytes": 0, "expertIdBytes": 0}),
        "groups of a table": tuple(
            {"experts": 8, "groupCount": count, "kGroup": kept}
            for count, kept in ((4, 4), (4, 3), (8, 3))
        ),
    },
)
