"""``mutants`` says which small changes of a kernel no call finds, and what the record lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import mutants as command
from conformance.cli.main import main
from conformance.mutants.held import Held, held
from conformance.mutants.source_mutants import SourceMutant
from tests.conformance.front_door import ROOT
from tests.installation.tutorial import write_files
from tests.snapshots import both_pinned

PAGE = (ROOT / "docs" / "how-to" / "own-operator.md").read_text()
HERE = Path(__file__).parent
WEAKER = {
    'contracts={"y": Sum(SUM, terms_of(reference.terms, "x"))}': 'contracts={"y": ANYTHING}',
    'DOCUMENT = "': 'ANYTHING = Unspecified(document("anything", "nowhere"))\nDOCUMENT = "',
    "contract import Sum": "contract import Unspecified",
    "examples=(": "examples=() and (",
    "machine = draw(machines())": "machine = replace(draw(machines()), cores=1)",
    "from itertools": "from dataclasses import replace\nfrom itertools",
}
"""The record of the page, without what it promises, its example and its machines of many cores."""


@pytest.fixture
def operators(tmp_path: Path) -> Path:
    """Those of the page, in one data type: half of the cases."""
    write_files(PAGE, tmp_path)
    change(tmp_path / "operators", {'dtypes=("float16", "float32")': 'dtypes=("float32",)'})
    return tmp_path / "operators"


def change(operators: Path, changes: dict[str, str]) -> None:
    """Change the record."""
    record = operators / "row_pair_sum.py"
    text = record.read_text()
    for before, after in changes.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    record.write_text(text)


def choose(monkeypatch: pytest.MonkeyPatch, *changes: str) -> None:
    """Only those mutants whose text ends so are judged."""

    def chosen(every: list[SourceMutant], sample: int, seed: int) -> list[SourceMutant]:
        return [one for one in every if str(one).endswith(changes)]

    monkeypatch.setattr(command, "sampled", chosen)


def test_a_weak_record_is_found_out(
    operators: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    change(operators, WEAKER)
    choose(
        monkeypatch,
        "'kernel.Process();' -> ';'",
        "'Kernel<T> kernel;' -> ';'",
        "kernel.cpp:11 number: '32' -> '33'",
        "kernel.cpp:30 comparison: '<' -> '<='",
    )
    judged: list[Held] = []

    def keeping(*one: Any, **how: Any) -> Held:
        judged.append(held(*one, **how))
        return judged[0]

    monkeypatch.setattr(command, "held", keeping)
    assert main(["mutants", "--operators", str(operators), "--workers", "1"]) == 1
    english = capsys.readouterr()
    monkeypatch.setattr(command, "held", lambda *one, **how: judged[0])
    assert main(["--lang", "zh", "mutants", "--operators", str(operators)]) == 1
    assert english.err == ""
    snapshot = HERE / "mutants_of_a_weak_record.txt"
    both_pinned(snapshot, english.out, capsys.readouterr().out)


@pytest.mark.slow
def test_a_strong_record_is_one_line_but_for_changes_that_nobody_can_see(
    operators: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    choose(
        monkeypatch,
        "'kernel.Process();' -> ';'",
        "kernel.cpp:42 comparison: '<' -> '<='",
        "tiling.cpp:20 extremes: 'std::min' -> 'std::max'",
    )
    named = ["row_pair_sum", "--operators", str(operators), "--workers", "1"]
    assert main(["mutants", *named, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (found,) = told["operators"]
    assert told["status"] == 0
    assert (found["mutants"], found["judged"], found["killed"]) == (93, 3, 2)
    assert (found["survived"], found["changes_nothing"], found["weak"]) == (0, 1, [])
    (survivor,) = found["survivors"]
    assert survivor["place"] == "row_pair_sum/row_pair_sum_kernel.cpp:42:76"
    assert (survivor["before"], survivor["after"]) == (" < ", " <= ")
    assert (survivor["difference"], survivor["case"]) == ("", "")


def test_an_unchanged_kernel_that_fails_is_said_before_any_mutant(
    operators: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(operators, {'{"y": (3.0, 2.0)}': '{"y": (3.0, 4.0)}'})
    assert main(["mutants", "--operators", str(operators)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("row_pair_sum: the unchanged kernel fails, no mutant was judged: ")


def test_an_operator_without_a_kernel_is_wrong_usage(
    operators: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (operators / "kernels").rename(operators / "elsewhere")
    assert main(["mutants", "--operators", str(operators)]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert f"it has no kernel: no folder {operators}/kernels/row_pair_sum;" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("moe_token_permut",), "moe_token_permute"),
        (("--sample", "0"), "--sample is '0': allowed: 1 or more"),
        (("--workers", "0"), "--workers is '0': allowed: integers from 1 to 1024"),
    ],
)
def test_wrong_usage(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mutants", *arguments]) == 2
    assert said in capsys.readouterr().err
