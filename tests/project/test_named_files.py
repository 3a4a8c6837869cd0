"""A page that explains the suite names files that are there."""

import re
import subprocess

import pytest

from tests.project.test_lint import ROOT

PAGES = (
    "explanation/architecture",
    "explanation/numerics",
    "reference/command-line",
    "reference/diagnostics",
    "reference/extremes",
    "reference/language",
)
NAMED = re.compile(r"`(?:[\w/]+/)?(\w+\.(?:py|cpp|h|toml))`")
OF_A_READER = ("my_op.cpp", "my_op_tiling.h")
"""Files of an example, which are not the suite's."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_files_that_are_there(page: str) -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    names = {line.rpartition("/")[2] for line in listed.splitlines()}
    named = set(NAMED.findall((ROOT / "docs" / f"{page}.md").read_text()))
    assert sorted(named - names - {*OF_A_READER}) == []
