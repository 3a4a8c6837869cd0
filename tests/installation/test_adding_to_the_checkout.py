"""An operator is added to the checkout by its own files: the rest is found, or is written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installation.installed import ROOT
from tests.installation.test_adding_an_operator import PAGE
from tests.installation.tutorial import write_files

ROOMS = {
    "operators/kernels": "device_kernels/kernels",
    "operators/reference": "reference",
    "operators": "cases/operators",
}
"""Where the files of an operator of one's own go, the first that fits."""

WRITTEN = {
    "docs/reference/contracts.md",
    "docs/reference/extremes.md",
    "docs/reference/operators.md",
}
"""What the command for pages writes."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with the page's operator in its rooms, and the pages written."""
    copy = tmp_path_factory.mktemp("checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    run(copy, "git", "init", "-q")
    run(copy, "git", "add", "-A")
    apart = tmp_path_factory.mktemp("page")
    for path in write_files(PAGE, apart):
        own = path.relative_to(apart)
        room = next((one for one in ROOMS if own.is_relative_to(one)), None)
        if room is not None:
            target = copy / ROOMS[room] / own.relative_to(room)
            target.parent.mkdir(parents=True, exist_ok=True)
            # What lies beside a record of one's own is a room of the suite.
            text = path.read_text().replace("\nfrom .reference", "from reference")
            target.write_text(text)
    run(copy, sys.executable, "-m", "tests.project.pages")
    return copy


def run(folder: Path, *command: str) -> str:
    """What a command prints in a folder; it must succeed."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "MOE_CONFORMANCE_CACHE": str(ROOT / "build"),
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_nothing_changes_but_its_own_files_and_tables_of_pages(checkout: Path) -> None:
    told = run(checkout, "git", "status", "--porcelain", "-uall").splitlines()
    changed = {line[3:] for line in told if line[1] == "M"}
    assert changed == WRITTEN
    new = {line[3:] for line in told if line.startswith("??")}
    assert len(new) == 6
    assert all("row_pair_sum" in name for name in new)


@pytest.mark.slow
def test_its_files_are_free_of_lint_and_typed(checkout: Path) -> None:
    scripts = Path(sys.executable).parent
    own = ["cases/operators/row_pair_sum.py", "reference/row_pair_sum.py"]
    run(checkout, str(scripts / "ruff"), "check", ".")
    run(checkout, str(scripts / "ruff"), "format", "--check", *own)
    run(checkout, str(scripts / "mypy"), *own)


@pytest.mark.slow
def test_pages_are_as_the_records_say(checkout: Path) -> None:
    pages = ["tests/project/test_pages.py", "tests/project/test_readme.py"]
    run(checkout, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *pages)


@pytest.mark.slow
def test_a_run_judges_it(checkout: Path) -> None:
    told = run(
        checkout,
        *(sys.executable, "-m", "conformance", "run", "--operator", "row_pair_sum"),
        *("--device", "sim"),
    )
    assert "accepted: " in told
