"""Gating in examples/ is accepted, its values among it; wrong routers are told what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cases.operators import moe_gating_top_k, moe_gating_top_k_softmax, moe_gating_top_k_softmax_v2
from conformance.devices.device import Device
from conformance.devices.isolated import IsolatedDevice
from conformance.devices.messages import Functions
from conformance.devices.open import open_device
from conformance.errors import UsageError
from conformance.judge.calls import judge
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import Arithmetic
from conformance.record.functions import CORRECT
from conformance.record.torch_binding import PYTHON
from conformance.session.function_probe import probe_functions
from conformance.suite.on_route import on_route
from tests.implementations.test_examples import EXAMPLES, ROOT, has_triton
from tests.waiting import HANGS

TOP_K, SOFTMAX, V2 = "moe_gating_top_k", "moe_gating_top_k_softmax", "moe_gating_top_k_softmax_v2"
RECORDS = {
    one.OPERATOR.name: on_route(one.OPERATOR, PYTHON)
    for one in (moe_gating_top_k, moe_gating_top_k_softmax, moe_gating_top_k_softmax_v2)
}
GATING = {TOP_K: "gating_top_k", SOFTMAX: "gating_top_k_softmax", V2: "gating_top_k_softmax_v2"}
ROUTERS = "routers.py"


def opened(file: Path | str, by_operator: Mapping[str, str], **where: Any) -> Device:
    """The functions of a file in a process of their own."""
    named = {name: f"{EXAMPLES / file}:{function}" for name, function in by_operator.items()}
    tensors = "torch" if "python" in where else "numpy"
    functions = Functions(named, tensors=tensors, computing=tuple(named))
    return open_device(functions=functions, **where)


def judged(device: Device, operator: str, example: str, called: str = "") -> Verdict:
    """The verdict on a documented call; ``called`` is the operator that the device has for it."""
    cases = {one.name: one.case for one in RECORDS[operator].examples}
    case = cases[example] if example else EQUAL
    record = replace(RECORDS[operator], name=called or operator)
    return judge(record, case, device.run(record, case), Arithmetic.of(device.profile))


def run(python: Path | str, folder: Path, words: str, *options: str) -> tuple[int, dict[str, Any]]:
    """The status of a run, and its evidence."""
    asked = [python, "-m", "conformance", "run", *options, "--out", "out", "-n", "0", "--lenient"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    ended = subprocess.run([*asked, "--", "-k", words], cwd=folder, env=env, timeout=HANGS)
    return ended.returncode, json.loads((folder / "out" / "evidence.json").read_text())


def implemented(file: str, **by_operator: str) -> list[str]:
    return [f"--implementation={name}={EXAMPLES / file}:{f}" for name, f in by_operator.items()]


@pytest.mark.slow
def test_routers_of_two_models_are_accepted(interpreter: Path, tmp_path: Path) -> None:
    chosen = implemented(ROUTERS, **{TOP_K: "deepseek_v3", SOFTMAX: "qwen3"})
    words = "test_examples and (one_of_sigmoid or two_largest_sigmoid or finished_rows)"
    status, evidence = run(interpreter, tmp_path, words, *chosen)
    assert status == 0, evidence["failures"]
    assert {one["operator"] for one in evidence["cells"] if one["cases"]} == {TOP_K, SOFTMAX}
    (device,) = evidence["devices"]
    known = device["profile"]["functions"]
    origins = [known[name]["origin"] for name in ("exp", "div", "ln")]
    assert origins == ["declared", "probed", "unused"]
    assert known["div"]["source"].startswith("FUNCTIONS['div'], ")


def test_numpy_and_torch_are_accepted_and_all_their_values_are_bounded(interpreter: Path) -> None:
    for file, where in (
        ("gating_with_numpy.py", {}),
        ("gating_with_torch.py", {"python": interpreter}),
    ):
        with closing(opened(file, GATING, **where)) as device:
            probe_functions(device, RECORDS.values())
            assert device.profile.functions.div == CORRECT
            for name, example in (
                (TOP_K, "every output float16"),
                (TOP_K, "groups by their two largest, softmax_renorm"),
                (TOP_K, "one of softplus"),
                (SOFTMAX, "finished rows bfloat16"),
                (V2, "topK first"),
            ):
                verdict = judged(device, name, example)
                assert verdict.ok, verdict.text
                assert not any(one.unbounded for one in verdict.outputs.values())


def test_triton_is_accepted(interpreter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    has_triton(interpreter)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    with closing(opened("gating_with_triton.py", {V2: GATING[V2]}, python=interpreter)) as device:
        probe_functions(device, RECORDS.values())
        assert device.profile.functions.exp.steps is not None
        for example in ("the page's call", "finished rows of three axes", "topK first"):
            assert judged(device, V2, example).ok


WRONG = (
    (TOP_K, "deepseek_v3_weighs_with_bias", "one of sigmoid", "elements of y are wrong"),
    (SOFTMAX, "qwen3_softmax_last", "the page's call", "elements of y are wrong"),
    (V2, "gpt_oss_softmax_first", "topK first", "elements of y are wrong"),
    (TOP_K, "qwen3_normed_over_all", "one of softmax_renorm", "elements of y are wrong"),
    (SOFTMAX, "qwen3_any_of_equal", "", "of equal keys the lower position comes first"),
)
RIGHT = (
    (TOP_K, "qwen3_normed", "one of softmax_renorm", ""),
    (V2, "gpt_oss", "topK first", ""),
)
EQUAL = moe_gating_top_k_softmax.GATING.make(
    "softmax_first", "float32", (1,), 64, 8, {"x": {"values": (0,) * 64}}
)


def test_routers_are_accepted_or_told_what_is_wrong(interpreter: Path) -> None:
    """One process has them all, each as the operator of its own name."""
    named = {function: function for _, function, *_ in (*WRONG, *RIGHT)}
    with closing(opened(ROUTERS, named, python=interpreter)) as device:
        profile = device.profile
        assert isinstance(device, IsolatedDevice)
        probed = replace(profile.functions, div=CORRECT, reciprocal=CORRECT)
        device.adopt(replace(profile, functions=probed))
        for operator, function, example, why in (*WRONG, *RIGHT):
            verdict = judged(device, operator, example, function)
            assert verdict.ok == (not why), function
            assert why in verdict.text


def test_a_function_that_cannot_be_probed_ends_a_run(tmp_path: Path) -> None:
    text = "FUNCTIONS = {'sqrt': lambda x: x[:3]}\ndef gate(x, k, **given):\n    pass\n"
    (tmp_path / "own.py").write_text(text)
    device = opened(tmp_path / "own.py", {TOP_K: "gate"})
    with closing(device), pytest.raises(UsageError) as told:
        probe_functions(device, RECORDS.values())
    assert "\"FUNCTIONS['sqrt']\": not probed: the call failed" in str(told.value)
    assert "out is [3] float32; it must be [65536] float32" in str(told.value)
