"""docs/how-to/own-operator.md, executed as it stands through the installed wheel."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installation.installed import ROOT, Installed
from tests.installation.tutorial import commands, write_files
from tests.waiting import HANGS

PAGE = (ROOT / "docs" / "how-to" / "own-operator.md").read_text()
SCRIPTS = Path(sys.executable).parent


@pytest.mark.slow
def test_the_page_works_as_it_is_written(installed: Installed, tmp_path: Path) -> None:
    assert len(write_files(PAGE, tmp_path)) == 7
    judged = 0
    for command in commands(PAGE):
        done = subprocess.run(
            ["bash", "-c", f"exec 2>&1; {command.line}"],
            cwd=tmp_path,
            env=installed.environment,
            stdout=subprocess.PIPE,
            text=True,
            timeout=HANGS,
        )
        assert done.returncode == command.status, f"$ {command.line}\n{done.stdout}"
        assert command.matches(done.stdout), (
            f"$ {command.line}\nshown:\n{command.shown}\nprinted:\n{done.stdout}"
        )
        judged += any(word in command.line for word in (" run ", " replay "))
    assert judged == 5
    # A law that the mistake breaks too has a bundle of its own, named after it.
    failures = (tmp_path / "reports" / "latest" / "failures").iterdir()
    (bundle,) = (one for one in failures if re.fullmatch(r"[0-9a-f]+-\d+x\d+", one.name))
    assert {"replay.py", "replay.cpp", "manifest.json"} <= {path.name for path in bundle.iterdir()}


def test_the_page_keeps_the_style_of_the_project(tmp_path: Path) -> None:
    written = write_files(PAGE, tmp_path)
    shutil.copy(ROOT / ".clang-format", tmp_path)
    python = [str(path) for path in written if path.suffix == ".py"]
    cpp = [str(path) for path in written if path.suffix in (".h", ".cpp")]
    config = ["--config", str(ROOT / "pyproject.toml")]
    for tool in (
        ["ruff", "format", "--check", *config, *python],
        ["ruff", "check", *config, *python],
        ["clang-format", "--dry-run", "--Werror", *cpp],
    ):
        done = subprocess.run(
            [str(SCRIPTS / tool[0]), *tool[1:]], capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stdout + done.stderr
