"""A run on route python from the front door to the gate, and a failure of it replayed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.devices.messages import Functions
from conformance.evidence.implementation import Implementation
from conformance.failure.replay import Replay, save
from conformance.suite import records as suite
from tests.conformance.front_door import ROOT, conformance

FILE = ROOT / "examples" / "implementations" / "with_numpy.py"
WRONG = f"--implementation={FILE}:permute_unstable"
RIGHT = f"--implementation={FILE}:permute"
NUMPY = ("--tensors", "numpy")


def test_a_wrong_function_from_its_run_to_the_gate(tmp_path: Path) -> None:
    asked = ("run", "moe_token_permute", WRONG, *NUMPY, "--out", "out", "-n", "0")
    ended = conformance(*asked, "--", "-k", "test_values and whole-float32", folder=tmp_path)
    told = ended.err
    assert ended.status == 1, told
    assert f"called: the Python function {FILE}:permute_unstable (with_numpy.py sha256 " in told
    assert "Not judged of a Python function: status codes, what lies around" in told
    assert "guess: ties are broken otherwise: only elements of equal indices changed places" in told
    assert "1] = [0, 0]\n" in told  # two slots of one expert, as small as it gets

    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text())
    (device,) = evidence["devices"]
    assert (evidence["route"], device["profile"]["kind"]) == ("python", "host")
    assert device["implementation"].startswith(f"the Python function {FILE}:permute_unstable")
    assert conformance("gate", "out", "--no-baseline", folder=tmp_path).status == 1

    (line,) = (one for one in told.splitlines() if one.strip().startswith("replay: "))
    words = shlex.split(line.partition(" replay ")[2])
    again = conformance("replay", *words, folder=tmp_path)
    assert again.status == 1
    assert "2 of 2 elements of sorted_indices are wrong" in again.err


def test_a_failure_calls_its_function_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["run", "moe_token_permute", WRONG, *NUMPY, "--out", "out", "-n", "0"]
    assert main([*asked, "--", "-k", "test_examples", "-x"]) == 1
    (failure,) = (tmp_path / "out" / "failures").iterdir()
    capsys.readouterr()
    assert main(["replay", str(failure)]) == 1
    assert ":permute_unstable (with_numpy.py" in capsys.readouterr().err
    assert main(["replay", str(failure), RIGHT, *NUMPY]) == 0
    assert "another implementation: the Python function" in capsys.readouterr().err
    assert main(["run", "--case", str(failure / "case.json"), RIGHT, *NUMPY]) == 0


@pytest.mark.parametrize("place", [f"{FILE}:permute", "BUNDLE"])
def test_a_function_that_lies_beside_a_case_is_not_run_by_itself(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "theirs.py").write_text("raise SystemExit('it ran')\n")
    theirs = f"{tmp_path / 'theirs.py'}:permute"
    operator = suite.records()["moe_token_permute"]
    functions = Functions({operator.name: theirs}, tensors="numpy")
    saved = Implementation(
        source="python", place=place.replace("BUNDLE", theirs), functions=functions
    )
    case = operator.examples[0].case
    save(Replay(case, route="python", implementation=saved), tmp_path / "case.json")
    assert main(["run", "--case", str(tmp_path / "case.json")]) == 3
    assert "the folder lies in the bundle. Name it by --implementation" in capsys.readouterr().err


CARELESS = f"""
import sys
sys.path.insert(0, {str(FILE.parent)!r})
import with_numpy

def permute(*given, **named):
    with_numpy.check_permute = lambda tokens, indices: None
    return with_numpy.permute(*given, **named)
"""
REFUSED = ("--", "-k", "test_rejections and first")


@pytest.mark.slow
def test_a_function_must_refuse_what_its_document_forbids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "careless.py").write_text(CARELESS)
    careless = "--implementation=careless.py:permute"
    asked = ["run", "moe_token_permute", careless, *NUMPY, "--out", "out", "-n", "0"]
    assert main([*asked, *REFUSED]) == 1
    told = capsys.readouterr().err
    assert "tokens is int32, first: the call was carried out, it must raise an exception." in told
    assert "contract: float16, bfloat16, float32 or int8" in told
    assert "  with --lenient such calls are counted, and fail nothing\n" in told
    failure = min((tmp_path / "out" / "failures").iterdir())
    assert main(["replay", str(failure)]) == 1
    assert main(["replay", str(failure), RIGHT, *NUMPY]) == 0
    capsys.readouterr()

    assert main([*asked, "--lenient", *REFUSED]) == 0
    told = capsys.readouterr().err
    assert re.search(
        r"moe_token_permute: (\d) of the \d calls that must raise an exception are carried out"
        r" \(--lenient\): tokens is int32, first; .* and \d more\n",
        told,
    )
    assert main(["gate", "out", "--no-baseline"]) == 1
    told = capsys.readouterr()
    assert "that must raise an exception are carried out, which --lenient" in told.err + told.out
    assert main(["run", "moe_token_permute", RIGHT, *NUMPY, "-n", "0", *REFUSED]) == 0


def test_the_exceptions_of_a_function_that_does_nothing_else_say_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "no.py").write_text("def no(**given):\n    raise ValueError('never')\n")
    asked = ["run", "moe_token_permute", "--implementation", "no.py:no", *NUMPY, "-n", "0"]
    assert main([*asked, "--out", "out", "--", "-k", "test_rejections and indices_is_null_first"])
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text())
    (line,) = evidence["observed"]
    assert line.endswith("the same call without the mistake is not accepted either")
    assert evidence["cases"] == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--lenient", "--case", "x"], "lenient is 'True': does not go with --case"),
        (["--lenient"], "lenient is 'True': goes with --implementation"),
        (["--route", "python"], "route is 'python': needs --implementation"),
        (["--tensors", "numpy"], "tensors is 'numpy': goes with --implementation"),
        ([WRONG, "--route", "aclnn"], "route is 'aclnn': does not go with --implementation"),
        ([WRONG, "--kernels", "."], "kernels is '.': does not go with --implementation"),
        ([WRONG, "--device", "sim:"], "device is 'sim:': allowed with --implementation: auto, cpu"),
        ([WRONG, "--libraries", "."], "goes with --implementation on --device sim alone"),
        (["--device", "cpu"], "device is 'cpu': allowed:"),
        (["--implementation", "nobody=a:b"], "moe_token_permute has no function"),
        (["--implementation", "a.py:b", "--operator", "x"], "name one operator, or write OPERATOR"),
        ([WRONG, "--tensors", "jax"], "tensors is 'jax': allowed: torch, numpy"),
    ],
)
def test_what_does_not_go_together_is_told(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "moe_token_permute", *words]) == 2
    told = capsys.readouterr().err
    assert why in told
    assert told.count("\n") == 1
