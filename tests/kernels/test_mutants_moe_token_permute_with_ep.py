"""The answers show the seeded mistakes of MoeTokenPermuteWithEp."""

from pathlib import Path

import pytest

from device_kernels.build import build
from tests.kernels.mutants import apply
from tests.kernels.mutants_moe_token_permute_with_ep import MUTANTS
from tests.kernels.permute_mutants_run import KERNELS, OPERATOR, first_difference, judged

HERE = ("lists-of-a-run-merged-back-to-front", "range-shifted-by-one")
"""The first of them; `python -m tests.kernels.permute_mutants_run` judges all."""


def test_the_kernel_itself_gives_no_difference() -> None:
    assert first_difference(build(quiet=True).lib) == ""


def test_a_mistake_in_the_shared_sort_is_told_with_its_file(tmp_path: Path) -> None:
    mutant = next(one for one in MUTANTS if one.name == "no-sync-between-sort-and-merge")
    apply(mutant, OPERATOR, KERNELS, tmp_path / "kernels")
    told = judged(tmp_path / "kernels")
    assert "[race] kernel moe_token_permute_with_ep" in told
    assert ", kernels/shared/sorting/stable_sort_kernel.h:" in told


@pytest.mark.parametrize("name", HERE)
def test_a_mistake_is_told_by_the_answers(name: str, tmp_path: Path) -> None:
    mutant = next(one for one in MUTANTS if one.name == name)
    apply(mutant, OPERATOR, KERNELS, tmp_path / name)
    assert "it must be" in judged(tmp_path / name)
