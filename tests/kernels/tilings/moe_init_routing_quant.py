"""Slots are sorted, and each row of the output is quantised from its token."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Axis, Sizes
from tests.kernels.tilings.moe_init_routing import OPERATOR as COPIED
from tests.kernels.tilings.moe_init_routing import call as copied
from tests.kernels.tilings.work import Cut, Work

NUMBERS = {"scale": 0, "offset": 0}


def call(sizes: Sizes) -> Call:
    """One with a row for every slot."""
    return {**copied(sizes), **NUMBERS}


def work(sizes: Sizes, data: Any) -> Work:
    found, slots, rows = Work(), data.slots, sizes.slots
    busy = shared.routed_rows(found, sizes, data, rows)
    found.says["row indices of a row"] = slots.topK, 1
    found.says["experts"] = data.counted.experts, 0
    found.counts["share"] = -(-rows // slots.usedCores)
    found.cuts["batches"] = Cut(found.counts["share"], slots.slotsPerBatch)
    found.launches["blocks"] = slots.usedCores, busy
    return found


OPERATOR = replace(
    COPIED,
    call=call,
    work=work,
    calls={name: {**one, **NUMBERS} for name, one in COPIED.calls.items()},
    axes={"hidden": Axis("hidden", "tiles")},
    changes={
        name: tuple({**one, **NUMBERS} for one in changes)
        for name, changes in COPIED.changes.items()
    },
    checked=(*COPIED.checked, *NUMBERS),
)
