"""A run with three seeded mistakes: `python -m tests.kernels.three_mistakes_run OUT`.

Its report.html must let somebody who has never seen the project name each mistake's nature.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.errors import REFUSED
from device_kernels.build import build
from tests.kernels.mutants import apply
from tests.kernels.mutation_run import KERNELS, MUTANTS, ROOT

MISTAKES = {
    "moe_token_permute_grad": "last-partial-block-unwritten",
    "moe_token_permute_with_ep": "range-shifted-by-one",
    "moe_init_routing_v2": "no-sync-between-sort-and-merge",
}
CELLS = "test_values and (whole-float16 or middle-bfloat16 or dropless-float32)"


def main() -> int:
    """Build the kernels with their mistakes and judge them; 0 if all three are refused."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("out", type=Path)
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folders = []
        for operator, name in MISTAKES.items():
            (mutant,) = (one for one in MUTANTS[operator] if one.name == name)
            folders.append(Path(place) / operator)
            apply(mutant, operator, KERNELS, folders[-1])
        lib = build(*folders).lib
        command = [sys.executable, "-m", "conformance", "run", "--device", "sim"]
        command += ["--libraries", str(lib), "--out", str(parsed.out.absolute())]
        for operator in MISTAKES:
            command += ["--operator", operator]
        ended = subprocess.run([*command, "--", "-k", CELLS], cwd=ROOT, check=False)
    found = {path.parent.name for path in parsed.out.glob("failures/*/case.json")}
    return 0 if ended.returncode == REFUSED and len(found) == len(MISTAKES) else 1


if __name__ == "__main__":
    raise SystemExit(main())
