"""The README tells the truth about the project, in both languages the same."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from conformance.cli.main import main
from tests.proofs.__main__ import PROOFS

ROOT = Path(__file__).parents[2]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh.md").read_text(encoding="utf-8")
BOTH = pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["english", "chinese"])
DOCS = ROOT / "docs"
COMMANDS = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def prose(text: str) -> str:
    return BLOCK.sub("", text)


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", prose(text))


def shape(text: str) -> list[str]:
    """Headings by their depth, blocks, tables and list items, in order; paragraphs are free."""
    kinds = {"#": r"#+", "`": "```", "|": r"\|", "*": r"\* ", "!": "!"}
    lines = BLOCK.sub("```\n", text).splitlines()
    found = [re.match("|".join(kinds.values()), line) for line in lines]
    return [match.group() for match in found if match]


@BOTH
def test_it_fits_one_screen(text: str) -> None:
    lines = text.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 120


def test_both_languages_have_the_same_structure() -> None:
    assert shape(ENGLISH) == shape(CHINESE)
    assert len(shape(ENGLISH)) > 15


def test_both_languages_show_the_same_commands() -> None:
    assert BLOCK.findall(ENGLISH) == BLOCK.findall(CHINESE)
    assert len(BLOCK.findall(ENGLISH)) == 1


def test_both_languages_link_to_the_same_pages() -> None:
    assert links(ENGLISH)[0] == "README.zh.md"
    assert links(CHINESE)[0] == "README.md"
    assert links(ENGLISH)[1:] == links(CHINESE)[1:]


def test_both_languages_name_the_same_things() -> None:
    """What is code in the prose of one is code in the other: options, targets, paths."""
    named = [set(re.findall(r"`([^`]+)`", prose(text))) for text in (ENGLISH, CHINESE)]
    assert named[0] == named[1]


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"])
def test_every_link_leads_somewhere_and_none_is_told_twice(page: Path) -> None:
    listed = re.findall(r"^\* \[.*?\]\((.*?)\)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    for link in links(page.read_text(encoding="utf-8")):
        target = link.partition("#")[0]
        assert "://" in link or not target or (page.parent / target).exists(), link


def test_every_page_of_the_documentation_is_listed() -> None:
    listed = links((DOCS / "README.md").read_text(encoding="utf-8"))
    pages = {str(page.relative_to(DOCS)) for page in DOCS.glob("**/*.md")}
    assert pages - {"README.md"} <= {*listed}


@BOTH
def test_every_command_that_it_shows_is_one(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.findall(r"`python -m conformance (\w+)[^`]*`", text)
    assert len(shown) >= 4
    for command in shown:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        capsys.readouterr()


PLACE = re.compile(
    r"(?<![\w./-])((?:[a-z_]+/)+[\w.]+\.(?:py|h|cpp)"
    r"|(?:conformance|tests|cases|device_kernels|reference)/[\w/]*/)(?!\w)"
)
NAME = re.compile(r"`(?:[\w/]+/)?(\w+\.(?:py|cpp|h|toml))`")
"""A file that a page names in words, with or without its folder."""

OF_OTHERS = ("my_op.cpp", "my_op_tiling.h", "replay.cpp", "rt_error_codes.h")
"""Files of a reader's example, of a bundle and of the driver."""

ELSEWHERE = ("docs/how-to/own-operator.md", "docs/how-to/foreign-kernels.md")
"""Pages that name files of other repositories."""


def test_every_file_and_folder_that_a_page_names_exists() -> None:
    tracked = subprocess.run(
        ("git", "ls-files"), cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    known = {"conformance/_suite/", *OF_OTHERS}  # the first is a wheel's
    for file in tracked:
        parts = file.split("/")
        known |= {"/".join(parts[at:]) for at in range(len(parts))}
        for end in range(1, len(parts)):
            known |= {"/".join(parts[at:end]) + "/" for at in range(end)}
    lost = [
        f"{page}:{number}: {place}"
        for page in (path for path in tracked if path.endswith(".md") and "CHANGELOG" not in path)
        if page not in ELSEWHERE
        for number, line in enumerate((ROOT / page).read_text().splitlines(), 1)
        for place in (*PLACE.findall(line), *NAME.findall(line))
        if place not in known
    ]
    assert lost == []


def test_every_make_target_and_every_proof_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    pages = [path.read_text() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]
    told = "\n".join(page for page in pages if not page.startswith("# Changelog"))
    named = set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", told, re.MULTILINE))
    proofs = {name for run in re.findall(r'RUN="?([a-z -]+)', told) for name in run.split()}
    assert {"test", "proofs"} <= named <= targets
    assert {"soak", "removals"} <= proofs <= PROOFS.keys()


def test_every_option_that_is_shown_exists(capsys: pytest.CaptureFixture[str]) -> None:
    told = ""
    for command in ("run", "operators", "devices", "gate", "doctor", "new"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        told += capsys.readouterr().out
    shown = "\n".join(BLOCK.findall(COMMANDS))
    ours = [
        line for line in shown.splitlines() if re.match(r"(python -m|moe-)\W?conformance", line)
    ]
    options = {option for line in ours for option in re.findall(r"--[a-z-]+", line)}
    assert options
    assert all(re.search(rf"{option}\b", told) for option in options)
