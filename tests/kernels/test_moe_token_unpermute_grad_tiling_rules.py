"""The host tiling says which rule a call of MoeTokenUnpermuteGrad breaks, the first of several."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.kernels.host_tilings import TILING_REJECTED
from tests.kernels.moe_token_unpermute_grad_tiling import Call, Tiling, TilingData, even
from tests.kernels.moe_token_unpermute_tiling import NONE


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    folder = tmp_path_factory.mktemp("tiling")
    return Tiling("moe_token_unpermute_grad", "MoeTokenUnpermuteGrad", folder)


GOOD = even(4, 2, 16)
BARE = even(4, 1, 16, NONE)
SHARED = "it must be the number of elements of probsOptional"
REJECTED: tuple[tuple[Call, str], ...] = (
    (replace(GOOD, rows=(8,)), "the rank of permutedTokens [8] is 1; it must be 2"),
    (
        replace(GOOD, grads=(4, 2, 8)),
        "the rank of unpermutedTokensGrad [4, 2, 8] is 3; it must be 2",
    ),
    (replace(GOOD, indices=(4, 2)), "the rank of sortedIndices [4, 2] is 2; it must be 1"),
    (replace(GOOD, indices=()), "the rank of sortedIndices [] is 0; it must be 1"),
    (replace(GOOD, probs=(8,)), "the rank of probsOptional [8] is 1; it must be 2"),
    (replace(GOOD, row_grads=(8,)), "the rank of permutedTokensGradOut [8] is 1; it must be 2"),
    (replace(GOOD, prob_grads=(8,)), "the rank of probsGradOut [8] is 1; it must be 2"),
    (replace(GOOD, probs=(4, 0)), "topK, dim 1 of probsOptional, is 0; it must be 1 to 512"),
    (even(2, 513, 16), "topK, dim 1 of probsOptional, is 513; it must be 1 to 512"),
    (replace(GOOD, rows=(0, 16)), "dim 0 of permutedTokens is 0; it must be greater than 0"),
    (replace(GOOD, rows=(8, 0)), "dim 1 of permutedTokens is 0; it must be greater than 0"),
    (replace(GOOD, grads=(0, 16)), "dim 0 of unpermutedTokensGrad is 0; it must be greater than 0"),
    (replace(BARE, grads=(0, 16)), "dim 0 of unpermutedTokensGrad is 0; it must be greater than 0"),
    (replace(GOOD, probs=(4, 3)), f"dim 0 of sortedIndices is 8; {SHARED}, 4 * 3"),
    (replace(GOOD, indices=(9,)), f"dim 0 of sortedIndices is 9; {SHARED}, 4 * 2"),
    (replace(GOOD, indices=(0,)), f"dim 0 of sortedIndices is 0; {SHARED}, 4 * 2"),
    (
        replace(GOOD, probs=((1 << 62) + 4, 2)),
        f"dim 0 of sortedIndices is 8; {SHARED}, 4611686018427387908 * 2",
    ),
    (
        replace(GOOD, grads=(5, 16)),
        "dim 0 of unpermutedTokensGrad is 5; it must be dim 0 of probsOptional, 4",
    ),
    (
        replace(BARE, grads=(2, 16)),
        "dim 0 of unpermutedTokensGrad is 2; it must be dim 0 of sortedIndices without"
        " probsOptional, 4",
    ),
    (
        replace(GOOD, grads=(4, 15)),
        "dim 1 of unpermutedTokensGrad is 15; it must be dim 1 of permutedTokens, 16",
    ),
    (
        replace(GOOD, row_grads=(7, 16)),
        "dim 0 of permutedTokensGradOut is 7; it must be dim 0 of permutedTokens, 8",
    ),
    (
        replace(BARE, row_grads=(4, 17)),
        "dim 1 of permutedTokensGradOut is 17; it must be dim 1 of permutedTokens, 16",
    ),
    (
        replace(GOOD, prob_grads=(8, 2)),
        "dim 0 of probsGradOut is 8; it must be dim 0 of probsOptional, 4",
    ),
    (
        replace(GOOD, prob_grads=(4, 1)),
        "dim 1 of probsGradOut is 1; it must be dim 1 of probsOptional, 2",
    ),
)


@pytest.mark.parametrize(("call", "reason"), REJECTED, ids=[reason for _, reason in REJECTED])
def test_a_call_that_breaks_a_rule_is_rejected_with_parameter_value_and_rule(
    tiling: Tiling, call: Call, reason: str
) -> None:
    assert tiling.rejected(call) == f"{reason} (host tiling of MoeTokenUnpermuteGrad)"


@pytest.mark.parametrize("rows", [1, 7, 9, 1000])
@pytest.mark.parametrize("call", [GOOD, BARE], ids=["probs", "no probs"])
def test_any_number_of_rows_but_none_is_accepted(tiling: Tiling, call: Call, rows: int) -> None:
    shape = (rows, 16)
    assert tiling.accepted(replace(call, rows=shape, row_grads=shape)).slots.rows == rows


def test_512_slots_are_accepted(tiling: Tiling) -> None:
    assert tiling.accepted(even(2, 512, 16)).slots.top_k == 512


def test_without_probs_an_output_for_their_gradient_may_have_any_shape(tiling: Tiling) -> None:
    assert tiling.accepted(replace(BARE, prob_grads=(3, 0, 9))).slots.top_k == 1


def test_the_first_broken_rule_is_named(tiling: Tiling) -> None:
    broken = Call((0,), (9,), (9, 1), (1,), (1,), (1,))
    repairs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("the rank of permutedTokens", {"rows": (0, 16)}),
        ("the rank of unpermutedTokensGrad", {"grads": (0, 1)}),
        ("the rank of sortedIndices", {"indices": (9,)}),
        ("the rank of probsOptional", {"probs": (4, 0)}),
        ("the rank of permutedTokensGradOut", {"row_grads": (5, 1)}),
        ("the rank of probsGradOut", {"prob_grads": (5, 1)}),
        ("topK", {"probs": (4, 2)}),
        ("dim 0 of permutedTokens", {"rows": (8, 16)}),
        ("dim 0 of unpermutedTokensGrad", {"grads": (5, 1)}),
        ("dim 0 of sortedIndices", {"indices": (8,)}),
        ("dim 0 of unpermutedTokensGrad", {"grads": (4, 1)}),
        ("dim 1 of unpermutedTokensGrad", {"grads": (4, 16)}),
        ("dim 0 of permutedTokensGradOut", {"row_grads": (8, 1)}),
        ("dim 1 of permutedTokensGradOut", {"row_grads": (8, 16)}),
        ("dim 0 of probsGradOut", {"prob_grads": (4, 1)}),
        ("dim 1 of probsGradOut", {"prob_grads": (4, 2), "ub": 96}),
        ("the unified buffer", {}),
    )
    for named, repair in repairs:
        assert tiling.rejected(broken).startswith(named)
        broken = replace(broken, **repair)


def test_a_long_reason_is_cut_to_the_callers_room(tiling: Tiling) -> None:
    status, reason = tiling.cut(replace(GOOD, rows=(8,)).view, TilingData(), room=9)
    assert (status, reason) == (TILING_REJECTED, "the rank")
