"""Slips of an engineer in a checkout: `OPS_TRANSFORMER_HOME=DIR python -m tests.proofs.slips_run`.

Each is one word of one line of a public kernel or host tiling, changed in a copy of the operator,
which `run --kernels` then judges. The lines of two states of ops-transformer are known: c29bc1069d
(2025-11-15) and 5778144076 (2026-08-21). Ends with status 1 where a slip is accepted or takes
longer than two minutes.
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
    """In a line of ``file`` the ``nth`` ``before`` (from 0) becomes ``after``.

    ``lines`` are the numbers of that line in each of `STATES`. ``cell`` names a mode and a data
    type in which it shows.
    """

    operator: str
    file: str
    lines: tuple[int, int]
    before: str
    after: str
    cell: str
    nth: int = 0

    def slipped(self, folder: Path, state: int) -> list[str]:
        """The lines of the file, one of them changed. ValueError: no such word there."""
        lines = (folder / self.operator / self.file).read_text().splitlines(keepends=True)
        number = self.lines[state]
        parts = lines[number - 1].split(self.before) if number <= len(lines) else []
        if len(parts) < self.nth + 2:
            raise ValueError(f"{self.file}:{number} has no {self.before!r}: another commit?")
        head, tail = parts[: self.nth + 1], parts[self.nth + 1 :]
        lines[number - 1] = self.before.join(head) + self.after + self.before.join(tail)
        return lines


STATES = ("2025-11-15", "2026-08-21")
GRAD_KERNEL, GRAD_TILING = f"op_kernel/{GRAD}.h", f"op_host/{GRAD}_tiling.cpp"
KERNEL, TILING = f"op_kernel/{UNPERMUTE}.h", f"op_host/{UNPERMUTE}_tiling.cpp"
LENGTH, REMAIN = "hidden_splited_length", "hidden_splited_remain"
SLIPS = (
    Slip(GRAD, GRAD_KERNEL, (246, 246), "<", "<=", "uneven-float32"),
    Slip(GRAD, GRAD_KERNEL, (258, 258), "+ 1", "+ 2", "whole-float16"),
    Slip(GRAD, GRAD_KERNEL, (281, 281), "+", "-", "whole-bfloat16"),
    Slip(GRAD, GRAD_KERNEL, (178, 178), "*", "+", "whole-float32"),
    Slip(GRAD, GRAD_KERNEL, (363, 363), LENGTH, REMAIN, "whole-float32"),
    Slip(GRAD, GRAD_TILING, (185, 176), "safeMod", "safeDiv", "whole-float32"),
    Slip(GRAD, GRAD_TILING, (226, 217), "+=", "-=", "whole-float16"),
    Slip(UNPERMUTE, KERNEL, (262, 261), "&&", "||", "uneven-float32"),
    Slip(UNPERMUTE, TILING, (142, 181), "safeMod", "safeDiv", "whole-float32"),
    Slip("moe_token_permute", "op_kernel/moe_index_copy.h", (124, 124), "<", "<=", "first-float16"),
)


def state_of(moe: Path) -> int:
    """The number of the state whose lines have all the words. ValueError: none has."""
    found: list[ValueError] = []
    for state in range(len(STATES)):
        try:
            for slip in SLIPS:
                slip.slipped(moe, state)
        except ValueError as error:
            found.append(error)
        else:
            return state
    raise found[-1]


def copied(home: Path, operator: str, folder: Path) -> None:
    """The operator, and what its host code includes of the checkout, in a checkout of its own."""
    shutil.copytree(home / "moe" / operator, folder / "moe" / operator)
    shutil.copytree(home / "common", folder / "common")


def main() -> int:
    home = Path(os.environ["OPS_TRANSFORMER_HOME"])
    state = state_of(home / "moe")
    print(f"lines of the state of {STATES[state]}")
    escaped = 0
    for slip in SLIPS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            copied(home, slip.operator, folder)
            changed = "".join(slip.slipped(folder / "moe", state))
            (folder / "moe" / slip.operator / slip.file).write_text(changed)
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
        place = f"{Path(slip.file).name}:{slip.lines[state]} {slip.before!r} -> {slip.after!r}"
        print(f"{place:60} {seconds:4.0f} s  {told[0] if told else 'NOT FOUND'}", flush=True)
    print(f"{len(SLIPS) - escaped} of {len(SLIPS)} slips found within {MOST_SECONDS} s each")
    return 1 if escaped else 0


if __name__ == "__main__":
    sys.exit(main())
