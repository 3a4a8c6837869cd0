"""What the suite's own kernels show of a card's functions bounds the values that it computes.

The simulator's libraries stand in for CANN's, and ASCENDSIM_FUNCTIONS chooses how it computes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cases.operators import moe_gating_top_k_softmax_v2, moe_token_permute_grad
from conformance import places
from conformance.cli import listing
from conformance.cli.main import main
from conformance.devices import cards, function_traits
from conformance.devices.npu import NpuDevice
from conformance.devices.open import OWN, hashed, open_device, simulator_libraries
from conformance.devices.probes import FOLDER
from conformance.errors import EnvironmentFailure
from conformance.evidence.implementation import Implementation
from conformance.evidence.summary import read_evidence
from conformance.failure.replay import Replay, save
from conformance.judge.calls import judge
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import Arithmetic
from conformance.record.functions import ALL_UNKNOWN, CORRECT, Functions, FunctionTraits
from conformance.session import function_probe
from conformance.session.against import Against
from conformance.session.function_probe import MOST_STEPS, probe_functions
from conformance.suite import records as suite
from tests.conformance.devices.packages.builds import compiled
from tests.conformance.front_door import conformance

OPERATOR = moe_gating_top_k_softmax_v2.OPERATOR
EXAMPLE = next(one for one in OPERATOR.examples if one.case.mode == "softmax_first")
RECORDS = suite.records()
LOST_HEARTBEAT = 507010

REJECTING = """
int kernelFunctionProbeGetWorkspaceSize(void) { return 561002; }
int kernelFunctionProbe(void) { return 561002; }
"""
"""A probe that answers nothing, in C."""

Opened = Callable[..., NpuDevice]


@pytest.fixture
def probes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the suite's own kernels on a host with two cards, which none is told of."""
    (folder := tmp_path / "probes").mkdir()
    (folder / "libmoe_kernels.so").symlink_to(_with_the_probe() / "libopapi.so")
    (tmp_path / "locks").mkdir()
    monkeypatch.setenv(cards.FOLDER, str(tmp_path / "locks"))
    monkeypatch.setenv("ASCENDSIM_DEVICES", "2")
    monkeypatch.delenv(cards.VISIBLE, raising=False)
    monkeypatch.delenv(FOLDER, raising=False)
    return folder


@pytest.fixture
def opened(probes: Path) -> Opened:
    """Opens a card of this host, after its functions were probed if they can be."""

    def of(spec: str = "npu:0") -> NpuDevice:
        device = open_device(spec, libraries=_libraries())
        assert isinstance(device, NpuDevice)
        probe_functions(device, [OPERATOR])
        return device

    return of


def _libraries() -> Path:
    return simulator_libraries(None, [OPERATOR.name])


def _with_the_probe() -> Path:
    return simulator_libraries([places.probe_kernels()])


def judged(device: NpuDevice, *, off: float = 0.0) -> Verdict:
    """The verdict on a documented call of gating, its scores ``off`` by that much of them."""
    case = replace(EXAMPLE.case, machine=None)
    seen = device.run(OPERATOR, case)
    scores = seen.outputs["y"]
    outputs = {**seen.outputs, "y": (scores * np.float32(1 + off)).astype(scores.dtype)}
    return judge(OPERATOR, case, replace(seen, outputs=outputs), Arithmetic.of(device.profile))


def unbounded(verdict: Verdict) -> int:
    return sum(one.unbounded for one in verdict.outputs.values())


def test_a_card_that_is_not_probed_bounds_nothing(opened: Opened) -> None:
    with closing(opened()) as device:
        assert device.profile.functions == ALL_UNKNOWN
        assert unbounded(judged(device)) == unbounded(judged(device, off=0.01)) > 0
        assert judged(device, off=0.01).ok


def test_a_function_that_is_far_from_what_its_name_says_is_unknown(
    opened: Opened, probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(probes))
    far = replace(CORRECT, steps=MOST_STEPS + 1)
    monkeypatch.setattr(function_probe, "traits_of", lambda *_: far)
    with closing(opened()) as device:
        assert device.profile.functions == ALL_UNKNOWN
        told = "its results are 2,049 steps off; allowed: up to 2,048"
        assert device.profile.functions.exp.source == told


@pytest.mark.parametrize(("functions", "steps"), [("rounded", 1), ("hashed", 2)])
def test_a_card_that_is_probed_has_its_values_bounded(
    opened: Opened, probes: Path, monkeypatch: pytest.MonkeyPatch, functions: str, steps: int
) -> None:
    monkeypatch.setenv("ASCENDSIM_FUNCTIONS", functions)
    monkeypatch.setenv(FOLDER, str(probes))
    with closing(opened()) as device:
        exp = device.profile.functions.exp
        assert (exp.steps, exp.uniform, exp.origin) == (steps, True, "probed")
        sha256 = hashed(probes / "libmoe_kernels.so")[:16]
        assert exp.source == f"function_probe, libmoe_kernels.so sha256 {sha256}, 261638 operands"
        assert judged(device).ok
        assert unbounded(judged(device)) == 0
        assert not judged(device, off=0.01).ok


def test_a_folder_without_the_kernels_is_told(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    told = rf"^{FOLDER}={tmp_path}: it has no libmoe_kernels.so; .*section 5"
    with pytest.raises(EnvironmentFailure, match=told):
        opened()


def test_kernels_without_the_probe_leave_the_functions_unknown(
    opened: Opened, probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = probes / "libmoe_kernels.so"
    library.unlink()
    library.symlink_to(_libraries() / "libopapi.so")
    monkeypatch.setenv(FOLDER, str(probes))
    with closing(opened()) as device:
        assert device.profile.functions == ALL_UNKNOWN
        reason = device.profile.functions.exp.source
    assert reason.startswith("function_probe is not available on route kernel")
    assert str(library) in reason


def test_kernels_that_do_not_open_leave_the_functions_unknown(
    opened: Opened, probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = probes / "libmoe_kernels.so"
    library.unlink()
    library.write_text("no library")
    monkeypatch.setenv(FOLDER, str(probes))
    with closing(opened()) as device:
        assert device.profile.functions == ALL_UNKNOWN
        reason = device.profile.functions.exp.source
    assert reason == (
        f"{FOLDER}={probes}: libmoe_kernels.so does not open: {library}: file too short"
    )


def test_a_judged_library_with_a_probe_of_its_own_is_not_asked(
    probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = probes / "libmoe_kernels.so"
    library.unlink()
    compiled(library, REJECTING)
    monkeypatch.setenv(FOLDER, str(probes))
    with closing(open_device("npu:0", libraries=_with_the_probe())) as device:
        probe_functions(device, [OPERATOR])
        assert device.profile.functions == ALL_UNKNOWN
        assert "status 561002" in device.profile.functions.exp.source


def test_operators_that_compute_nothing_ask_for_no_probe(
    opened: Opened, probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(opened()) as device:
        monkeypatch.setattr(NpuDevice, "probes", lambda _: pytest.fail("it is probed"))
        probe_functions(device, [moe_token_permute_grad.OPERATOR])


def test_a_second_card_is_not_probed_for_operators_that_compute_nothing(
    opened: Opened, probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(probes))
    asked = [moe_token_permute_grad.OPERATOR]
    second = Against("npu:1", "npu:1", "aclnn", libraries=_libraries())
    with closing(opened("npu:0")) as first:
        monkeypatch.setattr(NpuDevice, "probes", lambda _: pytest.fail("it is probed"))
        pair = second.paired(first, OWN, 20.0, RECORDS, asked)
        with closing(pair.second):
            assert pair.second.profile.functions == ALL_UNKNOWN


def test_more_steps_that_a_page_states_are_kept(
    opened: Opened, probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = Functions(exp=FunctionTraits(steps=5), ln=FunctionTraits(steps=0))
    monkeypatch.setattr(function_traits, "STATED", {"Ascend910B": stated})
    monkeypatch.setenv("ASCENDSIM_FUNCTIONS", "hashed")
    monkeypatch.setenv(FOLDER, str(probes))
    with closing(opened()) as device:
        known = device.profile.functions
    assert (known.exp.steps, known.ln.steps, known.sqrt.steps) == (5, 2, 2)
    assert known.exp.uniform


def test_the_next_card_is_known_as_the_lost_one_was(
    opened: Opened, probes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(probes))
    with closing(opened("npu:0,1")) as device:
        known = device.profile.functions
        monkeypatch.setenv("ASCENDSIM_FAULTS", f"aclrtSynchronizeStream@1+#0:{LOST_HEARTBEAT}")
        device.renew()
        assert unbounded(judged(device)) == 0
        assert device.card.number == 1
        assert device.profile.functions == known != ALL_UNKNOWN


@pytest.mark.parametrize("told", [False, True])
def test_a_run_says_what_bounds_its_values_or_how_to_have_them_bounded(
    probes: Path, tmp_path: Path, told: bool
) -> None:
    ended = conformance(
        *("run", "--device", "npu:0", "--libraries", str(_libraries())),
        *("--operator", OPERATOR.name, "--out", "out", "-n", "0", "--", "-k", "test_examples"),
        folder=tmp_path,
        **({FOLDER: str(probes)} if told else {}),
    )
    assert ended.status == 0, ended.err
    counted = sum(one.unbounded for one in read_evidence(tmp_path / "out").cells)
    if told:
        assert counted == 0
        assert "functions: exp at most 1 step off, uniform, monotone (probed)" in ended.err
    else:
        assert counted > 0
        told = "functions not probed: exp, ln, sqrt, div, reciprocal: "
        assert f"{told}{FOLDER} is not set (docs/how-to/npu-host.md, section 5)" in ended.err


def test_a_replay_that_bounds_less_than_the_run_that_failed_is_no_acceptance(
    probes: Path, tmp_path: Path
) -> None:
    case = replace(EXAMPLE.case, machine=None)
    where = Implementation(source="libraries", place=str(_libraries()), probed=True)
    save(Replay(case, implementation=where), tmp_path / "case.json")
    asked = ("run", "--case", "case.json", "--device", "npu:0", "--libraries", str(_libraries()))
    ended = conformance(*asked, folder=tmp_path)
    assert ended.status == 3
    assert "not judged: values are not bounded now that were when it failed" in ended.err
    assert conformance(*asked, folder=tmp_path, **{FOLDER: str(probes)}).status == 0


@pytest.mark.parametrize("told", [False, True])
def test_a_stored_case_says_what_bounds_its_values_or_why_nothing_does(
    probes: Path, tmp_path: Path, told: bool
) -> None:
    save(Replay(replace(EXAMPLE.case, machine=None)), tmp_path / "case.json")
    ended = conformance(
        *("run", "--case", "case.json", "--device", "npu:0", "--libraries", str(_libraries())),
        folder=tmp_path,
        **({FOLDER: str(probes)} if told else {}),
    )
    assert ended.status == 0, ended.err
    if told:
        assert "functions: exp at most 1 step off, uniform, monotone (probed)" in ended.err
    else:
        assert f"functions not probed: exp, ln, sqrt, div, reciprocal: {FOLDER} is not" in ended.err
        assert "values not bounded: too little is known of the device's functions" in ended.err


def test_the_list_of_devices_says_what_the_probe_of_a_card_shows(
    probes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(_libraries()))
    monkeypatch.setenv(FOLDER, str(probes))
    for asked_beside in ("summation_orders", "limit_lines"):
        monkeypatch.setattr(listing, asked_beside, lambda *_: [])
    assert main(["devices", "--probe"]) == 0
    card = capsys.readouterr().out.partition("npu: ")[2].partition("sim: ")[0]
    assert "exp in a kernel that calls it alone: at most 0 steps off, uniform" in card
