"""The list of proofs has every program that proves something, and says what is allowed."""

import importlib.util
from pathlib import Path

import pytest

from tests.proofs.__main__ import PROOFS, main

TESTS = Path(__file__).parents[1]
HELPS = {
    "kernels.ablation_run": "what a template finds and no other: docs/reference/command-line.md",
    "kernels.streams_run": "how many draws of streams show a mistake",
    "kernels.three_mistakes_run": "three pages for a reader who names the mistakes",
}
"""Programs that measure and prove nothing."""


def test_every_program_is_in_the_list_or_measures_only() -> None:
    found = {
        ".".join(path.relative_to(TESTS).with_suffix("").parts)
        for path in TESTS.rglob("*run.py")
        if not path.name.startswith("test_")
    }
    listed = {program.split()[0] for proof in PROOFS.values() for program in proof.programs}
    assert found - listed == HELPS.keys()
    for module in listed:
        assert importlib.util.find_spec(f"tests.{module}") is not None, module


def test_the_list_has_a_line_for_each_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(PROOFS)
    assert max(map(len, lines)) <= 100


def test_an_unknown_proof_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["soak", "sok"])
    assert "name is 'sok': no such proof; allowed: mutants," in capsys.readouterr().err
