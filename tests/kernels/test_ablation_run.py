"""The run that takes templates away: what it says of a mistake, and what it asks."""

from __future__ import annotations

import pytest

from tests.kernels.ablation_run import TEMPLATES, Ablation, chosen_mutants
from tests.kernels.mutants import apply
from tests.kernels.mutation_run import KERNELS

FOUND = Ablation("definedness", "toy", "tail-lost", 0, 1, 1, (60.0, 4.0))


def test_a_mistake_is_found_by_a_template_alone_where_all_others_accept_it() -> None:
    assert FOUND.found_by_it_alone
    assert "found by it alone: status 0 without it (60 s), 1 with it (4 s)" in str(FOUND)


@pytest.mark.parametrize("statuses", [(1, 1, 1), (0, 0, 0), (0, 3, 0), (0, 1, 0), (2, 1, 1)])
def test_it_is_not_where_others_refuse_it_too_or_the_template_leaves_no_case(
    statuses: tuple[int, int, int],
) -> None:
    told = Ablation("definedness", "toy", "tail-lost", *statuses, (60.0, 4.0))
    assert not told.found_by_it_alone
    assert "NOT found by it alone" in str(told)


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_has_at_least_three_mistakes_and_each_finds_its_place(
    template: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    asked = list(chosen_mutants([template], []))
    assert len({mutant.name for _, _, mutant in asked}) == len(asked) >= 3
    for _, operator, mutant in asked:
        apply(mutant, operator, KERNELS, tmp_path_factory.mktemp("kernels") / "changed")


def test_what_is_not_asked_for_is_not_judged() -> None:
    name = "tiles-begin-at-the-number-of-blocks"
    assert [mutant.name for _, _, mutant in chosen_mutants([], [name])] == [name]
    assert not list(chosen_mutants(["definedness"], [name]))
