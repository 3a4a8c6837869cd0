"""Only plain files are opened, with a limit: what lies in their place is named, not waited for."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.plain_file import NotPlain, read_plain
from tests.conformance.gate.runs import every_cell, refused, run

Captured = pytest.CaptureFixture[str]


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def endless(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


def bound(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket has 107 bytes at most
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


Put = Callable[[Path], None]
INSTEAD: list[tuple[Put, str]] = [
    (folder, "it is a folder, no plain file"),
    (pipe, "it is a pipe, no plain file"),
    (bound, "it is a socket, no plain file"),
    (endless, "it has 1,099,511,627,776 bytes; at most "),
]
LINK = (link, "it is a link, no plain file")
FOLLOWED = (link, "it is a device, no plain file")


@pytest.mark.parametrize(("put", "words"), [*INSTEAD, LINK])
@pytest.mark.parametrize("name", ["evidence.json", "evidence.main.jsonl", "evidence.gw9.jsonl"])
@pytest.mark.parametrize("door", ["gate", "report", "baseline", "history", "merge", "run"])
def test_something_else_in_a_runs_folder_is_named_at_every_door(
    tmp_path: Path, capsys: Captured, door: str, name: str, put: Put, words: str
) -> None:
    out = run(tmp_path / "run", every_cell(refused()))
    (out / name).unlink(missing_ok=True)
    put(out / name)
    options = {
        "gate": ["gate", str(out), "--no-baseline"],
        "report": ["report", str(out)],
        "baseline": ["baseline", "accept", str(out), "--who", "A", "--why", "w"],
        "history": ["history", "import", str(out), "--db", str(tmp_path / "h.sqlite")],
        "merge": ["merge", str(out), "--out", str(tmp_path / "merged")],
        "run": ["run", "--resume", "--out", str(out), "--operator", "moe_token_permute"],
    }
    # A folder whose summary is none cannot be told from that of somebody else.
    status = 2 if (door, name) == ("run", "evidence.json") else 3
    assert main(options[door]) == status
    told = capsys.readouterr().err
    assert (
        "holds no run to go on with" if status == 2 else f"{name} cannot be read: {words}"
    ) in told


@pytest.mark.parametrize(
    ("option", "put", "words"),
    [
        (option, *one)
        for option in ("case", "waivers")
        for one in (*INSTEAD, FOLLOWED)
        if (option, one[0]) != ("case", folder)  # a folder of cases is judged
    ],
)
def test_something_else_than_a_file_that_a_person_names_is_told_with_status_3(
    tmp_path: Path, capsys: Captured, option: str, put: Put, words: str
) -> None:
    put(tmp_path / "it")
    command = ["run"] if option == "case" else ["gate", str(run(tmp_path / "run"))]
    assert main([*command, f"--{option}", str(tmp_path / "it")]) == 3
    assert f"{option} {tmp_path / 'it'} cannot be read: {words}" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["case", "waivers"])
def test_a_file_that_is_not_there_stays_wrong_usage(
    tmp_path: Path, capsys: Captured, option: str
) -> None:
    command = ["run"] if option == "case" else ["gate", str(run(tmp_path / "run"))]
    assert main([*command, f"--{option}", str(tmp_path / "none")]) == 2
    assert "cannot be read: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize(("put", "words"), [*INSTEAD, LINK])
@pytest.mark.parametrize("by_name", [True, False])
def test_something_else_in_the_place_of_a_baseline_is_named(
    tmp_path: Path, capsys: Captured, *, by_name: bool, put: Put, words: str
) -> None:
    (tmp_path / "b").mkdir()
    put(tmp_path / "b" / "mine.json")
    asked = ["--baseline", "mine"] if by_name else []
    words_of = ["gate", str(run(tmp_path / "run")), "--baselines", str(tmp_path / "b"), *asked]
    assert main(words_of) == 3
    told = capsys.readouterr().err
    assert f"the baseline {tmp_path / 'b' / 'mine.json'} cannot be read: {words}" in told


@pytest.mark.parametrize("put", [folder, pipe, link])
def test_something_else_in_the_place_of_the_history_is_refused(tmp_path: Path, put: Put) -> None:
    put(tmp_path / "h")
    assert main(["history", "import", str(run(tmp_path / "run")), "--db", str(tmp_path / "h")]) == 2


@pytest.mark.parametrize("put", [folder, pipe, link])
@pytest.mark.parametrize("name", ["manifest.json", "SHA256SUMS"])
def test_something_else_in_a_bundle_is_refused(
    tmp_path: Path, capsys: Captured, name: str, put: Put
) -> None:
    place = tmp_path / "bundle"
    place.mkdir()
    (place / "manifest.json").write_text("{}")
    shutil.rmtree(place / name, ignore_errors=True)
    (place / name).unlink(missing_ok=True)
    put(place / name)
    assert main(["replay", str(place)]) == 2
    assert f"{name} " in capsys.readouterr().err


def test_a_file_of_a_person_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    assert read_plain(tmp_path / "link", 3, follow=True) == b"abc"
    with pytest.raises(NotPlain):
        read_plain(tmp_path / "link", 3)
    with pytest.raises(NotPlain, match="it has 3 bytes; at most 2 are read"):
        read_plain(tmp_path / "file", 2)
