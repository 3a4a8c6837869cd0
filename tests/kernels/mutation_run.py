"""Judge kernels with one mistake each: `python -m tests.kernels.mutation_run --seeds 20`.

Each mutant is built once; then every seed is a smoke run of the real command line over one cell in
which the mistake can show. A mutant counts as rejected when the run ends with status 1 and left a
shrunk case. `--mutant none` judges the unchanged kernel over whole smoke runs: there a rejection is
a false alarm.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from conformance.replay import load
from device_kernels.build import build
from tests.kernels.mutants_moe_init_routing_v2_grad import MUTANTS, Mutant, apply

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "device_kernels" / "kernels"
MOST_INDICES, MOST_HIDDEN = 8, 64
STOP_EARLY = ("--time-limit", "3", "--", "-x", "-k", "test_values")


def first_cell(mutant: Mutant) -> tuple[str, ...]:
    """Arguments that run the values of one cell in which the mistake can show."""
    return (*STOP_EARLY[:-1], f"test_values and {mutant.modes[0]}-{mutant.dtypes[0]}")


@dataclass(frozen=True)
class Result:
    """One run of one kernel: exit status, the shrunk case's sizes (0 if none), wall seconds."""

    status: int
    indices: int
    hidden: int
    seconds: float
    output: str

    @property
    def rejected(self) -> bool:
        return self.status == 1 and self.indices > 0

    @property
    def small(self) -> bool:
        return self.indices <= MOST_INDICES and self.hidden <= MOST_HIDDEN


def build_mutant(mutant: Mutant, folder: Path) -> Path:
    """Compile the kernels with one mistake; returns the folder of the libraries."""
    apply(mutant, KERNELS, folder / mutant.name)
    return build(folder / mutant.name).lib


def judge_libraries(lib: Path, seed: int, out: Path, *extra: str) -> Result:
    """One smoke run on the libraries in ``lib``."""
    command = [sys.executable, "-m", "conformance", "run", "--libraries", str(lib)]
    command += ["--device", "sim", "--profile", "smoke", "--seed", str(seed), "--out", str(out)]
    started = time.monotonic()
    done = subprocess.run([*command, *extra], cwd=ROOT, capture_output=True, text=True)
    seconds = time.monotonic() - started
    sizes = [case_sizes(path) for path in sorted(out.glob("failures/*/case.json"))]
    indices, hidden = max(sizes, default=(0, 0))
    return Result(done.returncode, indices, hidden, seconds, done.stdout + done.stderr)


def case_sizes(path: Path) -> tuple[int, int]:
    """Number of row indices and hidden size of a stored case."""
    inputs = load(path).case.inputs
    return inputs["expanded_row_idx"].size, inputs["grad_expanded_x"].shape[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument(
        "--mutant", default="", help="one mutant's name, or none for the real kernel"
    )
    chosen = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        if chosen.mutant == "none":
            kernels = [("none", build().lib)]
        else:
            wanted = [m for m in MUTANTS if chosen.mutant in ("", m.name)]
            kernels = [(mutant.name, build_mutant(mutant, Path(folder))) for mutant in wanted]
        if not kernels:
            parser.error(
                f"--mutant {chosen.mutant}: unknown; one of none, {[m.name for m in MUTANTS]}"
            )
        for name, lib in kernels:
            extra = next((first_cell(m) for m in MUTANTS if m.name == name), ())
            results = [
                judge_libraries(lib, seed, Path(folder) / f"{name}-{seed}", *extra)
                for seed in range(chosen.seeds)
            ]
            rejected = sum(result.rejected for result in results)
            small = sum(result.rejected and result.small for result in results)
            indices = max(result.indices for result in results)
            hidden = max(result.hidden for result in results)
            seconds = sum(result.seconds for result in results)
            print(
                f"{name:32} rejected {rejected}/{len(results)}, of these small {small},"
                f" largest shrunk case {indices} indices x hidden {hidden}, {seconds:.0f} s",
                flush=True,
            )
            if name == "none":
                bad += sum(result.status != 0 for result in results)
            else:
                bad += len(results) - small
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
