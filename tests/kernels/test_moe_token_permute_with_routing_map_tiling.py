"""The host tiling cuts every call so that all of it is done once and fits, or says why not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.host_tilings import (
    BYTES,
    FP16,
    FP32,
    PARAMETER_INVALID,
    UB_910_93,
    UB_910B,
    assert_complete,
    pieces,
)
from tests.kernels.moe_token_permute_with_routing_map_tiling import (
    LEAST_UB,
    Call,
    Tiling,
    TilingData,
    even,
)

CHIPS = [(cores, ub) for cores in (40, 48) for ub in (UB_910B, UB_910_93)]
MACHINES = [(1, LEAST_UB), (3, 1024), (2, 8192), *CHIPS]
KINDS = [(pad, probs) for pad in (False, True) for probs in (False, True)]


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return Tiling(tmp_path_factory.mktemp("tiling"))


def assert_fits(data: TilingData, dtype: int, ub: int) -> None:
    assert data.map_bytes(dtype) <= ub
    assert data.slots.ub_bytes(BYTES[dtype]) <= ub


@pytest.mark.parametrize(("pad", "probs"), KINDS)
def test_places_tokens_rows_and_columns_are_done_exactly_once_and_fit(
    pad: bool, probs: bool, tiling: Tiling
) -> None:
    @settings(max_examples=300, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 30_000)),
        experts=st.one_of(st.integers(1, 70), st.integers(1, 20_000)),
        each=st.integers(1, 512),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 400_000)),
        dtype=st.sampled_from(sorted(BYTES)),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(LEAST_UB, 4096), st.integers(LEAST_UB, UB_910_93)),
    )
    def check(
        tokens: int, experts: int, each: int, hidden: int, dtype: int, cores: int, ub: int
    ) -> None:
        each = min(each, tokens * 512 // experts if pad else experts, tokens if pad else 512)
        if each == 0:
            return
        machine = {"dtype": dtype, "cores": cores, "ub": ub}
        data = tiling.accepted(even(tokens, experts, each, hidden, pad=pad, probs=probs, **machine))
        slots, walk = data.slots, data.map
        copied = each * experts if pad else tokens
        rows = each * (experts if pad else tokens)
        assert data.key == 1000 + 100 * pad + (dtype != FP32)
        assert (data.has_probs, data.capacity) == (probs, each if pad else 0)
        assert (slots.tokens, slots.top_k) == (tokens, 1 if pad else each)
        assert (slots.hidden, slots.has_probs) == (hidden, 0)
        assert (slots.first_rank, slots.end_rank) == (0, rows)
        per_core = pieces(0, copied, slots.tokens_per_core)
        assert_complete(per_core, copied)
        assert walk.used_cores == min(tokens, cores)
        assert max(len(per_core), walk.used_cores) == slots.used_cores <= cores
        assert_complete(pieces(0, hidden, slots.tile_columns), hidden)
        assert slots.tokens_per_batch == 1 or slots.tile_columns == hidden
        assert slots.tokens_per_batch <= 4095
        assert (walk.tokens, walk.experts) == (tokens, experts)
        assert_complete(pieces(0, experts, walk.tile_experts), experts)
        assert walk.tile_experts == experts or walk.tile_experts % 32 == 0
        assert walk.tile_experts == experts or walk.tile_tokens == 1
        assert 1 <= walk.tile_tokens <= 4095
        assert_fits(data, dtype, ub)
        # A count of every expert and block, then what tiles of some experts found of each token.
        assert data.found_offset >= 4 * experts * slots.used_cores
        keeps = not pad and walk.tile_experts < experts
        assert slots.workspace_bytes >= data.found_offset + (4 * tokens if keeps else 0)
        assert keeps or slots.workspace_bytes == data.found_offset

    check()


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize(("pad", "probs"), KINDS)
@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_expert_limit_is_the_last_count_of_one_tile(
    tiling: Tiling, cores: int, ub: int, pad: bool, probs: bool, dtype: int
) -> None:
    axis = "experts" + "-padded" * pad + "-probs" * probs
    most = tiling.limit(axis, 1, dtype, ub=ub)
    assert most >= 32
    for experts, tiles in ((most - 1, 1), (most, 1), (most + 1, 2)):
        call = even(5000, experts, 1, 8, pad=pad, probs=probs, dtype=dtype, cores=cores, ub=ub)
        data = tiling.accepted(call)
        assert len(pieces(0, experts, data.map.tile_experts)) == tiles
        assert tiles == 1 or data.map.tile_tokens == 1
        assert_fits(data, dtype, ub)
    data.map.tile_experts, data.map.tile_tokens, data.slots.top_k = most + 32, 1, most + 32
    assert data.map_bytes(dtype) + 3 * 32 > ub


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize(("pad", "probs"), KINDS)
@pytest.mark.parametrize("experts", [1, 8, 32, 33, 256])
@pytest.mark.parametrize("ub", [16384, UB_910B, UB_910_93])
def test_the_map_batch_limit_is_the_last_token_count_of_one_tile(
    tiling: Tiling, ub: int, experts: int, pad: bool, probs: bool, dtype: int
) -> None:
    axis = "map-batch" + "-padded" * pad + "-probs" * probs
    most = tiling.limit(axis, 1, dtype, ub=ub, hidden=experts)
    for tokens, tiles in ((most - 1, 1), (most, 1), (most + 1, 2)):
        call = even(tokens, experts, 1, 8, pad=pad, probs=probs, dtype=dtype, cores=1, ub=ub)
        data = tiling.accepted(call)
        assert len(pieces(0, tokens, data.map.tile_tokens)) == tiles
        assert_fits(data, dtype, ub)
    data.map.tile_tokens = most + 1
    # Fewer experts than 32 take as much room as 32.
    assert experts % 32 or most == 4095 or data.map_bytes(dtype) + 3 * 31 > ub


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("top_k", [1, 2, 7, 8, 100, 512])
@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_hidden_limit_is_the_last_size_of_one_tile(
    tiling: Tiling, cores: int, ub: int, pad: bool, top_k: int, dtype: int
) -> None:
    most = tiling.limit("hidden" + "-padded" * pad, top_k, dtype, ub=ub)
    assert most * BYTES[dtype] % 32 == 0
    for hidden, tiles in ((most - 1, 1), (most, 1), (most + 1, 2)):
        call = even(600, 512, top_k, hidden, pad=pad, dtype=dtype, cores=cores, ub=ub)
        data = tiling.accepted(call)
        assert len(pieces(0, hidden, data.slots.tile_columns)) == tiles
        assert_fits(data, dtype, ub)


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("hidden", [1, 33, 100])
@pytest.mark.parametrize(("cores", "ub"), CHIPS)
def test_the_batch_limits_are_the_last_counts_of_one_batch_of_one_or_every_core(
    tiling: Tiling, cores: int, ub: int, hidden: int, pad: bool, dtype: int
) -> None:
    suffix = "-padded" * pad
    batch = tiling.limit("batch" + suffix, 2, dtype, cores=cores, ub=ub, hidden=hidden)
    most = tiling.limit("tokens" + suffix, 2, dtype, cores=cores, ub=ub, hidden=hidden)
    assert most == batch * cores
    for copied, batches in ((most - 1, 1), (most, 1), (most + 1, 2)):
        # Without dropAndPad tokens are copied; with it rows, here all of one expert.
        call = even(
            copied,
            1 if pad else 2,
            copied if pad else 2,
            hidden,
            pad=pad,
            dtype=dtype,
            cores=cores,
            ub=ub,
        )
        slots = tiling.accepted(call).slots
        assert len(pieces(0, slots.tokens_per_core, slots.tokens_per_batch)) == batches


def test_every_token_has_a_core_of_its_own_up_to_the_number_of_cores(tiling: Tiling) -> None:
    most = tiling.limit("cores", cores=40)
    assert most == 40
    for tokens, each in ((most - 1, 1), (most, 1), (most + 1, 2)):
        data = tiling.accepted(even(tokens, 3, 1, 8, cores=40))
        assert (data.map.used_cores, data.slots.tokens_per_core) == (min(tokens, 40), each)


@pytest.mark.parametrize("pad", [False, True])
def test_numbers_between_two_multiples_give_the_lower_one(pad: bool, tiling: Tiling) -> None:
    for more in range(5 if pad else 7):
        data = tiling.accepted(even(7, 5, 3, 8, pad=pad, more=more))
        assert data.slots.end_rank == (15 if pad else 21)


@pytest.mark.parametrize(
    "call",
    [
        even(0, 5, 0, 8),
        even(5, 0, 0, 8, pad=True),
        even(5, 4, 0, 8, more=4),
        even(5, 4, 0, 8, pad=True, more=3),
        even(5, 4, 2, 0),
        even(5, 4, 2, 0, pad=True, probs=True),
    ],
)
def test_a_call_without_elements_of_map_or_output_has_nothing_to_do(
    call: Call, tiling: Tiling
) -> None:
    assert tiling.accepted(call).slots.used_cores == 0


GOOD = even(4, 3, 2, 16, probs=True)
INTERFACE = (
    (replace(GOOD, map=(4, 3, 1)), "the rank of routingMap [4, 3, 1] is 3; it must be 2"),
    (replace(GOOD, probs=(12,)), "the rank of probsOptional [12] is 1; it must be 2"),
    (replace(GOOD, number=-1), "numOutTokens is -1; it must be 0 to the number of elements"),
    (replace(GOOD, number=13), "numOutTokens is 13; it must be 0 to the number of elements"),
    (replace(GOOD, permuted=(128,)), "the rank of permuteTokensOut [128] is 1"),
    (replace(GOOD, permuted=(9, 16)), "dim 0 of permuteTokensOut is 9; it must be numOutTokens, 8"),
    (replace(GOOD, permuted_probs=(9,)), "dim 0 of permuteProbsOutOptional is 9"),
    (replace(GOOD, permuted_probs=(8, 1)), "the rank of permuteProbsOutOptional [8, 1] is 2"),
    (replace(GOOD, indices=(7,)), "dim 0 of sortedIndicesOut is 7"),
    (replace(GOOD, indices=(4, 2)), "the rank of sortedIndicesOut [4, 2] is 2"),
    (even(16777215, 1, 0, 8), "dim 0 of routingMap is 16777215; it must be less than 16777215"),
    (even(1, 16777215, 0, 8), "dim 1 of routingMap is 16777215; it must be less than 16777215"),
    (even(0, 1 << 62, 0, 8, pad=True), "dim 1 of routingMap is 4611686018427387904"),
)
CAPACITY = (
    (replace(GOOD, tokens=(5, 16)), "dim 0 of tokens is 5; it must be dim 0 of routingMap, 4"),
    (replace(GOOD, tokens=()), "the rank of tokens [] is 0"),
    (replace(GOOD, tokens=(4, 17)), "the number of columns of permuteTokensOut [8, 16] is 16"),
    (even(4, 600, 513, 8), "numOutTokens is 2052 for 4 tokens; it must be at most 512 to a token"),
    (
        even(2, 2052, 1, 8, pad=True),
        "numOutTokens is 2052 for 2 tokens; it must be at most 512 to a token",
    ),
    (
        even(5592405, 3, 3, 8),
        "numOutTokens is 16777215 for 5592405 tokens; it must be less than 16777215",
    ),
    (replace(GOOD, probs=(4, 4)), "dim 1 of probsOptional is 4; it must be that of routingMap, 3"),
    (replace(GOOD, probs=(5, 3)), "dim 0 of probsOptional is 5; it must be that of routingMap, 4"),
    (replace(GOOD, ub=LEAST_UB - 1), "the unified buffer is 767 bytes; it must be 768 bytes"),
)


@pytest.mark.parametrize(("call", "sentence"), INTERFACE)
def test_a_broken_rule_of_the_interface_is_named(call: Call, sentence: str, tiling: Tiling) -> None:
    reason = tiling.rejected(call, PARAMETER_INVALID)
    assert reason.startswith(sentence)
    assert reason.endswith("(host tiling of MoeTokenPermuteWithRoutingMap)")


@pytest.mark.parametrize(("call", "sentence"), CAPACITY)
def test_a_broken_rule_of_the_tiling_is_named(call: Call, sentence: str, tiling: Tiling) -> None:
    reason = tiling.rejected(call)
    assert reason.startswith(sentence)
    assert reason.endswith("(host tiling of MoeTokenPermuteWithRoutingMap)")


@pytest.mark.parametrize(
    "call",
    [
        even(4, 512, 512, 8),
        even(1, 512, 1, 8, pad=True),
        even(5592404, 3, 3, 8),
        even(16777214, 1, 0, 8),
        even(4, 16777214, 1, 8),
        replace(GOOD, number=8, ub=LEAST_UB),
        replace(GOOD, number=12, permuted=(12, 16), permuted_probs=(12,), indices=(12,)),
        replace(GOOD, probs=None, permuted_probs=(1, 2)),
    ],
)
def test_the_last_call_that_a_rule_allows_is_accepted(call: Call, tiling: Tiling) -> None:
    assert tiling.accepted(call).slots.end_rank == call.indices[0]


def test_trailing_dims_of_the_tokens_are_the_columns_of_a_row(tiling: Tiling) -> None:
    call = replace(GOOD, tokens=(4, 2, 8), permuted=(8, 4, 4))
    assert tiling.accepted(call).slots.hidden == 16


def test_limits_that_make_no_sense_are_told_apart_from_unknown_ones(tiling: Tiling) -> None:
    for axis in ("experts", "map-batch", "hidden", "batch", "tokens"):
        assert tiling.limit(axis, 1, FP16, ub=LEAST_UB - 1, cores=2, hidden=8) == 0
        for top_k in (0, 513):
            assert tiling.limit(axis, top_k, FP16, ub=8192, cores=2, hidden=8) == 0
            assert tiling.limit(axis + "-padded", top_k, FP16, ub=8192, cores=2, hidden=8) > 0
    assert tiling.limit("map-batch", 1, FP16, ub=8192, hidden=-1) == 0
    assert tiling.limit("ub-bytes") == LEAST_UB
    for axis in ("", "sorts", "hidden-probs", "cores-padded"):
        assert tiling.limit(axis, 1, FP32, ub=8192) == -1
