"""The history as a picture, where matplotlib is installed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from conformance.catalogue import history as say
from conformance.errors import UsageError
from conformance.history.trends import Point
from conformance.printable import printable

PICTURES = (".svg", ".png", ".pdf")


def picture(points: Sequence[Point], path: Path) -> None:
    """Draw bit-exact share, failures and time of each operator over its runs into a file.

    Raises `UsageError` for another kind of file, and where matplotlib is not installed.
    """
    if path.suffix not in PICTURES:
        raise UsageError("picture", path, say.PICTURE_ENDINGS(endings=PICTURES))
    try:
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError as error:
        raise UsageError("picture", path, say.NEEDS_MATPLOTLIB()) from error
    figure: Any = Figure(figsize=(10, 8), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    for (operator, series), group in groupby(points, lambda one: (one.operator, one.series)):
        rows = list(group)
        label = printable(f"{operator}; {series}").replace("$", r"\$")
        when = _moments(rows)
        shares = [one.share * 100 if one.share is not None else float("nan") for one in rows]
        for panel, values in zip(
            panels, (shares, [r.failed for r in rows], [r.seconds for r in rows]), strict=True
        ):
            panel.plot(when, values, marker="o", markersize=3, label=label)
    # The drawing's own font has no Chinese.
    drawn = (say.SHARE_DRAWN(), say.FAILED_DRAWN(), say.TIME_DRAWN())
    for panel, heading in zip(panels, drawn, strict=True):
        panel.set_ylabel(heading)
        panel.grid(alpha=0.3)
    panels[1].yaxis.set_major_locator(MaxNLocator(integer=True))
    panels[-1].set_xlabel(say.BEGAN_DRAWN())
    figure.autofmt_xdate()
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower left", fontsize="small"
    )
    try:
        figure.savefig(path)
    except OSError as error:
        raise UsageError("picture", path, say.NOT_WRITTEN(error=error.strerror)) from error


def _moments(rows: Sequence[Point]) -> list[datetime]:
    """When the runs began; what is no time counts as the beginning of time."""
    moments = []
    for one in rows:
        try:
            moments.append(datetime.fromisoformat(one.started).replace(tzinfo=None))
        except ValueError:
            moments.append(datetime(1970, 1, 1))
    return moments
