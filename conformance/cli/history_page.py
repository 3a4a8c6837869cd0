"""The page of a history: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.catalogue import history_page as words
from conformance.cli.html import environment, put, run_time
from conformance.errors import UsageError
from conformance.history.database import opened
from conformance.history.overview import STRIP, At, Series, overview
from conformance.history.trends import Point
from conformance.printable import printable
from conformance.text.language import check_language
from conformance.text.report_words import HTML_LANGUAGE, texts_of

SHOWN_SERIES, SHOWN_FAILING, SHOWN_FLAKY, SHOWN_SLOW, SHOWN_TIMED = 12, 200, 50, 15, 50
LARGEST_PAGE = 5_000_000
"""Bytes."""

MARK, TALL = 5, 18
"""Pixels of a run in a strip, and of the strip."""


def write_page(db: Path, out: Path, language: str = "en") -> None:
    """Put the page of a history in place as a whole. Raises `UsageError`, and as `opened` does."""
    check_language(language)
    with opened(db, write=False) as connection:
        series = overview(connection)
    made = printable(render(series, language)).encode("utf-8", "replace")
    if len(made) > LARGEST_PAGE:
        raise UsageError("db", db, words.LARGE(size=len(made), most=LARGEST_PAGE))
    put(made, out)


def render(series: list[Series], language: str = "en") -> str:
    """The page. Everything that comes from the history is escaped."""
    t = texts_of(words, language)
    return (
        environment()
        .get_template("history.html.j2")
        .render(
            language=HTML_LANGUAGE[language],
            t=t,
            runs=sum(one.runs for one in series),
            count=len(series),
            failing=sum(len(one.failing) for one in series),
            series=[_series(one, t) for one in series[:SHOWN_SERIES]],
            more_series=max(0, len(series) - SHOWN_SERIES),
            strip=STRIP,
            mark=MARK,
            tall=TALL,
        )
    )


def _series(one: Series, t: dict[str, Any]) -> dict[str, Any]:
    rows = [_operator(name, some, t) for name, some in sorted(one.operators.items())]
    return {
        "name": one.name,
        "runs": one.runs,
        "span": t["from to"](first=when(one.first), last=when(one.last)),
        "rows": rows,
        "failing": one.failing[:SHOWN_FAILING],
        "more_failing": max(0, len(one.failing) - SHOWN_FAILING),
        "flaky": one.flaky[:SHOWN_FLAKY],
        "more_flaky": max(0, len(one.flaky) - SHOWN_FLAKY),
        "slow": one.slow[:SHOWN_SLOW],
        "timed": one.timed[:SHOWN_TIMED],
        "more_timed": max(0, len(one.timed) - SHOWN_TIMED),
        "when": when,
        "change": change,
    }


def _operator(name: str, some: list[Point], t: dict[str, Any]) -> dict[str, Any]:
    """A row: a mark for each run, and the seconds of each as a line."""
    marks = []
    for one in some:
        key = verdict(one)
        at = when(At(one.started, one.commit))
        marks.append({"kind": key, "told": f"{at}: {t[key]}"})
    failed = sum(one.failed > 0 for one in some)
    return {
        "name": name,
        "marks": marks,
        "now": verdict(some[-1]),
        "failed": f"{failed} / {len(some)}",
        "line": " ".join(_line([one.seconds for one in some])),
        "seconds": f"{some[-1].seconds:.1f}",
    }


def verdict(one: Point) -> str:
    """The key of the verdict on an operator in a run."""
    if one.failed:
        return "failed"
    return "accepted" if one.whole else "incomplete"


def _line(seconds: list[float]) -> Iterator[str]:
    """The points of a line through the seconds of each run, the largest at the top."""
    most = max(seconds, default=0.0) or 1.0
    for place, one in enumerate(seconds):
        yield f"{place * MARK + MARK // 2},{TALL - 1 - (TALL - 2) * one / most:.1f}"


def when(at: At) -> str:
    """A run as people read it: to the minute, with the first digits of its commit."""
    return f"{run_time(at.started[:16])} {at.commit[:10]}".rstrip()


def change(seconds: float, before: float | None) -> str:
    """By how many hundredths it became slower, with a sign; "" if nothing is known before."""
    return f"{100 * (seconds / before - 1):+.0f} %" if before else ""
