"""Seeded mistakes that one template alone finds: `python -m tests.kernels.ablation_run`.

Each mistake is compiled once and judged twice by the real command line, in gate, over its whole
operator: by all templates but one, which must accept it, and by that one, which must refuse it and
leave a case. Ends with status 1 where either is otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from conformance.draw.profiles import PROFILES
from conformance.record.operator import Operator
from conformance.suite import records as suite
from tests.kernels import (
    mutants_batch_invariance,
    mutants_broadcast,
    mutants_definedness,
    mutants_determinism,
    mutants_layout,
    mutants_protocol,
    mutants_rejections,
    mutants_sequences,
)
from tests.kernels.mutants import Mutant
from tests.kernels.mutation_run import build_mutant, run_on

TEMPLATES: Mapping[str, Mapping[str, tuple[Mutant, ...]]] = {
    "definedness": mutants_definedness.MUTANTS,
    "determinism": mutants_determinism.MUTANTS,
    "batch_invariance": mutants_batch_invariance.MUTANTS,
    "layout": {
        name: (*mutants_layout.MUTANTS.get(name, ()), *mutants)
        for name, mutants in mutants_broadcast.MUTANTS.items()
    },
    "protocol": mutants_protocol.MUTANTS,
    "sequences": mutants_sequences.MUTANTS,
    "rejections": mutants_rejections.MUTANTS,
}
"""By the word in the names of a template's items: the mistakes of each operator."""

ONE_PROCESS = ("-n", "0", "--time-limit", "10")


@dataclass(frozen=True)
class Ablation:
    """One mistake: the statuses of the run without the template and of the run with it alone, how
    many cases the latter left, and what both took, in seconds.
    """

    template: str
    operator: str
    mutant: str
    without: int
    alone: int
    stored: int
    seconds: tuple[float, ...]

    @property
    def found_by_it_alone(self) -> bool:
        """Whether the template finds it, and nothing else does."""
        return self.without == 0 and self.alone == 1 and self.stored > 0

    def __str__(self) -> str:
        said = "found by it alone" if self.found_by_it_alone else "NOT found by it alone"
        return (
            f"{self.template:12} {self.mutant:54} {said}: status {self.without} without it"
            f" ({self.seconds[0]:.0f} s), {self.alone} with it ({self.seconds[1]:.0f} s)"
        )


def ablate(
    template: str, operator: Operator, mutant: Mutant, folder: Path, profile: str
) -> Ablation:
    """Build one mistake and judge it twice."""
    lib = build_mutant(operator, mutant, folder)
    asked = ("--operator", operator.name, *ONE_PROCESS, "--", "-x", "-k")
    statuses, seconds = [], []
    for name, words in (("without", f"not {template}"), ("alone", template)):
        began = time.monotonic()
        done = run_on(lib, 0, folder / name, *asked, words, profile=profile)
        statuses.append(done.returncode)
        seconds.append(time.monotonic() - began)
    stored = len(list((folder / "alone").glob("failures/*/case.json")))
    return Ablation(
        template, operator.name, mutant.name, statuses[0], statuses[1], stored, tuple(seconds)
    )


def chosen_mutants(templates: list[str], names: list[str]) -> Iterator[tuple[str, str, Mutant]]:
    """Template, operator and mistake of everything that is asked for; an empty list asks for all"""
    for template, operators in TEMPLATES.items():
        for operator, mutants in operators.items():
            for mutant in mutants:
                if template in (templates or (template,)) and mutant.name in (
                    names or (mutant.name,)
                ):
                    yield template, operator, mutant


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--template", action="append", default=[], choices=TEMPLATES)
    parser.add_argument("--mutant", action="append", default=[], help="all if absent")
    parser.add_argument("--profile", choices=PROFILES, default="gate")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    records = {operator.name: operator for operator in suite.operators()}
    asked = list(chosen_mutants(chosen.template, chosen.mutant))
    if not asked:
        parser.error(f"--mutant {', '.join(chosen.mutant)}: unknown")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        runs = [
            pool.submit(
                ablate,
                template,
                records[operator],
                mutant,
                Path(folder) / f"{template}-{mutant.name}",
                chosen.profile,
            )
            for template, operator, mutant in asked
        ]
        results = []
        for run in runs:
            results.append(run.result())
            print(results[-1], flush=True)
    return 0 if all(result.found_by_it_alone for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
