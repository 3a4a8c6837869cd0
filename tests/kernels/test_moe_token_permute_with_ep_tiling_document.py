"""The host tiling of MoeTokenPermuteWithEp as its document has it: padded rows, token numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.host_tilings import assert_complete, pieces, round_up
from tests.kernels.moe_token_permute_with_ep_tiling import (
    BF16,
    BYTES,
    FP16,
    FP32,
    INT32,
    INT64,
    LEAST_UB,
    UB_910_93,
    UB_910B,
    Call,
    Tiling,
    TilingData,
    compile_tiling,
    padded,
    whole,
)


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return compile_tiling(tmp_path_factory.mktemp("tiling"))


def ub_bytes(data: TilingData, dtype: int, index_bytes: int) -> int:
    """What the kernel allocates while it copies padded rows."""
    rows = 2 * data.tokens_per_batch * round_up(data.tile_columns * BYTES[dtype], 32)
    names = round_up(index_bytes * data.tokens_per_batch, 32)
    return (
        rows
        + names
        + round_up(4 * data.tokens_per_batch, 32)
        + 64 * (data.tokens_per_batch * data.has_probs)
    )


def test_padded_rows_and_columns_are_copied_exactly_once_and_fit(tiling: Tiling) -> None:
    @settings(max_examples=600, deadline=None)
    @given(
        rows=st.one_of(st.integers(1, 200), st.integers(1, 30_000)),
        hidden=st.one_of(st.integers(0, 70), st.integers(1, 200_000)),
        dtype=st.sampled_from([FP32, FP16, BF16]),
        probs=st.booleans(),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(LEAST_UB, 4096), st.integers(LEAST_UB, UB_910_93)),
    )
    def check(rows: int, hidden: int, dtype: int, probs: bool, cores: int, ub: int) -> None:
        call = padded(rows, hidden, experts=int(probs), dtype=dtype, cores=cores, ub_bytes=ub)
        data = tiling.accepted(call)
        per_core = pieces(0, rows, data.tokens_per_core)
        assert_complete(per_core, rows)
        assert len(per_core) == data.used_cores <= cores
        assert_complete(
            pieces(0, data.tokens_per_core, data.tokens_per_batch), data.tokens_per_core
        )
        if hidden > 0:
            assert_complete(pieces(0, hidden, data.tile_columns), hidden)
        assert ub_bytes(data, dtype, 8) <= ub
        assert data.tokens_per_batch <= 4095
        # Rows lie end to end in the output only if they are whole.
        assert data.tokens_per_batch == 1 or data.tile_columns == hidden
        assert data.tile_columns == hidden or data.tile_columns * BYTES[dtype] % 32 == 0
        assert (data.end_rank, data.experts, data.workspace_bytes) == (rows, int(probs), 0)

    check()


@pytest.mark.parametrize("dtype", [FP32, FP16])
@pytest.mark.parametrize("probs", [False, True])
@pytest.mark.parametrize("ub", [768, 8192, UB_910B])
def test_padded_limits_are_the_last_sizes_of_their_kind(
    tiling: Tiling, ub: int, probs: bool, dtype: int
) -> None:
    suffix, experts = ("-padded-probs", 1) if probs else ("-padded", 0)
    most = tiling.limit(f"hidden{suffix}", 1, dtype, ub=ub)
    for hidden, tile in ((most, most), (most + 1, None)):
        data = tiling.accepted(padded(5, hidden, experts=experts, dtype=dtype, ub_bytes=ub))
        assert data.tile_columns == tile or (tile is None and data.tile_columns <= most)
    most = tiling.limit(f"batch{suffix}", 1, dtype, ub=ub, hidden=7)
    for rows in (most, most + 1):
        call = padded(rows, 7, experts=experts, dtype=dtype, cores=1, ub_bytes=ub)
        assert tiling.accepted(call).tokens_per_batch == most
    assert tiling.limit(f"tokens{suffix}", 1, dtype, ub=ub, hidden=7) == 48 * most


@pytest.mark.parametrize(("dtype", "narrow"), [(FP32, 0), (FP16, 1), (BF16, 1)])
@pytest.mark.parametrize(("index_dtype", "wide"), [(INT32, 0), (INT64, 10)])
def test_the_key_of_a_padded_call_tells_the_widths(
    tiling: Tiling, index_dtype: int, wide: int, dtype: int, narrow: int
) -> None:
    call = replace(padded(6, 5), dtype=dtype, index_dtype=index_dtype)
    assert tiling.accepted(call).key == 1100 + wide + narrow


def test_without_rows_a_padded_call_takes_no_cores(tiling: Tiling) -> None:
    assert tiling.accepted(padded(0, 4)).used_cores == 0


def test_a_range_and_a_number_of_tokens_do_not_apply_to_a_padded_call(tiling: Tiling) -> None:
    plain = tiling.accepted(padded(6, 4))
    for span, number in (((3, 9), 0), ((-1, 99), 1), (None, -7)):
        data = tiling.accepted(replace(padded(6, 4), span=span, num_out_tokens=number))
        assert bytes(data) == bytes(plain)


GOOD = padded(6, 4, experts=3)
NUMBERED = replace(whole(8, 3, 4), as_document=1)
REJECTED = {
    "the rank of indices [6, 1] is 2; it must be 1 with": replace(GOOD, indices=(6, 1)),
    "the rank of tokens [] is 0; it must be 1 or greater": replace(GOOD, tokens=()),
    "dim 0 of tokens is 2147483649; it must be at most 2^31": replace(
        padded(6, 4), tokens=(2**31 + 1, 4)
    ),
    "the rank of probsOptional [6] is 1; it must be 2": replace(GOOD, probs=(6,)),
    "dim 0 of probsOptional is 8; it must be dim 0 of tokens, 9": replace(GOOD, probs=(8, 3)),
    "dim 1 of probsOptional is 0; it must be a number of": replace(GOOD, probs=(9, 0)),
    "dim 1 of probsOptional is 4; it must be a number of": replace(GOOD, probs=(9, 4)),
    "dim 0 of permuteTokensOut is 5; it must be": replace(GOOD, permute_tokens=(5, 4)),
    "dim 0 of sortedIndicesOut is 5; it must be": replace(GOOD, sorted_indices=(5,)),
    "dim 0 of permuteProbsOut is 7; it must be": replace(GOOD, permute_probs=(7,)),
    "paddedMode is true; it must be false": replace(GOOD, as_document=0),
    "the unified buffer is 767 bytes": replace(GOOD, ub_bytes=767),
    "dim 0 of permuteTokensOut is 24; it must be the number of ranks in the range, 20": replace(
        NUMBERED, num_out_tokens=-4
    ),
    "dim 0 of permuteProbsOut is 24; it must be the number of ranks in the range, 7": replace(
        NUMBERED, num_out_tokens=7, permute_tokens=(7, 4)
    ),
}


@pytest.mark.parametrize("reason", REJECTED)
def test_what_the_document_does_not_define_is_refused(tiling: Tiling, reason: str) -> None:
    assert tiling.rejected(REJECTED[reason]).startswith(reason)


def test_a_call_just_inside_each_of_these_rules_is_accepted(tiling: Tiling) -> None:
    tiling.accepted(GOOD)
    tiling.accepted(replace(padded(6, 4), tokens=(2**31, 4)))
    tiling.accepted(replace(GOOD, probs=(9, 6)))
    tiling.accepted(replace(GOOD, ub_bytes=768))
    tiling.accepted(replace(ONE_AXIS, permute_tokens=(6, 1)))


ONE_AXIS = replace(padded(6, 1), tokens=(9,))
ROWS = {0: 24, 1: 1, 23: 23, 24: 24, 25: 24, 99: 24, -1: 23, -23: 1, -24: 0, -99: 0}
"""Rows of the output for each number of tokens, of 24 slots."""


@pytest.mark.parametrize("number", ROWS)
def test_a_number_of_tokens_keeps_the_first_slots_of_the_order(tiling: Tiling, number: int) -> None:
    rows = ROWS[number]
    shapes = {"permute_tokens": (rows, 4), "permute_probs": (rows,)}
    call: Call = replace(NUMBERED, num_out_tokens=number, **shapes)
    data = tiling.accepted(call)
    assert (data.first_rank, data.end_rank) == (0, rows)
    assert data.used_cores > 0  # the ranks of all slots are wanted
