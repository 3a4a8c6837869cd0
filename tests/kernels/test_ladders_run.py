"""Mistakes at one size: each can be made, and a run tells the size from which it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.suite import records as suite
from tests.kernels.ladders_run import Climb
from tests.kernels.mutants import Mutant, apply
from tests.kernels.mutants_ladders import MUTANTS
from tests.kernels.mutation_run import KERNELS, build_mutant, run_on

EVERY = [(operator, mutant) for operator, mutants in MUTANTS.items() for mutant in mutants]
MUTANT = Mutant("tail-lost", "x/x_kernel.cpp", "before", "after")


@pytest.mark.parametrize(
    ("operator", "mutant"), EVERY, ids=[f"{mutant.name} of {one}" for one, mutant in EVERY]
)
def test_every_mistake_can_be_made(operator: str, mutant: Mutant, tmp_path: Path) -> None:
    apply(mutant, operator, KERNELS, tmp_path / "kernels")
    made = (tmp_path / "kernels" / mutant.file).read_text()
    assert made.replace(mutant.after, mutant.before) == (KERNELS / mutant.file).read_text() != made


def test_every_operator_has_mistakes_at_one_size() -> None:
    assert MUTANTS.keys() == {one.name for one in suite.operators([])}
    for mutants in MUTANTS.values():
        assert len({mutant.name for mutant in mutants}) == len(mutants)


def test_the_line_of_a_mistake_names_the_seeds_that_miss_it() -> None:
    told = Climb("x", MUTANT, ("tokens 65,537 of whole", None, "tokens 65,537 of whole"), 1.26)
    assert str(told) == (
        "x, tail-lost: found 2/3, 1.3 s each, tokens 65,537 of whole (2); not by seeds 1"
    )
    assert str(Climb("x", MUTANT, (None,), 1.0)).endswith(
        "found 0/1, 1.0 s each, nowhere; not by seeds 0"
    )


@pytest.mark.slow
def test_a_run_tells_the_smallest_size_that_is_refused(tmp_path: Path) -> None:
    """The rank of a slot is kept in 16 bits: rank 65,536 is written to row 0."""
    (operator,) = suite.chosen(suite.records(), ["moe_token_permute"])
    (mutant,) = (one for one in MUTANTS[operator.name] if one.name == "rank-in-16-bits")
    lib = build_mutant(operator, mutant, tmp_path)
    alone = ("--operator", operator.name, "-n", "0", "--", "-k", "ladders and tokens")
    done = run_on(lib, 0, tmp_path / "run", *alone, profile="smoke")
    assert done.returncode == 1
    assert "up the ladder of tokens on 1 core: 65,536 is accepted, 65,537 fails" in done.stderr
