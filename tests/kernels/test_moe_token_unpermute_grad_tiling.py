"""The host tiling cuts every call so that all of it is done once and fits, or says why not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.host_tilings import (
    BYTES,
    FP16,
    FP32,
    UB_910_93,
    UB_910B,
    assert_complete,
    first_pieces,
    pieces,
    round_up,
)
from tests.kernels.moe_token_unpermute_grad_tiling import (
    BOUNDED,
    MOST_COLUMNS,
    Tiling,
    TilingData,
    even,
)
from tests.kernels.moe_token_unpermute_tiling import DTYPES, NONE, PREFIXES, PROBS, PROBS_BYTES

REAL = (UB_910B, UB_910_93)


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    folder = tmp_path_factory.mktemp("tiling")
    return Tiling("moe_token_unpermute_grad", "MoeTokenUnpermuteGrad", folder)


def parts_of(data: TilingData, slot: int, end: int) -> list[tuple[int, int]]:
    """A batch in parts, as the kernel takes them: of one token each."""
    parts = []
    while slot < end:
        token_end = (slot // data.slots.top_k + 1) * data.slots.top_k
        parts.append((slot, min(slot + data.slots.slots_per_part, token_end, end)))
        slot = parts[-1][1]
    return parts


def test_slots_and_columns_are_done_exactly_once_and_fit_the_unified_buffer(
    tiling: Tiling,
) -> None:
    @settings(max_examples=600, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 10**6)),
        slots=st.one_of(st.integers(1, 9), st.integers(1, 512)),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 40_000)),
        dtype=st.sampled_from(DTYPES),
        probs=st.sampled_from(PROBS),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(704, 8192), st.sampled_from(REAL), st.just(1 << 20)),
    )
    def check(
        tokens: int, slots: int, hidden: int, dtype: int, probs: int, cores: int, ub: int
    ) -> None:
        top_k = 1 if probs == NONE else slots
        data = tiling.accepted(even(tokens, top_k, hidden, probs, dtype=dtype, cores=cores, ub=ub))
        count = tokens * top_k
        assert (data.dtype, data.probs_dtype) == (dtype, probs)
        assert (data.slots.top_k, data.slots.slots, data.slots.hidden) == (top_k, count, hidden)
        assert data.slots.rows == count
        assert 1 <= data.used_cores <= cores
        assert data.ub_bytes() <= ub
        if probs == NONE:
            each, tile = data.copies.tokens_per_core, data.copies.tile_columns
            assert data.copies.end_rank == count
        else:
            each, tile = data.slots.slots_per_core, data.slots.tile_columns
            assert tile <= MOST_COLUMNS
            assert 1 <= data.slots.slots_per_part <= min(255, data.slots.slots_per_batch)
            # Few tokens share their slots between cores, others are not cut.
            assert tokens < cores or each % top_k == 0
        shares = pieces(0, count, each)
        assert_complete(shares, count)
        assert len(shares) == data.used_cores
        assert_complete(pieces(0, hidden, tile), hidden)
        # Each column has the same lane in every cut, and no piece of 64 lanes wraps around.
        assert tile == hidden or tile * BYTES[dtype] % 32 == 0
        assert tile == hidden or probs == NONE or tile % 64 == 0 or 64 % tile == 0
        if probs != NONE:
            for first, end in (shares[0], shares[-1]):
                for batch in first_pieces(first, end, data.slots.slots_per_batch, 3):
                    shifted = [(a - batch[0], b - batch[0]) for a, b in parts_of(data, *batch)]
                    assert_complete(shifted, batch[1] - batch[0])

    check()


@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 100, 512])
@pytest.mark.parametrize("ub", [1024, 8192, *REAL])
def test_the_limit_of_hidden_is_the_last_size_of_one_tile(
    tiling: Tiling, ub: int, top_k: int, dtype: int, probs: int
) -> None:
    slots = 1 if probs == NONE else top_k
    limit = tiling.limit(PREFIXES[probs] + "hidden", slots, dtype, ub=ub)
    assert limit > 0
    assert limit * BYTES[dtype] % 32 == 0
    below, last, above = (
        tiling.accepted(even(50, slots, hidden, probs, dtype=dtype, ub=ub, cores=40))
        for hidden in (limit - 1, limit, limit + 1)
    )
    if probs == NONE:
        assert [one.copies.tile_columns for one in (below, last)] == [limit - 1, limit]
        assert above.copies.tile_columns <= limit
        last.copies.tokens_per_batch, last.copies.tile_columns = 1, limit + 1
    else:
        assert [one.slots.tile_columns for one in (below, last)] == [limit - 1, limit]
        cut = limit // 64 * 64 if limit >= 64 else 1 << limit.bit_length() - 1
        assert above.slots.tile_columns == cut
        last.slots.tile_columns, last.slots.slots_per_batch = limit + 1, last.slots.slots_per_part
    assert last.ub_bytes() > ub


@pytest.mark.parametrize("probs", DTYPES)
@pytest.mark.parametrize("ub", [704, 2048, 4095, 4096, 8192, *REAL, 1 << 20])
def test_the_limit_of_a_part_is_the_most_slots_that_an_eighth_of_the_buffer_has_lanes_for(
    tiling: Tiling, ub: int, probs: int
) -> None:
    limit = tiling.limit(PREFIXES[probs] + "part", 1, FP16, ub=ub)
    assert limit == min(255, max(1, ub // 8 // 256))
    cuts = [
        tiling.accepted(even(50, top_k, 16, probs, dtype=FP16, ub=ub, cores=40))
        for top_k in (max(1, limit - 1), limit, limit + 1)
    ]
    parts = [cut.slots.slots_per_part for cut in cuts]
    assert parts == [max(1, limit - 1), limit, limit]


@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 2, 7, 8, 64, 200, 512])
@pytest.mark.parametrize("hidden", [1, 17, 100, 9000, 30_000])
def test_the_batch_limit_is_the_most_slots_of_whole_tokens_or_parts_that_fit(
    tiling: Tiling, top_k: int, dtype: int, probs: int, hidden: int
) -> None:
    slots = 1 if probs == NONE else top_k
    for ub in (1024, *REAL):
        limit = tiling.limit(PREFIXES[probs] + "batch", slots, dtype, ub=ub, hidden=hidden)
        tokens = limit // slots + 1
        data = tiling.accepted(even(tokens, slots, hidden, probs, dtype=dtype, cores=1, ub=ub))
        if probs == NONE:
            assert data.copies.tokens_per_batch == limit >= 1
            data.copies.tokens_per_batch = data.copies.slots_per_batch = limit + 1
            assert data.ub_bytes() > ub - 32
            continue
        assert data.slots.slots_per_batch == limit >= data.slots.slots_per_part
        unit = slots if limit >= slots else data.slots.slots_per_part
        assert limit % unit == 0
        data.slots.slots_per_batch = limit + unit
        assert data.ub_bytes() > ub or limit + unit > limit // slots * slots + slots


@pytest.mark.parametrize("cores", [1, 3, 40, 48])
@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("top_k", [8, 500])
def test_the_token_limit_is_the_last_count_that_gives_every_core_one_batch(
    tiling: Tiling, cores: int, probs: int, top_k: int
) -> None:
    slots, prefix = 1 if probs == NONE else top_k, PREFIXES[probs]
    machine = {"dtype": FP16, "cores": cores, "ub": 2048}
    limit = tiling.limit(f"{prefix}tokens", slots, FP16, cores=cores, ub=2048, hidden=32)
    if limit == 0:
        assert tiling.limit(f"{prefix}batch", slots, FP16, ub=2048, hidden=32) * cores < slots
        return
    below, at_limit, above = (
        tiling.accepted(even(tokens, slots, 32, probs, **machine))
        for tokens in (max(limit - 1, 1), limit, limit + 1)
    )

    def batches(data: TilingData) -> int:
        if probs == NONE:
            return -(-data.copies.tokens_per_core // data.copies.tokens_per_batch)
        return -(-data.slots.slots_per_core // data.slots.slots_per_batch)

    assert (batches(below), batches(at_limit), batches(above)) == (1, 1, 2)


@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("cores", [2, 40, 48])
def test_fewer_tokens_than_cores_share_their_slots_and_others_are_not_cut(
    tiling: Tiling, cores: int, probs: int
) -> None:
    slots = 1 if probs == NONE else 7
    assert tiling.limit(PREFIXES[probs] + "cores", slots, FP32, cores=cores) == cores
    few, just, more = (
        tiling.accepted(even(tokens, slots, 8, probs, cores=cores))
        for tokens in (cores - 1, cores, cores + 1)
    )
    if probs == NONE:
        assert (few.used_cores, just.used_cores) == (cores - 1, cores)
        assert more.copies.tokens_per_core == 2
        return
    assert few.slots.slots_per_core == -(-(cores - 1) * slots // cores)
    assert (just.slots.slots_per_core, just.used_cores) == (slots, cores)
    assert (more.slots.slots_per_core, more.used_cores) == (2 * slots, -(-(cores + 1) // 2))


@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 511, 512])
def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(
    tiling: Tiling, top_k: int, dtype: int, probs: int
) -> None:
    slots, prefix = 1 if probs == NONE else top_k, PREFIXES[probs]
    least = tiling.limit(f"{prefix}ub-bytes", slots, dtype)
    names = 96 if probs == FP32 else 128
    assert least == (96 if probs == NONE else names + 256 + (192 if dtype == FP32 else 320))
    data = tiling.accepted(even(3, slots, 1000, probs, dtype=dtype, cores=1, ub=least))
    assert data.ub_bytes() == least
    tile = data.copies.tile_columns if probs == NONE else data.slots.tile_columns
    assert tile == 32 // BYTES[dtype]
    reason = tiling.rejected(even(3, slots, 1, probs, dtype=dtype, ub=least - 1))
    told = f"{least - 1} bytes; it must be {least} bytes or more for these data types"
    assert reason.startswith(f"the unified buffer is {told}")
    for axis in BOUNDED:
        assert tiling.limit(prefix + axis, slots, dtype, cores=4, ub=least - 1, hidden=1) == 0
    if probs != NONE:
        assert tiling.limit(f"{prefix}part", slots, dtype, ub=least - 1) == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_without_a_prefix_a_limit_is_that_of_probs_in_the_data_type_of_the_tokens(
    tiling: Tiling, dtype: int
) -> None:
    for axis in (*BOUNDED, "part", "ub-bytes"):
        machine = {"cores": 50, "ub": 8192, "hidden": 100}
        plain, named = (
            tiling.limit(prefix + axis, 300, dtype, **machine) for prefix in ("", PREFIXES[dtype])
        )
        assert plain == named > 0


@pytest.mark.parametrize("ub", REAL)
@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_thresholds_of_a_real_chip(tiling: Tiling, dtype: int, probs: int, ub: int) -> None:
    """What names and lanes leave, over the bytes of a column, in whole blocks of 32 bytes."""
    granule = 32 // BYTES[dtype]
    if probs == NONE:
        expected = (ub - 32 - 4) // 2 // 32 * 32 // BYTES[dtype]
        assert tiling.limit("no-probs-hidden", 1, dtype, ub=ub) == expected
        return
    for top_k in (1, 8, 95, 96, 512):
        part = min(top_k, ub // 8 // 256)
        words, own = round_up(4 * part, 32), round_up(PROBS_BYTES[probs] * part, 32)
        names = words + 2 * own + (0 if probs == FP32 else words)
        columns = (ub - names - 256 * part) // (24 if dtype == FP32 else 20)
        found = tiling.limit(PREFIXES[probs] + "hidden", top_k, dtype, ub=ub)
        assert found == columns // granule * granule


@pytest.mark.parametrize("prefix", ["", *sorted(set(PREFIXES.values()))])
@pytest.mark.parametrize("top_k", [-1, 0, 513, 1 << 62])
def test_limits_of_what_is_no_top_k_are_0(tiling: Tiling, top_k: int, prefix: str) -> None:
    for axis in (*BOUNDED, "ub-bytes"):
        assert tiling.limit(prefix + axis, top_k, FP32, cores=2, ub=8192, hidden=8) == 0


def test_without_probs_there_is_one_slot(tiling: Tiling) -> None:
    for axis in (*BOUNDED, "ub-bytes"):
        one, two = (
            tiling.limit(f"no-probs-{axis}", top_k, FP32, cores=2, ub=8192, hidden=8)
            for top_k in (1, 2)
        )
        assert one > two == 0
    assert tiling.accepted(even(7, 1, 8, NONE)).slots.top_k == 1


@pytest.mark.parametrize(
    "axis", ["width", "", "no-probs-", "no-probs-part", "fp32-probs-width", "probs-hidden"]
)
def test_a_limit_of_an_unknown_axis_is_minus_one(tiling: Tiling, axis: str) -> None:
    assert tiling.limit(axis, 2, FP32, hidden=8) == -1
    assert tiling.limit(axis, 0) == -1
