"""``--against``: two implementations are judged side by side, from the run to the replay."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cli.main import main
from tests.conformance.front_door import ROOT

HERE = Path(__file__)
NUMPY = ROOT / "examples" / "implementations" / "with_numpy.py"
ONE_ITEM = ("--", "-k", "test_values and whole-float32")


def from_the_last(
    permuted_tokens: Any,
    sorted_indices: Any,
    probs: Any = None,
    padded_mode: bool = False,
    restore_shape: Any = None,
) -> Any:
    """Right as the suite's kernel is: it adds from the last slot to the first."""
    slots = 1 if probs is None else probs.shape[1]
    ranks = sorted_indices.reshape(-1, slots)
    total = np.zeros((ranks.shape[0], permuted_tokens.shape[1]), np.float32)
    for slot in reversed(range(slots)):
        weight = np.ones(len(ranks), np.float32) if probs is None else probs[:, slot].astype("f4")
        adds = (ranks[:, slot] < permuted_tokens.shape[0]) & (weight != 0)
        rows = permuted_tokens[ranks[adds, slot]].astype(np.float32)
        total[adds] += rows * weight[adds, np.newaxis]
    return total.astype(permuted_tokens.dtype)


def run(*words: str) -> int:
    return main(["run", *words, "--tensors", "numpy", "--out", "out", "-n", "0", *ONE_ITEM])


def test_the_wrong_one_is_named_and_its_line_replays_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("moe_token_permute", "--against", f"{NUMPY}:permute_unstable") == 1
    told = capsys.readouterr().err
    assert f"against: the Python function {NUMPY}:permute_unstable (with_numpy.py sha256" in told
    verdict = "wrong is with_numpy.py:permute_unstable, not the suite's own kernels on Ascend910B1"
    assert verdict in told
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text())
    assert set(evidence["against"]) == {"same", "second"}
    assert f"against {NUMPY}:permute_unstable: it alone is wrong in 1 cases" in told
    (line,) = (one for one in told.splitlines() if one.strip().startswith("replay: "))
    assert main(["replay", *shlex.split(line.partition(" replay ")[2])]) == 1
    assert verdict in capsys.readouterr().err
    (failure,) = (tmp_path / "out" / "failures").iterdir()
    assert main(["replay", str(failure)]) == 0  # the first alone


@pytest.mark.slow
def test_another_order_of_additions_is_told_and_fails_where_the_same_bits_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    against = ("moe_token_unpermute", "--against", f"{HERE}:from_the_last")
    assert run(*against) == 0
    told = capsys.readouterr().err
    assert f"against {HERE}:from_the_last: the same bits in " in told
    counts = json.loads((tmp_path / "out" / "evidence.json").read_text())["against"]
    assert set(counts) == {"same", "other bits"}
    assert run(*against, "--same", "bits") == 1
    told = capsys.readouterr().err
    assert "route aclnn and test_against.py:from_the_last, and differ in bits." in told
    assert "--same bits" in next(one for one in told.splitlines() if "  replay: " in one)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--against", "nothing"], "against is 'nothing': allowed: a route (aclnn, kernel"),
        (["--against", "kernel", "--same", "values"], "same is 'values': allowed: bits"),
        (["--same", "bits"], "same is 'bits': goes with --against"),
        (["--against", "absent.py:f"], "there is no file absent.py"),
        (
            ["--against", f"{NUMPY}:nothing", "--tensors", "numpy"],
            f"against is '{NUMPY}:nothing': {NUMPY} has no nothing",
        ),
        (["--against", f"other={NUMPY}:permute"], f"against is 'other={NUMPY}:permute': "),
        (
            ["--against-python", "/absent"],
            "against-python is '/absent': must be a program of Python",
        ),
        (["--against", "python"], "against is 'python': allowed: a route (aclnn, kernel"),
    ],
)
def test_what_is_no_implementation_is_told(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "moe_token_permute", *words]) == 2
    assert why in capsys.readouterr().err


LIKE_HOME = """
import os
import with_numpy
permute = with_numpy.permute_unstable if "ABROAD" in os.environ else with_numpy.permute
"""
ABROAD = f"""#!/bin/sh
ABROAD=1 exec {sys.executable} "$@"
"""


@pytest.mark.slow
def test_the_same_function_in_another_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(NUMPY.parent))
    (tmp_path / "mine.py").write_text(LIKE_HOME)
    other = tmp_path / "other_python"
    other.write_text(ABROAD)
    other.chmod(0o755)
    mine = ("--implementation", "mine.py:permute", "--against-python", str(other))
    assert run("moe_token_permute", *mine) == 1
    told = capsys.readouterr().err
    verdict = f"wrong is mine.py:permute in {other}, not mine.py:permute: "
    assert verdict in told
    assert f"against {other}: the same bits in " in told
    (line,) = (one for one in told.splitlines() if one.strip().startswith("replay: "))
    assert main(["replay", *shlex.split(line.partition(" replay ")[2])]) == 1
    assert verdict in capsys.readouterr().err


def test_a_python_without_what_a_device_process_needs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    bare.chmod(0o755)
    capsys.readouterr()
    function = ("--implementation", f"{NUMPY}:permute", "--against-python", str(bare))
    assert run("moe_token_permute", *function) == 3
    told = capsys.readouterr().err
    assert f"{bare} cannot run a device's process: " in told
    assert "install the suite there, too" in told


def test_a_second_that_does_not_open_leaves_a_folder_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    assert run("moe_token_permute", "--against", "old") == 3
    assert "old has no libascendcl.so" in capsys.readouterr().err
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text())
    assert "old has no libascendcl.so" in evidence["environment"][0]
