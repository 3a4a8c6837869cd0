"""The host tiling cuts every call so that all of it is done once and fits."""

from __future__ import annotations

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
    pieces,
    shares,
)
from tests.kernels.moe_finalize_routing_v2_tiling import (
    ALL_KINDS,
    BOUNDED,
    KINDS,
    NONE,
    Kind,
    Tiling,
)

BUFFERS = (1024, 4096, UB_910B, UB_910_93)


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    folder = tmp_path_factory.mktemp("tiling")
    return Tiling("moe_finalize_routing_v2", "MoeFinalizeRoutingV2", folder)


def test_tokens_slots_and_columns_are_done_exactly_once_and_fit_the_unified_buffer(
    tiling: Tiling,
) -> None:
    @settings(max_examples=800, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 10**6)),
        slots=st.one_of(st.integers(1, 9), st.integers(1, 512), st.integers(1, 10**5)),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 40_000)),
        kind=st.sampled_from(ALL_KINDS),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(384, 8192), st.sampled_from([UB_910B, UB_910_93])),
    )
    def check(tokens: int, slots: int, hidden: int, kind: Kind, cores: int, ub: int) -> None:
        top_k = kind.top_k(slots)
        data = tiling.accepted(kind.call(tokens, slots, hidden, cores=cores, ub=ub))
        rows = data.rows
        assert (data.dtype, data.scales_dtype) == (kind.dtype, kind.scales_dtype)
        assert (data.top_k, rows.tokens, rows.hidden) == (top_k, tokens, hidden)
        assert rows.source_rows == tokens * top_k
        assert data.is_slot_major == (kind.mode < 2)
        assert data.used_cores == min(tokens, cores)
        parts = list(shares(tokens, data.used_cores))
        assert_complete(parts, tokens)
        for first, end in (parts[0], parts[-1]):
            batches = [(a - first, b - first) for a, b in pieces(first, end, rows.batch)]
            assert_complete(batches, end - first)
        assert_complete(pieces(0, top_k, data.slots_per_part), top_k)
        assert data.slots_per_part == top_k or rows.batch == 1
        assert_complete(pieces(0, hidden, rows.tile_columns), hidden)
        assert data.ub_bytes() <= ub
        # A tile that is followed by another ends on a 32-byte block.
        assert rows.tile_columns == hidden or rows.tile_columns * BYTES[kind.dtype] % 32 == 0

    check()


@pytest.mark.parametrize("kind", [k for k in ALL_KINDS if k.scales_dtype != NONE], ids=str)
@pytest.mark.parametrize("ub", BUFFERS)
def test_the_limit_of_slots_is_the_last_top_k_in_one_part(
    tiling: Tiling, ub: int, kind: Kind
) -> None:
    """Its names take a quarter of the buffer at most, and those of one slot more take more."""
    limit = tiling.limit(f"{kind.prefix}slots", 1, kind.dtype, ub=ub)
    assert limit >= 1
    below, last, above = (
        tiling.accepted(kind.call(5, slots, 100, ub=ub)) for slots in (limit - 1, limit, limit + 1)
    )
    assert (below.slots_per_part, below.top_k) == (limit - 1, limit - 1)
    assert (last.slots_per_part, last.top_k) == (limit, limit)
    assert (above.slots_per_part, above.top_k, above.rows.batch) == (limit, limit + 1, 1)
    assert kind.name_bytes(limit) <= ub // 4 < kind.name_bytes(limit + 1)


@pytest.mark.parametrize("dtype", [FP32, BF16])
def test_on_the_least_buffer_a_part_is_one_slot(tiling: Tiling, dtype: int) -> None:
    """A quarter of it holds the names of one slot at most."""
    kind = Kind(dtype, dtype, has_bias=True)
    data = tiling.accepted(kind.call(5, 3, 100, ub=kind.least()))
    assert (data.slots_per_part, data.rows.batch) == (1, 1)
    assert kind.name_bytes(2) > kind.least() // 4


@pytest.mark.parametrize("kind", ALL_KINDS, ids=str)
@pytest.mark.parametrize("slots", [1, 8, 9, 100, 3000])
@pytest.mark.parametrize("ub", BUFFERS)
def test_a_limit_of_hidden_is_the_last_size_of_its_branch(
    tiling: Tiling, ub: int, slots: int, kind: Kind
) -> None:
    """On a small buffer the limits of two branches may be the same size."""
    limits = {
        buffers: tiling.limit(kind.prefix + axis, kind.top_k(slots), kind.dtype, ub=ub)
        for buffers, axis in ((4, "four-buffers"), (3, "three-buffers"), (2, "hidden"))
    }
    for buffers, limit in limits.items():
        assert limit > 0
        assert limit * BYTES[kind.dtype] % 32 == 0
        for hidden in (limit - 1, limit, limit + 1):
            data = tiling.accepted(kind.call(5, slots, hidden, ub=ub, cores=40))
            fitting = [some for some, most in limits.items() if hidden <= most]
            assert data.rows.input_buffers == max(fitting, default=2)
            assert data.rows.tile_columns == min(hidden, limits[2])
        data.rows.input_buffers, data.rows.tile_columns, data.rows.batch = buffers, limit + 1, 1
        assert data.ub_bytes() > ub


@pytest.mark.parametrize("kind", ALL_KINDS, ids=str)
@pytest.mark.parametrize("slots", [1, 2, 8, 64])
@pytest.mark.parametrize("hidden", [1, 100, 30_000])
def test_the_batch_limit_is_the_last_token_count_of_one_batch(
    tiling: Tiling, slots: int, kind: Kind, hidden: int
) -> None:
    for ub in (UB_910B, UB_910_93):
        limit = tiling.limit(
            f"{kind.prefix}batch", kind.top_k(slots), kind.dtype, ub=ub, hidden=hidden
        )
        below, last, beyond = (
            tiling.accepted(kind.call(tokens, slots, hidden, cores=1, ub=ub))
            for tokens in (max(limit - 1, 1), limit, limit + 1)
        )
        assert below.rows.batch == max(limit - 1, 1)
        assert last.rows.batch == beyond.rows.batch == limit >= 1
        beyond.rows.batch = limit + 1
        assert beyond.ub_bytes() > ub


@pytest.mark.parametrize("kind", [k for k in ALL_KINDS if k.scales_dtype != NONE], ids=str)
def test_a_token_in_parts_is_a_batch_of_its_own(tiling: Tiling, kind: Kind) -> None:
    machine = {"cores": 3, "ub": 4096}
    slots = tiling.limit(f"{kind.prefix}slots", 1, kind.dtype, ub=4096)
    for top_k, is_whole in ((slots, True), (slots + 1, False)):
        batch, tokens = (
            tiling.limit(kind.prefix + axis, top_k, kind.dtype, hidden=1, **machine)
            for axis in ("batch", "tokens")
        )
        assert (batch > 1, tokens) == (is_whole, 3 * batch)
        data = tiling.accepted(kind.call(tokens + 1, top_k, 1, **machine))
        assert data.rows.batch == batch


@pytest.mark.parametrize("cores", [1, 3, 40, 48])
@pytest.mark.parametrize(("dtype", "scales"), KINDS)
def test_the_token_limit_is_the_last_count_that_gives_every_core_one_batch(
    tiling: Tiling, cores: int, dtype: int, scales: int
) -> None:
    kind, machine = Kind(dtype, scales), {"cores": cores, "ub": 4096}
    top_k = kind.top_k(8)
    limit = tiling.limit(f"{kind.prefix}tokens", top_k, dtype, hidden=32, **machine)
    at_limit, above = (
        tiling.accepted(kind.call(tokens, 8, 32, **machine)).rows for tokens in (limit, limit + 1)
    )
    assert -(-limit // cores) == at_limit.batch == above.batch
    assert tiling.limit(f"{kind.prefix}cores", top_k, dtype, cores=cores) == cores


@pytest.mark.parametrize(("tokens", "used"), [(39, 39), (40, 40), (41, 40)])
def test_no_core_is_launched_without_a_token(tiling: Tiling, tokens: int, used: int) -> None:
    assert tiling.accepted(Kind().call(tokens, 2, 8, cores=40)).used_cores == used


@pytest.mark.parametrize("kind", ALL_KINDS, ids=str)
@pytest.mark.parametrize("slots", [1, 2, 512])
def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(
    tiling: Tiling, slots: int, kind: Kind
) -> None:
    top_k, prefix = kind.top_k(slots), kind.prefix
    least = tiling.limit(f"{prefix}ub-bytes", top_k, kind.dtype)
    assert least == kind.least()
    data = tiling.accepted(kind.call(3, slots, 1000, cores=1, ub=least))
    assert (data.rows.tile_columns, data.rows.input_buffers) == (32 // BYTES[kind.dtype], 2)
    assert data.ub_bytes() <= least
    reason = tiling.rejected(kind.call(3, slots, 1, ub=least - 1))
    told = f"{least - 1} bytes; it must be {least} bytes or more in"
    assert reason.startswith(f"the unified buffer is {told}")
    for axis in BOUNDED:
        assert tiling.limit(prefix + axis, top_k, kind.dtype, cores=4, ub=least - 1, hidden=1) == 0


@pytest.mark.parametrize(
    ("has_bias", "dtype", "four", "three", "two"),
    [
        (False, FP32, 9800, 12248, 16336),
        (False, FP16, 10880, 12240, 14000),
        (True, FP16, 8896, 9792, 10880),
    ],
)
def test_the_thresholds_of_a_real_chip(
    tiling: Tiling, has_bias: bool, dtype: int, four: int, three: int, two: int
) -> None:
    """For 8 slots, slot by slot: the bytes left over those of a column."""
    kind = Kind(dtype, dtype, has_bias)
    for axis, expected in (("four-buffers", four), ("three-buffers", three), ("hidden", two)):
        assert tiling.limit(kind.prefix + axis, 8, dtype, ub=UB_910B) == expected


@pytest.mark.parametrize("prefix", sorted({kind.prefix for kind in ALL_KINDS}))
@pytest.mark.parametrize("top_k", [-1, 0, -(1 << 62)])
def test_limits_of_what_is_no_top_k_are_0(tiling: Tiling, top_k: int, prefix: str) -> None:
    for axis in (*BOUNDED, "ub-bytes"):
        assert tiling.limit(prefix + axis, top_k, FP32, cores=2, ub=8192, hidden=8) == 0


def test_without_scales_there_is_one_slot(tiling: Tiling) -> None:
    for axis in (*BOUNDED, "ub-bytes"):
        one, two = (
            tiling.limit(f"no-scales-{axis}", top_k, FP32, cores=2, ub=8192, hidden=8)
            for top_k in (1, 2)
        )
        assert one > two == 0
    assert tiling.accepted(Kind(scales_dtype=NONE).call(7, 1, 8)).top_k == 1


@pytest.mark.parametrize(
    "axis",
    ["width", "", "bias-", "bias-token-major-hidden", "no-scales-fp32-scales-hidden", "x1-hidden"],
)
def test_a_limit_of_an_unknown_axis_is_minus_one(tiling: Tiling, axis: str) -> None:
    for top_k in (0, 1, 2, 100_000):
        for ub in (0, UB_910B):
            assert tiling.limit(axis, top_k, FP32, ub=ub, hidden=8) == -1
