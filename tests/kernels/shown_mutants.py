"""Whether some call shows a kernel's seeded mistake: `python -m tests.kernels.shown_mutants`.

The calls are those of the value test, whose results come from loops over the document's formula: no
contract and no reference takes part. Ends with status 1 where one is not shown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path

from conformance.devices.open import open_device
from conformance.record.operator import TWO_PHASE, Operator
from conformance.suite import records as suite
from device_kernels.build import build
from tests.kernels.mutants import Mutant, apply
from tests.kernels.mutation_run import KERNELS, MUTANTS
from tests.kernels.value_calls import Value, differences, far, values


def build_alone(name: str, mutant: Mutant, folder: Path) -> Path:
    """The operator ``name`` with the mistake, and no other one; returns the libraries' folder."""
    apply(mutant, name, KERNELS, folder / mutant.name)
    return build(folder / mutant.name, quiet=True).lib


def shown_by(operator: Operator, lib: Path, calls: Iterable[Value]) -> str | None:
    """What first shows that the kernel is wrong; None where every call is answered rightly."""
    with ExitStack() as opened:
        devices = {
            route: opened.enter_context(
                closing(open_device("sim", time_limit=3, libraries=lib, route=route))
            )
            for route in TWO_PHASE
        }
        for turn, value in enumerate(calls):
            for told in differences(operator, value, devices, turn):
                if told:
                    return f"{value.name}: {told}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operator", action="append", default=[], help="all if absent")
    parser.add_argument("--mutant", default="", help="one mutant's name; all if absent")
    chosen = parser.parse_args()
    missed = []
    for operator in suite.chosen(suite.records(), chosen.operator):
        calls = [*chain(values(operator), far(operator))]
        for mutant in MUTANTS[operator.name]:
            if chosen.mutant not in ("", mutant.name):
                continue
            with tempfile.TemporaryDirectory() as folder:
                lib = build_alone(operator.name, mutant, Path(folder))
                shown = shown_by(operator, lib, calls)
            print(f"{mutant.name:50} {shown or 'NOT SHOWN'}", flush=True)
            if shown is None:
                missed.append(mutant.name)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
