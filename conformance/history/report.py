"""The history told to people: a table of trends, the changes, and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.table import Table

from conformance.errors import UsageError
from conformance.history.trends import Change, Point
from conformance.printable import printable
from conformance.text.terminal import NONE, percent

BLOCKS = "▁▂▃▄▅▆▇█"
SHOWN = 20
PICTURES = (".svg", ".png", ".pdf")


def trend_tables(points: Sequence[Point]) -> Iterator[Table]:
    """A table for each operator and series: a row for each run, oldest first."""
    for (operator, series), group in groupby(points, lambda one: (one.operator, one.series)):
        rows = list(group)
        times = sparkline([one.seconds for one in rows])
        title = f"{operator}; {series}; time {times}"
        table = Table(box=None, pad_edge=False, header_style="bold", title=title)
        table.title_justify = "left"
        for heading in ("started", "commit", "verdict"):
            table.add_column(heading, no_wrap=True)
        for heading in ("cases", "failed", "bit-exact", "worst headroom", "time"):
            table.add_column(heading, justify="right", no_wrap=True)
        for one in rows:
            verdict = "failed" if one.failed else ("accepted" if one.whole else "incomplete")
            share = NONE if one.share is None else percent(one.share)
            room = NONE if one.headroom is None else percent(one.headroom)
            failed = f"{one.failed:,}" if one.failed else NONE
            figures = (f"{one.cases:,}", failed, share, room, f"{one.seconds:.1f} s")
            words = (one.started[:19], one.commit[:12] or NONE, verdict)
            table.add_row(*words, *figures)
        yield table


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """The changes by run, latest first: what, before, after, and the first run that has it."""
    shown = changes[:SHOWN]
    for (started, commit, folder), group in groupby(
        shown, lambda one: (one.started, one.commit, one.folder)
    ):
        yield f"first in the run of {started[:19]}, commit {commit[:12] or NONE}, {folder}:"
        for one in group:
            yield f"  {one.operator}, {one.what} of {one.name}: {one.before} -> {one.after}"
    if len(changes) > SHOWN:
        yield f"{len(changes) - SHOWN} earlier changes (--json has all)"
    if not changes:
        yield "nothing changed between the whole runs of any device"


def sparkline(values: Sequence[float]) -> str:
    """Values as a line of blocks, the largest as the full one."""
    top = max(values, default=0.0) or 1.0
    return "".join(BLOCKS[min(7, int(8 * value / top))] for value in values)


def picture(points: Sequence[Point], path: Path) -> None:
    """Draw bit-exact share, failures and time of each operator over its runs into a file.

    Raises `UsageError` for another kind of file, and where matplotlib is not installed.
    """
    if path.suffix not in PICTURES:
        raise UsageError("picture", path, f"allowed: a file that ends with {', '.join(PICTURES)}")
    try:
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError as error:
        rule = "needs matplotlib: python -m pip install 'moe-conformance[plots]'"
        raise UsageError("picture", path, rule) from error
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
    for panel, words in zip(panels, ("bit-exact, %", "failed cases", "time, s"), strict=True):
        panel.set_ylabel(words)
        panel.grid(alpha=0.3)
    panels[1].yaxis.set_major_locator(MaxNLocator(integer=True))
    panels[-1].set_xlabel("when the run began, UTC")
    figure.autofmt_xdate()
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower left", fontsize="small"
    )
    try:
        figure.savefig(path)
    except OSError as error:
        raise UsageError("picture", path, f"cannot be written: {error.strerror}") from error


def _moments(rows: Sequence[Point]) -> list[datetime]:
    """When the runs began; what is no time counts as the beginning of time."""
    moments = []
    for one in rows:
        try:
            moments.append(datetime.fromisoformat(one.started).replace(tzinfo=None))
        except ValueError:
            moments.append(datetime(1970, 1, 1))
    return moments
