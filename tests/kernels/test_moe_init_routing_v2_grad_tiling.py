"""The host tiling cuts every call so that all of it is done once and fits, or says why not."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.moe_init_routing_v2_grad_tiling import (
    BF16,
    BYTES,
    FP16,
    FP32,
    TILING_REJECTED,
    UB_910_93,
    UB_910B,
    Call,
    CallView,
    ShapeView,
    Tiling,
    TilingData,
    compile_tiling,
    dropless,
)

BINS = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 7: 2, 8: 4, 15: 4, 16: 8, 31: 8, 32: 16, 63: 16}
BINS |= {64: 32, 127: 32, 128: 64, 129: 64, 200: 64, 255: 64, 256: 64, 100_000: 64}


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return compile_tiling(tmp_path_factory.mktemp("tiling"))


def pieces(start: int, end: int, step: int) -> Iterator[tuple[int, int]]:
    return ((at, min(at + step, end)) for at in range(start, end, step))


def assert_complete(parts: list[tuple[int, int]], size: int) -> None:
    """The parts follow one another without gap or overlap, none is empty, and they end at size."""
    assert [start for start, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[-1][1] == size
    assert all(start < end for start, end in parts)


def ub_bytes_used(data: TilingData, dtype: int) -> int:
    size = BYTES[dtype]
    granule = 32 // size
    rounded = -(-data.tile_columns // granule) * granule
    batch = data.tokens_per_batch
    widened = 0 if dtype == FP32 else 4 * rounded
    return 2 * rounded * size * (1 + batch) + widened + 4 * rounded * data.bins * batch


def test_tokens_and_columns_are_done_exactly_once_and_fit_the_unified_buffer(
    tiling: Tiling,
) -> None:
    @settings(max_examples=600, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 10**6)),
        top_k=st.one_of(st.integers(1, 9), st.integers(1, 300)),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 20_000)),
        dtype=st.sampled_from([FP32, FP16, BF16]),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(4288, 8192), st.integers(4288, UB_910_93)),
    )
    def check(tokens: int, top_k: int, hidden: int, dtype: int, cores: int, ub: int) -> None:
        call = dropless(tokens, top_k, hidden, dtype=dtype, cores=cores, ub_bytes=ub)
        data = tiling.accepted(call)
        per_core = list(pieces(0, tokens, data.tokens_per_core))
        assert_complete(per_core, tokens)
        assert len(per_core) == data.used_cores <= cores
        assert data.tokens_per_core == -(-tokens // cores)
        for first, end in (per_core[0], per_core[-1]):
            batches = [(a - first, b - first) for a, b in pieces(first, end, data.tokens_per_batch)]
            assert_complete(batches, end - first)
        assert_complete(list(pieces(0, hidden, data.tile_columns)), hidden)
        assert ub_bytes_used(data, dtype) <= ub
        assert data.tokens_per_batch <= 4095
        # A batch of several rows is copied out in one piece, so it must hold whole rows.
        assert data.tokens_per_batch == 1 or data.tile_columns == hidden
        # A tile that is followed by another ends on a 32-byte block.
        assert data.tile_columns == hidden or data.tile_columns * BYTES[dtype] % 32 == 0

    check()


@pytest.mark.parametrize("dtype", [FP32, FP16, BF16])
@pytest.mark.parametrize("top_k", BINS)
@pytest.mark.parametrize("ub", [4288, 8192, UB_910B, UB_910_93])
def test_the_hidden_limit_is_the_last_size_of_one_tile(
    tiling: Tiling, top_k: int, dtype: int, ub: int
) -> None:
    limit = tiling.limit("hidden", top_k, dtype, ub=ub)
    assert limit > 0
    at_limit = tiling.accepted(dropless(5, top_k, limit, dtype=dtype, ub_bytes=ub))
    above = tiling.accepted(dropless(5, top_k, limit + 1, dtype=dtype, ub_bytes=ub))
    assert at_limit.tile_columns == limit
    assert (above.tile_columns, above.tokens_per_batch) == (limit, 1)
    assert len(list(pieces(0, limit + 1, above.tile_columns))) == 2
    wider = 32 // BYTES[dtype]
    above.tile_columns = limit + wider
    assert ub_bytes_used(above, dtype) > ub


@pytest.mark.parametrize("dtype", [FP32, FP16, BF16])
@pytest.mark.parametrize("top_k", [1, 2, 8, 64, 200])
@pytest.mark.parametrize("hidden", [1, 8, 17, 100])
def test_the_batch_limit_is_the_last_token_count_of_one_batch(
    tiling: Tiling, top_k: int, dtype: int, hidden: int
) -> None:
    limit = tiling.limit("batch", top_k, dtype, hidden=hidden)
    at_limit = tiling.accepted(dropless(limit, top_k, hidden, dtype=dtype, cores=1))
    above = tiling.accepted(dropless(limit + 1, top_k, hidden, dtype=dtype, cores=1))
    assert at_limit.tokens_per_batch == above.tokens_per_batch == limit > 1
    above.tokens_per_batch = limit + 1
    assert limit == 4095 or ub_bytes_used(above, dtype) > UB_910B


@pytest.mark.parametrize("cores", [1, 3, 48])
def test_the_token_limit_is_the_last_count_that_gives_every_core_one_batch(
    tiling: Tiling, cores: int
) -> None:
    limit = tiling.limit("tokens", 2, FP16, cores=cores, ub=4096, hidden=32)
    at_limit = tiling.accepted(dropless(limit, 2, 32, dtype=FP16, cores=cores, ub_bytes=4096))
    above = tiling.accepted(dropless(limit + 1, 2, 32, dtype=FP16, cores=cores, ub_bytes=4096))
    assert at_limit.tokens_per_core == at_limit.tokens_per_batch
    assert above.tokens_per_core > above.tokens_per_batch


def test_a_hidden_beyond_its_limit_leaves_one_token_per_batch(tiling: Tiling) -> None:
    # 32 bytes per column hold two tokens: 196352 / 32 = 6136 columns.
    assert tiling.limit("batch", 2, FP32, hidden=6136) == 2
    assert tiling.limit("batch", 2, FP32, hidden=6137) == 1
    assert tiling.limit("batch", 2, FP32, hidden=tiling.limit("hidden", 2, FP32) + 1) == 1


def test_a_batch_never_exceeds_the_blocks_of_one_copy(tiling: Tiling) -> None:
    # No real unified buffer is large enough to meet this limit: the smallest token takes 96 bytes.
    assert tiling.limit("batch", 1, FP32, hidden=1) == (UB_910B - 64) // 96 < 4095
    assert tiling.limit("batch", 1, FP32, hidden=1, ub=2**20) == 4095
    data = tiling.accepted(dropless(9000, 1, 1, cores=1, ub_bytes=2**20))
    assert data.tokens_per_batch == 4095


@pytest.mark.parametrize(("top_k", "bins"), BINS.items())
def test_bins_follow_the_class_of_top_k(tiling: Tiling, top_k: int, bins: int) -> None:
    assert tiling.limit("bins", top_k, FP32) == bins
    assert tiling.accepted(dropless(3, top_k, 16)).bins == bins


@pytest.mark.parametrize(("top_k", "bins"), BINS.items())
@pytest.mark.parametrize("dtype", [FP32, FP16, BF16])
def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(
    tiling: Tiling, top_k: int, bins: int, dtype: int
) -> None:
    least = tiling.limit("ub-bytes", top_k, dtype)
    assert least == (128 + 32 * bins if dtype == FP32 else 192 + 64 * bins)
    data = tiling.accepted(dropless(3, top_k, 1000, dtype=dtype, ub_bytes=least))
    assert data.tile_columns == 32 // BYTES[dtype]
    reason = tiling.rejected(dropless(3, top_k, 1, dtype=dtype, ub_bytes=least - 1))
    assert reason.startswith(f"the unified buffer is {least - 1} bytes; it must be {least} bytes")
    for axis in ("hidden", "batch", "tokens"):
        assert tiling.limit(axis, top_k, dtype, ub=least - 1, hidden=1) == 0


def test_a_limit_of_an_unknown_axis_is_minus_one(tiling: Tiling) -> None:
    assert tiling.limit("width", 2, FP32, hidden=8) == -1


@pytest.mark.parametrize(("dtype", "digit"), [(FP32, 0), (FP16, 1), (BF16, 2)])
@pytest.mark.parametrize(
    ("call", "key"),
    [
        (Call((8, 16), (8,), (4, 16), 2), 1000),
        (Call((5, 16), (8,), (4, 16), 2, active_num=5), 1010),
        (Call((2, 3, 16), (8,), (4, 16), 2, drop_pad_mode=1), 1100),
        (Call((2, 3, 16), (8,), (4, 16), 2, drop_pad_mode=1, active_num=7), 1100),
    ],
)
def test_the_key_tells_mode_and_dtype(
    tiling: Tiling, call: Call, key: int, dtype: int, digit: int
) -> None:
    assert tiling.accepted(replace(call, dtype=dtype)).key == key + digit


@pytest.mark.parametrize(
    ("tokens", "cores", "used", "per_core"),
    [(1, 48, 1, 1), (48, 48, 48, 1), (49, 48, 25, 2), (97, 48, 33, 3), (7, 1, 1, 7), (4, 3, 2, 2)],
)
def test_tokens_are_spread_in_equal_parts_with_the_rest_on_the_last_core(
    tiling: Tiling, tokens: int, cores: int, used: int, per_core: int
) -> None:
    data = tiling.accepted(dropless(tokens, 2, 8, cores=cores))
    assert (data.used_cores, data.tokens_per_core) == (used, per_core)


ACCEPTED = {
    "dropless, topK 6": dropless(80, 6, 8),
    "dropless, wide": dropless(8, 2, 5120, dtype=BF16),
    "active, topK 64": Call((40, 512), (640,), (10, 512), 64, active_num=40),
    "active, topK 1": Call((40, 512), (80,), (80, 512), 1, active_num=40),
    "active beyond all slots": Call((99, 512), (80,), (80, 512), 1, active_num=99),
    "drop-pad ignores activeNum": Call((10, 8, 512), (640,), (80, 512), 8, 1, active_num=40),
    "drop-pad without experts": Call((0, 8, 512), (640,), (80, 512), 8, 1),
    "drop-pad without capacity": Call((10, 0, 512), (640,), (80, 512), 8, 1),
    "indices of rank 2": Call((8, 16), (8, 3), (4, 16), 2),
    "rank 3 without drop-pad": Call((8, 16, 5), (8,), (4, 16), 2),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_calls_that_the_vendor_accepts_are_accepted(tiling: Tiling, name: str) -> None:
    tiling.accepted(ACCEPTED[name])


ACTIVE, DROP_PAD = ACCEPTED["active, topK 1"], ACCEPTED["drop-pad ignores activeNum"]
REJECTED = (
    replace(DROP_PAD, drop_pad_mode=-1, reason="dropPadMode is -1"),
    replace(DROP_PAD, drop_pad_mode=2, reason="dropPadMode is 2"),
    replace(DROP_PAD, active_num=-1, reason="activeNum is -1"),
    replace(DROP_PAD, top_k=0, reason="topK is 0"),
    replace(DROP_PAD, top_k=-8, reason="topK is -8"),
    replace(DROP_PAD, rows=(10, 8, 1, 512), reason="[10, 8, 1, 512] is 4; it must be 2 or 3"),
    replace(ACTIVE, rows=(40,), reason="the rank of gradExpandedX [40] is 1"),
    replace(DROP_PAD, rows=(80, 512), reason="is 2; it must be 3 where dropPadMode is 1"),
    replace(
        dropless(196607, 1, 8),
        rows=(196608, 8),
        reason="dim 0 of gradExpandedX is 196608; it must be dim 0 of expandedRowIdx, 196607",
    ),
    replace(ACTIVE, active_num=30, reason="gradExpandedX is 40; it must be activeNum, 30"),
    replace(DROP_PAD, out=(80, 512, 1), reason="the rank of out [80, 512, 1] is 3"),
    replace(DROP_PAD, out=(80, 510), reason="dim 1 of out is 510"),
    replace(DROP_PAD, out=(10, 512), reason="dim 0 of out is 10; it must be dim 0"),
    replace(DROP_PAD, indices=(0,), out=(0, 512), reason="dim 0 of expandedRowIdx is 0"),
    replace(DROP_PAD, indices=(640, 0), reason="dim 1 of expandedRowIdx is 0"),
    replace(ACCEPTED["rank 3 without drop-pad"], rows=(8, 16, 0), reason="gradExpandedX is 0"),
    replace(DROP_PAD, indices=(641,), reason="expandedRowIdx is 641; it must be a multiple"),
)


@pytest.mark.parametrize("call", REJECTED, ids=lambda call: call.reason)
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call
) -> None:
    reason = tiling.rejected(call)
    assert call.reason in reason
    assert "; it must be " in reason
    assert reason.endswith("(host tiling of MoeInitRoutingV2Grad)")


def test_the_first_broken_rule_is_named_in_the_documented_order(tiling: Tiling) -> None:
    broken = Call((7, 16, 0, 1), (9,), (1,), 0, 2, -1)
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("dropPadMode", {"drop_pad_mode": 0}),
        ("topK", {"top_k": 2}),
        ("activeNum", {"active_num": 0}),
        ("the rank of gradExpandedX", {"rows": (7, 16, 0)}),
        ("dim 0 of gradExpandedX", {"rows": (9, 16, 0)}),
        ("the rank of out", {"out": (5, 1)}),
        ("dim 1 of out", {"out": (5, 16)}),
        ("dim 0 of out", {"out": (4, 16)}),
        ("dim 2 of gradExpandedX is 0; it must be greater", {"rows": (9, 16)}),
        ("dim 0 of expandedRowIdx is 9; it must be a multiple", {}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    view = CallView(ShapeView.of(()), ShapeView.of(()), ShapeView.of(()), top_k=0)
    room = ctypes.create_string_buffer(b"x" * 16)
    status = tiling.library.MoeInitRoutingV2GradTiling(
        ctypes.byref(view), ctypes.byref(TilingData()), room, ctypes.c_uint64(8)
    )
    assert (status, room.raw[:8], room.raw[8:9]) == (TILING_REJECTED, b"topK is\0", b"x")
