"""Calls of the value test show seeded mistakes of what operators share: sorts, sums, gradients."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.suite.records import operators
from tests.kernels.mutation_run import MUTANTS
from tests.kernels.shown_mutants import build_alone, shown_by
from tests.kernels.value_calls import values
from tests.slow import slow_but

RECORDS = {one.name: one for one in operators([])}
SHOWN = {
    "moe_token_permute_with_ep": ("no-sync-between-sort-and-merge", "kernels/shared/"),
    "moe_token_permute_with_routing_map_grad": ("later-runs-merged-first", "it must be"),
    "moe_token_unpermute": ("probs-read-column-by-column", "it must be"),
    "moe_token_unpermute_grad": ("part-runs-into-the-next-token", ""),
}
"""By operator a mistake, and what is told of it."""


@pytest.mark.parametrize("name", slow_but(["moe_token_unpermute"], SHOWN))
def test_a_mistake_is_shown_by_some_call_of_the_value_test(name: str, tmp_path: Path) -> None:
    """All of them: `python -m tests.kernels.shown_mutants`."""
    mistake, told = SHOWN[name]
    mutant = next(one for one in MUTANTS[name] if one.name == mistake)
    lib = build_alone(name, mutant, tmp_path)
    assert told in (shown_by(RECORDS[name], lib, values(RECORDS[name])) or "NOT SHOWN")
