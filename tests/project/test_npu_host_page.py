"""The page that leads from a bare NPU host to a verdict shows what really comes, step by step."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from conformance.cli import doctor as command
from conformance.cli.main import main
from conformance.devices import cards
from conformance.devices import open as opening
from conformance.devices.card_errors import CARD_FAULTS, KERNEL_FAULTS
from conformance.devices.device import Device
from conformance.errors import EnvironmentFailure
from conformance.host import doctor
from conformance.host.roots import Roots
from conformance.suite import records as suite
from tests import wheelhouse
from tests.conformance.host.fake_host import FakeHost, fake_host

ROOT = Path(__file__).parents[2]
PAGES = {
    name: (ROOT / "docs" / "how-to" / name).read_text()
    for name in ("npu-host.md", "npu-host.zh.md")
}
PAGE = PAGES["npu-host.md"]
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITHOUT = {"moe_gating_top_k_backward", "moe_token_permute_with_ep"}
"""The operators that the page shows as missing."""


@dataclass(frozen=True)
class Step:
    """A command of the page, and the output that it shows."""

    typed: str
    shown: str


def steps(page: str) -> Iterator[Step]:
    for block in CONSOLE.findall(page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            yield Step(typed, shown)


def shows(shown: str, really: str) -> bool:
    """Whether the output is what is shown; ``...`` alone stands for lines, in a line for words."""
    pattern = ""
    for line in shown.splitlines():
        within = re.escape(line).replace(re.escape("..."), "[^\\n]*")
        pattern += "(?:[^\\n]*\\n)*?" if line == "..." else f"{within}\\n"
    return re.fullmatch(pattern, really) is not None


class Follower:
    """Somebody who types the page's commands on a host whose ``/`` is ``host.root``."""

    def __init__(self, host: FakeHost, capture: pytest.CaptureFixture[str]) -> None:
        self.host, self.capture = host, capture

    def type(self, typed: str) -> str:
        """What the command prints, with the paths of the host."""
        if "python -m conformance" in typed:
            printed = self._conformance(typed)
        elif typed.startswith("source "):
            printed = self._source(typed)
        else:
            printed = self._shell(typed)
        return printed.replace(str(self.host.root), "")

    def _there(self, typed: str) -> str:
        return re.sub(r"(?<!\S)/(dev|usr)/", rf"{self.host.root}/\1/", typed)

    def _shell(self, typed: str) -> str:
        done = subprocess.run(["bash", "-c", self._there(typed)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _source(self, typed: str) -> str:
        for line in self._shell(f"{typed}; env").splitlines():
            name, _, value = line.partition("=")
            if name.startswith("ASCEND_") or name == "LD_LIBRARY_PATH":
                os.environ[name] = value
        return ""

    def _conformance(self, typed: str) -> str:
        before, _, arguments = typed.partition("python -m conformance ")
        with pytest.MonkeyPatch.context() as changed:
            for word in shlex.split(before):
                changed.setenv(*word.split("=", 1))
            main(shlex.split(arguments))
        printed = self.capture.readouterr()
        return printed.out + printed.err


@pytest.fixture
def follower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Follower:
    host = fake_host(tmp_path / "root")
    for operator in suite.operators():
        if operator.name not in WITHOUT:
            host.operator(operator.name, operator.aclnn)
    (host.root / "tmp" / "moe-conformance-cards").mkdir(parents=True)
    monkeypatch.setenv(cards.FOLDER, str(host.root / "tmp" / "moe-conformance-cards"))
    for name in (cards.VISIBLE, "ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "LD_LIBRARY_PATH"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    groups = host.root / "etc" / "group"
    roots = partial(Roots, driver=host.driver, groups=groups)
    monkeypatch.setattr(command, "Roots", roots)
    monkeypatch.setattr(command, "DEVICE_NODES", host.devices)
    monkeypatch.setattr(opening, "DEVICE_NODES", host.devices)
    monkeypatch.setattr(doctor, "open_device", _no_card)
    monkeypatch.chdir(tmp_path)
    return Follower(host, capfd)


def _no_card(spec: str) -> Device:
    """Here the page ends: what would open is a card."""
    raise EnvironmentFailure(f"no {spec} in this test")


def test_every_command_prints_what_the_page_shows(follower: Follower) -> None:
    followed = list(steps(PAGE))
    assert len(followed) >= 8
    for step in followed:
        really = follower.type(step.typed)
        assert shows(step.shown, really), f"$ {step.typed}\n{really}\nshown:\n{step.shown}"


def test_output_that_differs_from_the_page_is_told_apart() -> None:
    assert shows("...\nb ... d\n...\n", "a\nb c d\ne\nf\n")
    assert shows("a\n", "a\n")
    assert not shows("a\n", "a\nb\n")
    assert not shows("...\nb\n", "a\nb\nc\n")
    assert not shows("a.c\n", "abc\n")


def test_both_languages_show_the_same_blocks_and_codes() -> None:
    english, chinese = (BLOCK.findall(text) for text in PAGES.values())
    assert [_without_remarks(block) for block in english] == [
        _without_remarks(block) for block in chinese
    ]
    shapes = [re.findall(r"^(#+|\|)", text, re.MULTILINE) for text in PAGES.values()]
    assert shapes[0] == shapes[1]
    named = [set(re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))) for text in PAGES.values()]
    assert named[0] == named[1]


def _without_remarks(block: str) -> str:
    return re.sub(r" +# .*", "", block)


@pytest.mark.parametrize("page", PAGES.values(), ids=list(PAGES))
def test_the_page_names_every_status_where_the_suite_puts_it(page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("| 507")]
    for row, faults in zip(rows, (KERNEL_FAULTS, CARD_FAULTS), strict=True):
        told: set[int] = set()
        for first, last in re.findall(r"(507\d{3})(?:(?: to | 至 )(507\d{3}))?", row.split("|")[1]):
            told |= set(range(int(first), int(last or first) + 1))
        assert told == set(faults)


def test_the_wheelhouse_is_for_both_machines_and_every_python_that_is_asked() -> None:
    own, *others = wheelhouse.commands(["3.10", "3.11"], "1.26.*")
    assert own[3:5] == ["wheel", "--quiet"]
    assert len(others) == 4
    told = [" ".join(command) for command in others]
    for python in ("3.10", "3.11"):
        for machine in ("x86_64", "aarch64"):
            (one,) = [
                line
                for line in told
                if f"--python-version={python}" in line and f"manylinux_2_28_{machine}" in line
            ]
            assert "--only-binary=:all:" in one
            assert "numpy==1.26.*" in one
    needed = " ".join(wheelhouse.requirements(""))
    assert all(name in needed for name in ("numpy", "hypothesis", "msgspec", "tomli"))
    assert "cmake" not in needed, "what only a simulator needs is not for an NPU host"
