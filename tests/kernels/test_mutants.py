"""Smoke rejects a kernel with any one of the mistakes that such kernels really have.

These are the first of them, one of every sort; `make proofs RUN=mutants` judges all, with many
seeds.
"""

from pathlib import Path

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from tests.kernels.mutation_run import MUTANTS, build_mutant, its_values, judge_libraries
from tests.slow import slow_but

HERE = (
    "sum-of-k-plus-1-terms",
    "fp16-accumulated-in-fp16",
    "last-core-idle",
    "null-pointer-dereferenced",
    "loop-without-end",
)


@pytest.mark.parametrize("name", slow_but(HERE[:1], HERE))
def test_smoke_rejects_the_mistake_and_shrinks_it_to_a_case_for_a_person(
    name: str, tmp_path: Path
) -> None:
    (mutant,) = (one for one in MUTANTS[OPERATOR.name] if one.name == name)
    lib = build_mutant(OPERATOR, mutant, tmp_path)
    extra = its_values(OPERATOR, mutant)
    result = judge_libraries(lib, 0, tmp_path / "run", *extra, profile="smoke")
    assert result.rejected, result.output
    for size in result.sizes:
        assert size.is_small(mutant), f"{size}\n{result.output}"
        assert size.on_smallest_machine(mutant), f"{size}\n{result.output}"
