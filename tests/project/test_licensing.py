"""docs/reference/licensing.md names every dependency, and what it says of the sources holds."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "licensing.md").read_text(encoding="utf-8")
LISTED = dict(re.findall(r"^\| ([\w-]+) \|.*?\| (.*?) \|$", PAGE, re.MULTILINE)[1:])


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_is_listed_and_nothing_else_is() -> None:
    declared = requires("moe-conformance")
    assert declared is not None
    names = {normal(re.split(r"[^\w.-]", requirement)[0]) for requirement in declared}
    assert {normal(name) for name in LISTED} == names


@pytest.mark.parametrize("package", sorted(LISTED))
def test_the_licence_is_that_of_the_package(package: str) -> None:
    """Compared where the installed package declares one in the form of SPDX."""
    try:
        declared = metadata(package).get("License-Expression")
    except PackageNotFoundError:
        declared = None
    first = (declared or LISTED[package]).split(" AND ")[0]
    assert LISTED[package].startswith(first)


def test_no_source_carries_a_notice_of_somebody_else() -> None:
    notice = r"copyright( \(c\)|:)? +[0-9]{4}|all rights reserved"
    here = str(Path(__file__).relative_to(ROOT))
    tracked = subprocess.run(
        ["git", "grep", "-I", "-i", "-l", "-E", notice, "--", ".", f":!{here}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert tracked.stdout == ""


def test_the_project_declares_no_licence_that_the_page_does_not_tell() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.search(r"^license", text, re.MULTILINE) or list(ROOT.glob("LICEN[CS]E*"))
    assert bool(declared) != ("declares no licence of its own so far" in PAGE)
