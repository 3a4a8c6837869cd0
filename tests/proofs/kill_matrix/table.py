"""The matrix as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.proofs.kill_matrix.matrix import Cell, Counts

Grid = dict[str, dict[str, dict[str, Counts]]]
NOTHING = "-"

NOTES = (
    "Rows of right kernels: what is rejected there is a false alarm; ours with a promised order"
    " rejects another order, as it must.",
    "A published standard judges the data that it prescribes, at its own scale, else normal values"
    " at three scales; NaN and infinity rows: the special inputs that it lists, else one element"
    " in 100.",
    "Counted are outputs in which the mistake shows; '-': it never does, nothing is to be rejected"
    " or the standard does not speak.",
    "Goldens are exact sums in float64. Standards that compare in the output's dtype round them"
    " once. A right float32 sum may still be an ulp off, which numpy-testing (1e-7) does not allow;"
    " 1e-3 is less than half an ulp of bfloat16.",
)
"""How to read the table."""


def grid(cells: Iterable[Cell]) -> Grid:
    """Counts over all scales by dtype, mistake and judge; judges that never speak are left out."""
    found: Grid = {}
    cells = tuple(cells)
    speaking = {c.judge.name for c in cells if c.counts.silent < c.counts.trials}
    for cell in cells:
        if cell.judge.name not in speaking:
            continue
        row = found.setdefault(cell.dtype, {}).setdefault(cell.mistake.name, {})
        row[cell.judge.name] = row.get(cell.judge.name, Counts()) + cell.counts
    return found


def share(counts: Counts, ours: bool) -> float | None:
    """The share of trials that were rejected; None where there was nothing to say.

    Of this suite's judges it is the share of those that no legal order explains, of the others the
    share of those that they are asked and speak of.
    """
    if counts.silent == counts.trials:
        return None
    if ours and not counts.illegal:
        return None if not counts.false_alarms else 1.0
    return counts.rejected / (counts.illegal if ours else counts.trials - counts.silent)


def table(found: Grid, ours: frozenset[str]) -> Iterator[str]:
    """A legend of judges and one table for each dtype: percent of the trials that are rejected."""
    judges = list(dict.fromkeys(j for rows in found.values() for row in rows.values() for j in row))
    for number, judge in enumerate(judges, 1):
        yield f"{number:3} {judge}"
    for dtype, rows in found.items():
        yield ""
        heads = "".join(f"{number:4}" for number in range(1, len(judges) + 1))
        yield f"{dtype + ', % rejected':32}{heads}"
        for mistake, row in rows.items():
            yield f"{mistake:32}" + "".join(f"{_percent(row[j], j in ours):>4}" for j in judges)


def _percent(counts: Counts, ours: bool) -> str:
    found = share(counts, ours)
    return NOTHING if found is None else f"{int(100 * found)}"


def picture(found: Grid, ours: frozenset[str], path: Path) -> None:
    """One panel for each dtype: green is rejected always, red never, white nothing to reject.

    Needs matplotlib (the extra ``dev``).
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    panels = list(found.items())
    judges = list(next(iter(panels[0][1].values())))
    rows = max(len(row) for _, row in panels)
    size = (3 + len(panels) * (0.16 * len(judges) + 1), 3 + 0.28 * rows)
    figure, axes = plt.subplots(1, len(panels), figsize=size, sharey=True, squeeze=False)
    for axis, (dtype, mistakes) in zip(axes[0], panels, strict=True):
        shares = [[share(row[j], j in ours) for j in judges] for row in mistakes.values()]
        image = np.array([[np.nan if s is None else s for s in line] for line in shares])
        axis.imshow(image, cmap="RdYlGn", vmin=0, vmax=1, aspect="auto")
        axis.set_title(dtype)
        axis.set_xticks(range(len(judges)), judges, rotation=90, fontsize=6)
        axis.set_yticks(range(len(mistakes)), list(mistakes), fontsize=7)
    figure.suptitle("Share of wrong outputs that are rejected (right ones: must be red or white)")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
