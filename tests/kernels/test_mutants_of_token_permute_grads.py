"""Calls of the value tests show seeded mistakes of permutations, their inverse, and gradients."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.shown_mutants import SUBJECTS, build_alone, shown_by

SHOWN = {
    "moe_finalize_routing_v2": "bias-of-a-dropped-slot-not-scaled",
    "moe_finalize_routing_v2_grad": "bias-added-to-the-products",
    "moe_init_routing_v2": "dropped-slot-goes-to-the-last-row",
    "moe_token_permute": "last-byte-of-an-odd-row-lost",
    "moe_token_permute_grad": "second-tile-at-the-last-tile's-width",
    "moe_token_permute_with_ep_grad": "probability-outside-the-range-left-as-it-was",
    "moe_token_permute_with_routing_map": "unselected-tokens-first",
    "moe_token_permute_with_routing_map_grad": "later-runs-merged-first",
    "moe_token_unpermute": "probs-read-column-by-column",
    "moe_token_unpermute_grad": "part-runs-into-the-next-token",
}


@pytest.mark.parametrize(("name", "mistake"), SHOWN.items())
def test_a_mistake_is_shown_by_some_call_of_the_value_tests(
    name: str, mistake: str, tmp_path: Path
) -> None:
    """All of them: `python -m tests.kernels.shown_mutants`."""
    operator, mutants, values = SUBJECTS[name]
    mutant = next(one for one in mutants if one.name == mistake)
    assert shown_by(operator, build_alone(name, mutant, tmp_path), values()) is not None
