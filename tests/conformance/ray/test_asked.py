"""What ``--ray`` asks for: each mistake is one plain line, before anything is started."""

from __future__ import annotations

import argparse
import importlib.util
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conformance.cli.main import main
from conformance.cli.on_ray import farm_asked, on_this_host
from conformance.errors import EnvironmentFailure, UsageError
from conformance.ray import asked
from conformance.ray.asked import Farmed, Seen, check_address, device_there
from tests.conformance.front_door import host
from tests.waiting import HANGS

CONSOLE = Console(quiet=True)


def parsed(**given: Any) -> argparse.Namespace:
    known = {"ray": "", "watch": False, "kernel_coverage": False, "case": None, "device": "auto"}
    return argparse.Namespace(**{**known, **given})


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "check_installed", lambda: None)


@pytest.mark.parametrize("text", ["", "auto", "10.0.0.1:6379", "head.cluster:6379", "[::1]:6379"])
def test_addresses_of_clusters(text: str) -> None:
    check_address(text)


@pytest.mark.parametrize("text", ["moe_token_permute", "ray://head:10001", "head", "a b:1"])
def test_another_word_is_no_address(text: str) -> None:
    with pytest.raises(UsageError, match="operators stand before --ray"):
        check_address(text)


def test_the_front_door_tells_of_a_wrong_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--ray", "moe_token_permute"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ray is 'moe_token_permute': allowed: HOST:PORT of a cluster")


def test_without_ray_the_line_that_installs_it_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ray" else find(name)
    )
    assert main(["run", "--ray", "--out", str(tmp_path / "run")]) == 3
    told = capsys.readouterr().err
    assert told.endswith("--ray needs Ray: pip install 'moe-conformance[ray]'\n")


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"watch": True}, "does not go with --watch"),
        ({"kernel_coverage": True}, "does not go with --kernel-coverage"),
        ({"case": Path("case.json")}, "does not go with --case"),
        ({"device": "npu:0,1"}, "Ray gives each worker its card"),
    ],
)
def test_what_does_not_go_together_is_told(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        farm_asked(parsed(**given), None, functions=False, console=CONSOLE)


@pytest.mark.usefixtures("_installed")
def test_a_worker_at_least_must_judge() -> None:
    with pytest.raises(UsageError, match="integers from 1"):
        farm_asked(parsed(), 0, functions=False, console=CONSOLE)


def test_a_device_that_opens_itself_follows_from_what_the_cluster_has() -> None:
    assert device_there("auto", 0, functions=False) == "sim"
    assert device_there("auto", 8, functions=False) == "npu"
    assert device_there("sim:Ascend910_93", 8, functions=False) == "sim:Ascend910_93"
    assert device_there("auto", 8, functions=True) == "auto"
    assert device_there("npu:0", 8, functions=True) == "npu:0"


def test_an_npu_where_no_node_has_one_is_told() -> None:
    with pytest.raises(UsageError, match="no node of the Ray cluster has the resource NPU"):
        device_there("npu", 0, functions=False)


@pytest.mark.usefixtures("_installed")
def test_cards_of_a_cluster_are_claimed_one_by_each_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "look", lambda address: Seen(nodes=2, cpus=64, npus=16))
    found = farm_asked(parsed(ray="auto"), 4, functions=False, console=CONSOLE)
    assert found == Farmed(address="auto", device="npu", npus=True, most=4)


def test_on_this_host_every_processor_judges() -> None:
    farm = Farmed(address=None, device="auto", npus=False)
    opened: Any = object()
    assert on_this_host(farm, opened, 6) == Farmed(address=None, device="sim", npus=False, most=6)


def test_no_cluster_is_told_with_what_ray_says(monkeypatch: pytest.MonkeyPatch) -> None:
    class Said:
        stdout, stderr, returncode = '{"error": "nobody answers"}', "", 0

    monkeypatch.setattr(asked.subprocess, "run", lambda *_, **__: Said)
    with pytest.raises(EnvironmentFailure, match="to join at auto: nobody answers"):
        asked.look("auto")


def test_a_look_that_dies_is_told_by_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    class Said:
        stdout, stderr, returncode = "", "Traceback\nImportError: grpc\n", 1

    monkeypatch.setattr(asked.subprocess, "run", lambda *_, **__: Said)
    with pytest.raises(EnvironmentFailure, match="to join at auto: ImportError: grpc"):
        asked.look("auto")


def test_nobody_at_an_address_is_told_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(EnvironmentFailure, match=f"to join at 127.0.0.1:{port}: .*refused"):
        asked.look(f"127.0.0.1:{port}")


def test_nothing_of_ray_is_imported_without_the_option() -> None:
    look = (
        "import sys, conformance.plugin, conformance.cli.run;"
        "print([one for one in sys.modules if 'ray' in one.split('.')[:2] or 'cli.on_ray' in one])"
    )
    done = subprocess.run(
        [sys.executable, "-c", look], env=host(), capture_output=True, text=True, timeout=HANGS
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
