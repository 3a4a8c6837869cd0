"""What torch_npu makes of the simulated device's refusals, and what is refused before it begins."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.devices import open as opening
from conformance.devices.torch_npu import simulate as simulating
from conformance.errors import EnvironmentFailure
from tests.conformance.front_door import conformance
from tests.torch_npu.conftest import PROGRAMS, Program

MEMORY = 64 << 20


@pytest.fixture(scope="module")
def seen(run: Program, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("errors")
    ended = run(str(PROGRAMS / "errors.py"), folder=folder, ASCENDSIM_MEMORY_BYTES=str(MEMORY))
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("call", "code", "rule"),
    [
        ("dtype", 161002, "the data type of tokens is 11; it must be 0 (fp32), 1 (fp16)"),
        ("padded", 561002, "paddedMode is true; it must be false (operator"),
    ],
)
def test_a_refused_call_is_a_runtime_error_with_code_and_rule(
    seen: Any, call: str, code: int, rule: str
) -> None:
    name, text = seen[call]
    assert name == "RuntimeError"
    assert f"call aclnnMoeTokenPermute failed, error code is {code}" in text
    assert f"aclnnMoeTokenPermuteGetWorkspaceSize: {rule}" in text


def test_what_torch_npu_refuses_itself_has_its_own_rule(seen: Any) -> None:
    name, text = seen["dims"]
    assert name == "RuntimeError"
    assert "The dims of input tokens should be 2 dimensional, but got 1-dimensional." in text


def test_a_program_goes_on_after_a_refusal_and_after_exhausted_memory(seen: Any) -> None:
    assert seen["after refusals"]
    assert seen["after exhaustion"]
    assert seen["after a missing operator"]


def test_exhausted_memory_is_pytorchs_own_error_of_that_name(seen: Any) -> None:
    free, total = seen["free and total"]
    assert total == MEMORY
    assert 0 < free < MEMORY
    name, text = seen["memory"]
    assert name == "OutOfMemoryError"
    assert "NPU out of memory. Tried to allocate 66.00 MiB (NPU 0; 64.00 MiB total capacity" in text


def test_an_operator_of_pytorch_that_nobody_serves_is_named(seen: Any) -> None:
    name, text = seen["addition"]
    assert name == "RuntimeError"
    assert "error code is 100024" in text
    assert 'aclopCompileAndExecute: opType is "Add"' in text


def test_without_torch_npu_the_route_says_what_to_install(tmp_path: Path) -> None:
    ended = conformance("run", "--device", "sim", "--route", "torch_npu", folder=tmp_path)
    assert ended.status == 3
    assert (
        "route torch_npu: torch is not installed in this interpreter: pip install torch==2.13.0, "
        "then pip install --no-deps torch_npu==2.13.0"
    ) in ended.err


def test_an_operator_that_torch_npu_does_not_reach_is_not_judged_and_the_run_says_why(
    tmp_path: Path,
) -> None:
    asked = ("--route", "torch_npu", "--operator", "moe_token_permute_with_ep")
    ended = conformance("run", "--device", "sim", *asked, folder=tmp_path)
    assert ended.status == 1
    assert (
        "not judged: moe_token_permute_with_ep: it is not reachable on route torch_npu: "
        "no function of torch_npu calls it"
    ) in ended.err


def test_nothing_is_simulated_beside_an_npu_unless_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "davinci0").touch()
    monkeypatch.setattr(simulating, "DEVICE_NODES", tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(EnvironmentFailure, match=r"davinci0\. Nothing is simulated beside an NPU"):
        simulating.simulate()


def test_a_program_that_has_imported_torch_is_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", opening)
    with pytest.raises(EnvironmentFailure, match="torch was imported before"):
        simulating.simulate()
    assert "ASCEND_HOME_PATH" not in os.environ
