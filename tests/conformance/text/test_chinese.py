"""What people are told in Chinese: every sentence has its words, and no fact is lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.catalogue.front_door import INTERRUPTED
from conformance.errors import UsageError
from conformance.text.language import Speaking, check_language, language_of

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests" / "conformance" / "snapshots"
SNAPSHOTS = sorted(one for one in FOLDER.glob("*.txt") if ".zh" not in one.suffixes)
QUOTED = re.compile(
    r"契约：|复现命令：|Case\(|reads 32 bytes past|crashed|must be positive|lost flags"
    r"|the last range is dropped|cut the tail|permute where|DataCopy (?:reads|stores)"
)
"""Lines that quote: a document, a command, a case, a kernel's own words, a waiver's reason."""

ENGLISH = re.compile(r"(?:\b[a-z]{2,}\b[ ,]+){2,}[a-z]{2,}")


@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda path: path.stem)
def test_no_sentence_of_ours_stays_english(snapshot: Path) -> None:
    lines = snapshot.with_suffix(".zh.txt").read_text().splitlines()
    assert any(re.search(r"[\u4e00-\u9fff]", line) for line in lines)
    assert [line for line in lines if not QUOTED.search(line) and ENGLISH.search(line)] == []


@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda path: path.stem)
def test_no_number_is_lost(snapshot: Path) -> None:
    before = snapshot.read_text().splitlines()
    told = snapshot.with_suffix(".zh.txt").read_text().splitlines()
    for line, said in zip(before, told, strict=True):
        numbers = re.findall(r"\d+", re.sub(r"\b(\d+)(st|nd|rd|th)\b", r"\1", line))
        kept = re.findall(r"\d+", said)
        assert set(numbers) - {"0"} <= set(kept), line


def test_the_option_may_stand_before_or_after_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOE_CONFORMANCE_LANG", raising=False)
    assert language_of(["--lang", "zh", "run", "-n", "0"]) == (["run", "-n", "0"], "zh")
    assert language_of(["run", "--lang=zh", "--", "--lang"]) == (["run", "--", "--lang"], "zh")
    assert language_of(["run"]) == (["run"], "en")


def test_the_report_gets_the_language_too() -> None:
    assert language_of(["report", "out", "--lang", "zh"])[0] == ["report", "out", "--lang", "zh"]


def test_the_environment_names_a_language_and_the_option_wins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOE_CONFORMANCE_LANG", "zh")
    assert language_of(["run"])[1] == "zh"
    assert language_of(["run", "--lang", "en"])[1] == "en"


def test_another_language_is_refused() -> None:
    with pytest.raises(UsageError, match="lang is 'fr': allowed: en, zh"):
        check_language("fr")


def test_a_console_speaks_its_language(capsys: pytest.CaptureFixture[str]) -> None:
    for language in ("en", "zh"):
        Speaking(language, highlight=False).print(INTERRUPTED())
    assert capsys.readouterr().out == "interrupted\n已中断\n"
