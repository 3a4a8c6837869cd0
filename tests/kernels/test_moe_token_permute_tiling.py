"""The host tiling cuts every call so that all of it is done once and fits, or says why not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.host_tilings import (
    BF16,
    FP16,
    FP32,
    TILING_REJECTED,
    UB_910_93,
    UB_910B,
    assert_complete,
    merge_levels,
    pieces,
)
from tests.kernels.moe_token_permute_tiling import (
    INT8,
    INT32,
    INT64,
    LEAST_UB,
    WIDTHS,
    Call,
    Tiling,
    TilingData,
    whole,
)

CHIPS = [(cores, ub) for cores in (40, 48) for ub in (UB_910B, UB_910_93)]
MACHINES = [(1, LEAST_UB), (3, 1024), (2, 8192), *CHIPS]


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return Tiling("moe_token_permute", "MoeTokenPermute", tmp_path_factory.mktemp("tiling"))


def test_slots_tokens_and_columns_are_done_exactly_once_and_fit(tiling: Tiling) -> None:
    @settings(max_examples=800, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 30_000)),
        top_k=st.one_of(st.integers(1, 9), st.integers(1, 512)),
        hidden=st.one_of(st.integers(0, 70), st.integers(1, 400_000)),
        dtype=st.sampled_from(sorted(WIDTHS)),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(LEAST_UB, 4096), st.integers(LEAST_UB, UB_910_93)),
    )
    def check(tokens: int, top_k: int, hidden: int, dtype: int, cores: int, ub: int) -> None:
        data = tiling.accepted(whole(tokens, top_k, hidden, dtype=dtype, cores=cores, ub=ub))
        slots = tokens * top_k
        assert (data.tokens, data.top_k, data.hidden, data.has_probs) == (tokens, top_k, hidden, 0)
        assert (data.first_rank, data.end_rank) == (0, slots)
        per_core = pieces(0, tokens, data.tokens_per_core)
        assert_complete(per_core, tokens)
        assert max(len(per_core), min(data.sort.runs, cores)) == data.used_cores <= cores
        for first, end in (per_core[0], per_core[-1]):
            batches = [(a - first, b - first) for a, b in pieces(first, end, data.tokens_per_batch)]
            assert_complete(batches, end - first)
        assert_complete(
            pieces(0, data.tokens_per_batch * top_k, data.slots_per_batch),
            data.tokens_per_batch * top_k,
        )
        if hidden > 0:
            assert_complete(pieces(0, hidden, data.tile_columns), hidden)
        assert_complete(pieces(0, slots, data.sort.run_keys), slots)
        assert (data.sort.keys, data.sort.runs) == (slots, -(-slots // data.sort.run_keys))
        assert data.ub_bytes(WIDTHS[dtype]) <= ub
        assert data.sort.ub_bytes() <= ub
        # Blocks of one copy.
        assert data.tokens_per_batch <= 4095
        # Rows lie end to end in the input only if they are whole, and come with all their slots.
        assert data.tokens_per_batch == 1 or data.tile_columns == hidden
        assert data.tokens_per_batch == 1 or data.slots_per_batch == data.tokens_per_batch * top_k
        # A tile that is followed by another ends on a 32-byte block.
        assert data.tile_columns == hidden or data.tile_columns * WIDTHS[dtype] % 32 == 0
        # The slots by rank, then two lists of pairs.
        assert data.pairs_offset >= 4 * slots
        assert data.pairs_bytes >= (8 * slots if data.sort.runs > 1 else 0)
        assert data.workspace_bytes == data.pairs_offset + 2 * data.pairs_bytes

    check()


@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_limits_of_the_sort_are_the_last_sizes_of_their_kind(
    tiling: Tiling, cores: int, ub: int
) -> None:
    run = tiling.limit("sort", ub=ub)
    assert run == min(8160, ub // 24 // 32 * 32)
    for axis, deepest in (("sort", 0), ("merge-1", 1), ("merge-2", 2)):
        most = tiling.limit(axis, ub=ub)
        assert most == run * 4**deepest
        for slots, expected in ((most - 1, deepest), (most, deepest), (most + 1, deepest + 1)):
            call = whole(slots, 1, 1, dtype=INT8, cores=cores, ub=ub)
            assert merge_levels(tiling.accepted(call).sort.runs) == expected
    most = tiling.limit("runs", cores=cores, ub=ub)
    for slots, runs in ((most - 1, cores), (most, cores), (most + 1, cores + 1)):
        call = whole(slots, 1, 1, dtype=INT8, cores=cores, ub=ub)
        assert tiling.accepted(call).sort.runs == runs


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("top_k", [1, 2, 7, 8, 100, 512])
@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_hidden_limit_is_the_last_size_of_one_tile(
    tiling: Tiling, cores: int, ub: int, top_k: int, dtype: int
) -> None:
    most = tiling.limit("hidden", top_k, dtype, ub=ub)
    assert most * WIDTHS[dtype] % 32 == 0
    for hidden, tiles in ((most - 1, 1), (most, 1), (most + 1, 2)):
        data = tiling.accepted(whole(5, top_k, hidden, dtype=dtype, cores=cores, ub=ub))
        assert len(pieces(0, hidden, data.tile_columns)) == tiles
        assert data.ub_bytes(WIDTHS[dtype]) <= ub


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("top_k", [1, 2, 8, 64, 512])
@pytest.mark.parametrize("hidden", [0, 1, 33, 100])
@pytest.mark.parametrize("ub", [UB_910B, UB_910_93])
def test_the_batch_limit_is_the_last_token_count_of_one_batch(
    tiling: Tiling, ub: int, hidden: int, top_k: int, dtype: int
) -> None:
    most = tiling.limit("batch", top_k, dtype, ub=ub, hidden=hidden)
    for tokens, batches in ((most - 1, 1), (most, 1), (most + 1, 2)):
        data = tiling.accepted(whole(tokens, top_k, hidden, dtype=dtype, cores=1, ub=ub))
        assert len(pieces(0, tokens, data.tokens_per_batch)) == batches
        assert data.ub_bytes(WIDTHS[dtype]) <= ub
    data.tokens_per_batch, data.slots_per_batch = most + 1, (most + 1) * top_k
    assert data.slots_per_batch > 4095 or data.ub_bytes(WIDTHS[dtype]) + 32 > ub


@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_token_limits_are_the_last_counts_that_give_every_core_one_batch_or_token(
    tiling: Tiling, cores: int, ub: int
) -> None:
    batch = tiling.limit("batch", 3, INT8, ub=ub, hidden=33)
    most = tiling.limit("tokens", 3, INT8, cores=cores, ub=ub, hidden=33)
    assert most == cores * batch
    for tokens, batches in ((most - 1, 1), (most, 1), (most + 1, 2)):
        data = tiling.accepted(whole(tokens, 3, 33, dtype=INT8, cores=cores, ub=ub))
        assert len(pieces(0, data.tokens_per_core, data.tokens_per_batch)) == batches
    assert tiling.limit("cores", cores=cores) == cores
    for tokens, share in ((cores - 1, 1), (cores, 1), (cores + 1, 2)):
        if tokens > 0:
            data = tiling.accepted(whole(tokens, 3, 33, dtype=INT8, cores=cores, ub=ub))
            assert data.tokens_per_core == share


@pytest.mark.parametrize(
    ("dtype", "on_910b", "on_910_93"),
    [(FP32, 24536, 24568), (FP16, 49072, 49136), (BF16, 49072, 49136), (INT8, 98144, 98272)],
)
def test_the_widest_rows_of_a_real_chip(
    tiling: Tiling, dtype: int, on_910b: int, on_910_93: int
) -> None:
    for ub, most in ((UB_910B, on_910b), (UB_910_93, on_910_93)):
        assert tiling.limit("hidden", 8, dtype, ub=ub) == most


def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(tiling: Tiling) -> None:
    assert tiling.limit("ub-bytes") == LEAST_UB
    for call in (whole(7, 512, 9999, dtype=INT8), whole(1, 1, 1)):
        tiling.accepted(replace(call, ub=LEAST_UB))
        for less in (LEAST_UB - 1, 1, 0):
            reason = tiling.rejected(replace(call, ub=less))
            assert reason.startswith(f"the unified buffer is {less} bytes; it must be 768 bytes")


@pytest.mark.parametrize("top_k", [-1, 0, 1, 512, 513, 2**62])
@pytest.mark.parametrize("hidden", [-1, 0, 1, 2**40, 2**62])
@pytest.mark.parametrize("ub", [0, 767, 768, 2**63])
def test_a_limit_of_anything_is_a_number(tiling: Tiling, ub: int, hidden: int, top_k: int) -> None:
    axes = ("sort", "merge-1", "merge-2", "runs", "hidden", "batch", "tokens", "ub-bytes", "cores")
    for axis in axes:
        for cores in (0, 1, 48):
            assert tiling.limit(axis, top_k, INT8, cores=cores, ub=ub, hidden=hidden) >= 0, axis
    for axis in ("width", "", "hidden-probs", "hidden-padded"):
        assert tiling.limit(axis, top_k, INT8, ub=ub, hidden=hidden) == -1


@pytest.mark.parametrize(("dtype", "digit"), [(FP32, 0), (FP16, 1), (BF16, 1), (INT8, 2)])
@pytest.mark.parametrize(("index_dtype", "wide"), [(INT32, 0), (INT64, 10)])
def test_the_key_tells_the_widths_of_indices_and_elements(
    tiling: Tiling, index_dtype: int, wide: int, dtype: int, digit: int
) -> None:
    data = TilingData()
    call = replace(whole(3, 2, 5), dtype=dtype, index_dtype=index_dtype)
    assert tiling.cut(call.view, data) == (0, "")
    assert data.key == 1000 + wide + digit


LEAST_INTEGER = -(2**63)
ROWS = {
    **{0: 24, 1: 1, 23: 23, 24: 24, 25: 24, 2**63 - 1: 24},
    **{-1: 23, -23: 1, -24: 0, -25: 0, LEAST_INTEGER: 0},
}
"""Rows of the output for each numOutTokens, of 24 slots."""


@pytest.mark.parametrize("number", ROWS)
def test_num_out_tokens_keeps_the_first_slots_of_the_order(tiling: Tiling, number: int) -> None:
    rows = ROWS[number]
    data = tiling.accepted(replace(whole(8, 3, 4), number=number, permuted=(rows, 4)))
    assert (data.first_rank, data.end_rank) == (0, rows)
    assert data.used_cores > 0  # the ranks of all slots are wanted


ACCEPTED = {
    "topK 512": whole(3, 512, 8),
    "most slots": whole(16777214, 1, 1),
    "indices of rank 1": replace(whole(8, 1, 4), indices=(8,)),
    "tokens of rank 1": Call((8,), (8,), (8, 1), (8,)),
    "tokens of rank 4": replace(whole(8, 2, 30), tokens=(8, 2, 5, 3)),
    "rows of another shape": replace(whole(8, 2, 30), permuted=(16, 3, 10)),
    "no columns": whole(8, 2, 0),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_call_just_inside_the_rules_is_accepted(tiling: Tiling, name: str) -> None:
    assert tiling.accepted(ACCEPTED[name]).used_cores > 0


@pytest.mark.parametrize("indices", [(0,), (0, 3), (5, 0), (0, 0)])
@pytest.mark.parametrize("number", [-4, 0, 4])
def test_without_slots_there_is_nothing_to_do(
    tiling: Tiling, number: int, indices: tuple[int, ...]
) -> None:
    call = Call((indices[0], 4), indices, (0, 4), (0,), number)
    assert tiling.accepted(call).used_cores == 0


GOOD = replace(whole(8, 3, 4), number=20, permuted=(20, 4))
HUGE = 1 << 61
REJECTED = (
    replace(GOOD, padded=1, reason="paddedMode is true; it must be false"),
    replace(GOOD, indices=(), reason="the rank of indices [] is 0; it must be 1 or 2"),
    replace(
        GOOD, indices=(8, 3, 1), reason="the rank of indices [8, 3, 1] is 3; it must be 1 or 2"
    ),
    replace(GOOD, tokens=(), reason="the rank of tokens [] is 0; it must be 1 or greater"),
    replace(GOOD, tokens=(7, 4), reason="dim 0 of tokens is 7; it must be dim 0 of indices, 8"),
    replace(whole(8, 513, 4), reason="topK, dim 1 of indices is 513; it must be 0 to 512"),
    replace(
        whole(16777215, 1, 4),
        reason="indices [16777215, 1] is 16777215 * 1; it must be less than 16777215",
    ),
    replace(whole(32768, 512, 4), reason="is 32768 * 512; it must be less than 16777215"),
    replace(GOOD, tokens=(HUGE, 4), indices=(HUGE, 8), reason="it must be less than 16777215"),
    replace(GOOD, permuted=(20,), reason="the rank of permuteTokensOut [20] is 1; it must be 2 or"),
    replace(
        GOOD,
        permuted=(20, 5),
        reason="columns of permuteTokensOut [20, 5] is 5; it must be that of tokens, 4",
    ),
    replace(GOOD, permuted=(20, HUGE, 4), reason="columns of permuteTokensOut"),
    replace(
        GOOD,
        permuted=(24, 4),
        reason="dim 0 of permuteTokensOut is 24; it must be the number of ranks that numOutTokens"
        " 20 keeps of 24, 20",
    ),
    replace(GOOD, number=-20, reason="numOutTokens -20 keeps of 24, 4"),
    replace(GOOD, ranks=(8, 3), reason="the rank of sortedIndicesOut [8, 3] is 2; it must be 1"),
    replace(
        GOOD,
        ranks=(20,),
        reason="dim 0 of sortedIndicesOut is 20; it must be the number of elements of indices, 24",
    ),
    Call((5, 4), (5, 0), (5, 4), (0,), 5, reason="dim 0 of permuteTokensOut is 5"),
)


@pytest.mark.parametrize("call", REJECTED, ids=lambda call: call.reason)
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call
) -> None:
    reason = tiling.rejected(call)
    assert call.reason in reason
    assert reason.endswith("(host tiling of MoeTokenPermute)")


def test_the_first_broken_rule_is_named_in_the_documented_order(tiling: Tiling) -> None:
    broken = Call((), (8, 513, 1), (1,), (1, 1), padded=1, ub=767)
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("paddedMode", {"padded": 0}),
        ("the rank of indices", {"indices": (8, 513)}),
        ("the rank of tokens", {"tokens": (7, 4)}),
        ("dim 0 of tokens", {"tokens": (8, 4)}),
        ("topK", {"indices": (8, 3)}),
        ("the rank of permuteTokensOut", {"permuted": (1, 1)}),
        ("the number of columns of permuteTokensOut", {"permuted": (1, 4)}),
        ("dim 0 of permuteTokensOut", {"permuted": (24, 4)}),
        ("the rank of sortedIndicesOut", {"ranks": (1,)}),
        ("dim 0 of sortedIndicesOut", {"ranks": (24,)}),
        ("the unified buffer", {"ub": LEAST_UB}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)
    tiling.accepted(broken)


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    cut = tiling.cut(replace(GOOD, padded=1).view, TilingData(), room=8)
    assert cut == (TILING_REJECTED, "paddedM")
