"""The host tiling cuts every call so that all of it is done once and fits, or says why not."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.host_tilings import (
    BF16,
    BYTES,
    FP16,
    FP32,
    TILING_REJECTED,
    UB_910_93,
    UB_910B,
    HostTiling,
    RowSumTiling,
    ShapeView,
    assert_complete,
    integers,
    pieces,
    round_up,
    shares,
)

DTYPES = (FP32, FP16, BF16)


class TilingData(ctypes.Structure):
    _fields_ = [*integers("key", "used_cores", "top_k"), ("rows", RowSumTiling)]
    key: int
    used_cores: int
    top_k: int
    rows: RowSumTiling


class CallView(ctypes.Structure):
    _fields_ = [
        ("permuted_output_grad", ShapeView),
        ("sorted_indices", ShapeView),
        ("out", ShapeView),
        *integers("num_topk", "dtype", "cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    rows: tuple[int, ...]
    indices: tuple[int, ...]
    out: tuple[int, ...]
    top_k: int
    dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B

    @property
    def view(self) -> CallView:
        shapes = map(ShapeView.of, (self.rows, self.indices, self.out))
        return CallView(*shapes, self.top_k, self.dtype, self.cores, self.ub)


def even(tokens: int, top_k: int, hidden: int, **machine: int) -> Call:
    rows = tokens * top_k
    return Call((rows, hidden), (rows,), (tokens, hidden), top_k, **machine)


class Tiling(HostTiling):
    def accepted(self, call: Call) -> TilingData:
        data = TilingData()
        assert self.cut(call.view, data) == (0, "")
        return data

    def rejected(self, call: Call) -> str:
        status, reason = self.cut(call.view, TilingData())
        assert status == TILING_REJECTED
        return reason


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    folder = tmp_path_factory.mktemp("tiling")
    return Tiling("moe_token_permute_grad", "MoeTokenPermuteGrad", folder)


def test_tokens_and_columns_are_done_exactly_once_and_fit_the_unified_buffer(
    tiling: Tiling,
) -> None:
    @settings(max_examples=600, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 10**6)),
        top_k=st.one_of(st.integers(1, 9), st.integers(1, 512)),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 40_000)),
        dtype=st.sampled_from(DTYPES),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(2272, 8192), st.integers(2272, UB_910_93)),
    )
    def check(tokens: int, top_k: int, hidden: int, dtype: int, cores: int, ub: int) -> None:
        data = tiling.accepted(even(tokens, top_k, hidden, dtype=dtype, cores=cores, ub=ub))
        rows = data.rows
        assert (data.top_k, rows.tokens, rows.hidden) == (top_k, tokens, hidden)
        assert rows.source_rows == tokens * top_k
        assert data.used_cores == min(tokens, cores)
        parts = list(shares(tokens, data.used_cores))
        assert_complete(parts, tokens)
        for first, end in (parts[0], parts[-1]):
            batches = [(a - first, b - first) for a, b in pieces(first, end, rows.batch)]
            assert_complete(batches, end - first)
        assert_complete(pieces(0, hidden, rows.tile_columns), hidden)
        assert rows.ub_bytes(dtype, 4 * top_k) <= ub
        # A tile that is followed by another ends on a 32-byte block.
        assert rows.tile_columns == hidden or rows.tile_columns * BYTES[dtype] % 32 == 0

    check()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 100, 512])
@pytest.mark.parametrize("ub", [4096, 8192, UB_910B, UB_910_93])
@pytest.mark.parametrize(
    ("axis", "at_limit", "beyond"),
    [("four-buffers", 4, 3), ("three-buffers", 3, 2), ("hidden", 2, 2)],
)
def test_a_limit_of_hidden_is_the_last_size_of_its_branch(
    tiling: Tiling, axis: str, at_limit: int, beyond: int, ub: int, top_k: int, dtype: int
) -> None:
    limit = tiling.limit(axis, top_k, dtype, ub=ub)
    assert limit > 0
    assert limit * BYTES[dtype] % 32 == 0
    last = tiling.accepted(even(5, top_k, limit, dtype=dtype, ub=ub)).rows
    next_one = tiling.accepted(even(5, top_k, limit + 1, dtype=dtype, ub=ub)).rows
    assert (last.input_buffers, last.tile_columns) == (at_limit, limit)
    split = axis == "hidden"
    assert next_one.input_buffers == beyond
    assert next_one.tile_columns == (limit if split else limit + 1)
    last.tile_columns, last.batch = limit + 1, 1
    assert last.ub_bytes(dtype, 4 * top_k) > ub


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 2, 8, 64, 200])
@pytest.mark.parametrize("hidden", [1, 17, 100, 9000, 30_000])
def test_the_batch_limit_is_the_last_token_count_of_one_batch(
    tiling: Tiling, top_k: int, dtype: int, hidden: int
) -> None:
    limit = tiling.limit("batch", top_k, dtype, ub=UB_910B, hidden=hidden)
    last = tiling.accepted(even(limit, top_k, hidden, dtype=dtype, cores=1)).rows
    beyond = tiling.accepted(even(limit + 1, top_k, hidden, dtype=dtype, cores=1)).rows
    assert last.batch == beyond.batch == limit >= 1
    beyond.batch = limit + 1
    assert beyond.ub_bytes(dtype, 4 * top_k) > UB_910B


@pytest.mark.parametrize("cores", [1, 3, 48])
def test_the_token_limit_is_the_last_count_that_gives_every_core_one_batch(
    tiling: Tiling, cores: int
) -> None:
    limit = tiling.limit("tokens", 8, FP16, cores=cores, ub=4096, hidden=32)
    at_limit = tiling.accepted(even(limit, 8, 32, dtype=FP16, cores=cores, ub=4096)).rows
    above = tiling.accepted(even(limit + 1, 8, 32, dtype=FP16, cores=cores, ub=4096)).rows
    assert -(-limit // cores) == at_limit.batch == above.batch
    assert tiling.limit("cores", 8, FP16, cores=cores) == cores


@pytest.mark.parametrize(
    ("dtype", "four", "three", "two"), [(FP32, 9816, 12264, 16360), (FP16, 10896, 12256, 14016)]
)
def test_the_thresholds_of_a_real_chip(
    tiling: Tiling, dtype: int, four: int, three: int, two: int
) -> None:
    """Where 32 bytes of indices are left aside: 196320 bytes over those of a column."""
    for axis, expected in (("four-buffers", four), ("three-buffers", three), ("hidden", two)):
        assert tiling.limit(axis, 1, dtype, ub=UB_910B) == expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 16, 511, 512])
def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(
    tiling: Tiling, top_k: int, dtype: int
) -> None:
    least = tiling.limit("ub-bytes", top_k, dtype)
    assert least == (96 if dtype == FP32 else 224) + round_up(4 * top_k, 32)
    data = tiling.accepted(even(3, top_k, 1000, dtype=dtype, cores=1, ub=least)).rows
    assert (data.tile_columns, data.input_buffers) == (32 // BYTES[dtype], 2)
    assert data.batch == min(3, max(1, 8 // top_k))
    reason = tiling.rejected(even(3, top_k, 1, dtype=dtype, ub=least - 1))
    assert reason.startswith(f"the unified buffer is {least - 1} bytes; it must be {least} bytes")
    for axis in ("four-buffers", "three-buffers", "hidden", "batch", "tokens"):
        assert tiling.limit(axis, top_k, dtype, cores=4, ub=least - 1, hidden=1) == 0


@pytest.mark.parametrize("top_k", [-1, 0, 513, 1 << 62])
def test_limits_of_what_is_no_top_k_are_0(tiling: Tiling, top_k: int) -> None:
    for axis in ("ub-bytes", "four-buffers", "three-buffers", "hidden", "batch", "tokens"):
        assert tiling.limit(axis, top_k, FP32, cores=2, ub=8192, hidden=8) == 0


def test_a_limit_of_an_unknown_axis_is_minus_one(tiling: Tiling) -> None:
    assert tiling.limit("width", 2, FP32, hidden=8) == -1
    assert tiling.limit("", 0) == -1


@pytest.mark.parametrize(("dtype", "key"), [(BF16, 0), (FP16, 2), (FP32, 4)])
def test_the_key_tells_the_dtype(tiling: Tiling, dtype: int, key: int) -> None:
    assert tiling.accepted(even(4, 2, 16, dtype=dtype)).key == key


GOOD = even(4, 2, 16)
REJECTED: tuple[tuple[Call, str], ...] = (
    (replace(GOOD, rows=(8,)), "the rank of permutedOutputGrad is 1; it must be 2"),
    (replace(GOOD, rows=(2, 4, 16)), "the rank of permutedOutputGrad is 3; it must be 2"),
    (replace(GOOD, indices=(4, 2)), "the rank of sortedIndices is 2; it must be 1"),
    (replace(GOOD, indices=()), "the rank of sortedIndices is 0; it must be 1"),
    (replace(GOOD, top_k=0), "numTopk is 0; it must be 1 to 512"),
    (replace(GOOD, top_k=-1), "numTopk is -1; it must be 1 to 512"),
    (even(2, 513, 16), "numTopk is 513; it must be 1 to 512"),
    (replace(GOOD, top_k=3), "dim 0 of sortedIndices is 8; it must be a multiple of numTopk, 3"),
    (replace(GOOD, out=(4, 16, 1)), "the rank of out is 3; it must be 2"),
    (replace(GOOD, out=(4, 15)), "dim 1 of out is 15; it must be dim 1 of permutedOutputGrad, 16"),
    (
        replace(GOOD, out=(5, 16)),
        "dim 0 of out is 5; it must be dim 0 of sortedIndices divided by numTopk, 4",
    ),
)


@pytest.mark.parametrize(("call", "reason"), REJECTED, ids=[reason for _, reason in REJECTED])
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call, reason: str
) -> None:
    assert tiling.rejected(call) == f"{reason} (host tiling of MoeTokenPermuteGrad)"


@pytest.mark.parametrize("rows", [0, 1, 7, 9, 1000])
def test_any_number_of_source_rows_is_accepted(tiling: Tiling, rows: int) -> None:
    assert tiling.accepted(replace(GOOD, rows=(rows, 16))).rows.source_rows == rows


def test_512_slots_are_accepted(tiling: Tiling) -> None:
    assert tiling.accepted(even(2, 512, 16)).top_k == 512


def test_the_first_broken_rule_is_named(tiling: Tiling) -> None:
    broken = Call((7,), (9, 1), (1,), 0)
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("the rank of permutedOutputGrad", {"rows": (7, 16)}),
        ("the rank of sortedIndices", {"indices": (9,)}),
        ("numTopk", {"top_k": 2}),
        ("dim 0 of sortedIndices", {"indices": (8,)}),
        ("the rank of out", {"out": (5, 1)}),
        ("dim 1 of out", {"out": (5, 16)}),
        ("dim 0 of out", {"out": (4, 16), "ub": 96}),
        ("the unified buffer", {}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    assert tiling.cut(replace(GOOD, top_k=0).view, TilingData(), room=8) == (
        TILING_REJECTED,
        "numTopk",
    )
