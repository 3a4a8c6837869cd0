"""Mistakes of streams: each has its place in a kernel, and one is built here and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.mutants import Mutant, apply
from tests.kernels.mutants_streams import MUTANTS
from tests.kernels.mutation_run import KERNELS
from tests.kernels.streams_run import refused

EVERY = [
    pytest.param(operator, mutant, id=mutant.name)
    for operator, mutants in MUTANTS.items()
    for mutant in mutants
]
ON_DEFAULT = "launched-on-the-default-stream"


@pytest.mark.parametrize(("operator", "mutant"), EVERY)
def test_each_has_its_one_place(operator: str, mutant: Mutant, tmp_path: Path) -> None:
    apply(mutant, operator, KERNELS, tmp_path / "kernels")


def test_a_launch_on_the_default_stream_is_refused_on_every_other(tmp_path: Path) -> None:
    (found,) = [
        (operator, mutant)
        for operator, mutants in MUTANTS.items()
        for mutant in mutants
        if mutant.name == ON_DEFAULT
    ]
    counts = refused(*found, tmp_path)
    assert counts["default"] == 0
    assert counts["own"] == counts["beside another"] > 0
