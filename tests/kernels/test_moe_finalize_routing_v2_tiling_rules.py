"""The host tiling rejects every call that breaks a rule, and names the first one broken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.kernels.host_tilings import TILING_REJECTED
from tests.kernels.moe_finalize_routing_v2_tiling import MODES, Call, Tiling, TilingData


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    folder = tmp_path_factory.mktemp("tiling")
    return Tiling("moe_finalize_routing_v2", "MoeFinalizeRoutingV2", folder)


GOOD = Call((8, 16), (8,), (4, 16), (4, 2), (4, 16), (4, 16), (5, 16), (4, 2))
PADDED = replace(GOOD, rows=(5, 3, 16), mode=1)
BARE = Call((4, 16), (4,), (4, 16))
LENGTH = "it must be the number of elements of scalesOptional"
REJECTED: tuple[tuple[Call, str], ...] = (
    (replace(GOOD, mode=-1), "dropPadMode is -1; it must be 0 to 3"),
    (replace(GOOD, mode=4), "dropPadMode is 4; it must be 0 to 3"),
    (replace(GOOD, rows=(8,)), "the rank of expandedX is 1; it must be 2 for dropPadMode 0"),
    (replace(PADDED, mode=2), "the rank of expandedX is 3; it must be 2 for dropPadMode 2"),
    (replace(GOOD, mode=1), "the rank of expandedX is 2; it must be 3 for dropPadMode 1"),
    (replace(GOOD, mode=3), "the rank of expandedX is 2; it must be 3 for dropPadMode 3"),
    (replace(PADDED, rows=(1, 5, 3, 16)), "the rank of expandedX is 4; it must be 3 for"),
    (replace(GOOD, indices=(4, 2)), "the rank of expandedRowIdx is 2; it must be 1"),
    (replace(GOOD, indices=()), "the rank of expandedRowIdx is 0; it must be 1"),
    (replace(GOOD, out=(4, 16, 1)), "the rank of out is 3; it must be 2"),
    (replace(GOOD, rows=(8, 15)), "dim 1 of expandedX is 15; it must be dim 1 of out, 16"),
    (replace(PADDED, rows=(5, 16, 3)), "dim 2 of expandedX is 3; it must be dim 1 of out, 16"),
    (replace(GOOD, scales=(8,)), "the rank of scalesOptional is 1; it must be 2"),
    (replace(GOOD, scales=()), "the rank of scalesOptional is 0; it must be 2"),
    (replace(GOOD, scales=(4, 0)), "topK, dim 1 of scalesOptional, is 0; it must be 1 or more"),
    (replace(GOOD, scales=(3, 2)), "dim 0 of scalesOptional is 3; it must be dim 0 of out, 4"),
    (replace(GOOD, scales=(4, 3)), f"dim 0 of expandedRowIdx is 8; {LENGTH}, 4 * 3"),
    (replace(GOOD, indices=(9,)), f"dim 0 of expandedRowIdx is 9; {LENGTH}, 4 * 2"),
    (replace(GOOD, indices=(0,)), f"dim 0 of expandedRowIdx is 0; {LENGTH}, 4 * 2"),
    (
        replace(GOOD, scales=(4, (1 << 62) + 2)),
        f"dim 0 of expandedRowIdx is 8; {LENGTH}, 4 * 4611686018427387906",
    ),
    (
        replace(BARE, indices=(8,)),
        "dim 0 of expandedRowIdx is 8; it must be dim 0 of out without scalesOptional, 4",
    ),
    (replace(GOOD, x1=None), "x1Optional is null; it must be a tensor where x2Optional is one"),
    (replace(GOOD, x1=(64,)), "the rank of x1Optional is 1; it must be 2"),
    (replace(GOOD, x1=(5, 16)), "dim 0 of x1Optional is 5; it must be dim 0 of out, 4"),
    (replace(GOOD, x1=(4, 1)), "dim 1 of x1Optional is 1; it must be dim 1 of out, 16"),
    (replace(GOOD, x2=(1, 4, 16)), "the rank of x2Optional is 3; it must be 2"),
    (replace(GOOD, x2=(1, 16)), "dim 0 of x2Optional is 1; it must be dim 0 of out, 4"),
    (replace(GOOD, x2=(4, 17)), "dim 1 of x2Optional is 17; it must be dim 1 of out, 16"),
    (
        replace(GOOD, experts=None),
        "expertIdxOptional is null; it must be a tensor where biasOptional is one",
    ),
    (replace(GOOD, experts=(8,)), "the rank of expertIdxOptional is 1; it must be 2"),
    (replace(GOOD, experts=(2, 2)), "dim 0 of expertIdxOptional is 2; it must be dim 0 of out, 4"),
    (
        replace(GOOD, experts=(4, 1)),
        "dim 1 of expertIdxOptional is 1; it must be dim 1 of scalesOptional, 2",
    ),
    (
        replace(BARE, experts=(4, 2)),
        "dim 1 of expertIdxOptional is 2; it must be 1 without scalesOptional, 1",
    ),
    (replace(GOOD, bias=(16,)), "the rank of biasOptional is 1; it must be 2"),
    (replace(GOOD, bias=(1, 16)), "dim 0 of biasOptional is 1; it must be topK, 2, or more"),
    (replace(GOOD, bias=(0, 16)), "dim 0 of biasOptional is 0; it must be topK, 2, or more"),
    (replace(GOOD, bias=(5, 8)), "dim 1 of biasOptional is 8; it must be dim 1 of out, 16"),
)


@pytest.mark.parametrize(("call", "reason"), REJECTED, ids=[reason for _, reason in REJECTED])
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call, reason: str
) -> None:
    told = tiling.rejected(call)
    assert told.startswith(reason)
    assert told.endswith(" (host tiling of MoeFinalizeRoutingV2)")


@pytest.mark.parametrize("mode", MODES)
def test_without_the_mistake_the_calls_are_accepted(tiling: Tiling, mode: int) -> None:
    data = tiling.accepted(replace(PADDED if mode % 2 else GOOD, mode=mode))
    assert (data.has_x1, data.has_x2, data.bias_rows, data.top_k) == (1, 1, 5, 2)
    assert data.rows.source_rows == (15 if mode % 2 else 8)
    assert data.is_slot_major == (mode < 2)


def test_every_optional_tensor_can_be_left_out(tiling: Tiling) -> None:
    data = tiling.accepted(BARE)
    assert (data.has_x1, data.has_x2, data.bias_rows, data.scales_dtype) == (0, 0, 0, -1)
    assert tiling.accepted(replace(GOOD, x2=None)).has_x1 == 1
    assert tiling.accepted(replace(GOOD, bias=None)).bias_rows == 0
    assert tiling.accepted(replace(GOOD, bias=None, experts=None)).bias_rows == 0


@pytest.mark.parametrize("experts", [2, 3, 1000])
def test_a_bias_of_as_many_experts_as_slots_is_enough(tiling: Tiling, experts: int) -> None:
    assert tiling.accepted(replace(GOOD, bias=(experts, 16))).bias_rows == experts


@pytest.mark.parametrize("rows", [0, 1, 7, 9, 1000])
@pytest.mark.parametrize("call", [GOOD, BARE], ids=["all", "none"])
def test_any_number_of_source_rows_is_accepted(tiling: Tiling, call: Call, rows: int) -> None:
    assert tiling.accepted(replace(call, rows=(rows, 16))).rows.source_rows == rows


def test_the_first_broken_rule_is_named(tiling: Tiling) -> None:
    broken = Call(
        (7,), (9, 1), (4,), scales=(1,), x2=(1,), bias=(1,), mode=7, dtype=27, scales_dtype=27
    )
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("dropPadMode", {"mode": 0}),
        ("the rank of expandedX", {"rows": (7, 15)}),
        ("the rank of expandedRowIdx", {"indices": (9,)}),
        ("the rank of out", {"out": (4, 16)}),
        ("dim 1 of expandedX", {"rows": (7, 16)}),
        ("the rank of scalesOptional", {"scales": (5, 0)}),
        ("topK", {"scales": (5, 2)}),
        ("dim 0 of scalesOptional", {"scales": (4, 2)}),
        ("dim 0 of expandedRowIdx", {"indices": (8,)}),
        ("x1Optional is null", {"x1": (3,)}),
        ("the rank of x1Optional", {"x1": (3, 3)}),
        ("dim 0 of x1Optional", {"x1": (4, 3)}),
        ("dim 1 of x1Optional", {"x1": (4, 16)}),
        ("the rank of x2Optional", {"x2": (4, 16)}),
        ("expertIdxOptional is null", {"experts": (3,)}),
        ("the rank of expertIdxOptional", {"experts": (3, 3)}),
        ("dim 0 of expertIdxOptional", {"experts": (4, 3)}),
        ("dim 1 of expertIdxOptional", {"experts": (4, 2)}),
        ("the rank of biasOptional", {"bias": (1, 3)}),
        ("dim 0 of biasOptional", {"bias": (2, 3)}),
        ("dim 1 of biasOptional", {"bias": (2, 16), "ub": 383}),
        ("the unified buffer", {"ub": 384}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)
    assert tiling.accepted(broken).slots_per_part == 1


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    status, reason = tiling.cut(replace(GOOD, rows=(8,)).view, TilingData(), room=9)
    assert (status, reason) == (TILING_REJECTED, "the rank")
