"""The host tiling cuts every call so that all of it is done once and fits, or says why not."""

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
    UB_910_93,
    UB_910B,
    assert_complete,
    merge_levels,
    pieces,
)
from tests.kernels.moe_init_routing_v2_tiling import (
    LEAST_UB,
    Call,
    Tiling,
    TilingData,
    dropless,
    padded,
)

CHIPS = [(cores, ub) for cores in (40, 48) for ub in (UB_910B, UB_910_93)]
MACHINES = [(1, LEAST_UB), (3, 1024), (2, 8192), *CHIPS]


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return Tiling("moe_init_routing_v2", "MoeInitRoutingV2", tmp_path_factory.mktemp("tiling"))


def assert_slots_are_cut(data: TilingData, call: Call) -> None:
    slots, (tokens, hidden), top_k = data.slots, call.x, call.experts[1]
    assert (slots.tokens, slots.top_k, slots.hidden, slots.has_probs) == (tokens, top_k, hidden, 0)
    per_core = pieces(0, tokens, slots.tokens_per_core)
    assert_complete(per_core, tokens)
    assert max(len(per_core), min(slots.sort.runs, call.cores)) <= slots.used_cores <= call.cores
    for first, end in (per_core[0], per_core[-1]):
        batches = [(a - first, b - first) for a, b in pieces(first, end, slots.tokens_per_batch)]
        assert_complete(batches, end - first)
    batch = slots.tokens_per_batch * top_k
    assert_complete(pieces(0, batch, slots.slots_per_batch), batch)
    if hidden > 0:
        assert_complete(pieces(0, hidden, slots.tile_columns), hidden)
    assert_complete(pieces(0, tokens * top_k, slots.sort.run_keys), tokens * top_k)
    assert slots.sort.keys == tokens * top_k
    assert slots.ub_bytes(BYTES[call.dtype]) <= call.ub
    assert slots.sort.ub_bytes() <= call.ub
    # Blocks of one copy; rows lie end to end in the input only if they are whole.
    assert slots.tokens_per_batch <= 4095
    assert slots.tokens_per_batch == 1 or slots.tile_columns == hidden
    # A tile that is followed by another ends on a 32-byte block.
    assert slots.tile_columns == hidden or slots.tile_columns * BYTES[call.dtype] % 32 == 0


SIZES: dict[str, Any] = {
    "tokens": st.one_of(st.integers(1, 200), st.integers(1, 30_000)),
    "top_k": st.one_of(st.integers(1, 9), st.integers(1, 500)),
    "hidden": st.one_of(st.integers(0, 70), st.integers(1, 400_000)),
    "experts": st.one_of(st.integers(1, 300), st.integers(1, 60_000)),
    "dtype": st.sampled_from(sorted(BYTES)),
    "cores": st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
    "ub": st.one_of(st.integers(LEAST_UB, 4096), st.integers(LEAST_UB, UB_910_93)),
}


def test_dropless_all_is_done_exactly_once_and_fits(tiling: Tiling) -> None:
    @settings(max_examples=600, deadline=None)
    @given(**SIZES)
    def check(tokens: int, top_k: int, hidden: int, experts: int, **rest: int) -> None:
        call = dropless(tokens, top_k, hidden, experts, **rest)
        data = tiling.accepted(call)
        assert_slots_are_cut(data, call)
        slots, count = data.slots, tokens * top_k
        assert (slots.first_rank, slots.end_rank, data.capacity) == (0, count, 0)
        assert (data.experts, data.counts) == (experts, 1)
        assert_complete(pieces(0, experts, data.tile_entries), experts)
        assert_complete(pieces(0, count, data.part_slots), count)
        assert data.count_bytes() <= call.ub
        whole = slots.sort.runs == 1 and slots.tile_columns == hidden
        assert data.takes_full_load() == whole
        assert slots.pairs_offset >= 4 * count
        room = 2 * (slots.used_cores * slots.pairs_offset if whole else slots.pairs_bytes)
        assert slots.workspace_bytes == room + (0 if whole else slots.pairs_offset)

    check()


def test_with_drop_pad_all_is_done_exactly_once_and_fits(tiling: Tiling) -> None:
    @settings(max_examples=600, deadline=None)
    @given(**SIZES, part=st.floats(0, 1))
    def check(tokens: int, top_k: int, hidden: int, experts: int, part: float, **rest: int) -> None:
        capacity = max(1, int(part * tokens))
        call = padded(tokens, top_k, hidden, experts, capacity, **rest)
        data = tiling.accepted(call)
        assert_slots_are_cut(data, call)
        slots, rows = data.slots, experts * capacity
        assert (slots.first_rank, slots.end_rank) == (0, rows)
        assert (data.experts, data.capacity, data.counts) == (experts, capacity, 2)
        assert not data.takes_full_load()
        assert_complete(pieces(0, experts + 1, data.tile_entries), experts + 1)
        assert max(data.count_bytes(), data.fill_bytes()) <= call.ub
        # An expert at a time has both of its ends there, and a zero fits.
        assert data.tile_entries >= 2
        assert data.zero_bytes >= 32
        # Every core that rows of zeros keep busy is there.
        assert slots.used_cores >= len(pieces(0, rows, -(-rows // call.cores)))
        assert data.starts_offset == slots.pairs_offset + 2 * slots.pairs_bytes
        assert slots.workspace_bytes >= data.starts_offset + 4 * (experts + 1)

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
            for call in (dropless(slots, 1, 1), padded(slots, 1, 1, 5, 1)):
                data = tiling.accepted(replace(call, cores=cores, ub=ub))
                assert merge_levels(data.slots.sort.runs) == expected
                assert data.takes_full_load() == (expected == 0 and call.pad == 0)
    most = tiling.limit("runs", cores=cores, ub=ub)
    for slots, runs in ((most - 1, cores), (most, cores), (most + 1, cores + 1)):
        data = tiling.accepted(dropless(slots, 1, 1, cores=cores, ub=ub))
        assert data.slots.sort.runs == runs


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("top_k", [1, 2, 7, 8, 100, 600])
@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_hidden_limit_is_the_last_size_of_one_tile_and_of_a_full_load(
    tiling: Tiling, cores: int, ub: int, top_k: int, dtype: int
) -> None:
    most = tiling.limit("hidden", top_k, dtype, ub=ub)
    assert most * BYTES[dtype] % 32 == 0
    for hidden, tiles in ((most - 1, 1), (most, 1), (most + 1, 2)):
        data = tiling.accepted(dropless(5, top_k, hidden, dtype=dtype, cores=cores, ub=ub))
        assert len(pieces(0, hidden, data.slots.tile_columns)) == tiles
        assert data.slots.ub_bytes(BYTES[dtype]) <= ub
        fits = 5 * top_k <= tiling.limit("sort", ub=ub)
        assert data.takes_full_load() == (tiles == 1 and fits)


@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_token_limits_are_the_last_counts_that_give_every_core_one_batch_or_token(
    tiling: Tiling, cores: int, ub: int
) -> None:
    batch = tiling.limit("batch", 3, FP16, ub=ub, hidden=33)
    most = tiling.limit("tokens", 3, FP16, cores=cores, ub=ub, hidden=33)
    assert most == cores * batch
    for tokens, batches in ((most - 1, 1), (most, 1), (most + 1, 2)):
        data = tiling.accepted(dropless(tokens, 3, 33, dtype=FP16, cores=cores, ub=ub))
        assert len(pieces(0, data.slots.tokens_per_core, data.slots.tokens_per_batch)) == batches
    assert tiling.limit("cores", cores=cores) == cores
    for tokens, share in ((cores - 1, 1), (cores, 1), (cores + 1, 2)):
        if tokens > 0:
            data = tiling.accepted(dropless(tokens, 3, 33, dtype=FP16, cores=cores, ub=ub))
            assert data.slots.tokens_per_core == share


@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_expert_limits_are_the_last_numbers_that_are_counted_at_once(
    tiling: Tiling, cores: int, ub: int
) -> None:
    for axis, extra in (("experts", 0), ("experts-pad", 1)):
        most = tiling.limit(axis, ub=ub)
        assert most + extra == ub // 2 // 32 * 8
        for experts, tiles in ((most - 1, 1), (most, 1), (most + 1, 2)):
            call = padded(3, 2, 1, experts, 1) if extra else dropless(3, 2, 1, experts)
            data = tiling.accepted(replace(call, cores=cores, ub=ub))
            assert len(pieces(0, experts + extra, data.tile_entries)) == tiles
            assert max(data.count_bytes(), data.fill_bytes()) <= ub


@pytest.mark.parametrize(("cores", "ub"), MACHINES)
def test_the_part_limit_is_the_last_slot_count_of_a_core_that_is_counted_at_once(
    tiling: Tiling, cores: int, ub: int
) -> None:
    most = tiling.limit("part", ub=ub)
    assert most == ub // 4 // 32 * 8
    for slots, parts in ((most - 1, 1), (most, 1), (most + 1, 2)):
        data = tiling.accepted(padded(slots, 1, 1, 5, 1, cores=1, ub=ub))
        assert len(pieces(0, slots, data.part_slots)) == parts
        data = tiling.accepted(padded(slots * cores, 1, 1, 5, 1, cores=cores, ub=ub))
        assert data.slots.tokens_per_core == slots
        assert len(pieces(0, slots, data.part_slots)) == parts


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("ub", [LEAST_UB, 1024, UB_910B, UB_910_93])
def test_the_zeros_limit_is_the_last_number_of_elements_of_one_copy(
    tiling: Tiling, ub: int, dtype: int
) -> None:
    most = tiling.limit("zeros", 0, dtype, ub=ub)
    data = tiling.accepted(padded(3, 2, 50, 9, 2, dtype=dtype, ub=ub))
    assert data.zero_bytes == most * BYTES[dtype] == ub // 2 // 32 * 32


@pytest.mark.parametrize(
    ("dtype", "on_910b", "on_910_93"),
    [(FP32, 24536, 24568), (FP16, 49072, 49136), (BF16, 49072, 49136)],
)
def test_the_widest_rows_of_a_real_chip(
    tiling: Tiling, dtype: int, on_910b: int, on_910_93: int
) -> None:
    for ub, most in ((UB_910B, on_910b), (UB_910_93, on_910_93)):
        assert tiling.limit("hidden", 8, dtype, ub=ub) == most


def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(tiling: Tiling) -> None:
    assert tiling.limit("ub-bytes") == LEAST_UB
    for call in (dropless(7, 600, 9999, 200), dropless(1, 1, 1), padded(9, 3, 999, 500, 9)):
        tiling.accepted(replace(call, ub=LEAST_UB))
        for less in (LEAST_UB - 1, 1, 0):
            reason = tiling.rejected(replace(call, ub=less))
            assert reason.startswith(f"the unified buffer is {less} bytes; it must be 768 bytes")


@pytest.mark.parametrize("top_k", [-1, 0, 1, 513, 16777214, 16777215, 2**62])
@pytest.mark.parametrize("hidden", [-1, 0, 1, 2**40, 2**62])
@pytest.mark.parametrize("ub", [0, 767, 768, 2**63])
def test_a_limit_of_anything_is_a_number(tiling: Tiling, ub: int, hidden: int, top_k: int) -> None:
    slots = ("sort", "merge-1", "merge-2", "runs", "hidden", "batch", "tokens")
    for axis in (*slots, "ub-bytes", "cores", "experts", "experts-pad", "part", "zeros"):
        for cores in (0, 1, 48):
            assert tiling.limit(axis, top_k, FP16, cores=cores, ub=ub, hidden=hidden) >= 0, axis
    for axis in ("width", "", "hidden-probs", "experts-probs"):
        assert tiling.limit(axis, top_k, FP16, ub=ub, hidden=hidden) == -1


@pytest.mark.parametrize(("dtype", "digit"), [(FP32, 0), (FP16, 1), (BF16, 1)])
def test_the_key_tells_the_branch_and_the_width_of_elements(
    tiling: Tiling, dtype: int, digit: int
) -> None:
    for call, branch in (
        (dropless(3, 2, 5), 1100),
        (dropless(3, 2, 50_000), 1000),
        (dropless(8161, 1, 5), 1000),
        (padded(3, 2, 5, 4, 2), 1010),
        (padded(8161, 1, 5, 4, 2), 1010),
    ):
        assert tiling.accepted(replace(call, dtype=dtype)).key == branch + digit


@pytest.mark.parametrize(
    ("active", "rows"), [(0, 24), (1, 1), (23, 23), (24, 24), (25, 24), (2**63 - 1, 24)]
)
def test_active_num_keeps_the_first_rows(tiling: Tiling, active: int, rows: int) -> None:
    data = tiling.accepted(replace(dropless(8, 3, 4), active=active, rows=(rows, 4)))
    assert (data.slots.first_rank, data.slots.end_rank) == (0, rows)


@pytest.mark.parametrize("flag", [0, 1, 2])
@pytest.mark.parametrize("before", [0, 1])
def test_each_mode_counts_for_its_own_output_alone(tiling: Tiling, before: int, flag: int) -> None:
    flags = {"count_flag": flag, "before_flag": before}
    one = tiling.accepted(replace(dropless(8, 3, 4, 5), **flags))
    assert (one.counts, one.experts) == (flag, 5 if flag else 0)
    other = tiling.accepted(replace(padded(8, 3, 4, 5, 2), **flags))
    assert (other.counts, other.experts) == (2 if before else 0, 5)
