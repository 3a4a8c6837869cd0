"""The kill matrix: ``python -m tests.proofs.kill_matrix.run --seeds 20 --out reports/kill-matrix``.

Ends with status 1 where this suite's judge misses an output that its contract does not allow, or
rejects one that it allows.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.proofs.kill_matrix.judges import OURS, published
from tests.proofs.kill_matrix.matrix import cells
from tests.proofs.kill_matrix.mistakes import MISTAKES
from tests.proofs.kill_matrix.problem import DTYPES
from tests.proofs.kill_matrix.table import NOTES, grid, picture, table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("reports/kill-matrix"))
    chosen = parser.parse_args()
    found = list(cells((*OURS, *published()), MISTAKES, DTYPES, chosen.seeds))
    ours = frozenset(judge.name for judge in OURS)
    lines = [*table(grid(found), ours), "", *NOTES]
    bad = [
        f"{c.judge.name}, {c.dtype}, scale {c.scale:g}, {c.mistake.name}: "
        f"missed {c.counts.missed} of {c.counts.illegal}, {c.counts.false_alarms} false alarms"
        for c in found
        if c.judge.ours and (c.counts.missed or c.counts.false_alarms)
    ]
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "table.txt").write_text("\n".join([*lines, "", *bad]) + "\n", encoding="utf-8")
    print("\n".join([*lines, "", *bad]))
    try:
        picture(grid(found), ours, chosen.out / "kill_matrix.svg")
    except ImportError:
        print("no picture: matplotlib is not installed (pip install -e '.[dev]')")
    else:
        print(f"picture: {chosen.out / 'kill_matrix.svg'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
