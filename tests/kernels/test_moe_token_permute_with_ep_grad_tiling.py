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
    SlotGatherTiling,
    assert_complete,
    pieces,
    round_up,
    shares,
)
from tests.kernels.moe_token_permute_with_ep_grad_tiling import (
    BOUNDED,
    DTYPES,
    Call,
    Tiling,
    TilingData,
    even,
)

MOST = 2**63 - 1


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    folder = tmp_path_factory.mktemp("tiling")
    return Tiling("moe_token_permute_with_ep_grad", "MoeTokenPermuteWithEpGrad", folder)


def assert_all_done(count: int, blocks: int, batch: int) -> None:
    """By the first and the last of so many blocks, in batches."""
    parts = list(shares(count, blocks))
    assert_complete(parts, count)
    for first, end in (parts[0], parts[-1]):
        assert_complete([(a - first, b - first) for a, b in pieces(first, end, batch)], end - first)


def test_tokens_columns_and_slots_are_done_exactly_once_and_fit_the_unified_buffer(
    tiling: Tiling,
) -> None:
    @settings(max_examples=600, deadline=None)
    @given(
        tokens=st.one_of(st.integers(1, 200), st.integers(1, 10**6)),
        top_k=st.one_of(st.integers(1, 9), st.integers(1, 512)),
        hidden=st.one_of(st.integers(1, 70), st.integers(1, 40_000)),
        probs=st.booleans(),
        dtype=st.sampled_from(DTYPES),
        cores=st.one_of(st.sampled_from([1, 2, 3, 40, 48]), st.integers(1, 100)),
        ub=st.one_of(st.integers(2272, 8192), st.sampled_from([UB_910B, UB_910_93])),
    )
    def check(
        tokens: int, top_k: int, hidden: int, probs: bool, dtype: int, cores: int, ub: int
    ) -> None:
        machine = {"dtype": dtype, "cores": cores, "ub": ub}
        data = tiling.accepted(even(tokens, top_k, hidden, probs=probs, **machine))
        rows, slots = data.rows, tokens * top_k
        assert (data.dtype, data.top_k, rows.tokens, rows.hidden) == (dtype, top_k, tokens, hidden)
        assert (data.first_rank, rows.source_rows) == (0, slots)
        assert data.used_cores == min(tokens, cores)
        assert_all_done(tokens, data.used_cores, rows.batch)
        assert_complete(pieces(0, hidden, rows.tile_columns), hidden)
        assert rows.ub_bytes(dtype, 4 * top_k) <= ub
        # A tile that is followed by another ends on a 32-byte block.
        assert rows.tile_columns == hidden or rows.tile_columns * BYTES[dtype] % 32 == 0
        assert data.probs.slots == (slots if probs else 0)
        if probs:
            assert_all_done(slots, data.used_cores, data.probs.batch)
            assert data.probs.ub_bytes(dtype) <= ub

    check()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 100, 512])
@pytest.mark.parametrize("ub", [4096, UB_910B, UB_910_93])
@pytest.mark.parametrize(
    ("axis", "at_limit", "beyond"),
    [("four-buffers", 4, 3), ("three-buffers", 3, 2), ("hidden", 2, 2)],
)
def test_a_limit_of_hidden_is_the_last_size_of_its_branch(
    tiling: Tiling, axis: str, at_limit: int, beyond: int, ub: int, top_k: int, dtype: int
) -> None:
    limit = tiling.limit(axis, top_k, dtype, ub=ub)
    assert limit > 0
    assert limit * BYTES[dtype] % 32 == 0
    below, last, above = (
        tiling.accepted(even(5, top_k, hidden, dtype=dtype, ub=ub, cores=40)).rows
        for hidden in (limit - 1, limit, limit + 1)
    )
    assert (below.input_buffers, below.tile_columns) == (at_limit, limit - 1)
    assert (last.input_buffers, last.tile_columns) == (at_limit, limit)
    assert above.input_buffers == beyond
    assert above.tile_columns == (limit if axis == "hidden" else limit + 1)
    last.tile_columns, last.batch = limit + 1, 1
    assert last.ub_bytes(dtype, 4 * top_k) > ub


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 2, 7, 8, 64, 200])
@pytest.mark.parametrize("hidden", [1, 17, 100, 9000, 30_000])
def test_the_batch_limit_is_the_last_token_count_of_one_batch(
    tiling: Tiling, top_k: int, dtype: int, hidden: int
) -> None:
    for ub in (UB_910B, UB_910_93):
        limit = tiling.limit("batch", top_k, dtype, ub=ub, hidden=hidden)
        below, last, beyond = (
            tiling.accepted(even(tokens, top_k, hidden, dtype=dtype, cores=1, ub=ub)).rows
            for tokens in (max(limit - 1, 1), limit, limit + 1)
        )
        assert below.batch == max(limit - 1, 1)
        assert last.batch == beyond.batch == limit >= 1
        beyond.batch = limit + 1
        assert beyond.ub_bytes(dtype, 4 * top_k) > ub


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ub", [256, 1024, 4096, UB_910B, UB_910_93])
def test_the_limit_of_probs_is_the_last_slot_count_of_one_batch(
    tiling: Tiling, ub: int, dtype: int
) -> None:
    limit = tiling.limit("probs-batch", 1, dtype, ub=ub)
    below, last, beyond = (
        tiling.accepted(even(slots, 1, 8, dtype=dtype, cores=1, ub=ub)).probs
        for slots in (limit - 1, limit, limit + 1)
    )
    assert (below.batch, last.batch, beyond.batch) == (limit - 1, limit, limit)
    assert last.ub_bytes(dtype) <= ub < SlotGatherTiling(0, limit + 1).ub_bytes(dtype)
    assert tiling.limit("probs-batch", 7, dtype, ub=ub) == limit


@pytest.mark.parametrize("cores", [1, 3, 40, 48])
def test_the_limits_of_tokens_and_slots_are_the_last_that_give_every_core_one_batch(
    tiling: Tiling, cores: int
) -> None:
    machine = {"dtype": FP16, "cores": cores, "ub": 4096}
    limit = tiling.limit("tokens", 8, FP16, cores=cores, ub=4096, hidden=32)
    at_limit = tiling.accepted(even(limit, 8, 32, **machine)).rows
    above = tiling.accepted(even(limit + 1, 8, 32, **machine)).rows
    assert -(-limit // cores) == at_limit.batch == above.batch
    slots = tiling.limit("probs", 1, FP16, cores=cores, ub=4096)
    below, last, beyond = (
        tiling.accepted(even(count, 1, 32, **machine)).probs
        for count in (slots - cores, slots, slots + 1)
    )
    assert below.batch + 1 == last.batch == beyond.batch == slots // cores
    assert tiling.limit("cores", 8, FP16, cores=cores) == cores


@pytest.mark.parametrize(("tokens", "used"), [(39, 39), (40, 40), (41, 40)])
def test_no_core_is_launched_without_a_token(tiling: Tiling, tokens: int, used: int) -> None:
    assert tiling.accepted(even(tokens, 2, 8, cores=40)).used_cores == used


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 8, 9, 16, 17, 511, 512])
def test_the_least_unified_buffer_is_exact_and_one_byte_less_is_rejected(
    tiling: Tiling, top_k: int, dtype: int
) -> None:
    least = tiling.limit("ub-bytes", top_k, dtype)
    assert least == (96 if dtype == FP32 else 224) + round_up(4 * top_k, 32)
    data = tiling.accepted(even(3, top_k, 1000, dtype=dtype, cores=1, ub=least))
    assert (data.rows.tile_columns, data.rows.input_buffers) == (32 // BYTES[dtype], 2)
    assert data.rows.batch == min(3, max(1, 8 // top_k))
    assert data.probs.batch >= 1
    reason = tiling.rejected(even(3, top_k, 1, dtype=dtype, ub=least - 1))
    told = f"{least - 1} bytes; it must be {least} bytes or more for numTopk {top_k} in"
    assert reason.startswith(f"the unified buffer is {told}")
    for axis in BOUNDED:
        assert tiling.limit(axis, top_k, dtype, cores=4, ub=least - 1, hidden=1) == 0


@pytest.mark.parametrize(
    ("dtype", "four", "three", "two", "probs"),
    [(FP32, 9816, 12264, 16360, 4908), (FP16, 10896, 12256, 14016, 5167)],
)
def test_the_thresholds_of_a_real_chip(
    tiling: Tiling, dtype: int, four: int, three: int, two: int, probs: int
) -> None:
    """196320 bytes, 32 being left for indices, over those of a column; all over those of a slot."""
    found = (four, three, two, probs)
    for axis, expected in zip(
        ("four-buffers", "three-buffers", "hidden", "probs-batch"), found, strict=True
    ):
        assert tiling.limit(axis, 8, dtype, ub=UB_910B) == expected, axis


@pytest.mark.parametrize("top_k", [-1, 0, 513, 1 << 62])
def test_limits_of_what_is_no_top_k_are_0(tiling: Tiling, top_k: int) -> None:
    for axis in (*BOUNDED, "ub-bytes"):
        assert tiling.limit(axis, top_k, FP32, cores=2, ub=8192, hidden=8) == 0


@pytest.mark.parametrize("axis", ["width", "", "prob", "probs-batches"])
def test_a_limit_of_an_unknown_axis_is_minus_one(tiling: Tiling, axis: str) -> None:
    assert tiling.limit(axis, 2, FP32, hidden=8) == -1
    assert tiling.limit(axis, 0) == -1


GOOD = even(4, 2, 16)


@pytest.mark.parametrize(
    "span",
    [
        *(None, (0, 0), (5, 5), (5, 4), (-3, -3), (MOST, -MOST - 1), (MOST, MOST)),
        *((-MOST - 1, -MOST), (-(2**31) - 1, -(2**31))),
    ],
)
def test_a_range_without_ranks_has_no_rows(tiling: Tiling, span: tuple[int, int] | None) -> None:
    data = tiling.accepted(replace(GOOD, rows=(0, 16), probs=(0,), span=span))
    assert (data.first_rank, data.rows.source_rows, data.probs.slots) == (0, 0, 8)


@pytest.mark.parametrize(
    "span",
    [(0, 8), (3, 4), (-8, 0), (900, 908), (-(2**31), -(2**31) + 1), (2**31, 2**31 + 2)],
)
def test_a_range_may_lie_anywhere_and_has_a_row_for_each_rank(
    tiling: Tiling, span: tuple[int, int]
) -> None:
    count = span[1] - span[0]
    for rows in (count, count + 1):
        call = replace(GOOD, rows=(rows, 16), probs=(rows,), span=span)
        data = tiling.accepted(call)
        assert (data.first_rank, data.rows.source_rows) == (span[0], count)
    enough = replace(GOOD, rows=(count, 16), probs=(count,), span=span)
    short = f"{count - 1}; it must be the number of ranks in rangeOptional, {count}, or more"
    for name, call in (
        ("permutedTokensOutputGrad", replace(enough, rows=(count - 1, 16))),
        ("permutedProbsOutputGradOptional", replace(enough, probs=(count - 1,))),
    ):
        assert tiling.rejected(call).startswith(f"dim 0 of {name} is {short}")


def test_a_length_beyond_63_bits_is_counted(tiling: Tiling) -> None:
    reason = tiling.rejected(replace(GOOD, span=(-MOST - 1, MOST)))
    told = f"is 8; it must be the number of ranks in rangeOptional, {2**64 - 1}, or more"
    assert reason.startswith(f"dim 0 of permutedTokensOutputGrad {told}")


@pytest.mark.parametrize("probs", [True, False])
def test_a_hidden_of_0_leaves_the_probabilities_to_be_done(tiling: Tiling, probs: bool) -> None:
    data = tiling.accepted(even(4, 2, 0, probs=probs))
    assert (data.rows.hidden, data.probs.slots) == (0, 8 if probs else 0)


def test_without_probs_nothing_is_asked_of_their_shapes(tiling: Tiling) -> None:
    call = replace(GOOD, probs=None, probs_grad=(7, 7, 7))
    assert tiling.accepted(call).probs.slots == 0


def test_with_one_slot_the_gradient_of_probs_may_have_one_dim(tiling: Tiling) -> None:
    one = replace(even(4, 1, 16), probs_grad=(4,))
    assert tiling.accepted(one).probs.slots == 4
    told = "the rank of probsGradOut is 3; it must be 1 or 2"
    assert tiling.rejected(replace(one, probs_grad=(4, 1, 1))).startswith(told)
    told = "dim 0 of probsGradOut is 5; it must be dim 0 of sortedIndices divided by numTopk, 4"
    assert tiling.rejected(replace(one, probs_grad=(5,))).startswith(told)


ROWS, PROBS = "permutedTokensOutputGrad", "permutedProbsOutputGradOptional"
TOKENS = "it must be dim 0 of sortedIndices divided by numTopk, 4"
REJECTED: tuple[tuple[Call, str], ...] = (
    (replace(GOOD, top_k=0), "numTopk is 0; it must be 1 to 512"),
    (replace(GOOD, top_k=-2), "numTopk is -2; it must be 1 to 512"),
    (even(2, 513, 16), "numTopk is 513; it must be 1 to 512"),
    (replace(GOOD, span=()), "the length of rangeOptional is 0; it must be 2"),
    (replace(GOOD, span=(0,)), "the length of rangeOptional is 1; it must be 2"),
    (replace(GOOD, span=(0, 8, 8)), "the length of rangeOptional is 3; it must be 2"),
    (replace(GOOD, padded=True), "paddedMode is true; it must be false"),
    (replace(GOOD, rows=(8,)), f"the rank of {ROWS} is 1; it must be 2"),
    (replace(GOOD, rows=(2, 4, 16)), f"the rank of {ROWS} is 3; it must be 2"),
    (replace(GOOD, indices=(4, 2)), "the rank of sortedIndices is 2; it must be 1"),
    (replace(GOOD, indices=()), "the rank of sortedIndices is 0; it must be 1"),
    (replace(GOOD, probs=(8, 1)), f"the rank of {PROBS} is 2; it must be 1"),
    (replace(GOOD, probs=()), f"the rank of {PROBS} is 0; it must be 1"),
    (
        replace(GOOD, indices=(9,)),
        "dim 0 of sortedIndices is 9; it must be a multiple of numTopk, 2",
    ),
    (replace(GOOD, tokens_grad=(4, 16, 1)), "the rank of tokenGradOut is 3; it must be 2"),
    (
        replace(GOOD, tokens_grad=(4, 15)),
        f"dim 1 of tokenGradOut is 15; it must be dim 1 of {ROWS}, 16",
    ),
    (replace(GOOD, tokens_grad=(5, 16)), f"dim 0 of tokenGradOut is 5; {TOKENS}"),
    (replace(GOOD, probs_grad=(8,)), "the rank of probsGradOut is 1; it must be 2"),
    (replace(GOOD, probs_grad=(3, 2)), f"dim 0 of probsGradOut is 3; {TOKENS}"),
    (replace(GOOD, probs_grad=(4, 3)), "dim 1 of probsGradOut is 3; it must be numTopk, 2"),
)


@pytest.mark.parametrize(("call", "reason"), REJECTED, ids=[reason for _, reason in REJECTED])
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call, reason: str
) -> None:
    assert tiling.rejected(call) == f"{reason} (host tiling of MoeTokenPermuteWithEpGrad)"


def test_512_slots_are_accepted(tiling: Tiling) -> None:
    assert tiling.accepted(even(2, 512, 16)).top_k == 512


def test_the_first_broken_rule_is_named(tiling: Tiling) -> None:
    broken = Call((7,), (9, 1), (2, 2), 0, (0,), (1,), (1,), padded=True)
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("numTopk", {"top_k": 2}),
        ("the length of rangeOptional", {"span": (1, 9)}),
        ("paddedMode", {"padded": False}),
        (f"the rank of {ROWS}", {"rows": (7, 16)}),
        ("the rank of sortedIndices", {"indices": (9,)}),
        (f"the rank of {PROBS}", {"probs": (5,)}),
        ("dim 0 of sortedIndices", {"indices": (8,)}),
        (f"dim 0 of {ROWS}", {"rows": (8, 16)}),
        (f"dim 0 of {PROBS}", {"probs": (8,)}),
        ("the rank of tokenGradOut", {"tokens_grad": (5, 1)}),
        ("dim 1 of tokenGradOut", {"tokens_grad": (5, 16)}),
        ("dim 0 of tokenGradOut", {"tokens_grad": (4, 16)}),
        ("the rank of probsGradOut", {"probs_grad": (3, 3)}),
        ("dim 0 of probsGradOut", {"probs_grad": (4, 3)}),
        ("dim 1 of probsGradOut", {"probs_grad": (4, 2), "ub": 96}),
        ("the unified buffer", {}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    status, reason = tiling.cut(replace(GOOD, rows=(8,)).view, TilingData(), room=9)
    assert (status, reason) == (TILING_REJECTED, "the rank")
