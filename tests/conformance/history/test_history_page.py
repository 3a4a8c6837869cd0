"""The page of a history: verdicts over time, what fails since when, what is flaky, what is slow."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from conformance.cli.history_page import write_page
from conformance.cli.main import main
from conformance.errors import UsageError
from conformance.evidence.lines import TimingLine
from conformance.history.database import opened
from conformance.history.overview import STRIP, At, Failing, Flaky, Series, overview
from conformance.history.record import import_runs
from conformance.history.trends import changes
from tests.conformance.gate.runs import every_cell, run

OPERATOR, SERIES, CELL = "moe_add", "npu chip, profile gate", ("moe_add", "plain float32")
Run = tuple[str, str, int]
"""Commit, verdict on the cell, and seed."""


def history(place: Path, runs: Iterable[Run], *, series: str = SERIES, whole: bool = True) -> Path:
    """A history with a run each hour of one cell; the seconds of a run are its number."""
    db = place / "h.sqlite"
    with opened(db, write=True) as connection:
        (before,) = connection.execute("SELECT count(*) FROM run").fetchone()
        for number, (commit, verdict, seed) in enumerate(runs, before):
            started = f"2026-03-{1 + number // 24:02}T{number % 24:02}:00:00+00:00"
            name, failed = f"r{number}", int(verdict == "failed")
            ended = "finished", failed, 9.0, 5, f"/runs/{number}"
            connection.execute(
                "INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (name, started, series, commit, "gate", seed, "chip", whole, *ended),
            )
            connection.execute(
                "INSERT INTO cell VALUES (?,?,?,?,5,?,9,9,0.5,?)",
                (name, OPERATOR, "plain", "float32", failed, float(number)),
            )
            connection.execute(
                "INSERT INTO fact VALUES (?,?,'verdict',?,?)", (name, OPERATOR, CELL[1], verdict)
            )
    return db


def told(db: Path) -> Series:
    with opened(db, write=False) as connection:
        (one,) = overview(connection)
    return one


def hour(number: int, commit: str) -> At:
    return At(f"2026-03-01T{number:02}:00:00+00:00", commit)


def test_a_failure_is_told_with_its_first_run_and_the_last_that_was_accepted(
    tmp_path: Path,
) -> None:
    runs = [("c0", "failed", 0), ("c1", "accepted", 0), ("c2", "failed", 0), ("c3", "failed", 0)]
    assert told(history(tmp_path, runs)).failing == [Failing(CELL, hour(2, "c2"), hour(1, "c1"))]


def test_what_never_was_accepted_fails_from_the_first_run_on(tmp_path: Path) -> None:
    db = history(tmp_path, [("c0", "failed", 0), ("c1", "failed", 0)])
    assert told(db).failing == [Failing(CELL, hour(0, "c0"), None)]


def test_what_is_accepted_again_does_not_fail(tmp_path: Path) -> None:
    db = history(tmp_path, [("c0", "failed", 0), ("c1", "accepted", 0)])
    assert told(db).failing == []


def test_a_run_that_did_not_end_well_tells_no_failure(tmp_path: Path) -> None:
    db = history(tmp_path, [("c0", "accepted", 0)])
    history(tmp_path, [("c1", "failed", 0)], whole=False)
    assert told(db).failing == []
    assert not told(db).operators[OPERATOR][-1].whole


@pytest.mark.parametrize("seed", [0, 1])
def test_a_cell_is_flaky_if_runs_of_one_commit_differ(tmp_path: Path, seed: int) -> None:
    runs = [("c0", "accepted", 0), ("c0", "failed", seed), ("c1", "accepted", 0)]
    assert told(history(tmp_path, runs)).flaky == [Flaky(CELL, 1, hour(1, "c0"), seed == 0)]


def test_a_commit_that_broke_a_cell_and_runs_without_one_are_not_flaky(tmp_path: Path) -> None:
    runs = [("c0", "accepted", 0), ("c1", "failed", 0), ("", "accepted", 0), ("", "failed", 0)]
    assert told(history(tmp_path, runs)).flaky == []


def test_seconds_are_medians_of_the_newer_and_the_older_half(tmp_path: Path) -> None:
    db = history(tmp_path, [("c", "accepted", 0)] * (STRIP + 10))
    (slow,) = told(db).slow
    half = STRIP // 2
    assert slow.seconds == 10 + half + (half - 1) / 2
    assert slow.before == 10 + (half - 1) / 2
    assert len(told(db).operators[OPERATOR]) == STRIP


def timed(place: Path, day: int, micro: float) -> Path:
    """A run of a day in March on which a call took so many microseconds on the device, as a median
    of five, and another could not be timed."""
    line = TimingLine(
        worker="main",
        operator="permute",
        dtype="float16",
        name="model 64 skewed",
        digest="d",
        seconds=(1e-6 * micro, 9e-3, 1e-9, 9e-3, 1e-9),
    )
    none = msgspec.structs.replace(line, name="model 8", seconds=(), reason="no room")
    told = {"started": f"2026-03-{day:02}T10:00:00+00:00"}
    return run(place / f"day{day}", [*every_cell(), line, none], **told)


def test_times_on_the_device_are_told_by_call_and_are_no_changes(tmp_path: Path) -> None:
    db, out = tmp_path / "h.sqlite", tmp_path / "page.html"
    import_runs(db, [timed(tmp_path, day, 100.0 + day) for day in range(1, STRIP // 2 + 2)])
    slow = told(db).timed
    assert [one.cell for one in slow] == [("permute", "model 64 skewed")]
    assert slow[0].seconds == pytest.approx(116.5e-6)
    assert slow[0].before == pytest.approx(101e-6)
    with opened(db, write=False) as connection:
        assert changes(connection) == []
    write_page(db, out)
    page = out.read_text("utf-8")
    row = '<td class="n">116.5</td><td class="n">101.0</td><td class="n">+15 %</td>'
    assert f'<td class="name">model 64 skewed</td>{row}' in page


def test_a_history_without_times_on_the_device_has_no_table_of_them(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    write_page(history(tmp_path, [("c", "accepted", 0)]), out)
    assert "Time on the device" not in out.read_text("utf-8")


def test_series_are_apart_that_of_the_latest_run_first(tmp_path: Path) -> None:
    db = history(tmp_path, [("c0", "accepted", 0)])
    history(tmp_path, [("c0", "failed", 0)], series="other")
    with opened(db, write=False) as connection:
        assert [(one.name, one.runs, len(one.failing)) for one in overview(connection)] == [
            ("other", 1, 1),
            (SERIES, 1, 0),
        ]


def test_the_page_shows_runs_failures_and_times_and_escapes_what_it_shows(tmp_path: Path) -> None:
    runs = [("c0", "accepted", 0), ("<b>c1", "failed", 0)]
    db, out = history(tmp_path, runs, series="chip <1>"), tmp_path / "page.html"
    assert main(["history", "page", "--db", str(db), "--out", str(out)]) == 0
    page = out.read_text("utf-8")
    assert "What fails now, and since when" in page
    assert page.count('<rect class="run failed"') == page.count('<rect class="run accepted"') == 1
    assert "chip &lt;1&gt;" in page
    assert "&lt;b&gt;c1" in page
    assert "<b>c1" not in page
    assert main(["--lang", "zh", "history", "page", "--db", str(db), "--out", str(out)]) == 0
    assert "各次运行的历史" in out.read_text("utf-8")


def test_a_history_without_runs_has_a_page_that_says_so(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    write_page(history(tmp_path, []), out)
    assert "No run in the history." in out.read_text("utf-8")


def test_a_page_that_cannot_be_written_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    db = history(tmp_path, [("c0", "accepted", 0)])
    with pytest.raises(UsageError, match="out"):
        write_page(db, tmp_path / "not there" / "page.html")
    assert [one.name for one in tmp_path.iterdir() if "page" in one.name] == []
