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
    shares,
)
from tests.kernels.moe_finalize_routing_v2_grad_tiling import (
    BARE,
    BIAS,
    BOUNDED,
    DTYPES,
    KINDS,
    MOST_COLUMNS,
    SCALES,
    Tiling,
    TilingData,
    even,
)

REAL = (UB_910B, UB_910_93)
WEIGHED = (SCALES, BIAS)


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    folder = tmp_path_factory.mktemp("tiling")
    return Tiling("moe_finalize_routing_v2_grad", "MoeFinalizeRoutingV2Grad", folder)


def parts_of(data: TilingData, slot: int, end: int) -> list[tuple[int, int]]:
    """A batch in parts, as the kernel takes them: of one token each."""
    parts = []
    while slot < end:
        token_end = (slot // data.slots.top_k + 1) * data.slots.top_k
        parts.append((slot, min(slot + data.slots.slots_per_part, token_end, end)))
        slot = parts[-1][1]
    return parts


def test_slots_columns_and_zeros_are_done_exactly_once_and_fit_the_unified_buffer(
    tiling: Tiling,
) -> None:
    @settings(max_examples=600, deadline=None)
    @given(
        kind=st.sampled_from(KINDS),
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 10**6)),
        slots=st.one_of(st.integers(1, 9), st.integers(1, 5000)),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 40_000)),
        places=st.one_of(st.none(), st.tuples(st.integers(1, 300), st.integers(1, 300))),
        dtype=st.sampled_from(DTYPES),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(864, 8192), st.sampled_from(REAL), st.just(1 << 20)),
    )
    def check(
        kind: str,
        tokens: int,
        slots: int,
        hidden: int,
        places: tuple[int, int] | None,
        dtype: int,
        cores: int,
        ub: int,
    ) -> None:
        top_k = 1 if kind == BARE else slots
        count = tokens * top_k
        rows, pad = count, {}
        if places is not None:
            rows, pad = places[0] * places[1], {"pad": 1}
            pad |= {"expert_num": places[0], "capacity": places[1]}
        data = tiling.accepted(
            even(kind, tokens, top_k, hidden, dtype=dtype, cores=cores, ub=ub, **pad)
        )
        assert (data.dtype, data.has_scales, data.has_bias) == (dtype, kind != BARE, kind == BIAS)
        cut = data.slots
        assert (cut.top_k, cut.slots, cut.hidden, cut.rows) == (top_k, count, hidden, rows)
        assert 1 <= data.used_cores <= cores
        assert data.ub_bytes() <= ub
        assert data.zeroed_elements == (rows * hidden if pad else 0)
        zero_bytes = data.zeros_at_once * BYTES[dtype]
        assert zero_bytes % 32 == 0
        assert zero_bytes <= ub
        assert (data.zeros_at_once > 0) == bool(pad)
        if pad:
            assert_complete(
                [one for one in shares(rows * hidden, data.used_cores) if one[0] < one[1]],
                rows * hidden,
            )
        if kind == BARE:
            each, tile = data.copies.tokens_per_core, data.copies.tile_columns
            assert (data.copies.first_rank, data.copies.end_rank) == (0, rows)
        else:
            each, tile = cut.slots_per_core, cut.tile_columns
            assert tile <= MOST_COLUMNS
            assert 1 <= cut.slots_per_part <= min(255, cut.slots_per_batch)
            # Few tokens share their slots between cores, others are not cut.
            assert tokens < cores or each % top_k == 0
        of_slots = pieces(0, count, each)
        assert_complete(of_slots, count)
        assert len(of_slots) == data.used_cores or (pad and len(of_slots) < data.used_cores)
        assert_complete(pieces(0, hidden, tile), hidden)
        # Each column has the same lane in every cut, and no piece of 64 lanes wraps around.
        assert tile == hidden or tile * BYTES[dtype] % 32 == 0
        assert tile == hidden or kind == BARE or tile % 64 == 0 or 64 % tile == 0
        if kind != BARE:
            for first, end in (of_slots[0], of_slots[-1]):
                for batch in first_pieces(first, end, cut.slots_per_batch, 3):
                    shifted = [(a - batch[0], b - batch[0]) for a, b in parts_of(data, *batch)]
                    assert_complete(shifted, batch[1] - batch[0])

    check()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 100, 2000])
@pytest.mark.parametrize("ub", [1024, 8192, *REAL])
def test_the_limit_of_hidden_is_the_last_size_of_one_tile(
    tiling: Tiling, ub: int, top_k: int, dtype: int, kind: str
) -> None:
    slots = 1 if kind == BARE else top_k
    limit = tiling.limit(f"{kind}hidden", slots, dtype, ub=ub)
    assert limit > 0
    assert limit * BYTES[dtype] % 32 == 0
    below, last, above = (
        tiling.accepted(even(kind, 50, slots, hidden, dtype=dtype, ub=ub, cores=40))
        for hidden in (limit - 1, limit, limit + 1)
    )
    if kind == BARE:
        assert [one.copies.tile_columns for one in (below, last)] == [limit - 1, limit]
        assert above.copies.tile_columns <= limit
        last.copies.tokens_per_batch, last.copies.tile_columns = 1, limit + 1
    else:
        assert [one.slots.tile_columns for one in (below, last)] == [limit - 1, limit]
        cut = limit // 64 * 64 if limit >= 64 else 1 << limit.bit_length() - 1
        assert above.slots.tile_columns == cut
        last.slots.tile_columns = limit + 1
        last.slots.slots_per_batch = last.slots.slots_per_part
    assert last.ub_bytes() > ub


@pytest.mark.parametrize("kind", WEIGHED)
@pytest.mark.parametrize("ub", [864, 2048, 4095, 4096, 8192, *REAL, 1 << 20])
def test_the_limit_of_a_part_is_the_most_slots_that_an_eighth_of_the_buffer_has_lanes_for(
    tiling: Tiling, ub: int, kind: str
) -> None:
    limit = tiling.limit(f"{kind}part", 1, FP16, ub=ub)
    assert limit == min(255, max(1, ub // 8 // 256))
    cuts = [
        tiling.accepted(even(kind, 50, top_k, 16, dtype=FP16, ub=ub, cores=40))
        for top_k in (max(1, limit - 1), limit, limit + 1)
    ]
    assert [cut.slots.slots_per_part for cut in cuts] == [max(1, limit - 1), limit, limit]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 2, 7, 8, 64, 200, 2000])
@pytest.mark.parametrize("hidden", [1, 17, 100, 9000, 30_000])
def test_the_batch_limit_is_the_most_slots_of_whole_tokens_or_parts_that_fit(
    tiling: Tiling, top_k: int, dtype: int, kind: str, hidden: int
) -> None:
    slots = 1 if kind == BARE else top_k
    for ub in (1024, *REAL):
        limit = tiling.limit(f"{kind}batch", slots, dtype, ub=ub, hidden=hidden)
        tokens = limit // slots + 1
        data = tiling.accepted(even(kind, tokens, slots, hidden, dtype=dtype, cores=1, ub=ub))
        if kind == BARE:
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
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("top_k", [8, 500])
def test_the_token_limit_is_the_last_count_that_gives_every_core_one_batch(
    tiling: Tiling, cores: int, kind: str, top_k: int
) -> None:
    slots = 1 if kind == BARE else top_k
    machine = {"dtype": FP16, "cores": cores, "ub": 2048}
    limit = tiling.limit(f"{kind}tokens", slots, FP16, cores=cores, ub=2048, hidden=32)
    if limit == 0:
        assert tiling.limit(f"{kind}batch", slots, FP16, ub=2048, hidden=32) * cores < slots
        return
    below, at_limit, above = (
        tiling.accepted(even(kind, tokens, slots, 32, **machine))
        for tokens in (max(limit - 1, 1), limit, limit + 1)
    )
    assert (below.batches(), at_limit.batches(), above.batches()) == (1, 1, 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cores", [2, 40, 48])
def test_fewer_tokens_than_cores_share_their_slots_and_others_are_not_cut(
    tiling: Tiling, cores: int, kind: str
) -> None:
    slots = 1 if kind == BARE else 7
    assert tiling.limit(f"{kind}cores", slots, FP32, cores=cores) == cores
    few, just, more = (
        tiling.accepted(even(kind, tokens, slots, 8, cores=cores))
        for tokens in (cores - 1, cores, cores + 1)
    )
    if kind == BARE:
        assert (few.used_cores, just.used_cores) == (cores - 1, cores)
        assert more.copies.tokens_per_core == 2
        return
    assert few.slots.slots_per_core == -(-(cores - 1) * slots // cores)
    assert (just.slots.slots_per_core, just.used_cores) == (slots, cores)
    assert (more.slots.slots_per_core, more.used_cores) == (2 * slots, -(-(cores + 1) // 2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("cores", [1, 3, 48])
@pytest.mark.parametrize("ub", [1000, 1024, *REAL])
def test_the_limit_of_zeros_is_the_last_number_that_every_core_writes_at_once(
    tiling: Tiling, ub: int, cores: int, dtype: int, kind: str
) -> None:
    limit = tiling.limit(f"{kind}zeros", 1, dtype, cores=cores, ub=ub)
    most = ub // 32 * 32 // BYTES[dtype]
    assert limit == most * cores

    def copies(elements: int) -> int:
        machine = {"dtype": dtype, "cores": cores, "ub": ub}
        data = tiling.accepted(
            even(kind, 3, 1, 1, pad=1, expert_num=1, capacity=elements, **machine)
        )
        assert (data.used_cores, data.zeroed_elements) == (cores, elements)
        longest = max(end - start for start, end in shares(elements, cores))
        assert data.zeros_at_once == min(most, round_up(longest, 32 // BYTES[dtype]))
        return -(-longest // data.zeros_at_once)

    assert [copies(limit + step) for step in (-1, 0, 1)] == [1, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_few_zeros_are_written_by_as_many_cores_as_they_have_blocks_of_32_bytes(
    tiling: Tiling, kind: str
) -> None:
    for elements, used in ((1, 1), (16, 1), (17, 2), (32, 2), (33, 3), (48 * 16, 48), (999, 48)):
        call = even(kind, 1, 1, 1, pad=1, expert_num=1, capacity=elements, dtype=FP16)
        assert tiling.accepted(call).used_cores == used


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 5000])
@pytest.mark.parametrize("pad", [0, 1])
def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(
    tiling: Tiling, pad: int, top_k: int, dtype: int, kind: str
) -> None:
    slots = 1 if kind == BARE else top_k
    places = {"pad": pad, "expert_num": 3, "capacity": 4}
    least = tiling.limit(f"{kind}ub-bytes", slots, dtype)
    names = 32 * (3 + (dtype != FP32) + (kind == BIAS))
    tile = 192 if dtype == FP32 else 320
    tile += 0 if kind == SCALES else 64 if dtype == FP32 else 128
    assert least == (96 if kind == BARE else names + 256 + tile)
    machine = {"dtype": dtype, "cores": 1}
    data = tiling.accepted(even(kind, 3, slots, 1000, ub=least, **machine, **places))
    assert data.ub_bytes() == least
    assert data.zeros_at_once == pad * least // BYTES[dtype]
    cut = data.copies if kind == BARE else data.slots
    assert cut.tile_columns == 32 // BYTES[dtype]
    reason = tiling.rejected(even(kind, 3, slots, 1, ub=least - 1, **machine, **places))
    told = f"{least - 1} bytes; it must be {least} bytes or more for this call"
    assert reason.startswith(f"the unified buffer is {told}")
    for axis in BOUNDED:
        assert tiling.limit(kind + axis, slots, dtype, cores=4, ub=least - 1, hidden=1) == 0
    if kind != BARE:
        assert tiling.limit(f"{kind}part", slots, dtype, ub=least - 1) == 0


@pytest.mark.parametrize("ub", REAL)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_thresholds_of_a_real_chip(tiling: Tiling, dtype: int, kind: str, ub: int) -> None:
    """What names and lanes leave, over the bytes of a column, in whole blocks of 32 bytes."""
    size = BYTES[dtype]
    if kind == BARE:
        expected = (ub - 32 - 4) // 2 // 32 * 32 // size
        assert tiling.limit("no-scales-hidden", 1, dtype, ub=ub) == expected
        return
    column = {SCALES: {4: 24, 2: 20}, BIAS: {4: 32, 2: 28}}[kind][size]
    for top_k in (1, 8, 95, 96, 1000):
        part = min(top_k, ub // 8 // 256)
        words, own = round_up(4 * part, 32), round_up(size * part, 32)
        names = words * (1 + (size < 4) + (kind == BIAS)) + 2 * own
        columns = (ub - names - 256 * part) // column
        found = tiling.limit(f"{kind}hidden", top_k, dtype, ub=ub)
        assert found == columns // (32 // size) * (32 // size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("top_k", [-1, 0, -(1 << 62)])
def test_limits_of_what_is_no_top_k_are_0(tiling: Tiling, top_k: int, kind: str) -> None:
    for axis in (*BOUNDED, "ub-bytes"):
        assert tiling.limit(kind + axis, top_k, FP32, cores=2, ub=8192, hidden=8) == 0


def test_without_scales_there_is_one_slot(tiling: Tiling) -> None:
    for axis in (*BOUNDED, "ub-bytes"):
        one, two = (
            tiling.limit(f"no-scales-{axis}", top_k, FP32, cores=2, ub=8192, hidden=8)
            for top_k in (1, 2)
        )
        assert one > two == 0
    assert tiling.accepted(even(BARE, 7, 1, 8)).slots.top_k == 1


@pytest.mark.parametrize(
    "axis", ["width", "", "no-scales-", "no-scales-part", "bias-width", "no-scales-bias-hidden"]
)
def test_a_limit_of_an_unknown_axis_is_minus_one(tiling: Tiling, axis: str) -> None:
    assert tiling.limit(axis, 2, FP32, hidden=8) == -1
    assert tiling.limit(axis, 0) == -1
