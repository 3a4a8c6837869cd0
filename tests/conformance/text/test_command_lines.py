"""Lines to copy begin with the words by which the front door was called."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.text import command_lines as called


@pytest.fixture(autouse=True)
def nobody_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(called.VARIABLE, raising=False)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["python", "-m", "conformance", "run", "-m"], ["python", "-m", "conformance"]),
        (
            ["/v/bin/python3.12", "-X", "dev", "-m", "conformance", "gate"],
            ["/v/bin/python3.12", "-X", "dev", "-m", "conformance"],
        ),
        (["/v/bin/python", "/v/bin/moe-conformance", "run"], ["/v/bin/moe-conformance"]),
        (["python", "-m", "pytest", "-p", "conformance.plugin"], ["python", "-m", "conformance"]),
        (["python", "-c", "import sys"], ["python", "-m", "conformance"]),
    ],
)
def test_the_words_are_those_that_were_typed(typed: list[str], words: list[str]) -> None:
    assert called.called(typed) == words


def test_a_script_that_the_shell_finds_is_called_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / called.SCRIPT
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert called.called(["/v/bin/python", str(script), "run"]) == [called.SCRIPT]
    assert called.called([str(script), "run"]) == [called.SCRIPT]
    monkeypatch.setattr(called, "SUITE", tmp_path)
    assert called.called(["python", "-m", "pytest"]) == [called.SCRIPT], "of the wheel"


def test_the_processes_of_a_run_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(called.VARIABLE, "'a python' -m conformance")
    assert called.called(["python", "-m", "pytest"]) == ["a python", "-m", "conformance"]
