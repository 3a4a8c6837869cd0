"""The host tiling takes every call that its rules allow, and names the first one broken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.kernels.host_tilings import TILING_REJECTED
from tests.kernels.moe_init_routing_v2_tiling import (
    LEAST_UB,
    Call,
    Tiling,
    TilingData,
    dropless,
    padded,
)


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return Tiling("moe_init_routing_v2", "MoeInitRoutingV2", tmp_path_factory.mktemp("tiling"))


HUGE = 1 << 61
ACCEPTED = {
    "topK above 512": dropless(3, 513, 8),
    "most slots": dropless(16777214, 1, 1),
    "no columns": dropless(8, 2, 0),
    "a capacity of all tokens": padded(8, 2, 4, 3, 8),
    "most rows": padded(1 << 15, 1, 0, 1 << 16, 1 << 15),
    "no expert where none is counted": replace(dropless(8, 2, 4), before=(99,), before_flag=1),
    "a shape that nobody asks for": replace(padded(8, 2, 4, 3, 2), counts=(9, 9), count_flag=1),
    "attributes of another mode": replace(dropless(8, 2, 4), capacity=99, expert_num=HUGE),
    "activeNum with drop/pad": replace(padded(8, 2, 4, 3, 2), active=5),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_call_just_inside_the_rules_is_accepted(tiling: Tiling, name: str) -> None:
    assert tiling.accepted(ACCEPTED[name]).slots.used_cores > 0


@pytest.mark.parametrize(("tokens", "top_k"), [(0, 3), (5, 0), (0, 0)])
def test_without_slots_there_is_only_something_to_count_or_to_fill(
    tiling: Tiling, tokens: int, top_k: int
) -> None:
    assert tiling.accepted(dropless(tokens, top_k, 4)).slots.used_cores == 0
    data = tiling.accepted(dropless(tokens, top_k, 4, 7))
    assert (data.slots.used_cores, data.tile_entries) == (1, 7)
    if tokens > 0:
        assert tiling.accepted(padded(tokens, top_k, 4, 7, 2)).slots.used_cores == 14


GOOD = replace(dropless(8, 3, 4, 5), active=20, rows=(20, 4))
PAD = padded(8, 3, 4, 5, 2)
REJECTED = (
    replace(GOOD, x=(8, 4, 1), reason="the rank of x [8, 4, 1] is 3; it must be 2"),
    replace(GOOD, x=(), reason="the rank of x [] is 0; it must be 2"),
    replace(GOOD, experts=(24,), reason="the rank of expertIdx [24] is 1; it must be 2"),
    replace(GOOD, x=(7, 4), reason="dim 0 of x is 7; it must be dim 0 of expertIdx, 8"),
    replace(GOOD, active=-1, reason="activeNum is -1; it must be 0 or greater"),
    replace(PAD, active=-1, reason="activeNum is -1; it must be 0 or greater"),
    replace(GOOD, capacity=-1, reason="expertCapacity is -1; it must be 0 or greater"),
    replace(GOOD, expert_num=-1, reason="expertNum is -1; it must be 0 or greater"),
    replace(GOOD, pad=2, reason="dropPadMode is 2; it must be 0 or 1"),
    replace(GOOD, pad=-1, reason="dropPadMode is -1; it must be 0 or 1"),
    replace(
        PAD, expert_num=0, reason="expertNum is 0; it must be greater than 0 where dropPadMode"
    ),
    replace(PAD, capacity=0, reason="expertCapacity is 0; it must be greater than 0 where dropPad"),
    replace(PAD, capacity=9, reason="expertCapacity is 9; it must be at most dim 0 of x, 8, where"),
    replace(GOOD, count_flag=3, reason="expertTokensCountOrCumsumFlag is 3; it must be 0, 1 or 2"),
    replace(PAD, count_flag=-1, reason="expertTokensCountOrCumsumFlag is -1; it must be 0, 1"),
    replace(GOOD, expert_num=0, reason="expertNum is 0; it must be greater than 0 where expertTok"),
    replace(
        dropless(16777215, 1, 4),
        reason="expertIdx [16777215, 1] is 16777215 * 1; it must be less than 16777215",
    ),
    replace(GOOD, x=(HUGE, 4), experts=(HUGE, 8), reason="it must be less than 16777215"),
    replace(
        padded(1 << 15, 1, 0, (1 << 16) + 1, 1 << 15),
        reason="expertNum * expertCapacity is 65537 * 32768; it must be at most 2^31 where",
    ),
    replace(PAD, expert_num=HUGE, reason=f"expertNum * expertCapacity is {HUGE} * 2; it must be"),
    replace(GOOD, rows=(5, 4, 4), reason="expandedXOut [5, 4, 4] is 3; it must be 2 where dropPad"),
    replace(GOOD, rows=(24, 4), reason="that activeNum 20 keeps of 24, 20"),
    replace(GOOD, active=30, reason="that activeNum 30 keeps of 24, 24"),
    replace(GOOD, rows=(20, 5), reason="dim 1 of expandedXOut is 5; it must be dim 1 of x, 4"),
    replace(PAD, rows=(10, 4), reason="expandedXOut [10, 4] is 2; it must be 3 where dropPadMode"),
    replace(PAD, rows=(4, 2, 4), reason="dim 0 of expandedXOut is 4; it must be expertNum, 5"),
    replace(PAD, rows=(5, 3, 4), reason="dim 1 of expandedXOut is 3; it must be expertCapacity, 2"),
    replace(PAD, rows=(5, 2, 3), reason="dim 2 of expandedXOut is 3; it must be dim 1 of x, 4"),
    replace(GOOD, places=(8, 3), reason="the rank of expandedRowIdxOut [8, 3] is 2; it must be 1"),
    replace(
        GOOD,
        places=(20,),
        reason="dim 0 of expandedRowIdxOut is 20; it must be the number of elements of expertIdx",
    ),
    replace(GOOD, counts=None, reason="expertTokensCountOrCumsumOutOptional is null; it must be a"),
    replace(GOOD, counts=(5, 1), reason="the rank of expertTokensCountOrCumsumOutOptional [5, 1]"),
    replace(
        GOOD, counts=(6,), reason="dim 0 of expertTokensCountOrCumsumOutOptional is 6; it must"
    ),
    replace(PAD, before=None, reason="expertTokensBeforeCapacityOutOptional is null; it must be a"),
    replace(PAD, before=(), reason="the rank of expertTokensBeforeCapacityOutOptional [] is 0; it"),
    replace(PAD, before=(4,), reason="dim 0 of expertTokensBeforeCapacityOutOptional is 4; it"),
)


@pytest.mark.parametrize("call", REJECTED, ids=lambda call: call.reason)
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call
) -> None:
    reason = tiling.rejected(call)
    assert call.reason in reason
    assert reason.endswith("(host tiling of MoeInitRoutingV2)")


def test_the_first_broken_rule_is_named_in_cann_s_order(tiling: Tiling) -> None:
    broken = Call((), (), (1,), (1, 1), active=-1, capacity=-1, expert_num=-1, pad=2,
                  count_flag=3, before_flag=1, ub=767)  # fmt: skip
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("the rank of x", {"x": (7, 4)}),
        ("the rank of expertIdx", {"experts": (8, HUGE)}),
        ("dim 0 of x", {"x": (8, 4)}),
        ("activeNum", {"active": 0}),
        ("expertCapacity", {"capacity": 0}),
        ("expertNum", {"expert_num": 0}),
        ("dropPadMode", {"pad": 1}),
        ("expertNum", {"expert_num": HUGE}),
        ("expertCapacity is 0", {"capacity": 9}),
        ("expertCapacity is 9", {"capacity": 2}),
        ("expertTokensCountOrCumsumFlag", {"count_flag": 1}),
        ("the number of elements of expertIdx", {"experts": (8, 3)}),
        ("expertNum * expertCapacity", {"expert_num": 5}),
        ("the rank of expandedXOut", {"rows": (1, 1, 1)}),
        ("dim 0 of expandedXOut", {"rows": (5, 1, 1)}),
        ("dim 1 of expandedXOut", {"rows": (5, 2, 1)}),
        ("dim 2 of expandedXOut", {"rows": (5, 2, 4)}),
        ("the rank of expandedRowIdxOut", {"places": (1,)}),
        ("dim 0 of expandedRowIdxOut", {"places": (24,)}),
        ("expertTokensBeforeCapacityOutOptional", {"before": (5,)}),
        ("the unified buffer", {"ub": LEAST_UB}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)
    tiling.accepted(broken)


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    cut = tiling.cut(replace(GOOD, pad=2).view, TilingData(), room=8)
    assert cut == (TILING_REJECTED, "dropPad")
