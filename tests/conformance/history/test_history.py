"""Runs over time: each counts once, trends are told, and the first run with a change is named."""

from __future__ import annotations

import importlib.util
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.cli.main import main
from conformance.errors import UsageError
from conformance.evidence.lines import DeviceLine
from conformance.evidence.reading import CannotJudge
from conformance.history.database import opened
from conformance.history.record import import_runs
from conformance.history.report import change_lines, sparkline
from conformance.history.trends import Change, Point, changes, points
from conformance.printable import printable
from tests.conformance.gate.runs import (
    OPERATOR,
    device,
    every_cell,
    example,
    order,
    refused,
    rewrite,
    run,
    verdict,
)


def dated(place: Path, day: int, lines: list[Any] | None = None, **changed: Any) -> Path:
    """The run of a day in March, at a commit of that day."""
    told = {
        "started": f"2026-03-{day:02}T10:00:00+00:00",
        "provenance": {"git": {"commit": f"c{day}"}, "sources": "s1"},
        **changed,
    }
    return run(place / f"day{day}", lines, **told)


def of_100000_calls(place: Path) -> Path:
    """A history of 500 runs of 200 calls each; one call of the run r400 failed."""
    db = place / "h.sqlite"
    import_runs(db, [dated(place, 1)])
    with opened(db, write=True) as connection:
        for number in range(500):
            connection.execute(
                "INSERT INTO run SELECT ?1, ?1, series, ?1, profile, seed, device, whole, status,"
                " exit_status, seconds, cases, folder FROM run WHERE started LIKE '2026%'",
                (f"r{number:03}",),
            )
        connection.execute(
            "WITH RECURSIVE call(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM call WHERE n < 199)"
            " INSERT INTO fact SELECT run.id, 'op' || (n / 20), 'named call', 'call' || n,"
            " CASE WHEN n = 7 AND run.id = 'r400' THEN 'failed' ELSE 'accepted' END"
            " FROM call, run WHERE run.id LIKE 'r%'"
        )
        connection.execute(
            "INSERT INTO cell SELECT id, 'op' || abs(random() % 10), 'm', 'd', 200, 0, 10, 9, 0.5,"
            " 1.0 FROM run"
        )
    return db


def trends(db: Path, *asked: Any) -> list[Point]:
    with opened(db, write=False) as connection:
        return points(connection, *asked)


def changed(db: Path, operator: str | None = None) -> list[Change]:
    with opened(db, write=False) as connection:
        return changes(connection, operator)


def test_a_run_counts_once_however_often_it_is_imported(tmp_path: Path) -> None:
    db, folder = tmp_path / "h.sqlite", dated(tmp_path, 1)
    assert import_runs(db, [folder]) == (1, 0)
    assert import_runs(db, [folder, dated(tmp_path, 2)]) == (1, 1)
    assert [point.commit for point in trends(db)] == ["c1", "c2"]


def test_trends_are_those_of_the_last_runs_oldest_first(tmp_path: Path) -> None:
    db = tmp_path / "h.sqlite"
    days = [3, 1, 2]
    lines = {day: every_cell(verdict("more", exact=50 * (day > 1))) for day in days}
    import_runs(db, [dated(tmp_path, day, lines[day]) for day in days])
    found = trends(db, OPERATOR, 2)
    assert [point.commit for point in found] == ["c2", "c3"]
    assert [(point.cases, point.failed) for point in found] == [(6, 0), (6, 0)]
    assert found[0].share == 550 / 600
    assert trends(db, "other") == []


def test_an_operator_with_an_archive_is_told_apart_by_it_alone(tmp_path: Path) -> None:
    def on(library: str, archive: str) -> DeviceLine:
        files = {"libopapi.so": library, "libother.a": library, f"lib{OPERATOR}.a": archive}
        return device(libraries={n: {"path": n, "sha256": sha} for n, sha in files.items()})

    db, days = tmp_path / "h.sqlite", [on("1", "a"), on("2", "a"), on("3", "b")]
    import_runs(db, [dated(tmp_path, n, every_cell(), on=day) for n, day in enumerate(days, 1)])
    told = [(one.commit, one.name, one.after) for one in changed(db, OPERATOR)]
    assert told == [("c3", f"lib{OPERATOR}.a", "sha256 b")]


def test_each_change_names_the_first_run_that_has_it(tmp_path: Path) -> None:
    db = tmp_path / "h.sqlite"
    wrong = example(ok=False, headline="wrong", tiling_key=3)
    other = device(libraries={"libopapi.so": {"path": "x", "sha256": "new"}})
    plain = [line for line in every_cell() if getattr(line, "name", "") == "" and line.worker]
    plain = [line for line in plain if not hasattr(line, "merges")]
    import_runs(
        db,
        [
            dated(tmp_path, 1, [*plain, example(tiling_key=2), order()]),
            dated(tmp_path, 2, [*plain, example(tiling_key=3), order("pairwise")]),
            dated(tmp_path, 3, [*plain, wrong, order("pairwise")], on=other),
            dated(tmp_path, 4, [*plain, wrong, order("pairwise")], on=other),
        ],
    )
    told = [(one.commit, one.what, one.before, one.after) for one in changed(db, OPERATOR)]
    assert told == [
        ("c3", "library", "sha256 kernel-binary-on", "sha256 new"),
        ("c3", "named call", "accepted", "failed"),
        ("c3", "verdict", "accepted", "failed"),
        ("c2", "order of additions", "sequential", "pairwise"),
        ("c2", "tiling key", "2", "3"),
    ]


def test_the_text_of_changes(tmp_path: Path) -> None:
    db = tmp_path / "h.sqlite"
    failing = dated(tmp_path, 2, every_cell(refused()))
    import_runs(db, [dated(tmp_path, 1), failing])
    assert list(change_lines(changed(db))) == [
        f"first in the run of 2026-03-02T10:00:00, commit c2, {failing}:",
        "  permute, verdict of tail float16: accepted -> failed",
    ]
    assert list(change_lines([])) == ["nothing changed between the whole runs of any device"]


def test_names_that_mean_ill_are_kept_as_names(tmp_path: Path) -> None:
    db, evil = tmp_path / "h.sqlite", "'); DROP TABLE run; --<b>\x1b[2J$x_$"
    lines = every_cell(example(evil, ok=True), verdict("e", operator=evil, mode=evil))
    wrong = every_cell(
        example(evil, ok=False, headline="wrong"), verdict("e", operator=evil, mode=evil)
    )
    import_runs(db, [dated(tmp_path, 1, lines), dated(tmp_path, 2, wrong)])
    assert [point.operator for point in trends(db, evil)] == [evil, evil]
    told = printable("\n".join(change_lines(changed(db))))
    assert "named call of example/'); DROP TABLE run; --<b>?[2J$x_$: accepted -> failed" in told
    assert "\x1b" not in told


def test_runs_of_different_devices_are_not_compared(tmp_path: Path) -> None:
    db = tmp_path / "h.sqlite"
    elsewhere = dated(tmp_path, 2, every_cell(refused()), on=device(cann="8.6.0"))
    import_runs(db, [dated(tmp_path, 1), elsewhere])
    assert changed(db) == []
    assert len({point.series for point in trends(db)}) == 2


def test_an_incomplete_run_is_told_and_not_compared(tmp_path: Path) -> None:
    db = tmp_path / "h.sqlite"
    part = dated(tmp_path, 2, every_cell(refused()), status="incomplete", unreached=["t::x"])
    import_runs(db, [dated(tmp_path, 1), part])
    assert changed(db) == []
    assert [point.whole for point in trends(db)] == [True, False]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"status": "running"}, "incomplete: its run has not ended, or was ended before its end"),
        ({"devices": []}, "empty: no device was judged"),
    ],
)
def test_a_run_that_proves_nothing_is_refused_and_nothing_is_written(
    tmp_path: Path, broken: dict[str, Any], words: str
) -> None:
    db = tmp_path / "h.sqlite"
    with pytest.raises(CannotJudge) as told:
        import_runs(db, [dated(tmp_path, 1), dated(tmp_path, 2, **broken)])
    assert words in str(told.value)
    assert not db.exists()


def test_a_run_whose_summary_lost_its_cells_is_refused(tmp_path: Path) -> None:
    folder = rewrite(dated(tmp_path, 1), cells=[])
    with pytest.raises(
        CannotJudge, match="corrupted: of permute-whole-float16 the summary has not"
    ):
        import_runs(tmp_path / "h.sqlite", [folder])


def test_several_writers_lose_nothing(tmp_path: Path) -> None:
    db = tmp_path / "h.sqlite"
    folders = [dated(tmp_path, day) for day in range(1, 25)]
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda folder: import_runs(db, [folder]), [*folders, *folders]))
    assert sum(new for new, _ in added) == len(folders)
    assert len(trends(db, OPERATOR, 100)) == len(folders)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not a database, but long enough to be taken for one" * 40, "is no history"),
        (b"", "is a database, but not a history of runs"),
    ],
)
def test_a_file_that_is_no_history_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    db = tmp_path / "h.sqlite"
    db.write_bytes(content)
    with pytest.raises(UsageError, match=words):
        trends(db)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    db = tmp_path / "h.sqlite"
    with sqlite3.connect(db) as other:
        other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(UsageError, match="is a database, but not a history of runs"):
        import_runs(db, [dated(tmp_path, 1)])


def test_a_history_of_another_schema_is_refused(tmp_path: Path) -> None:
    db = tmp_path / "h.sqlite"
    import_runs(db, [dated(tmp_path, 1)])
    with sqlite3.connect(db) as other:
        other.execute("PRAGMA user_version = 9")
    other.close()
    with pytest.raises(UsageError, match="has schema 9; this version reads 1"):
        trends(db)


def test_the_one_call_of_100000_that_failed_is_the_one_change(tmp_path: Path) -> None:
    db = of_100000_calls(tmp_path)
    assert [one.run for one in changed(db, "op0")] == ["r401", "r400"]
    assert trends(db, "op0")


def test_the_front_door_tells_trends_and_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(tmp_path / "h.sqlite")]
    folders = [dated(tmp_path, 1), dated(tmp_path, 2, every_cell(refused()))]
    assert main(["history", "import", *map(str, folders), *db]) == 0
    assert "2 runs added to" in capsys.readouterr().err
    assert main(["history", "show", *db]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["2026-03-01T10:00:00", "c1", "accepted", "5", "-", "100%", "-", "0.1", "s"] in lines
    assert ["2026-03-02T10:00:00", "c2", "failed", "6", "1", "100%", "-", "0.1", "s"] in lines
    assert main(["history", "changes", *db, "--json"]) == 0
    (change,) = msgspec.json.decode(capsys.readouterr().out)
    assert (change["before"], change["after"], change["commit"]) == ("accepted", "failed", "c2")
    assert main(["history", "show", "--last", "0", *db]) == 2
    assert main(["history", "show", "--db", str(tmp_path / "none")]) == 2
    assert "is not there yet: history import RUN makes it" in capsys.readouterr().err
    assert main(["history", "show", "--picture", "x.txt", *db]) == 2
    assert "allowed: a file that ends with .svg, .png, .pdf" in capsys.readouterr().err


def test_a_picture_needs_matplotlib_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(tmp_path / "h.sqlite")]
    main(["history", "import", str(dated(tmp_path, 1)), *db])
    status = main(["history", "show", "--picture", str(tmp_path / "p.svg"), *db])
    if importlib.util.find_spec("matplotlib") is None:
        assert status == 2
        assert "needs matplotlib: python -m pip install" in capsys.readouterr().err
    else:
        assert status == 0
        assert "<svg" in (tmp_path / "p.svg").read_text()


def test_a_sparkline_has_the_largest_value_full() -> None:
    assert (sparkline([0, 1, 4, 8]), sparkline([]), sparkline([0.0])) == ("▁▂▅█", "", "▁")
