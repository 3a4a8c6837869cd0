"""A card is one process's at a time, by its physical number, for as long as the process lives."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from conformance.devices import cards
from conformance.devices.cards import Busy, Card, Claim, claim, free, lock_out
from conformance.errors import EnvironmentFailure

ZERO, ONE = Card(0, 0), Card(1, 1)
HOLDS = """
import sys, time
from pathlib import Path
from conformance.devices.cards import Card, Claim
held = Claim(Card(0, 0), Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "PATIENCE", 0.01)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cards.VISIBLE, raising=False)


def nodes(folder: Path, *numbers: int) -> Path:
    for name in ("davinci_manager", *(f"davinci{number}" for number in numbers)):
        (folder / name).touch()
    return folder


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("1", (1,)),
        ("1,2,3", (1, 2, 3)),
        ("1, 2,3", (1,)),
        ("1,3,8", (1, 3)),
        ("1,2,-1,3", (1, 2)),
        ("3,2,1", (3,)),
        ("2,2", (2,)),
        ("0,1x,2", (0, 1)),
        ("x,0", ()),
        ("", ()),
    ],
)
def test_visible_devices_are_read_up_to_the_first_that_is_bad(
    text: str, left: tuple[int, ...]
) -> None:
    assert cards.visible(text, 8) == left


@pytest.mark.usefixtures("bare")
def test_a_number_stands_for_the_card_that_the_runtime_counts_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = nodes(tmp_path, 10, 4, 5, 7)
    assert cards.wanted_cards("", devices) == tuple(map(Card, range(4), (4, 5, 7, 10)))
    monkeypatch.setenv(cards.VISIBLE, "1,3")
    assert cards.wanted_cards("", devices) == (Card(0, 5), Card(1, 10))
    assert cards.wanted_cards("1", devices) == (Card(1, 10),)
    assert str(Card(1, 10)) == "npu:1 (card 10)"


def test_without_nodes_the_variable_says_which_cards_are_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cards.VISIBLE, "3,5")
    assert cards.wanted_cards("", tmp_path) == (Card(0, 3),)
    assert cards.wanted_cards("1,2", tmp_path) == (Card(1, 5), Card(2, 2))
    monkeypatch.delenv(cards.VISIBLE)
    assert cards.wanted_cards("1", tmp_path) == (Card(1, 1),)


def test_a_card_that_the_process_does_not_see_is_named_with_what_it_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cards.VISIBLE, "1")
    with pytest.raises(ValueError, match=r"device 1 does not exist: of the 2 in .* sees 1 \(ASC"):
        cards.wanted_cards("1", nodes(tmp_path, 0, 1))
    monkeypatch.setenv(cards.VISIBLE, "")
    with pytest.raises(ValueError, match=r"this process sees 0 \(ASCEND_RT_VISIBLE_DEVICES=\)"):
        cards.wanted_cards("", nodes(tmp_path, 0, 1))


def test_a_busy_card_is_passed_over_and_its_holder_is_named(tmp_path: Path) -> None:
    first = claim([ZERO, ONE], tmp_path)
    second = claim([ZERO, ONE], tmp_path)
    assert (first.card, second.card, free([ZERO, ONE], tmp_path)) == (ZERO, ONE, 0)
    with pytest.raises(EnvironmentFailure) as caught:
        claim([ZERO, ONE], tmp_path)
    assert f"npu:0 is claimed by process {os.getpid()}" in str(caught.value)
    assert f"npu:1 is claimed by process {os.getpid()}" in str(caught.value)
    second.release()
    second.release()
    assert free([ZERO, ONE], tmp_path) == 1
    assert claim([ZERO, ONE], tmp_path).card == ONE


def test_one_card_under_two_numbers_is_one_card(tmp_path: Path) -> None:
    held = claim([Card(0, 5)], tmp_path)
    with pytest.raises(Busy, match=r"^npu:3 \(card 5\) is claimed by process"):
        Claim(Card(3, 5), tmp_path)
    held.release()


def test_a_killed_process_frees_its_card(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Busy, match=f"claimed by process {holder.pid}"):
        Claim(ZERO, tmp_path)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    Claim(ZERO, tmp_path).release()


def test_a_lock_that_says_nothing_of_its_holder_is_a_lock(tmp_path: Path) -> None:
    held = Claim(ZERO, tmp_path)
    (tmp_path / "card0.lock").write_text("?")
    with pytest.raises(Busy, match="npu:0 is claimed by another process"):
        Claim(ZERO, tmp_path)
    held.release()


def test_a_card_that_is_locked_out_is_taken_by_nobody_for_an_hour(tmp_path: Path) -> None:
    lock_out(ZERO, tmp_path, "heartbeat lost")
    file = tmp_path / "card0.lost"
    with pytest.raises(Busy, match=rf"locked out since \d\d:\d\d: heartbeat lost; .* rm {file}$"):
        Claim(ZERO, tmp_path)
    assert claim([ZERO, ONE], tmp_path).card == ONE
    file.write_bytes(msgspec.json.encode(cards.Lost("heartbeat lost", time.time() - 3601)))
    Claim(ZERO, tmp_path).release()


def test_nothing_is_written_through_a_link_that_somebody_laid(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept")
    for name in ("card0.lock", "card0.lost"):
        (tmp_path / name).symlink_to(tmp_path / "mine")
    lock_out(ZERO, tmp_path, "heartbeat lost")
    with pytest.raises(EnvironmentFailure, match="cannot be used"):
        claim([ZERO], tmp_path)
    assert (tmp_path / "mine").read_text() == "kept"


def test_the_folder_of_locks_is_everybodys_and_can_be_named(tmp_path: Path) -> None:
    place = cards.lock_folder({cards.FOLDER: str(tmp_path / "new" / "locks")})
    assert stat.S_IMODE(place.stat().st_mode) == 0o1777
    assert cards.lock_folder({cards.FOLDER: str(place)}) == place
    Claim(ZERO, place).release()
    assert stat.S_IMODE((place / "card0.lock").stat().st_mode) == 0o666
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFailure, match=r"file, cannot be used: .*MOE_CONFORMANCE_CARDS="):
        cards.lock_folder({cards.FOLDER: str(tmp_path / "file")})
