"""The implementations in examples/ are accepted, and a sample of their wrong twins is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import HANGS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "implementations"
PERMUTE, UNPERMUTE = "moe_token_permute", "moe_token_unpermute"
NUMPY = ("--tensors", "numpy")
# Small calls: those around 2^31 elements, and drawn ones, take an interpreter of Triton minutes.
RIGHT = "test_examples and not beyond_2_3 and not around_2_3"


def judged(
    python: Path | str, folder: Path, file: str, functions: tuple[str, str], *more: str
) -> dict[str, set[str]]:
    """What was found of each operator's function: nothing, or the kinds of its failures."""
    chosen = [
        f"--implementation={operator}={EXAMPLES / file}:{function}"
        for operator, function in zip((PERMUTE, UNPERMUTE), functions, strict=True)
    ]
    words = ("--out", "out", "-n", "0", *more)
    # torch_npu is beside torch there, and does not load where CANN is not.
    switches = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "TRITON_INTERPRET": "1"}
    ended = subprocess.run(
        [str(python), "-m", "conformance", "run", *chosen, *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **switches},
        timeout=HANGS,
    )
    told = ended.stdout + ended.stderr
    evidence = json.loads((folder / "out" / "evidence.json").read_text())
    assert evidence["errors"] == {}, told
    assert evidence["cases"] > 0, told
    found: dict[str, set[str]] = {PERMUTE: set(), UNPERMUTE: set()}
    for failure in evidence["failures"]:
        found[failure["operator"]].add(failure["headline"])
    assert ended.returncode == any(found.values()), told
    return found


def has_triton(python: Path) -> None:
    ask = "import importlib.util as u; raise SystemExit(u.find_spec('triton') is None)"
    if subprocess.run([python, "-c", ask]).returncode:
        pytest.skip(f"no triton there: {python} -m pip install --no-deps triton")


def test_numpy_is_accepted(tmp_path: Path) -> None:
    found = judged(
        *(sys.executable, tmp_path, "with_numpy.py", ("permute", "unpermute"), *NUMPY),
        *("--", "-k", RIGHT),
    )
    assert found == {PERMUTE: set(), UNPERMUTE: set()}


@pytest.mark.slow
@pytest.mark.parametrize("file", ["with_torch.py", "with_triton.py"])
def test_torch_and_triton_are_accepted(interpreter: Path, tmp_path: Path, file: str) -> None:
    if file == "with_triton.py":
        has_triton(interpreter)
    found = judged(interpreter, tmp_path, file, ("permute", "unpermute"), "--", "-k", RIGHT)
    assert found == {PERMUTE: set(), UNPERMUTE: set()}


@pytest.mark.parametrize(
    ("twins", "words"),
    [
        (("permute_unstable", "unpermute_in_half"), "argsort_of_a or fp32_weights_cut"),
        (("permute_in_place", "unpermute_without_drops"), "argsort_of_a or dropped_tail"),
    ],
)
def test_a_mistake_in_numpy_is_found(tmp_path: Path, twins: tuple[str, str], words: str) -> None:
    found = judged(sys.executable, tmp_path, "with_numpy.py", twins, *NUMPY, "--", "-k", words)
    assert all(found.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "twins", "words"),
    [
        (
            "with_torch.py",
            ("permute_view", "unpermute_cut_weights"),
            "stale_sizes or fp32_weights_cut",
        ),
        (
            "with_triton.py",
            ("permute_short_tail", "unpermute_zero_times_infinity"),
            "argsort_of_a or zero_weight",
        ),
    ],
)
def test_a_mistake_in_torch_or_triton_is_found(
    interpreter: Path, tmp_path: Path, file: str, twins: tuple[str, str], words: str
) -> None:
    if file == "with_triton.py":
        has_triton(interpreter)
    found = judged(interpreter, tmp_path, file, twins, "--", "-k", words)
    assert all(found.values())
