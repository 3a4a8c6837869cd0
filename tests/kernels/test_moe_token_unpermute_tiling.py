"""The host tiling cuts every call so that all of it is done once and fits, or says why not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.host_tilings import (
    BYTES,
    FP16,
    FP32,
    TILING_REJECTED,
    UB_910_93,
    UB_910B,
    assert_complete,
    pieces,
    round_up,
    shares,
)
from tests.kernels.moe_token_unpermute_tiling import (
    BOUNDED,
    DTYPES,
    NONE,
    PREFIXES,
    PROBS,
    PROBS_BYTES,
    Call,
    Tiling,
    TilingData,
    even,
)


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return Tiling("moe_token_unpermute", "MoeTokenUnpermute", tmp_path_factory.mktemp("tiling"))


def test_tokens_and_columns_are_done_exactly_once_and_fit_the_unified_buffer(
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
        ub=st.one_of(st.integers(4320, 8192), st.sampled_from([UB_910B, UB_910_93])),
    )
    def check(
        tokens: int, slots: int, hidden: int, dtype: int, probs: int, cores: int, ub: int
    ) -> None:
        top_k = 1 if probs == NONE else slots
        data = tiling.accepted(even(tokens, top_k, hidden, probs, dtype=dtype, cores=cores, ub=ub))
        rows = data.rows
        assert (data.dtype, data.probs_dtype) == (dtype, probs)
        assert (data.top_k, rows.tokens, rows.hidden) == (top_k, tokens, hidden)
        assert rows.source_rows == tokens * top_k
        assert data.used_cores == min(tokens, cores)
        parts = list(shares(tokens, data.used_cores))
        assert_complete(parts, tokens)
        for first, end in (parts[0], parts[-1]):
            batches = [(a - first, b - first) for a, b in pieces(first, end, rows.batch)]
            assert_complete(batches, end - first)
        assert_complete(pieces(0, hidden, rows.tile_columns), hidden)
        assert rows.ub_bytes(dtype, 4 * top_k, PROBS_BYTES[probs] * top_k) <= ub
        # A tile that is followed by another ends on a 32-byte block.
        assert rows.tile_columns == hidden or rows.tile_columns * BYTES[dtype] % 32 == 0

    check()


@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 100, 512])
@pytest.mark.parametrize("ub", [8192, UB_910B, UB_910_93])
@pytest.mark.parametrize(
    ("axis", "at_limit", "beyond"),
    [("four-buffers", 4, 3), ("three-buffers", 3, 2), ("hidden", 2, 2)],
)
def test_a_limit_of_hidden_is_the_last_size_of_its_branch(
    tiling: Tiling,
    axis: str,
    at_limit: int,
    beyond: int,
    ub: int,
    top_k: int,
    dtype: int,
    probs: int,
) -> None:
    slots = 1 if probs == NONE else top_k
    limit = tiling.limit(PREFIXES[probs] + axis, slots, dtype, ub=ub)
    assert limit > 0
    assert limit * BYTES[dtype] % 32 == 0
    below, last, above = (
        tiling.accepted(even(5, slots, hidden, probs, dtype=dtype, ub=ub, cores=40)).rows
        for hidden in (limit - 1, limit, limit + 1)
    )
    assert (below.input_buffers, below.tile_columns) == (at_limit, limit - 1)
    assert (last.input_buffers, last.tile_columns) == (at_limit, limit)
    assert above.input_buffers == beyond
    assert above.tile_columns == (limit if axis == "hidden" else limit + 1)
    last.tile_columns, last.batch = limit + 1, 1
    assert last.ub_bytes(dtype, 4 * slots, PROBS_BYTES[probs] * slots) > ub


@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 2, 7, 8, 64, 200])
@pytest.mark.parametrize("hidden", [1, 17, 100, 9000, 30_000])
def test_the_batch_limit_is_the_last_token_count_of_one_batch(
    tiling: Tiling, top_k: int, dtype: int, probs: int, hidden: int
) -> None:
    slots = 1 if probs == NONE else top_k
    for ub in (UB_910B, UB_910_93):
        limit = tiling.limit(PREFIXES[probs] + "batch", slots, dtype, ub=ub, hidden=hidden)
        below, last, beyond = (
            tiling.accepted(even(tokens, slots, hidden, probs, dtype=dtype, cores=1, ub=ub)).rows
            for tokens in (max(limit - 1, 1), limit, limit + 1)
        )
        assert below.batch == max(limit - 1, 1)
        assert last.batch == beyond.batch == limit >= 1
        beyond.batch = limit + 1
        assert beyond.ub_bytes(dtype, 4 * slots, PROBS_BYTES[probs] * slots) > ub


@pytest.mark.parametrize("cores", [1, 3, 40, 48])
@pytest.mark.parametrize("probs", PROBS)
def test_the_token_limit_is_the_last_count_that_gives_every_core_one_batch(
    tiling: Tiling, cores: int, probs: int
) -> None:
    slots, prefix = 1 if probs == NONE else 8, PREFIXES[probs]
    machine = {"dtype": FP16, "cores": cores, "ub": 4096}
    limit = tiling.limit(f"{prefix}tokens", slots, FP16, cores=cores, ub=4096, hidden=32)
    at_limit = tiling.accepted(even(limit, slots, 32, probs, **machine)).rows
    above = tiling.accepted(even(limit + 1, slots, 32, probs, **machine)).rows
    assert -(-limit // cores) == at_limit.batch == above.batch
    assert tiling.limit(f"{prefix}cores", slots, FP16, cores=cores) == cores


@pytest.mark.parametrize(("tokens", "used"), [(39, 39), (40, 40), (41, 40)])
def test_no_core_is_launched_without_a_token(tiling: Tiling, tokens: int, used: int) -> None:
    assert tiling.accepted(even(tokens, 2, 8, cores=40)).used_cores == used


@pytest.mark.parametrize("probs", PROBS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 16, 17, 511, 512])
def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(
    tiling: Tiling, top_k: int, dtype: int, probs: int
) -> None:
    slots, prefix = 1 if probs == NONE else top_k, PREFIXES[probs]
    least = tiling.limit(f"{prefix}ub-bytes", slots, dtype)
    names = round_up(4 * slots, 32) + round_up(PROBS_BYTES[probs] * slots, 32)
    assert least == (96 if dtype == FP32 else 224) + names
    data = tiling.accepted(even(3, slots, 1000, probs, dtype=dtype, cores=1, ub=least)).rows
    assert (data.tile_columns, data.input_buffers) == (32 // BYTES[dtype], 2)
    assert data.batch == min(3, max(1, 8 // slots))
    reason = tiling.rejected(even(3, slots, 1, probs, dtype=dtype, ub=least - 1))
    told = f"{least - 1} bytes; it must be {least} bytes or more for topK {slots} in"
    assert reason.startswith(f"the unified buffer is {told}")
    for axis in BOUNDED:
        assert tiling.limit(prefix + axis, slots, dtype, cores=4, ub=least - 1, hidden=1) == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_without_a_prefix_a_limit_is_that_of_probs_in_the_data_type_of_the_tokens(
    tiling: Tiling, dtype: int
) -> None:
    for axis in (*BOUNDED, "ub-bytes"):
        machine = {"cores": 3, "ub": 8192, "hidden": 100}
        plain, named = (
            tiling.limit(prefix + axis, 300, dtype, **machine) for prefix in ("", PREFIXES[dtype])
        )
        assert plain == named > 0


@pytest.mark.parametrize(
    ("dtype", "four", "three", "two"), [(FP32, 9808, 12264, 16352), (FP16, 10896, 12256, 14016)]
)
def test_the_thresholds_of_a_real_chip(
    tiling: Tiling, dtype: int, four: int, three: int, two: int
) -> None:
    """Where twice 32 bytes are left aside: 196288 bytes over those of a column."""
    for axis, expected in (("four-buffers", four), ("three-buffers", three), ("hidden", two)):
        assert tiling.limit(axis, 8, dtype, ub=UB_910B) == expected


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
    assert tiling.accepted(even(7, 1, 8, NONE)).top_k == 1


@pytest.mark.parametrize(
    "axis", ["width", "", "no-probs-", "fp32-probs-width", "bf16-probs-hidden", "probs-hidden"]
)
def test_a_limit_of_an_unknown_axis_is_minus_one(tiling: Tiling, axis: str) -> None:
    assert tiling.limit(axis, 2, FP32, hidden=8) == -1
    assert tiling.limit(axis, 0) == -1


GOOD = even(4, 2, 16)
BARE = even(4, 1, 16, NONE)
SHARED = "it must be the number of elements of probsOptional"
REJECTED: tuple[tuple[Call, str], ...] = (
    (replace(GOOD, rows=(8,)), "the rank of permutedTokens is 1; it must be 2"),
    (replace(GOOD, rows=(2, 4, 16)), "the rank of permutedTokens is 3; it must be 2"),
    (replace(GOOD, indices=(4, 2)), "the rank of sortedIndices is 2; it must be 1"),
    (replace(GOOD, indices=()), "the rank of sortedIndices is 0; it must be 1"),
    (replace(GOOD, probs=(8,)), "the rank of probsOptional is 1; it must be 2"),
    (replace(GOOD, probs=()), "the rank of probsOptional is 0; it must be 2"),
    (replace(GOOD, probs=(4, 0)), "topK, dim 1 of probsOptional, is 0; it must be 1 to 512"),
    (even(2, 513, 16), "topK, dim 1 of probsOptional, is 513; it must be 1 to 512"),
    (replace(GOOD, probs=(4, 3)), f"dim 0 of sortedIndices is 8; {SHARED}, 4 * 3"),
    (replace(GOOD, indices=(9,)), f"dim 0 of sortedIndices is 9; {SHARED}, 4 * 2"),
    (replace(GOOD, probs=(5, 2)), f"dim 0 of sortedIndices is 8; {SHARED}, 5 * 2"),
    (replace(GOOD, probs=(0, 2)), f"dim 0 of sortedIndices is 8; {SHARED}, 0 * 2"),
    (
        replace(GOOD, probs=((1 << 62) + 4, 2)),
        f"dim 0 of sortedIndices is 8; {SHARED}, 4611686018427387908 * 2",
    ),
    (replace(GOOD, out=(4, 16, 1)), "the rank of out is 3; it must be 2"),
    (replace(GOOD, out=(4, 15)), "dim 1 of out is 15; it must be dim 1 of permutedTokens, 16"),
    (replace(GOOD, out=(5, 16)), "dim 0 of out is 5; it must be dim 0 of probsOptional, 4"),
    (
        replace(BARE, out=(2, 16)),
        "dim 0 of out is 2; it must be dim 0 of sortedIndices without probsOptional, 4",
    ),
)


@pytest.mark.parametrize(("call", "reason"), REJECTED, ids=[reason for _, reason in REJECTED])
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call, reason: str
) -> None:
    assert tiling.rejected(call) == f"{reason} (host tiling of MoeTokenUnpermute)"


@pytest.mark.parametrize("rows", [0, 1, 7, 9, 1000])
@pytest.mark.parametrize("call", [GOOD, BARE], ids=["probs", "no probs"])
def test_any_number_of_source_rows_is_accepted(tiling: Tiling, call: Call, rows: int) -> None:
    assert tiling.accepted(replace(call, rows=(rows, 16))).rows.source_rows == rows


def test_512_slots_are_accepted(tiling: Tiling) -> None:
    assert tiling.accepted(even(2, 512, 16)).top_k == 512


def test_the_first_broken_rule_is_named(tiling: Tiling) -> None:
    broken = Call((7,), (9, 1), (1,), (1,))
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("the rank of permutedTokens", {"rows": (7, 16)}),
        ("the rank of sortedIndices", {"indices": (9,)}),
        ("the rank of probsOptional", {"probs": (4, 0)}),
        ("topK", {"probs": (4, 2)}),
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
    status, reason = tiling.cut(replace(GOOD, rows=(8,)).view, TilingData(), room=9)
    assert (status, reason) == (TILING_REJECTED, "the rank")
