"""Slips of an engineer in a checkout: `OPS_TRANSFORMER_HOME=DIR python -m tests.proofs.slips_run`.

Each is one word of one line of a public kernel or host tiling (commit c29bc1069d of
ops-transformer), changed in a copy of the operator, which `run --kernels` then judges. Ends with
status 1 where one is accepted or takes longer than two minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 120
GRAD, UNPERMUTE = "moe_token_permute_grad", "moe_token_unpermute"


@dataclass(frozen=True)
class Slip:
    """In ``line`` of ``file`` the ``nth`` ``before`` (from 0) becomes ``after``.

    ``cell`` names a mode and a data type in which it shows.
    """

    operator: str
    file: str
    line: int
    before: str
    after: str
    cell: str
    nth: int = 0

    def apply(self, folder: Path) -> str:
        """Edit the operator in ``folder``; returns the new line. ValueError: no such word there."""
        path = folder / self.operator / self.file
        lines = path.read_text().splitlines(keepends=True)
        parts = lines[self.line - 1].split(self.before)
        if len(parts) < self.nth + 2:
            raise ValueError(f"{self.file}:{self.line} has no {self.before!r}: another commit?")
        head, tail = parts[: self.nth + 1], parts[self.nth + 1 :]
        lines[self.line - 1] = self.before.join(head) + self.after + self.before.join(tail)
        path.write_text("".join(lines))
        return lines[self.line - 1].strip()


GRAD_KERNEL, GRAD_TILING = f"op_kernel/{GRAD}.h", f"op_host/{GRAD}_tiling.cpp"
SLIPS = (
    Slip(GRAD, GRAD_KERNEL, 246, "<", "<=", "uneven-float32"),
    Slip(GRAD, GRAD_KERNEL, 258, "+ 1", "+ 2", "whole-float16"),
    Slip(GRAD, GRAD_KERNEL, 281, "+", "-", "whole-bfloat16"),
    Slip(GRAD, GRAD_KERNEL, 178, "*", "+", "whole-float32"),
    Slip(GRAD, GRAD_KERNEL, 363, "hidden_splited_length", "hidden_splited_remain", "whole-float32"),
    Slip(GRAD, GRAD_TILING, 185, "safeMod", "safeDiv", "whole-float32"),
    Slip(GRAD, GRAD_TILING, 226, "+=", "-=", "whole-float16"),
    Slip(UNPERMUTE, f"op_kernel/{UNPERMUTE}.h", 262, "&&", "||", "uneven-float32"),
    Slip(UNPERMUTE, f"op_host/{UNPERMUTE}_tiling.cpp", 142, "safeMod", "safeDiv", "whole-float32"),
    Slip("moe_token_permute", "op_kernel/moe_index_copy.h", 124, "<", "<=", "first-float16"),
)


def copied(home: Path, operator: str, folder: Path) -> None:
    """The operator, and what its host code includes of the checkout, in a checkout of its own."""
    shutil.copytree(home / "moe" / operator, folder / "moe" / operator)
    shutil.copytree(home / "common", folder / "common")


def main() -> int:
    home = Path(os.environ["OPS_TRANSFORMER_HOME"])
    escaped = 0
    for slip in SLIPS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            copied(home, slip.operator, folder)
            slip.apply(folder / "moe")
            command = [sys.executable, "-m", "conformance", "run", "--device", "sim"]
            command += ["--kernels", str(folder), "--operator", slip.operator, "-n", "0"]
            command += [
                "--out",
                str(folder / "run"),
                "--",
                "-x",
                "-k",
                f"test_values and {slip.cell}",
            ]
            started = time.monotonic()
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            seconds = time.monotonic() - started
        told = [line for line in done.stderr.splitlines() if line.startswith(f"{slip.operator}, ")]
        found = done.returncode == 1 and bool(told) and seconds <= MOST_SECONDS
        escaped += not found
        place = f"{Path(slip.file).name}:{slip.line} {slip.before!r} -> {slip.after!r}"
        print(f"{place:60} {seconds:4.0f} s  {told[0] if told else 'NOT FOUND'}", flush=True)
    print(f"{len(SLIPS) - escaped} of {len(SLIPS)} slips found within {MOST_SECONDS} s each")
    return 1 if escaped else 0


if __name__ == "__main__":
    sys.exit(main())
