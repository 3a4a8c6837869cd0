"""Mistakes that only some keys, buffers or layouts show can be made, each by its one edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.suite import records as suite
from tests.kernels import mutants_broadcast, mutants_buffers, mutants_keys
from tests.kernels.mutants import Mutant, apply
from tests.kernels.mutation_run import KERNELS

KINDS = (mutants_broadcast, mutants_buffers, mutants_keys)
EVERY = [
    pytest.param(operator, mutant, id=f"{operator}-{mutant.name}")
    for kind in KINDS
    for operator, mutants in kind.MUTANTS.items()
    for mutant in mutants
]


@pytest.mark.parametrize(("operator", "mutant"), EVERY)
def test_every_mistake_can_be_made(operator: str, mutant: Mutant, tmp_path: Path) -> None:
    apply(mutant, operator, KERNELS, tmp_path / "kernels")
    made = (tmp_path / "kernels" / mutant.file).read_text()
    assert made.replace(mutant.after, mutant.before) == (KERNELS / mutant.file).read_text() != made


def test_every_operator_has_mistakes_of_its_buffer_and_of_broadcast_inputs() -> None:
    names = {one.name for one in suite.operators([])}
    assert mutants_broadcast.MUTANTS.keys() == mutants_buffers.MUTANTS.keys() == names
