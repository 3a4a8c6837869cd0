"""The help of every command is in the language that is asked for, and fits the terminal."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from conformance.cli.main import main
from conformance.text.command_lines import VARIABLE

COMMANDS = (
    "",
    "run",
    "replay",
    "report",
    "check",
    "mutants",
    "operators",
    "devices",
    "doctor",
    "gate",
    "baseline",
    "baseline accept",
    "baseline show",
    "baseline list",
    "merge",
    "history",
    "history import",
    "history show",
    "history changes",
    "corpus",
    "corpus freeze",
    "corpus show",
    "import",
)
ENGLISH = re.compile(r"(?:\b[a-z]{2,}\b[ ,]+){2,}[a-z]{2,}")
NOT_OURS = re.compile(r"show this help message and exit|two cores|hours")
"""Words of argparse, and purposes of profiles."""

WIDTH = 80


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv(VARIABLE, "moe-conformance")


def helped(command: str, language: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of a command's help behind its usage."""
    with pytest.raises(SystemExit) as ended:
        main(["--lang", language, *command.split(), "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith("usage: moe-conformance")
    return told.partition("\n\n")[2].splitlines()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_in_chinese_has_no_sentence_of_ours_in_english(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = helped(command, "zh", capsys)
    assert any(re.search(r"[\u4e00-\u9fff]", line) for line in lines)
    assert [one for one in lines if ENGLISH.search(one) and not NOT_OURS.search(one)] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_in_english_has_no_chinese(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert not re.search(r"[\u3000-\uffff]", "\n".join(helped(command, "en", capsys)))


@pytest.mark.parametrize("command", COMMANDS[1:])
def test_chinese_help_fits_the_terminal_and_no_line_begins_with_a_mark(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = helped(command, "zh", capsys)
    assert [one for one in lines if cell_len(one) >= WIDTH] == []
    assert [one for one in lines if re.match(r" *[，。；：、）]|.*（$", one)] == []


def test_both_languages_have_the_same_options(capsys: pytest.CaptureFixture[str]) -> None:
    english, chinese = (
        re.findall(r"^  (-.*?)(?:  |$)", "\n".join(helped("run", one, capsys)), re.MULTILINE)
        for one in ("en", "zh")
    )
    assert english == chinese
    assert len(english) > 20


def test_a_description_is_laid_out_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    lines = helped("run", "en", capsys)
    assert lines[:3] == [
        "Judge operators on a device.",
        "",
        "  run                                        all operators, three minutes",
    ]
    (line,) = (one for one in helped("", "en", capsys) if one.startswith("People read"))
    assert line.endswith("Exit status:")


def test_an_error_is_told_in_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lang", "zh", "run", "--profile", "smok"]) == 2
    assert capsys.readouterr().err == (
        "错误：profile 为 'smok'：允许：smoke、gate、nightly；是否指 smoke？\n"
    )
    assert main(["run", "--lang", "zh", "--own-kernels", "--json"]) == 2
    told = capsys.readouterr()
    assert told.err == "错误：own-kernels 为 'True'：须与 --case 同用\n"
    assert "error: own-kernels is 'True': goes with --case" in told.out, "programs read English"
