"""Functions of torch_npu, and such that call them, judged by route python on the simulated NPU."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.devices import open as opening
from conformance.devices.messages import Functions
from conformance.devices.open import open_device
from conformance.errors import EnvironmentFailure
from device_kernels.build import build
from tests.conformance.front_door import conformance
from tests.kernels.mutants import apply
from tests.kernels.mutation_run import KERNELS, MUTANTS
from tests.torch_npu.conftest import PROGRAMS, Program

NAME = "moe_token_permute"
OF_TORCH_NPU = "torch_npu:npu_moe_token_permute"
FILE = PROGRAMS / "permutes.py"
CELL = "test_values and whole and bfloat16"
PLACE = "on npu:0 of torch_npu 2.13.0 over the simulated Ascend910B1, 48 vector cores"


def judged(
    run: Program, folder: Path, function: str, libraries: Path, *more: str
) -> tuple[int, str, Any]:
    """The status of a run of one small cell, its text and its evidence."""
    asked = (NAME, "--implementation", function, "--device", "sim", "--libraries", str(libraries))
    words = ("-m", "conformance", "run", *asked, "--out", "out", "-n", "0", "-k", CELL, *more)
    ended = run(*words, folder=folder)
    evidence = json.loads((folder / "out" / "evidence.json").read_text())
    return ended.returncode, ended.stdout + ended.stderr, evidence


@pytest.mark.slow
def test_a_function_that_calls_torch_npu_among_others_is_accepted(
    run: Program, tmp_path: Path
) -> None:
    lib = build(quiet=True).lib
    status, told, evidence = judged(run, tmp_path, f"{FILE}:as_integers", lib)
    assert (status, evidence["failures"]) == (0, []), told
    assert evidence["cases"] > 100
    assert PLACE in told
    assert f"called: the Python function {FILE}:as_integers (permutes.py sha256 " in told
    (device,) = evidence["devices"]
    assert (device["profile"]["kind"], device["profile"]["soc"]) == ("sim", "Ascend910B1")
    assert device["profile"]["determinism"]["value"] == "unknown"
    assert {"permutes.py", "libopapi.so"} <= device["profile"]["libraries"].keys()


@pytest.mark.slow
def test_a_wrong_one_is_rejected_and_its_bundle_opens_the_simulated_npu_again(
    run: Program, tmp_path: Path
) -> None:
    lib = build(quiet=True).lib
    status, told, _ = judged(run, tmp_path, f"{FILE}:order_of_slots", lib, "--", "-x")
    assert status == 1, told
    assert f"--device sim --implementation={NAME}={FILE}:order_of_slots" in told
    (failure,) = (tmp_path / "out" / "failures").iterdir()
    saved = json.loads((failure / "case.json").read_text())["implementation"]["functions"]
    assert (saved["place"], saved["libraries"]) == ("sim", str(lib))
    again = run("-m", "conformance", "replay", str(failure), folder=tmp_path)
    assert again.returncode == 1, again.stdout + again.stderr
    assert PLACE in again.stdout + again.stderr


@pytest.mark.slow
def test_a_mistake_of_a_kernel_is_found_through_torch_npus_function(
    run: Program, tmp_path: Path
) -> None:
    mutant = next(one for one in MUTANTS[NAME] if "bfloat16" in one.dtypes and not one.modes)
    apply(mutant, NAME, KERNELS, tmp_path / "kernels")
    wrong = build(tmp_path / "kernels", quiet=True).lib
    status, told, _ = judged(run, tmp_path, OF_TORCH_NPU, wrong, "--", "-x")
    assert status == 1, told
    assert f"the Python function {OF_TORCH_NPU} (libopapi.so sha256 " in told
    (failure,) = (tmp_path / "out" / "failures").iterdir()
    mended = ("--libraries", str(build(quiet=True).lib))
    again = run("-m", "conformance", "replay", str(failure), *mended, folder=tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr


def test_without_torch_npu_one_line_says_what_to_install(tmp_path: Path) -> None:
    asked = (NAME, "--implementation", OF_TORCH_NPU, "--device", "sim")
    ended = conformance("run", *asked, folder=tmp_path)
    assert ended.status == 3
    assert (
        "--implementation on --device sim: torch is not installed in this interpreter: pip install"
        " torch==2.13.0, then pip install --no-deps torch_npu==2.13.0"
    ) in ended.err


def test_beside_an_npu_nothing_is_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "davinci0").touch()
    monkeypatch.setattr(opening, "DEVICE_NODES", tmp_path)
    with pytest.raises(EnvironmentFailure, match=r"davinci0, and nothing is simulated") as error:
        open_device(functions=Functions({NAME: OF_TORCH_NPU}, place="sim"))
    assert "\n" not in str(error.value)
