"""The host tiling cuts every job so that all of it is done once and fits, or says why not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.host_tilings import (
    BF16,
    BYTES,
    FP16,
    FP32,
    PARAMETER_INVALID,
    UB_910_93,
    UB_910B,
    assert_complete,
    pieces,
    round_up,
    shares,
)
from tests.kernels.moe_token_permute_with_routing_map_grad_tiling import (
    ENTRY_BYTES,
    Call,
    MaskTiling,
    Tiling,
    even,
)

DTYPES = (FP32, FP16, BF16)
LEAST_PAD_UB = 768


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return Tiling(tmp_path_factory.mktemp("tiling"))


def machines() -> dict[str, st.SearchStrategy[int]]:
    return {
        "dtype": st.sampled_from(DTYPES),
        "cores": st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        "ub": st.one_of(st.integers(2272, 8192), st.integers(2272, UB_910_93)),
    }


def mask_ub_bytes(mask: MaskTiling, dtype: int) -> int:
    size = BYTES[dtype]
    pitch = round_up(mask.tile_experts, 32) + round_up(mask.tile_experts * size, 32)
    values = round_up(mask.tile_tokens * size, 32)
    return mask.tile_tokens * pitch + values + 3 * round_up(4 * mask.tile_experts, 32)


def assert_rows_are_done_once(data: Any, tokens: int, hidden: int, names: int) -> None:
    """Tokens over the cores and columns over the tiles; a core has up to ``names`` names."""
    parts = list(shares(tokens, data.row_cores))
    assert_complete(parts, tokens)
    assert_complete(pieces(0, hidden, data.rows.tile_columns), hidden)
    assert_complete(pieces(0, names, data.rows.batch), names)


def test_without_padding_all_is_done_exactly_once_and_fits(tiling: Tiling) -> None:
    @settings(max_examples=200, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 10**5)),
        experts=st.one_of(st.integers(1, 70), st.integers(1, 20_000)),
        top_k=st.one_of(st.integers(1, 9), st.integers(1, 512)),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 40_000)),
        **machines(),
    )
    def check(
        tokens: int, experts: int, top_k: int, hidden: int, dtype: int, cores: int, ub: int
    ) -> None:
        machine = {"dtype": dtype, "cores": cores, "ub": ub}
        data = tiling.accepted(even(tokens, experts, tokens * top_k, hidden, pad=False, **machine))
        assert (data.dtype, data.top_k, data.rows.source_rows) == (dtype, top_k, tokens * top_k)
        assert data.row_cores == data.mask.used_cores == min(tokens, cores)
        most = -(-tokens // data.row_cores)
        assert_rows_are_done_once(data, tokens, hidden, most)
        assert data.rows.ub_bytes(dtype, 4 * top_k) <= ub
        mask = data.mask
        assert_complete(pieces(0, experts, mask.tile_experts), experts)
        assert_complete(pieces(0, most, mask.tile_tokens), most)
        assert mask_ub_bytes(mask, dtype) <= ub
        assert mask.tile_experts == experts or mask.tile_experts % 32 == 0
        assert mask.tile_experts == experts or mask.tile_tokens == 1
        assert mask.tile_tokens <= 4095

    check()


def test_with_padding_all_is_done_exactly_once_and_fits(tiling: Tiling) -> None:
    @settings(max_examples=200, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 10**5)),
        experts=st.one_of(st.integers(1, 70), st.integers(1, 1000)),
        capacity=st.one_of(st.integers(1, 9), st.integers(1, 300)),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 40_000)),
        **machines(),
    )
    def check(
        tokens: int, experts: int, capacity: int, hidden: int, dtype: int, cores: int, ub: int
    ) -> None:
        rows = experts * capacity
        machine = {"dtype": dtype, "cores": cores, "ub": ub}
        data = tiling.accepted(even(tokens, experts, rows, hidden, pad=True, **machine))
        assert data.top_k == 0
        assert data.row_cores == min(tokens, cores)
        assert_rows_are_done_once(data, tokens, hidden, rows)
        assert data.rows.ub_bytes(dtype, ENTRY_BYTES) <= ub
        sort = data.sort
        assert sort.entries == rows
        assert sort.run_entries % 32 == 0
        assert 24 * sort.run_entries <= ub
        assert 64 * sort.merge_entries <= ub
        assert sort.run_entries <= 8160
        assert 4 <= sort.merge_entries <= 4095
        assert sort.merge_entries % 4 == 0
        runs = len(pieces(0, rows, sort.run_entries))
        assert sort.used_cores == min(runs, cores)
        assert 4**sort.levels >= runs > 4 ** (sort.levels - 1) if runs > 1 else sort.levels == 0
        scatter = data.scatter
        assert (scatter.elements, scatter.capacity) == (tokens * experts, capacity)
        assert scatter.used_cores == (cores if rows > cores else 1)
        zeros = list(shares(scatter.elements, scatter.used_cores))
        assert [start for start, _ in zeros] == [0, *(end for _, end in zeros[:-1])]
        assert zeros[-1][1] == scatter.elements
        each = rows // scatter.used_cores
        most = rows - each * (scatter.used_cores - 1)
        assert_complete(pieces(0, most, scatter.batch), most)
        assert 36 * scatter.batch + 28 <= ub or scatter.batch == 4095
        assert 1 <= scatter.batch <= 4095

    check()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ub", [1024, 8192, UB_910B])
@pytest.mark.parametrize(
    ("axis", "at_limit", "beyond"),
    [("four-buffers", 4, 3), ("three-buffers", 3, 2), ("hidden", 2, 2)],
)
@pytest.mark.parametrize("pad", [False, True])
def test_a_limit_of_hidden_is_the_last_size_of_its_branch(
    tiling: Tiling, axis: str, at_limit: int, beyond: int, ub: int, dtype: int, pad: bool
) -> None:
    limit = tiling.limit(f"pad-{axis}" if pad else axis, 2, dtype, ub=ub)
    sizes = {"pad": pad, "dtype": dtype, "ub": ub}
    last = tiling.accepted(even(5, 2, 10, limit, **sizes)).rows
    next_one = tiling.accepted(even(5, 2, 10, limit + 1, **sizes)).rows
    assert last.tile_columns == limit > 0
    assert next_one.tile_columns == (limit if axis == "hidden" else limit + 1)
    if dtype == FP32 or ub == UB_910B:
        # Elsewhere a limit may be that of the branch beside it.
        assert (last.input_buffers, next_one.input_buffers) == (at_limit, beyond)
    last.tile_columns, last.batch, last.input_buffers = limit + 1, 1, at_limit
    assert last.ub_bytes(dtype, ENTRY_BYTES) > ub


@pytest.mark.parametrize("cores", [1, 3, 48])
@pytest.mark.parametrize("ub", [1024, 8192, UB_910B])
def test_rows_are_sorted_in_one_run_of_a_core_up_to_the_limit(
    tiling: Tiling, ub: int, cores: int
) -> None:
    run = tiling.limit("run", ub=ub)
    assert run == min(ub // 24 // 32 * 32, 8160)
    assert tiling.limit("sorted", cores=cores, ub=ub) == run * cores
    for rows, runs in ((run * cores, cores), (run * cores + 1, cores + 1)):
        sort = tiling.accepted(even(5, 1, rows, 8, pad=True, cores=cores, ub=ub)).sort
        assert len(pieces(0, rows, sort.run_entries)) == runs
        assert sort.used_cores == cores
    one = tiling.accepted(even(5, 1, 32, 8, pad=True, cores=cores, ub=ub)).sort
    assert (one.used_cores, one.levels, one.run_entries) == (1, 0, 32)
    assert tiling.limit("merge", ub=ub) == one.merge_entries == min(ub // 64 // 4 * 4, 4092)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hidden", [1, 17, 100, 30_000])
def test_entries_beside_a_tile_are_as_many_as_fit(tiling: Tiling, hidden: int, dtype: int) -> None:
    limit = tiling.limit("entries", 0, dtype, ub=8192, hidden=hidden)
    call = even(5, 1, limit + 1, hidden, pad=True, dtype=dtype, cores=1, ub=8192)
    rows = tiling.accepted(call).rows
    assert rows.batch == limit >= 4
    rows.batch = limit + 1
    assert rows.ub_bytes(dtype, ENTRY_BYTES) > 8192


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ub", [1024, 8192, UB_910B])
def test_the_expert_limit_is_the_last_count_of_one_tile(
    tiling: Tiling, ub: int, dtype: int
) -> None:
    limit = tiling.limit("experts", 0, dtype, ub=ub)
    assert limit > 0
    sizes = {"pad": False, "dtype": dtype, "ub": ub, "cores": 1}
    last = tiling.accepted(even(9, limit, 9, 8, **sizes)).mask
    beyond = tiling.accepted(even(9, limit + 1, 9, 8, **sizes)).mask
    assert last.tile_experts == beyond.tile_experts == limit
    assert beyond.tile_tokens == 1
    beyond.tile_experts = limit + 32
    assert mask_ub_bytes(beyond, dtype) > ub


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("experts", [1, 8, 32, 33, 64])
def test_the_token_limit_of_a_tile_is_exact_to_a_block_of_values(
    tiling: Tiling, experts: int, dtype: int
) -> None:
    limit = tiling.limit("tile-tokens", 0, dtype, ub=8192, hidden=experts)
    sizes = {"pad": False, "dtype": dtype, "ub": 8192, "cores": 1}
    mask = tiling.accepted(even(limit + 1, experts, limit + 1, 8, **sizes)).mask
    assert mask.tile_tokens == limit > 1
    assert mask_ub_bytes(mask, dtype) <= 8192
    mask.tile_tokens, mask.tile_experts = limit + 1, round_up(experts, 32)
    assert mask_ub_bytes(mask, dtype) + 31 > 8192


def test_a_tile_never_exceeds_the_blocks_of_one_copy(tiling: Tiling) -> None:
    assert tiling.limit("tile-tokens", ub=1 << 21, hidden=1) == 4095
    assert tiling.limit("scatter", ub=1 << 21) == 4095
    assert tiling.limit("scatter", ub=36 * 10 + 28) == 10
    assert tiling.limit("scatter", ub=36 * 10 + 27) == 9


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("probs", [False, True])
@pytest.mark.parametrize("top_k", [1, 200])
def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(
    tiling: Tiling, top_k: int, probs: bool, pad: bool, dtype: int
) -> None:
    rows = (96 if dtype == FP32 else 224) + round_up(4 * top_k, 32)
    mask = tiling.limit("mask-ub-bytes", 0, dtype)
    assert mask == 32 + 32 * (13 + BYTES[dtype])
    assert tiling.limit("ub-bytes", top_k, dtype) == rows
    assert tiling.limit("pad-ub-bytes", 0, dtype) == LEAST_PAD_UB
    least = LEAST_PAD_UB if pad else max(rows, mask) if probs else rows
    sizes = {"pad": pad, "probs": probs, "dtype": dtype}
    data = tiling.accepted(even(4, 2, 4 * top_k, 100, ub=least, **sizes))
    assert data.rows.tile_columns >= 32 // BYTES[dtype]
    reason = tiling.rejected(even(4, 2, 4 * top_k, 1, ub=least - 1, **sizes))
    assert reason.startswith(f"the unified buffer is {least - 1} bytes; it must be {least} bytes")


def test_limits_below_the_least_unified_buffer_are_0(tiling: Tiling) -> None:
    for axis in ("four-buffers", "three-buffers", "hidden", "batch", "tokens"):
        assert tiling.limit(axis, 2, FP32, cores=2, ub=127, hidden=8) == 0
    for axis in ("pad-four-buffers", "pad-three-buffers", "pad-hidden", "entries", "run", "sorted"):
        assert tiling.limit(axis, 0, FP32, cores=2, ub=767, hidden=8) == 0
    assert tiling.limit("merge", ub=767) == 0
    for axis in ("experts", "tile-tokens"):
        assert tiling.limit(axis, 0, FP32, ub=575, hidden=8) == 0
    assert tiling.limit("scatter", ub=63) == tiling.limit("scatter") == 0


def test_a_limit_of_an_unknown_axis_is_minus_one(tiling: Tiling) -> None:
    assert tiling.limit("width", 2, FP32, hidden=8) == -1
    assert tiling.limit("pad-batch") == -1


PLAIN = even(4, 3, 8, 16, pad=False)
PADDED = even(4, 3, 9, 16, pad=True)
CONTRADICTIONS: tuple[tuple[Call, str], ...] = (
    (
        replace(PLAIN, tokens=3, tokens_grad=(3, 16)),
        "dim 0 of permutedTokenOutputGrad is 8; it must be a multiple of tokensNum, 3, where "
        "dropAndPad is false",
    ),
    (
        replace(PADDED, rows=(8, 16)),
        "dim 0 of permutedTokenOutputGrad is 8; it must be a multiple of numExperts, 3, where "
        "dropAndPad is true",
    ),
    (replace(PLAIN, indices=(8, 1)), "the rank of sortedIndices is 2; it must be 1"),
    (
        replace(PLAIN, indices=(7,)),
        "dim 0 of sortedIndices is 7; it must be dim 0 of permutedTokenOutputGrad, 8",
    ),
    (replace(PLAIN, tokens_grad=(4,)), "the rank of tokensGradOut is 1; it must be 2"),
    (replace(PLAIN, tokens_grad=(5, 16)), "dim 0 of tokensGradOut is 5; it must be tokensNum, 4"),
    (
        replace(PADDED, tokens_grad=(4, 17)),
        "dim 1 of tokensGradOut is 17; it must be dim 1 of permutedTokenOutputGrad, 16",
    ),
    (
        replace(PADDED, values=(8,)),
        "dim 0 of permutedProbsOutputGradOptional is 8; it must be dim 0 of "
        "permutedTokenOutputGrad, 9",
    ),
    (replace(PLAIN, map=(5, 3)), "dim 0 of routingMapOptional is 5; it must be tokensNum, 4"),
    (replace(PLAIN, map=(4, 2)), "dim 1 of routingMapOptional is 2; it must be numExperts, 3"),
    (replace(PLAIN, probs_grad=(4,)), "the rank of probsGradOutOptional is 1; it must be 2"),
    (
        replace(PADDED, probs_grad=(3, 3)),
        "dim 0 of probsGradOutOptional is 3; it must be tokensNum, 4",
    ),
    (
        replace(PADDED, probs_grad=(4, 4)),
        "dim 1 of probsGradOutOptional is 4; it must be numExperts, 3",
    ),
)
BEYOND: tuple[tuple[Call, str], ...] = (
    (
        even(4, 3, 2052, 16, pad=False),
        "dim 0 of permutedTokenOutputGrad is 2052; it must be at most 512 times tokensNum, 4, "
        "where dropAndPad is false",
    ),
    (
        even(4, 3, 3 << 30, 16, pad=True),
        "dim 0 of permutedTokenOutputGrad is 3221225472; it must be at most 2147483647",
    ),
    (
        even((1 << 24) + 1, 3, 9, 16, pad=True),
        "tokensNum is 16777217; it must be at most 16777216 where dropAndPad is true",
    ),
)
SOURCE = "host tiling of MoeTokenPermuteWithRoutingMapGrad"


@pytest.mark.parametrize(("call", "reason"), CONTRADICTIONS, ids=[r for _, r in CONTRADICTIONS])
def test_shapes_that_contradict_each_other_are_an_invalid_parameter(
    tiling: Tiling, call: Call, reason: str
) -> None:
    assert tiling.rejected(call, PARAMETER_INVALID) == f"{reason} ({SOURCE})"


@pytest.mark.parametrize(("call", "reason"), BEYOND, ids=[reason for _, reason in BEYOND])
def test_a_call_beyond_a_limit_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call, reason: str
) -> None:
    assert tiling.rejected(call) == f"{reason} ({SOURCE})"


def test_512_slots_and_every_exact_key_are_accepted(tiling: Tiling) -> None:
    assert tiling.accepted(even(2, 600, 1024, 16, pad=False)).top_k == 512
    assert tiling.accepted(even(1 << 24, 1, 5, 16, pad=True)).sort.entries == 5


def test_shapes_that_only_the_probs_need_are_not_looked_at_without_them(tiling: Tiling) -> None:
    for call in (PLAIN, PADDED):
        without_output = replace(call, probs_grad=None, map=(1, 1), values=(1,))
        without_values = replace(call, values=None, map=(1, 1), probs_grad=(1, 1))
        for one in (without_output, without_values):
            data = tiling.accepted(one)
            assert (data.mask.used_cores, data.scatter.used_cores) == (0, 0)
