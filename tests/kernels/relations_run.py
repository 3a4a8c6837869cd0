"""Which compiled mistakes the relations among results find, with no reference:

    python -m tests.kernels.relations_run --operator moe_token_permute_grad

Every mistake is asked over the cases that smoke draws of the modes in which it can show, those of
one after those of another, small ones first. A line tells the relation that broke first, and how
many cases it took. Other operators that a relation calls are right, unless the mistake lies in what
they share.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from itertools import islice, product, zip_longest
from pathlib import Path

from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.devices.open import open_device
from conformance.draw.profiles import PROFILES
from conformance.judge.relate import related
from conformance.mutants.drawn_cases import cell_cases
from conformance.record.operator import Operator
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from device_kernels.build import build
from tests.kernels.launches import ROUTE
from tests.kernels.mutants import Mutant
from tests.kernels.mutation_run import MUTANTS, build_mutant

MOST_CASES = 240
TIME_LIMIT = 3
"""Seconds of one call."""


def beside(operator: Operator, mutant: Mutant) -> set[str]:
    """The other operators that an operator's relations call and that share the mistake's source."""
    called = {name for relation in operator.relations for name in relation.beside}
    return called if mutant.file.startswith("shared/") else set()


def drawn_in_turn(operator: Operator, mutant: Mutant) -> Iterator[Case]:
    """Cases of the cells in which a mistake can show: the first of each, the second of each.

    None, where it shows in a dtype alone of which the record has no cases.
    """
    dtypes = [dtype for dtype in mutant.dtypes if dtype in operator.dtypes][:1]
    modes = mutant.modes or tuple(mode.name for mode in on_route(operator, ROUTE).modes)
    cells = (
        cell_cases(operator, mode, dtype, PROFILES["smoke"], 0)
        for mode, dtype in product(modes, dtypes)
    )
    return (case for row in zip_longest(*cells) for case in row if case is not None)


def broken(
    operator: Operator, mutant: Mutant, records: Mapping[str, Operator], lib: Path, whole: Path
) -> tuple[str, int]:
    """The relation that a mistake breaks, after how many cases; empty: none of so many.

    The libraries in ``lib`` have the mistake, those in ``whole`` have none.
    """
    cases = islice(drawn_in_turn(operator, mutant), MOST_CASES)
    wrong, count = beside(operator, mutant), 0
    asked = [relation for relation in operator.relations if not relation.always]
    with ExitStack() as devices:
        under, right = (
            devices.enter_context(
                closing(open_device("sim", time_limit=TIME_LIMIT, libraries=folder, route=ROUTE))
            )
            for folder in (lib, whole)
        )

        def observe(called: Operator, case: Case) -> Observation:
            device = under if called is operator or called.name in wrong else right
            return device.run(called, case)

        for count, case in enumerate(cases, 1):
            for relation in asked:
                if case.mode not in (relation.modes or (case.mode,)):
                    continue
                if not related(relation, records, case, observe)[1].ok:
                    return relation.name, count
    return "", count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operator", action="append", default=[], help="all if absent")
    parser.add_argument("--mutant", action="append", default=[], help="all if absent")
    chosen = parser.parse_args()
    records = {operator.name: operator for operator in suite.operators()}
    whole, totals = build(quiet=True).lib, Counter[str]()
    for operator in suite.chosen(suite.records(), chosen.operator):
        found = 0
        mutants = [m for m in MUTANTS[operator.name] if m.name in (chosen.mutant or (m.name,))]
        for mutant in mutants:
            with tempfile.TemporaryDirectory() as folder:
                lib = build_mutant(operator, mutant, Path(folder), beside(operator, mutant))
                told, count = broken(operator, mutant, records, lib, whole)
            found += bool(told)
            line = f"{told} (case {count})" if told else f"- ({count} cases)"
            print(f"{mutant.name:50} {line}", flush=True)
        print(f"{operator.name}: {found} of {len(mutants)} by relations alone", flush=True)
        totals += Counter(found=found, tried=len(mutants))
    print(f"all: {totals['found']} of {totals['tried']} by relations alone", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
