"""Whoever reads a run's folder asks whether it contradicts itself: no cheat passes at any door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main
from tests.conformance.gate.cheats import CHEATS, Cheat, Folder, honest
from tests.conformance.gate.runs import OPERATOR, run, verdict

SHARDS = [{"profile": "gate", "seed": "0", "shard": f"{index}/2"} for index in (1, 2)]


def gate(folder: Path, place: Path) -> int:
    return main(["gate", str(folder), "--no-baseline"])


def merge(folder: Path, place: Path) -> int:
    item = f"cases/test_values.py::test_values[{OPERATOR}-whole-int8]"
    first = run(place / "first", [verdict("one", item=item)], request=SHARDS[0])
    return main(["merge", str(first), str(folder), "--out", str(place / "merged")])


def report(folder: Path, place: Path) -> int:
    return main(["report", str(folder)])


def history(folder: Path, place: Path) -> int:
    return main(["history", "import", str(folder), "--db", str(place / "h.sqlite")])


def baseline(folder: Path, place: Path) -> int:
    who = ["--who", "A", "--why", "w", "--baselines", str(place / "b")]
    return main(["baseline", "accept", str(folder), *who])


def resume(folder: Path, place: Path) -> int:
    return main(["run", "--resume", "--out", str(folder), "--operator", "moe_token_permute"])


DOORS: list[Any] = [gate, merge, report, history, baseline, resume]


def of_a_door(place: Path, door: Any) -> Folder:
    """The folder that somebody cheats with; a shard where shards are merged."""
    return Folder(honest(place / "run", **({"request": SHARDS[1]} if door is merge else {})))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("cheat", "words"),
    [pytest.param(cheat, words, id=name) for cheat, words, name in CHEATS],
)
def test_a_folder_that_contradicts_itself_is_not_judged_and_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], door: Any, cheat: Cheat, words: str
) -> None:
    folder = of_a_door(tmp_path, door)
    cheat(folder)
    status = door(folder.path, tmp_path)
    told = capsys.readouterr().err
    assert (status, words in told) == (3, True), told
    for name in ("merged", "h.sqlite", "b", "run/report.html"):
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("door", "status"),
    [(gate, 1), (merge, 1), (report, 0), (history, 0), (baseline, 0), (resume, 2)],
)
def test_the_folder_itself_passes_every_door(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], door: Any, status: int
) -> None:
    folder = of_a_door(tmp_path, door)
    assert door(folder.path, tmp_path) == status
    assert "corrupted" not in capsys.readouterr().err
