"""The host tiling says which rule a call of MoeFinalizeRoutingV2Grad breaks, the first if many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.kernels.host_tilings import TILING_REJECTED
from tests.kernels.moe_finalize_routing_v2_grad_tiling import (
    BARE,
    BIAS,
    Call,
    Tiling,
    TilingData,
    even,
)


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    folder = tmp_path_factory.mktemp("tiling")
    return Tiling("moe_finalize_routing_v2_grad", "MoeFinalizeRoutingV2Grad", folder)


GOOD = even(BIAS, 4, 2, 16)
ACTIVE = even(BIAS, 4, 2, 16, active=5)
PAD = even(BIAS, 4, 2, 16, pad=1, expert_num=3, capacity=5)
COPY = even(BARE, 4, 1, 16)
OF_MODE = "it must be {} where dropPadMode is {}"
REJECTED: tuple[tuple[Call, str], ...] = (
    (replace(GOOD, pad=2), "dropPadMode is 2; it must be 0 or 1"),
    (replace(GOOD, pad=-1), "dropPadMode is -1; it must be 0 or 1"),
    (
        replace(PAD, expert_num=0),
        "expertNum is 0; it must be greater than 0 where dropPadMode is 1",
    ),
    (
        replace(PAD, capacity=-5),
        "expertCapacity is -5; it must be greater than 0 where dropPadMode is 1",
    ),
    (
        replace(GOOD, rows=None),
        "expandedXOptional is null; it must be a tensor where scalesOptional is one",
    ),
    (
        replace(GOOD, experts=None),
        "expertIdxOptional is null; it must be a tensor where biasOptional is one",
    ),
    (replace(GOOD, grads=(64,)), "the rank of gradY [64] is 1; it must be 2"),
    (replace(GOOD, indices=(4, 2)), "the rank of expandedRowIdx [4, 2] is 2; it must be 1"),
    (
        replace(GOOD, rows=(2, 4, 16)),
        f"the rank of expandedXOptional [2, 4, 16] is 3; {OF_MODE.format(2, 0)}",
    ),
    (
        replace(PAD, rows=(15, 16)),
        f"the rank of expandedXOptional [15, 16] is 2; {OF_MODE.format(3, 1)}",
    ),
    (replace(GOOD, scales=(8,)), "the rank of scalesOptional [8] is 1; it must be 2"),
    (replace(GOOD, experts=(8,)), "the rank of expertIdxOptional [8] is 1; it must be 2"),
    (replace(GOOD, biases=(16,)), "the rank of biasOptional [16] is 1; it must be 2"),
    (
        replace(GOOD, row_grads=(128,)),
        f"the rank of gradExpandedXOut [128] is 1; {OF_MODE.format(2, 0)}",
    ),
    (
        replace(PAD, row_grads=(15, 16)),
        f"the rank of gradExpandedXOut [15, 16] is 2; {OF_MODE.format(3, 1)}",
    ),
    (replace(GOOD, scale_grads=(8,)), "the rank of gradScalesOut [8] is 1; it must be 2"),
    (replace(GOOD, grads=(0, 16)), "dim 0 of gradY is 0; it must be greater than 0"),
    (replace(COPY, grads=(4, 0)), "dim 1 of gradY is 0; it must be greater than 0"),
    (
        replace(GOOD, scales=(4, 0)),
        "topK, dim 1 of scalesOptional, is 0; it must be greater than 0",
    ),
    (
        replace(GOOD, indices=(9,)),
        "dim 0 of expandedRowIdx is 9; it must be dim 0 of gradY times topK, 4 * 2",
    ),
    (
        replace(GOOD, scales=(4, 1 << 62)),
        "dim 0 of expandedRowIdx is 8; it must be dim 0 of gradY times topK, 4 * "
        "4611686018427387904",
    ),
    (
        replace(COPY, indices=(8,)),
        "dim 0 of expandedRowIdx is 8; it must be dim 0 of gradY without scalesOptional, 4",
    ),
    (replace(GOOD, scales=(5, 2)), "dim 0 of scalesOptional is 5; it must be dim 0 of gradY, 4"),
    (
        replace(GOOD, rows=(7, 16)),
        "dim 0 of expandedXOptional is 7; it must be dim 0 of expandedRowIdx, 8",
    ),
    (replace(ACTIVE, rows=(8, 16)), "dim 0 of expandedXOptional is 8; it must be activeNum, 5"),
    (replace(PAD, rows=(2, 5, 16)), "dim 0 of expandedXOptional is 2; it must be expertNum, 3"),
    (
        replace(PAD, rows=(3, 4, 16)),
        "dim 1 of expandedXOptional is 4; it must be expertCapacity, 5",
    ),
    (
        replace(GOOD, rows=(8, 15)),
        "dim 1 of expandedXOptional is 15; it must be dim 1 of gradY, 16",
    ),
    (
        replace(PAD, rows=(3, 5, 17)),
        "dim 2 of expandedXOptional is 17; it must be dim 1 of gradY, 16",
    ),
    (
        replace(GOOD, experts=(2, 2)),
        "dim 0 of expertIdxOptional is 2; it must be dim 0 of scalesOptional, 4",
    ),
    (
        replace(GOOD, experts=(4, 1)),
        "dim 1 of expertIdxOptional is 1; it must be dim 1 of scalesOptional, 2",
    ),
    (replace(GOOD, biases=(0, 16)), "dim 0 of biasOptional is 0; it must be greater than 0"),
    (replace(PAD, biases=(7, 16)), "dim 0 of biasOptional is 7; it must be expertNum, 3"),
    (replace(PAD, biases=(2, 16)), "dim 0 of biasOptional is 2; it must be expertNum, 3"),
    (replace(GOOD, biases=(7, 8)), "dim 1 of biasOptional is 8; it must be dim 1 of gradY, 16"),
    (
        replace(COPY, row_grads=(5, 16)),
        "dim 0 of gradExpandedXOut is 5; it must be dim 0 of expandedRowIdx, 4",
    ),
    (replace(ACTIVE, row_grads=(8, 16)), "dim 0 of gradExpandedXOut is 8; it must be activeNum, 5"),
    (replace(PAD, row_grads=(5, 3, 16)), "dim 0 of gradExpandedXOut is 5; it must be expertNum, 3"),
    (
        replace(PAD, row_grads=(3, 6, 16)),
        "dim 1 of gradExpandedXOut is 6; it must be expertCapacity, 5",
    ),
    (
        replace(PAD, row_grads=(3, 5, 1)),
        "dim 2 of gradExpandedXOut is 1; it must be dim 1 of gradY, 16",
    ),
    (
        replace(GOOD, scale_grads=(8, 2)),
        "dim 0 of gradScalesOut is 8; it must be dim 0 of scalesOptional, 4",
    ),
    (
        replace(GOOD, scale_grads=(4, 1)),
        "dim 1 of gradScalesOut is 1; it must be dim 1 of scalesOptional, 2",
    ),
)


@pytest.mark.parametrize(("call", "reason"), REJECTED, ids=[reason for _, reason in REJECTED])
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call, reason: str
) -> None:
    assert tiling.rejected(call) == f"{reason} (host tiling of MoeFinalizeRoutingV2Grad)"


@pytest.mark.parametrize(
    ("active", "rows"), [(-3, 8), (0, 8), (1, 1), (7, 7), (8, 8), (9, 8), (1 << 62, 8)]
)
@pytest.mark.parametrize("kind", [BARE, BIAS])
def test_the_rows_are_those_of_active_num_where_it_is_below_the_slots(
    tiling: Tiling, kind: str, active: int, rows: int
) -> None:
    tokens, top_k = (8, 1) if kind == BARE else (4, 2)
    data = tiling.accepted(even(kind, tokens, top_k, 16, active=active))
    assert data.slots.rows == rows
    assert data.copies.end_rank == (rows if kind == BARE else 0)


def test_active_num_is_ignored_in_drop_pad_mode_and_places_of_experts_in_the_other(
    tiling: Tiling,
) -> None:
    assert tiling.accepted(replace(PAD, active=2)).slots.rows == 15
    assert tiling.accepted(replace(GOOD, expert_num=-1, capacity=0)).slots.rows == 8


@pytest.mark.parametrize("places", [(1, 1), (1, 8), (9, 1), (300, 2)])
def test_experts_may_have_fewer_places_than_there_are_slots_or_more(
    tiling: Tiling, places: tuple[int, int]
) -> None:
    call = even(BIAS, 4, 2, 16, pad=1, expert_num=places[0], capacity=places[1])
    assert tiling.accepted(call).slots.rows == places[0] * places[1]


def test_what_a_call_does_not_need_may_have_any_shape(tiling: Tiling) -> None:
    others: dict[str, tuple[int, ...]] = {"rows": (3,), "experts": (), "biases": (0, 0, 9)}
    assert tiling.accepted(replace(COPY, **others, scale_grads=(7,))).has_bias == 0
    assert tiling.accepted(replace(GOOD, biases=None, experts=(1, 2, 3))).has_bias == 0


def test_the_first_broken_rule_is_named(tiling: Tiling) -> None:
    broken = Call((0,), (9, 1), None, (1,), None, (1,), (1,), (1,), pad=3)
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("dropPadMode", {"pad": 1}),
        ("expertNum", {"expert_num": 3}),
        ("expertCapacity", {"capacity": 5}),
        ("expandedXOptional is null", {"rows": (1,)}),
        ("expertIdxOptional is null", {"experts": (1,)}),
        ("the rank of gradY", {"grads": (0, 0)}),
        ("the rank of expandedRowIdx", {"indices": (9,)}),
        ("the rank of expandedXOptional", {"rows": (1, 1, 1)}),
        ("the rank of scalesOptional", {"scales": (5, 0)}),
        ("the rank of expertIdxOptional", {"experts": (1, 1)}),
        ("the rank of biasOptional", {"biases": (0, 1)}),
        ("the rank of gradExpandedXOut", {"row_grads": (1, 1, 1)}),
        ("the rank of gradScalesOut", {"scale_grads": (1, 1)}),
        ("dim 0 of gradY", {"grads": (4, 0)}),
        ("dim 1 of gradY", {"grads": (4, 16)}),
        ("topK", {"scales": (5, 2)}),
        ("dim 0 of expandedRowIdx", {"indices": (8,)}),
        ("dim 0 of scalesOptional", {"scales": (4, 2)}),
        ("dim 0 of expandedXOptional", {"rows": (3, 1, 1)}),
        ("dim 1 of expandedXOptional", {"rows": (3, 5, 1)}),
        ("dim 2 of expandedXOptional", {"rows": (3, 5, 16)}),
        ("dim 0 of expertIdxOptional", {"experts": (4, 1)}),
        ("dim 1 of expertIdxOptional", {"experts": (4, 2)}),
        ("dim 0 of biasOptional", {"biases": (7, 1)}),
        ("dim 0 of biasOptional", {"biases": (3, 1)}),
        ("dim 1 of biasOptional", {"biases": (3, 16)}),
        ("dim 0 of gradExpandedXOut", {"row_grads": (3, 1, 1)}),
        ("dim 1 of gradExpandedXOut", {"row_grads": (3, 5, 1)}),
        ("dim 2 of gradExpandedXOut", {"row_grads": (3, 5, 16)}),
        ("dim 0 of gradScalesOut", {"scale_grads": (4, 1)}),
        ("dim 1 of gradScalesOut", {"scale_grads": (4, 2), "ub": 639}),
        ("the unified buffer", {}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    status, reason = tiling.cut(replace(GOOD, grads=(8,)).view, TilingData(), room=9)
    assert (status, reason) == (TILING_REJECTED, "the rank")
