"""README and pages are in sentences that are read once: 30 words at most, 18 in the mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
ENGLISH = [page for page in PAGES if not page.name.endswith(".zh.md")]
MOST, MEAN = 30, 18

NO_PROSE = (
    (re.compile(r"```.*?```", re.S), ""),
    (re.compile(r"^(?:\||#|!\[).*$", re.M), ""),
    (re.compile(r"`[^`]*`"), "Code"),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
)
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.) )")
END = re.compile(r"(?<=[.?!])\s+(?=\W*(?:[A-Z0-9]|torch_npu|pytest))")
WORD = re.compile(r"[A-Za-z]{2,}|\b[aAI]\b|[\d,.]*\d")


def sentences(text: str) -> Iterator[tuple[str, int]]:
    """The sentences of a page, but for code, tables, headings and pictures, with their words."""
    for pattern, put in NO_PROSE:
        text = pattern.sub(put, text)
    for paragraph in PARAGRAPH.split(text):
        for sentence in END.split(" ".join(paragraph.split())):
            count = sum(WORD.search(token) is not None for token in sentence.split())
            if count > 1:
                yield sentence, count


@pytest.mark.parametrize("page", ENGLISH, ids=lambda page: page.name)
def test_no_sentence_is_longer_than_30_words(page: Path) -> None:
    long = [sentence for sentence, count in sentences(page.read_text("utf-8")) if count > MOST]
    assert long == []


def test_a_sentence_has_18_words_in_the_mean() -> None:
    counts = [count for page in ENGLISH for _, count in sentences(page.read_text("utf-8"))]
    assert len(counts) > 1000
    assert sum(counts) / len(counts) <= MEAN


def test_code_tables_and_headings_are_no_sentences() -> None:
    text = "# A heading\n\nOne `a b c` two. Three\nfour!\n\n| a | table |\n\n"
    text += "```\nsome code\n```\n* five six\n"
    assert [*sentences(text)] == [("One Code two.", 3), ("Three four!", 2), ("* five six", 2)]
