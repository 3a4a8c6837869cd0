"""Judge kernels with one mistake each: `python -m tests.kernels.mutation_run --seeds 20`.

Each mutant is built once; then every seed is a run of the real command line over the cells in which
the mistake can show, in one data type, up to the first that fails. A mutant counts as rejected when
the run ends with status 1 and left a shrunk case; the case is small when it has at most 8 row
indices and 64 columns, or as few as can show the mistake. How many are told on the smallest machine
that can show it is counted too. The share of cases that reveal the mistake is counted over the
calls of a smoke run.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from conformance.devices.open import open_device
from conformance.draw.machines import UB_BYTES
from conformance.draw.profiles import PROFILES
from conformance.failure.replay import load
from conformance.judge.calls import judge
from conformance.mutants.drawn_cases import cell_cases
from conformance.record.operator import TWO_PHASE, Operator
from conformance.suite import records as suite
from device_kernels.build import build
from tests.kernels.mutants import Mutant, apply
from tests.shrinking import MOST_INDICES

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "device_kernels" / "kernels"


def seeded() -> dict[str, tuple[Mutant, ...]]:
    """The mistakes of each operator: those of the modules that begin with its name."""
    found: dict[str, tuple[Mutant, ...]] = {one.name: () for one in suite.operators([])}
    for path in sorted(Path(__file__).parent.glob("mutants_moe_*.py")):
        own = path.stem.removeprefix("mutants_")
        operator = max((name for name in found if own.startswith(name)), key=len)
        found[operator] += importlib.import_module(f"tests.kernels.{path.stem}").MUTANTS
    return found


MUTANTS = seeded()

MOST_HIDDEN = 64
MOST_REVEALED = 300
"""Drawn cases over which the share of those that reveal a mistake is counted."""
STOP_EARLY = ("-n", "0", "--time-limit", "3", "--", "-x", "-k")


def first_mode(operator: Operator, mutant: Mutant) -> str:
    """A mode in which the mistake can show."""
    return mutant.modes[0] if mutant.modes else operator.modes[0].name


def route_of(operator: Operator, mutant: Mutant) -> str:
    """A route on which the mistake shows, or on which that mode can be called."""
    (mode,) = (mode for mode in operator.modes if mode.name == first_mode(operator, mutant))
    return mutant.route or (mode.routes or TWO_PHASE)[0]


def its_values(operator: Operator, mutant: Mutant) -> tuple[str, ...]:
    """Arguments that run the values of a data type in the mode in which the mistake can show, or in
    all modes if it names none.
    """
    mode = f"{mutant.modes[0]}-" if mutant.modes else ""
    route = ("--route", route_of(operator, mutant))
    words = f"test_values and {mode}{mutant.dtypes[0]}"
    return ("--operator", operator.name, *route, *STOP_EARLY, words)


@dataclass(frozen=True)
class Size:
    """The sizes of a stored case: row indices, columns, cores, bytes of unified buffer."""

    indices: int
    hidden: int
    cores: int
    ub_bytes: int

    def is_small(self, mutant: Mutant) -> bool:
        """Whether a person can work it out by hand, or nothing much smaller shows the mistake."""
        most_indices = max(MOST_INDICES, mutant.least_indices + 1)
        return self.indices <= most_indices and self.hidden <= max(MOST_HIDDEN, mutant.least_hidden)

    def on_smallest_machine(self, mutant: Mutant) -> bool:
        """Whether no smaller machine shows the mistake."""
        least_ub = smallest_ub(mutant.least_indices)
        return self.cores == mutant.cores and self.ub_bytes <= least_ub

    def __str__(self) -> str:
        return f"{self.indices} indices x {self.hidden}, {self.cores} cores, {self.ub_bytes} B"


def smallest_ub(least_indices: int) -> int:
    """The least unified buffer of a drawn machine that holds so many slots of one token."""
    return UB_BYTES[0] if least_indices < MOST_INDICES else 4 * UB_BYTES[0]


@dataclass(frozen=True)
class Result:
    """One run of one kernel: exit status, the sizes of its shrunk cases, wall seconds."""

    status: int
    sizes: tuple[Size, ...]
    seconds: float
    output: str

    @property
    def rejected(self) -> bool:
        return self.status == 1 and bool(self.sizes)


def build_mutant(
    operator: Operator, mutant: Mutant, folder: Path, beside: Collection[str] = ()
) -> Path:
    """Compile the operator's kernel with one mistake; returns the folder of the libraries.

    Those of the operators ``beside`` are compiled with it, with the mistake where they share it.
    """
    kernels = folder / mutant.name
    apply(mutant, operator.name, KERNELS, kernels)
    for other in beside:
        shutil.copytree(KERNELS / other, kernels / other)
    return build(kernels, quiet=True).lib


def run_on(
    lib: Path, seed: int, out: Path, *extra: str, profile: str
) -> subprocess.CompletedProcess[str]:
    """One run of the command line on the libraries in ``lib``."""
    command = [sys.executable, "-m", "conformance", "run", "--libraries", str(lib)]
    command += ["--device", "sim", "--profile", profile, "--seed", str(seed), "--out", str(out)]
    return subprocess.run([*command, *extra], cwd=ROOT, capture_output=True, text=True)


def judge_libraries(lib: Path, seed: int, out: Path, *extra: str, profile: str) -> Result:
    """One run on the libraries in ``lib``, with the sizes of its shrunk cases."""
    started = time.monotonic()
    done = run_on(lib, seed, out, *extra, profile=profile)
    seconds = time.monotonic() - started
    sizes = tuple(map(case_size, sorted(out.glob("failures/*/case.json"))))
    return Result(done.returncode, sizes, seconds, done.stdout + done.stderr)


def case_size(path: Path) -> Size:
    """The sizes of a stored case: of its indices or its map, and of the rows that they route. Of
    scores they are the ids that it selects."""
    case = load(path).case
    assert case.machine is not None
    tensors = case.inputs.values()
    routing = [one.size for one in tensors if one.dtype in ("int32", "int64")]
    routing = routing or [one.size for one in tensors if one.dtype in ("int8", "bool")]
    ids = [one.size for one in case.outputs.values() if one.dtype == "int32"]
    indices = max(routing or ids)
    rows = [one.shape[-1] for one in tensors if one.dtype == case.dtype and len(one.shape) > 1]
    hidden = max(rows, default=1)
    return Size(indices, hidden, case.machine.cores, case.machine.ub_bytes)


def revealed(operator: Operator, mutant: Mutant, lib: Path) -> tuple[int, int]:
    """How many of the drawn cases of the mutant's first cell reveal its mistake, and of how many.

    In the order of a run: small cases, rows of the covering array, free draws.
    """
    mode = first_mode(operator, mutant)
    cell = cell_cases(operator, mode, mutant.dtypes[0], PROFILES["smoke"], 0)
    every = list(islice(cell, MOST_REVEALED))
    route = route_of(operator, mutant)
    with closing(open_device("sim", time_limit=3, libraries=lib, route=route)) as device:
        wrong = sum(not judge(operator, case, device.run(operator, case)).ok for case in every)
    return wrong, len(every)


def told(mutant: Mutant, results: list[Result], shown: tuple[int, int]) -> tuple[str, bool]:
    """The line of one mutant, and whether every seed found it and shrank case and machine.

    A mistake that needs more slots than a small case has may be told in any number of them.
    """
    rejected = sum(result.rejected for result in results)
    cases = [size for result in results for size in result.sizes]
    small = sum(
        result.rejected and all(s.is_small(mutant) for s in result.sizes) for result in results
    )
    largest = max(cases, key=lambda s: (s.indices * s.hidden, s.cores, s.ub_bytes), default=None)
    least = sum(size.on_smallest_machine(mutant) for size in cases)
    line = (
        f"{mutant.name:44} rejected {rejected}/{len(results)}, of these small {small}/{rejected},"
        f" on the smallest machine {least}/{len(cases)},"
        f" largest {largest}, revealed by {shown[0]} of {shown[1]} cases,"
        f" {sum(result.seconds for result in results):.0f} s"
    )
    if mutant.open:
        return f"{line}; none is due: {mutant.open}", rejected == 0
    told_small = small == len(results) or mutant.least_indices > MOST_INDICES
    return line, rejected == len(results) and told_small and least == len(cases)


def arguments(description: str | None) -> argparse.ArgumentParser:
    """What a run over seeded mistakes is told."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--profile", choices=PROFILES, default="gate")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--operator", action="append", default=[], help="all if absent")
    parser.add_argument("--mutant", action="append", default=[], help="all if absent")
    return parser


def main() -> int:
    parser = arguments(__doc__)
    chosen = parser.parse_args()
    well, found = True, 0
    with tempfile.TemporaryDirectory() as folder:
        for operator in suite.chosen(suite.records(), chosen.operator):
            for mutant in MUTANTS[operator.name]:
                if chosen.mutant and mutant.name not in chosen.mutant:
                    continue
                found += 1
                if mutant.documented:
                    print(f"{mutant.name:44} not asked: documented calls alone show it")
                    continue
                lib = build_mutant(operator, mutant, Path(folder) / operator.name)
                run = partial(_run, operator, mutant, lib, chosen.profile, Path(folder))
                with ThreadPoolExecutor(chosen.jobs) as pool:
                    results = list(pool.map(run, range(chosen.seeds)))
                line, good = told(mutant, results, revealed(operator, mutant, lib))
                print(line, flush=True)
                well &= good
    if not found:
        parser.error(f"--mutant {', '.join(chosen.mutant)}: unknown")
    return 0 if well else 1


def _run(
    operator: Operator, mutant: Mutant, lib: Path, profile: str, folder: Path, seed: int
) -> Result:
    out = folder / f"{mutant.name}-{seed}"
    return judge_libraries(lib, seed, out, *its_values(operator, mutant), profile=profile)


if __name__ == "__main__":
    sys.exit(main())
