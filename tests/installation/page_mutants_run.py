"""All mutants of the operator of docs/how-to/own-operator.md: ``python -m
tests.installation.page_mutants_run``.

Ends with status 1 unless each is killed, does not compile or is explained here, and the page tells
their numbers.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from conformance.mutants.bench import INVALID, KILLED, SURVIVED, UNSEEN
from conformance.mutants.chosen import mutants
from conformance.mutants.held import held
from conformance.suite import records
from tests.installation.installed import ROOT
from tests.installation.tutorial import write_files

PAGE = (ROOT / "docs" / "how-to" / "own-operator.md").read_text()
KERNEL, TILING = "row_pair_sum/row_pair_sum_kernel.cpp", "row_pair_sum/row_pair_sum_tiling.cpp"
STRIDES = "strides of a copy of one block, and a reserved field"

EXPLAINED = {
    f"{KERNEL}:11 number: '32' -> '33'": "33 bytes hold as many elements of 2 or 4 as 32",
    f"{KERNEL}:42 comparison: '<' -> '<='": "the smaller of two equal numbers is either of them",
    f"{KERNEL}:68 number: '0' -> '1'": STRIDES,
    f"{KERNEL}:77 number: '0' -> '1'": STRIDES,
    f"{KERNEL}:105 statement: 'KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);' -> ';'": (
        "tells CANN's compiler which cores to use; the simulator has vector cores alone"
    ),
    f"{TILING}:7 number: '4' -> '5'": "narrower tiles give the same sums",
    f"{TILING}:10 arithmetic: '-' -> '+'": "more tokens for a core: the last cores have fewer",
    f"{TILING}:17 arithmetic: '*' -> '+'": "narrower tiles give the same sums",
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        write_files(PAGE, Path(name))
        folder = Path(name).resolve() / "operators"
        (operator,) = records.chosen(records.records([folder]), [], [folder])
        kernel = folder / "kernels" / operator.name
        found = held(operator, kernel, mutants(kernel, kernel), workers=options.jobs)
    open_ones = [one for one in found.of(UNSEEN) if str(one.mutant) not in EXPLAINED]
    for fate in (*found.of(SURVIVED), *open_ones):
        print(f"{fate.mutant}: {fate.by or 'no reason is known'}")
    counts = found.counts
    told = (
        f"{counts[KILLED]} of them are killed, {counts[INVALID]} do not compile,"
        f" and {counts[UNSEEN]} change nothing."
    )
    print(f"{len(found.fates)} mutants: {told}")
    is_told = told in " ".join(PAGE.split())
    return 0 if is_told and not open_ones and not counts[SURVIVED] else 1


if __name__ == "__main__":
    raise SystemExit(main())
