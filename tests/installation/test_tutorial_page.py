"""docs/tutorial.md, typed as it stands into one shell, in a copy of the checkout."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from device_kernels.build import build
from device_kernels.sources import ROOT as DEVICE
from device_kernels.sources import Inputs, operators
from device_kernels.steps import Steps
from device_kernels.toolchain import compiler
from tests.conformance.front_door import NAME, ROOT, host
from tests.installation.tutorial import Command, commands
from tests.waiting import HANGS

PAGE, CHINESE = ((ROOT / "docs" / name).read_text() for name in ("tutorial.md", "tutorial.zh.md"))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PARTS = ("conformance", "reference", "cases", "device_kernels", "pyproject.toml", ".gitignore")
PROFILES = "conformance/draw/profiles.py"
OURS = ("GIT_", "MOE_CONFORMANCE_LANG", "MOE_CONFORMANCE_CACHE")
"""Beginnings of variables that a reader has not set."""

AUTHOR = ("-c", "user.name=A. Reader", "-c", "user.email=reader@example.org")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of what the page needs, with the libraries that are built already.

    Its search for a smaller case has no end in seconds, so that the case is the smallest under any
    load.
    """
    folder = tmp_path / "checkout"
    folder.mkdir()
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, folder / part)
    profiles = (folder / PROFILES).read_text()
    endless = profiles.replace("shrink_seconds=60,", "shrink_seconds=1e9,")
    assert endless != profiles
    (folder / PROFILES).write_text(endless)
    inputs = Inputs(operators([DEVICE / "kernels"], [NAME]), compiler(), "all", coverage=False)
    cache = build(only=[NAME], quiet=True).runtime.parents[1]
    steps = Steps(inputs, inputs.keys(), cache)
    for library in (steps.runtime, steps.operator(NAME)):
        shutil.copytree(library, folder / "build" / library.name)
    activate = folder / ".venv" / "bin" / "activate"
    activate.parent.mkdir(parents=True)
    activate.write_text(f'PATH="{Path(sys.executable).parent}:$PATH"\n')
    for command in (["init", "-q"], ["add", "."], [*AUTHOR, "commit", "-qm", "As it is"]):
        subprocess.run(["git", *command], cwd=folder, env=environment(folder), check=True)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """That of a reader whose checkout is ``folder``."""
    there = host(PYTHONPATH=str(folder))
    return {name: value for name, value in there.items() if not name.startswith(OURS)}


def typed(page: str, folder: Path) -> Iterator[tuple[Command, str, int]]:
    """What each command of the page prints, and its status; all of them are typed into one shell,
    which ends after the first that has another status than the page shows.
    """
    said = folder.parent / "said"
    said.mkdir()
    steps = list(commands(page))
    script = "".join(
        f"{{ {step.line}\n}} > {said}/{number} 2>&1\n"
        f"status=$?; echo $status > {said}/{number}.status; [ $status = {step.status} ] || exit 1\n"
        for number, step in enumerate(steps)
    )
    subprocess.run(["bash", "-c", script], cwd=folder, env=environment(folder), timeout=HANGS)
    for number, step in enumerate(steps):
        status = said / f"{number}.status"
        if status.exists():
            yield step, (said / f"{number}").read_text(), int(status.read_text())


@pytest.mark.slow
def test_the_tutorial_prints_what_it_shows_and_leaves_no_change(checkout: Path) -> None:
    judged = 0
    for step, printed, status in typed(PAGE, checkout):
        assert status == step.status, f"$ {step.line}\n{printed}"
        assert step.matches(printed), f"$ {step.line}\nshown:\n{step.shown}\nprinted:\n{printed}"
        judged += any(word in step.line for word in (" run ", " replay ", " gate "))
    assert judged == 6
    # The last command shows that nothing is left.
    assert (step.line, printed) == ("git status --short", "")


def test_both_languages_show_the_same_commands() -> None:
    assert BLOCK.findall(CHINESE) == BLOCK.findall(PAGE)
    assert re.findall(r"^## \d+", CHINESE, re.MULTILINE) == re.findall(
        r"^## \d+", PAGE, re.MULTILINE
    )
