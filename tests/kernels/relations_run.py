"""Which compiled mistakes the relations among results find, with no reference:

    python -m tests.kernels.relations_run --operator moe_token_permute_grad

Every mistake is asked over the cases that smoke draws of the first cell in which it can show, small
ones first. A line tells the relation that broke first, and how many cases it took.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import closing
from itertools import islice
from pathlib import Path

from conformance import suite
from conformance.devices.open import open_device
from conformance.operator import Operator
from conformance.profiles import PROFILES
from conformance.relations.relate import related
from tests.kernels.drawn_cases import cell_cases
from tests.kernels.mutants import Mutant
from tests.kernels.mutation_run import MUTANTS, build_mutant, first_mode, route_of

MOST_CASES = 150
TIME_LIMIT = 3
"""Seconds of one call."""


def broken(operator: Operator, mutant: Mutant, lib: Path) -> str:
    """The relation that a mistake breaks, after how many cases; empty: none of them."""
    mode = first_mode(operator, mutant)
    asked = [one for one in operator.relations if mode in (one.modes or (mode,))]
    cases = islice(cell_cases(operator, mode, mutant.dtypes[0], PROFILES["smoke"], 0), MOST_CASES)
    records = {operator.name: operator}
    route = route_of(operator, mutant)
    with closing(open_device("sim", time_limit=TIME_LIMIT, libraries=lib, route=route)) as device:
        for count, case in enumerate(cases, 1):
            for relation in asked:
                if relation.case(case) is None:
                    continue
                if not related(relation, records, case, device.run)[1].ok:
                    return f"{relation.name} (case {count})"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operator", action="append", default=[], help="all if absent")
    chosen = parser.parse_args()
    for operator in suite.chosen(suite.operators(), chosen.operator):
        found = 0
        mutants = MUTANTS[operator.name]
        for mutant in mutants:
            with tempfile.TemporaryDirectory() as folder:
                lib = build_mutant(operator, mutant, Path(folder))
                told = broken(operator, mutant, lib)
            found += bool(told)
            print(f"{mutant.name:50} {told or '-'}", flush=True)
        print(f"{operator.name}: {found} of {len(mutants)} by relations alone", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
