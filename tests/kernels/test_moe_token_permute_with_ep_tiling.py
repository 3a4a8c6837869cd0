"""The host tiling cuts every call so that all of it is done once and fits, or says why not."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.host_tilings import assert_complete, merge_levels, pieces
from tests.kernels.moe_token_permute_with_ep_tiling import (
    BF16,
    BYTES,
    FP16,
    FP32,
    INT32,
    INT64,
    LEAST_UB,
    TILING_REJECTED,
    UB_910_93,
    UB_910B,
    Call,
    Tiling,
    TilingData,
    compile_tiling,
    whole,
)


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return compile_tiling(tmp_path_factory.mktemp("tiling"))


SIZES = st.one_of(st.integers(LEAST_UB, 4096), st.integers(LEAST_UB, UB_910_93))
CORES = st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100))


def test_keys_are_sorted_exactly_once_and_fit_the_unified_buffer(tiling: Tiling) -> None:
    @settings(max_examples=600, deadline=None)
    @given(st.one_of(st.integers(1, 3000), st.integers(1, 16777214)), CORES, SIZES)
    def check(keys: int, cores: int, ub: int) -> None:
        data = tiling.accepted(whole(keys, 1, 1, cores=cores, ub_bytes=ub))
        sort = data.sort
        assert_complete(pieces(0, keys, sort.run_keys), keys)
        assert sort.runs == -(-keys // sort.run_keys)
        assert sort.keys == keys
        assert sort.ub_bytes() <= ub
        # A run fits the three buffers, as do a tile of each of four lists.
        assert sort.run_keys <= 4 * sort.tile_keys
        # Sort32 takes 32 keys, and so does Extract, of all tiles together.
        assert sort.run_keys % 32 == 0
        assert sort.tile_keys % 8 == 0
        # Repeats of Sort32, and pairs of a list of MrgSort.
        assert 4 * sort.tile_keys // 32 <= 255
        assert sort.tile_keys <= 4095
        # No more merges than the fewest runs need.
        assert merge_levels(sort.runs) <= merge_levels(-(-keys // (4 * sort.tile_keys)))
        assert data.used_cores >= min(sort.runs, cores)

    check()


def test_the_parts_of_the_workspace_lie_behind_one_another(tiling: Tiling) -> None:
    @settings(max_examples=200, deadline=None)
    @given(st.one_of(st.integers(1, 3000), st.integers(1, 16777214)), CORES, SIZES)
    def check(keys: int, cores: int, ub: int) -> None:
        data = tiling.accepted(whole(keys, 1, 1, cores=cores, ub_bytes=ub))
        assert data.pairs_offset >= 4 * keys
        assert data.pairs_bytes >= (8 * keys if data.sort.runs > 1 else 0)
        assert data.pairs_offset % 512 == data.pairs_bytes % 512 == 0
        assert data.workspace_bytes == data.pairs_offset + 2 * data.pairs_bytes

    check()


def test_tokens_slots_and_columns_are_copied_exactly_once_and_fit(tiling: Tiling) -> None:
    @settings(max_examples=600, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 30_000)),
        top_k=st.one_of(st.integers(1, 9), st.integers(1, 512)),
        hidden=st.one_of(st.integers(0, 70), st.integers(1, 200_000)),
        dtype=st.sampled_from([FP32, FP16, BF16]),
        probs=st.booleans(),
        cores=CORES,
        ub=SIZES,
    )
    def check(
        tokens: int, top_k: int, hidden: int, dtype: int, probs: bool, cores: int, ub: int
    ) -> None:
        call = whole(tokens, top_k, hidden, dtype=dtype, probs=probs, cores=cores, ub_bytes=ub)
        data = tiling.accepted(call)
        per_core = pieces(0, tokens, data.tokens_per_core)
        assert_complete(per_core, tokens)
        assert len(per_core) <= data.used_cores <= cores
        for first, end in (per_core[0], per_core[-1]):
            batches = [(a - first, b - first) for a, b in pieces(first, end, data.tokens_per_batch)]
            assert_complete(batches, end - first)
        slots = data.tokens_per_batch * top_k
        assert_complete(pieces(0, slots, data.slots_per_batch), slots)
        if hidden > 0:
            assert_complete(pieces(0, hidden, data.tile_columns), hidden)
        assert data.slots.ub_bytes(BYTES[dtype]) <= ub
        # Blocks of one copy: rows of a batch, and probs of its slots.
        assert data.tokens_per_batch <= 4095
        assert data.slots_per_batch <= 4095
        # Rows lie end to end in the input only if they are whole, and come with all their slots.
        assert data.tokens_per_batch == 1 or data.tile_columns == hidden
        assert data.tokens_per_batch == 1 or data.slots_per_batch == slots
        # A tile that is followed by another ends on a 32-byte block.
        assert data.tile_columns == hidden or data.tile_columns * BYTES[dtype] % 32 == 0

    check()


@pytest.mark.parametrize("ub", [768, 1024, 2048, 16384, UB_910B, UB_910_93])
@pytest.mark.parametrize("cores", [1, 3, 48])
def test_the_limits_of_the_sort_are_the_last_sizes_of_their_kind(
    tiling: Tiling, cores: int, ub: int
) -> None:
    run = tiling.limit("sort", ub=ub)
    assert run == min(8160, ub // 24 // 32 * 32)
    for axis, deepest in (("sort", 0), ("merge-1", 1), ("merge-2", 2)):
        most = tiling.limit(axis, ub=ub)
        assert most == run * 4**deepest
        for slots, expected in ((most, deepest), (most + 1, deepest + 1)):
            call = whole(slots, 1, 1, cores=cores, ub_bytes=ub)
            assert merge_levels(tiling.accepted(call).sort.runs) == expected
    most = tiling.limit("runs", cores=cores, ub=ub)
    assert most == cores * run
    assert tiling.accepted(whole(most, 1, 1, cores=cores, ub_bytes=ub)).sort.runs == cores
    above = tiling.accepted(whole(most + 1, 1, 1, cores=cores, ub_bytes=ub))
    assert above.sort.runs == cores + 1


def test_more_cores_sort_shorter_runs_but_never_merge_more_often(tiling: Tiling) -> None:
    """Two runs would do; four take as many merges, five would not."""
    assert [
        tiling.accepted(whole(10_000, 1, 1, cores=cores)).sort.runs for cores in (1, 2, 3, 4, 48)
    ] == [2, 2, 3, 4, 4]


@pytest.mark.parametrize("dtype", [FP32, FP16, BF16])
@pytest.mark.parametrize("top_k", [1, 2, 7, 8, 100, 512])
@pytest.mark.parametrize("probs", [False, True])
@pytest.mark.parametrize("ub", [768, 1024, 8192, UB_910B, UB_910_93])
def test_the_hidden_limit_is_the_last_size_of_one_tile(
    tiling: Tiling, ub: int, probs: bool, top_k: int, dtype: int
) -> None:
    most = tiling.limit("hidden-probs" if probs else "hidden", top_k, dtype, ub=ub)
    assert most > 0
    call = whole(5, top_k, most, dtype=dtype, probs=probs, ub_bytes=ub)
    assert tiling.accepted(call).tile_columns == most
    call = whole(5, top_k, most + 1, dtype=dtype, probs=probs, ub_bytes=ub)
    assert tiling.accepted(call).tile_columns <= most


@pytest.mark.parametrize("dtype", [FP32, FP16])
@pytest.mark.parametrize("top_k", [1, 2, 8, 64, 512])
@pytest.mark.parametrize("probs", [False, True])
@pytest.mark.parametrize("hidden", [0, 1, 17, 100])
def test_the_batch_limit_is_the_last_token_count_of_one_batch(
    tiling: Tiling, hidden: int, probs: bool, top_k: int, dtype: int
) -> None:
    axis = "batch-probs" if probs else "batch"
    most = tiling.limit(axis, top_k, dtype, hidden=hidden)
    assert most > 1
    for tokens, expected in ((most, most), (most + 1, most)):
        call = whole(tokens, top_k, hidden, dtype=dtype, probs=probs, cores=1)
        data = tiling.accepted(call)
        assert data.tokens_per_batch == expected
    data.tokens_per_batch, data.slots_per_batch = most + 1, (most + 1) * top_k
    full = data.slots_per_batch > 4095
    assert full or data.slots.ub_bytes(BYTES[dtype]) + 32 > UB_910B
    assert tiling.limit(axis.replace("batch", "tokens"), top_k, dtype, hidden=hidden) == 48 * most


def test_limits_fall_with_the_unified_buffer(tiling: Tiling) -> None:
    for axis in ("sort", "hidden", "hidden-probs", "batch", "batch-probs"):
        found = [tiling.limit(axis, 3, FP16, ub=ub, hidden=5) for ub in range(LEAST_UB, 9000, 32)]
        assert all(one <= other for one, other in pairwise(found)), axis


def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(tiling: Tiling) -> None:
    assert tiling.limit("ub-bytes") == LEAST_UB
    for call in (whole(7, 512, 9999, dtype=FP16), whole(1, 1, 1, probs=False)):
        tiling.accepted(replace(call, ub_bytes=LEAST_UB))
        for less in (LEAST_UB - 1, 1, 0):
            reason = tiling.rejected(replace(call, ub_bytes=less))
            assert reason.startswith(f"the unified buffer is {less} bytes; it must be 768 bytes")


@pytest.mark.parametrize("top_k", [-1, 0, 1, 512, 513, 2**62])
@pytest.mark.parametrize("hidden", [-1, 0, 1, 2**40, 2**62])
@pytest.mark.parametrize("ub", [0, 1, 767, 768, 2**63])
def test_a_limit_of_anything_is_a_number(tiling: Tiling, ub: int, hidden: int, top_k: int) -> None:
    axes = ("sort", "merge-1", "merge-2", "runs", "hidden", "batch", "tokens", "ub-bytes", "cores")
    for axis in (*axes, "hidden-probs", "batch-probs", "tokens-probs"):
        for cores in (0, 1, 48):
            found = tiling.limit(axis, top_k, FP16, cores=cores, ub=ub, hidden=hidden)
            assert found >= 0, axis
    for axis in ("width", "", "-probs", "sort-probs", "hidden-probs-probs"):
        assert tiling.limit(axis, top_k, FP16, ub=ub, hidden=hidden) == -1


@pytest.mark.parametrize(("dtype", "narrow"), [(FP32, 0), (FP16, 1), (BF16, 1)])
@pytest.mark.parametrize(("index_dtype", "wide"), [(INT32, 0), (INT64, 10)])
def test_the_key_tells_the_widths_of_indices_and_elements(
    tiling: Tiling, index_dtype: int, wide: int, dtype: int, narrow: int
) -> None:
    call = replace(whole(3, 2, 5), dtype=dtype, index_dtype=index_dtype)
    assert tiling.accepted(call).key == 1000 + wide + narrow


def sliced(span: tuple[int, ...] | None, rows: int, **rest: Any) -> Call:
    """Eight tokens of three slots, of whose 24 ranks so many have a place."""
    call = replace(whole(8, 3, 4), span=span, **rest)
    return replace(call, permute_tokens=(rows, 4), permute_probs=(rows,))


SPANS = {
    (0, 24): (24, 0),
    (0, 9): (9, 0),
    (9, 24): (15, 9),
    (5, 17): (12, 5),
    (23, 24): (1, 23),
    (0, 0): (24, 0),
    (7, 7): (24, 0),
    (24, 24): (24, 0),
    (17, 5): (12, 17),
    (24, 0): (0, 24),
    (1, 0): (23, 1),
}
"""Ranges with their number of ranks and the first of them."""


@pytest.mark.parametrize("span", SPANS)
def test_a_range_tells_the_ranks_that_have_a_place(tiling: Tiling, span: tuple[int, int]) -> None:
    rows, first = SPANS[span]
    data = tiling.accepted(sliced(span, rows, num_out_tokens=5))
    assert (data.first_rank, data.end_rank) == (first, first + rows)


@pytest.mark.parametrize(("count", "rows"), [(0, 24), (1, 1), (23, 23), (24, 24)])
def test_without_a_range_the_number_of_rows_tells_them(
    tiling: Tiling, count: int, rows: int
) -> None:
    data = tiling.accepted(sliced(None, rows, num_out_tokens=count))
    assert (data.first_rank, data.end_rank) == (0, rows)


ONE_SLOT = Call((8,), (8,), (8, 1), (8,))
ACCEPTED = {
    "topK 512": whole(3, 512, 8),
    "most slots": whole(16777214, 1, 1, probs=False),
    "indices of rank 1": replace(whole(8, 1, 4), indices=(8,), probs=(8,)),
    "tokens of rank 1": ONE_SLOT,
    "tokens of rank 4": replace(whole(8, 2, 30), tokens=(8, 2, 5, 3)),
    "rows of another shape": replace(whole(8, 2, 30), permute_tokens=(16, 3, 10)),
    "no columns": whole(8, 2, 0),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_calls_that_the_vendor_accepts_are_accepted(tiling: Tiling, name: str) -> None:
    assert tiling.accepted(ACCEPTED[name]).used_cores > 0


def test_no_tokens_take_no_cores(tiling: Tiling) -> None:
    data = tiling.accepted(whole(0, 3, 4))
    assert (data.used_cores, data.workspace_bytes) == (0, 0)


GOOD = sliced((5, 17), 12)
BARE = replace(GOOD, probs=None, permute_probs=None)
HUGE = 2**62
REJECTED = (
    replace(GOOD, span=(), reason="the length of rangeOptional [] is 0; it must be 2"),
    replace(GOOD, span=(5,), reason="the length of rangeOptional [5] is 1"),
    replace(GOOD, span=(5, 17, 1), reason="the length of rangeOptional [5, 17, 1] is 3"),
    replace(GOOD, padded_mode=1, reason="paddedMode is true; it must be false"),
    replace(GOOD, indices=(), reason="the rank of indices [] is 0; it must be 1 or 2"),
    replace(GOOD, indices=(8, 3, 1), reason="the rank of indices [8, 3, 1] is 3"),
    replace(GOOD, tokens=(), reason="the rank of tokens [] is 0; it must be 1 or greater"),
    replace(GOOD, tokens=(7, 4), reason="dim 0 of tokens is 7; it must be dim 0 of indices, 8"),
    replace(GOOD, probs=(24,), reason="the rank of probsOptional [24] is 1"),
    replace(GOOD, probs=(9, 3), reason="dim 0 of probsOptional is 9"),
    replace(GOOD, probs=(8, 2), reason="dim 1 of probsOptional is 2; it must be that of indices"),
    replace(BARE, indices=(8, 0), reason="topK, dim 1 of indices is 0; it must be 1 to 512"),
    replace(BARE, indices=(8, 513), reason="topK, dim 1 of indices is 513"),
    replace(whole(16777215, 1, 1), reason="is 16777215 * 1; it must be less than 16777215"),
    replace(whole(32768, 512, 1), reason="is 32768 * 512; it must be less than 16777215"),
    replace(BARE, tokens=(HUGE, 4), indices=(HUGE, 3), reason="it must be less than 16777215"),
    replace(GOOD, span=(-1, 11), reason="the start of rangeOptional is -1; it must be 0 to the"),
    replace(GOOD, span=(25, 24), reason="the start of rangeOptional is 25"),
    replace(GOOD, span=(5, -1), reason="the end of rangeOptional is -1"),
    replace(GOOD, span=(13, 25), reason="the end of rangeOptional is 25"),
    replace(GOOD, span=None, num_out_tokens=-1, reason="numOutTokens is -1"),
    replace(GOOD, span=None, num_out_tokens=25, reason="numOutTokens is 25"),
    replace(GOOD, permute_tokens=(12,), reason="the rank of permuteTokensOut [12] is 1"),
    replace(GOOD, permute_tokens=(12, 5), reason="columns of permuteTokensOut [12, 5] is 5"),
    replace(GOOD, permute_tokens=(12, HUGE, 4), reason="columns of permuteTokensOut"),
    replace(GOOD, permute_tokens=(13, 4), reason="dim 0 of permuteTokensOut is 13"),
    replace(GOOD, sorted_indices=(8, 3), reason="the rank of sortedIndicesOut [8, 3] is 2"),
    replace(GOOD, sorted_indices=(12,), reason="dim 0 of sortedIndicesOut is 12"),
    replace(GOOD, permute_probs=(12, 1), reason="the rank of permuteProbsOut [12, 1] is 2"),
    replace(GOOD, permute_probs=(24,), reason="dim 0 of permuteProbsOut is 24"),
)


@pytest.mark.parametrize("call", REJECTED, ids=lambda call: call.reason)
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call
) -> None:
    reason = tiling.rejected(call)
    assert call.reason in reason
    assert "; it must be " in reason
    assert reason.endswith("(host tiling of MoeTokenPermuteWithEp)")


def test_the_first_broken_rule_is_named_in_the_documented_order(tiling: Tiling) -> None:
    broken = Call((7, 4), (8, 0, 1), (1,), (1, 1), (1,), (1, 1), (1,), 0, 1)
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("the length of rangeOptional", {"span": (5, 99)}),
        ("paddedMode", {"padded_mode": 0}),
        ("the rank of indices", {"indices": (8, 0)}),
        ("dim 0 of tokens", {"tokens": (8, 4)}),
        ("the rank of probsOptional", {"probs": (8, 0)}),
        ("topK", {"indices": (8, 3), "probs": (8, 3)}),
        ("the end of rangeOptional", {"span": (5, 17)}),
        ("the rank of permuteTokensOut", {"permute_tokens": (1, 1)}),
        ("the number of columns of permuteTokensOut", {"permute_tokens": (1, 4)}),
        ("dim 0 of permuteTokensOut", {"permute_tokens": (12, 4)}),
        ("the rank of sortedIndicesOut", {"sorted_indices": (1,)}),
        ("dim 0 of sortedIndicesOut", {"sorted_indices": (24,)}),
        ("the rank of permuteProbsOut", {"permute_probs": (1,)}),
        ("dim 0 of permuteProbsOut", {"permute_probs": (12,)}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)
    tiling.accepted(broken)


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    view = replace(GOOD, padded_mode=1).view()
    room = ctypes.create_string_buffer(b"x" * 16)
    status = tiling.library.MoeTokenPermuteWithEpTiling(
        ctypes.byref(view), ctypes.byref(TilingData()), room, ctypes.c_uint64(8)
    )
    assert (status, room.raw[:8], room.raw[8:9]) == (TILING_REJECTED, b"paddedM\0", b"x")
