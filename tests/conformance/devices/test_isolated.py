"""A device in a process of its own answers, and is fine again, whatever a call did to it."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from conformance.call.case import Machine, Tensor
from conformance.call.observation import Diagnostic, GuardDamage, Observation, Outcome
from conformance.call.surroundings import Memory, Setting
from conformance.devices.device import Device
from conformance.errors import LimitsCrash, OperatorUnavailable
from conformance.poison import OUTPUTS, pattern
from conformance.record.call_rules import Limit
from tests.conformance.devices.fakes import fake_case, fake_operator


def run(device: Device, name: str, addend: int = 10) -> Observation:
    return device.run(fake_operator(name), fake_case(addend=addend))


def process_of(device: Device) -> int:
    return int(run(device, "FakePid").outputs["y"].flat[0])


def assert_fine(device: Device) -> None:
    observation = run(device, "FakeAdd")
    assert observation.outcome is Outcome.COMPLETED, observation
    assert observation.outputs["y"].tolist() == [11, 12, 13, 14, 15, 16]


def test_a_good_call_returns_its_outputs_and_no_finding(fake_device: Device) -> None:
    observation = run(fake_device, "FakeAdd")
    assert observation == replace(
        Observation(Outcome.COMPLETED, unwritten={"y": 0}),
        outputs=observation.outputs,
        seconds=observation.seconds,
    )
    assert observation.outputs["y"].tolist() == [11, 12, 13, 14, 15, 16]
    assert observation.outputs["y"].dtype == np.int32
    assert 0 < observation.seconds < 1.5


def test_an_observation_is_not_changed_by_the_next_call(fake_device: Device) -> None:
    first = run(fake_device, "FakeAdd", addend=1)
    run(fake_device, "FakeAdd", addend=100)
    assert first.outputs["y"].tolist() == [2, 3, 4, 5, 6, 7]


def test_tensors_of_all_sizes_follow_each_other(fake_device: Device) -> None:
    for size in (0, 1, 3_000_000, 5, 100_000, 0, 2):
        values = tuple(range(size)) if size < 10 else tuple(np.arange(size).tolist())
        observation = fake_device.run(fake_operator("FakeAdd"), fake_case(values))
        assert np.array_equal(observation.outputs["y"], np.arange(size) + 10)
        assert observation.guard_damage == ()
        assert observation.inputs_changed == ()


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("FakeWriteAfter", GuardDamage("y", 32, 4)),
        ("FakeWriteBefore", GuardDamage("y", -4, 4)),
        ("FakeWorkspace", GuardDamage("workspace", 1000, 1)),
    ],
)
def test_a_write_outside_a_buffer_is_guard_damage(
    fake_device: Device, name: str, damage: GuardDamage
) -> None:
    observation = run(fake_device, name)
    assert observation.outcome is Outcome.COMPLETED
    assert observation.guard_damage == (damage,)
    assert_fine(fake_device)
    assert run(fake_device, "FakeAdd").guard_damage == ()


def test_a_changed_input_is_named(fake_device: Device) -> None:
    assert run(fake_device, "FakeChangeInput").inputs_changed == ("x",)
    assert_fine(fake_device)


def test_unwritten_elements_are_counted_and_hold_the_poison(fake_device: Device) -> None:
    observation = run(fake_device, "FakeUnwritten")
    assert observation.unwritten == {"y": 3}
    assert observation.outputs["y"][3:].tobytes() == pattern(OUTPUTS) * 6
    assert not observation.outputs_untouched


def test_a_workspace_holds_nothing_of_the_call_before(fake_device: Device) -> None:
    run(fake_device, "FakeWorkspace")
    observation = run(fake_device, "FakeWorkspaceCount")
    assert observation.workspace_bytes == 1000
    assert observation.outputs["y"].tolist() == [0xE3, 0x7F] * 3


def test_a_setting_says_what_memory_holds(fake_device: Device) -> None:
    def under(memory: Memory, name: str) -> Observation:
        case = replace(fake_case(), setting=Setting(memory))
        return fake_device.run(fake_operator(name), case)

    assert under("zeroed", "FakeWorkspaceCount").outputs["y"].tolist() == [0] * 6
    assert under("zeroed", "FakeUnwritten").outputs["y"].tolist() == [11, 12, 13, 0, 0, 0]
    assert under("zeroed", "FakeUnwritten").unwritten == {"y": 0}
    assert under("poisoned", "FakeAdd").outputs["y"].tolist() == [11, 12, 13, 14, 15, 16]
    assert under("as left", "FakeUnwritten").outputs["y"].tolist() == [11, 12, 13, 14, 15, 16]
    run(fake_device, "FakeWorkspace")
    assert under("as left", "FakeWorkspaceCount").outputs["y"].tolist() == [0] * 6
    assert under("poisoned", "FakeWorkspaceCount").outputs["y"].tolist() == [0xE3, 0x7F] * 3


def test_guard_zones_are_watched_in_every_setting(fake_device: Device) -> None:
    for memory in get_args(Memory):
        case = replace(fake_case(), setting=Setting(memory))
        for name, buffer in (("FakeWriteAfter", "y"), ("FakeWorkspace", "workspace")):
            seen = fake_device.run(fake_operator(name), case)
            assert [damage.buffer for damage in seen.guard_damage] == [buffer], memory


def test_the_level_of_determinism_is_set_for_calls_that_ask_for_one(fake_device: Device) -> None:
    asked = (0, 2, 2, 3, 0)
    cases = [replace(fake_case(), setting=Setting(determinism=level)) for level in asked]
    operator = fake_operator("FakeDeterminism")
    seen = [fake_device.run(operator, case).outputs["y"][0] for case in cases]
    assert seen == [-1, 2, 2, 3, 0], "what the process began with, until a call asks"


def test_a_tensor_is_aligned_to_32_bytes_and_no_more(fake_device: Device) -> None:
    assert run(fake_device, "FakeAlignment").outputs["y"].flat[0] % 64 == 32


def test_a_refusal_has_status_phase_message_and_untouched_outputs(fake_device: Device) -> None:
    observation = run(fake_device, "FakeRefuse")
    assert observation.outcome is Outcome.REJECTED
    assert observation.status == 561002
    assert observation.phase == "aclnnFakeRefuseGetWorkspaceSize"
    assert observation.message == "addend must be 0"
    assert observation.outputs_untouched


def test_a_refusal_that_wrote_an_output_is_told(fake_device: Device) -> None:
    observation = run(fake_device, "FakeRefuse", addend=1)
    assert observation.outcome is Outcome.REJECTED
    assert not observation.outputs_untouched


@pytest.mark.parametrize("missing", ["x", "y"])
def test_a_tensor_left_out_is_a_null_pointer(fake_device: Device, missing: str) -> None:
    case = fake_case()
    inputs = {name: t for name, t in case.inputs.items() if name != missing}
    outputs = {name: t for name, t in case.outputs.items() if name != missing}
    case = replace(case, inputs=inputs, outputs=outputs)
    observation = fake_device.run(fake_operator("FakeAdd"), case)
    assert (observation.outcome, observation.status) == (Outcome.REJECTED, 161001)
    assert set(observation.outputs) == set(outputs)


@pytest.mark.parametrize(
    ("name", "phase", "status", "message"),
    [
        ("FakeFail", "aclnnFakeFail", 361001, "launch failed"),
        ("FakeKernelFault", "aclrtSynchronizeStream", 507015, "kernel exception"),
    ],
)
def test_a_failure_names_the_function_that_failed(
    fake_device: Device, name: str, phase: str, status: int, message: str
) -> None:
    observation = run(fake_device, name)
    assert observation.outcome is Outcome.FAILED
    assert (observation.phase, observation.status, observation.message) == (phase, status, message)
    assert_fine(fake_device)


def test_a_crash_names_signal_function_and_last_words(fake_device: Device) -> None:
    before = process_of(fake_device)
    observation = run(fake_device, "FakeCrash")
    assert observation.outcome is Outcome.CRASHED
    assert observation.phase == "aclnnFakeCrash"
    assert observation.message == "the process was ended by SIGSEGV\nabout to crash"
    assert observation.reopened == 1
    assert_fine(fake_device)
    assert process_of(fake_device) != before


def test_an_operator_that_exits_has_crashed(fake_device: Device) -> None:
    observation = run(fake_device, "FakeExit")
    assert observation.outcome is Outcome.CRASHED
    assert "exit status 3" in observation.message
    assert_fine(fake_device)


@pytest.mark.parametrize("name", ["FakeHang", "FakeSpin"])
def test_a_hang_is_ended_at_the_time_limit(fake_device: Device, name: str) -> None:
    start = time.monotonic()
    observation = run(fake_device, name)
    assert observation.outcome is Outcome.TIMED_OUT
    assert observation.phase == f"aclnn{name}"
    assert 1.5 <= observation.seconds <= time.monotonic() - start
    assert_fine(fake_device)


def test_the_time_limit_grows_with_the_size_of_a_call(fake_device: Device) -> None:
    large = Tensor((1 << 15,), "int32")
    case = replace(fake_case(), inputs={"x": large}, outputs={"y": large})
    observation = fake_device.run(fake_operator("FakeHang"), case)
    assert observation.outcome is Outcome.TIMED_OUT
    assert observation.seconds >= 1.5 * 1.5
    assert observation.message == "no answer within 2.26 s"


def test_allocation_without_bound_ends_at_the_memory_limit(fake_device: Device) -> None:
    observation = run(fake_device, "FakeEat")
    assert observation.outcome is Outcome.OUT_OF_MEMORY
    assert "128 MiB" in observation.message
    assert_fine(fake_device)


def test_an_uncaught_bad_alloc_is_out_of_memory(fake_device: Device) -> None:
    assert run(fake_device, "FakeBadAlloc").outcome is Outcome.OUT_OF_MEMORY
    assert_fine(fake_device)


def test_a_workspace_beyond_the_device_is_out_of_memory(fake_device: Device) -> None:
    before = process_of(fake_device)
    observation = run(fake_device, "FakeHugeWorkspace")
    assert observation.outcome is Outcome.OUT_OF_MEMORY
    assert (observation.phase, observation.workspace_bytes) == ("aclrtMalloc", 1 << 60)
    assert_fine(fake_device)
    assert process_of(fake_device) == before


def test_a_process_that_died_between_calls_is_replaced(fake_device: Device) -> None:
    os.kill(process_of(fake_device), 9)
    assert_fine(fake_device)


def test_diagnostics_belong_to_their_call(fake_device: Device) -> None:
    expected = Diagnostic(
        "gm-out-of-bounds", "error", "row 7 of y", line=12, block=3, address=(1 << 64) - 1
    )
    assert run(fake_device, "FakeDiagnose").diagnostics == (expected,)
    assert run(fake_device, "FakeAdd").diagnostics == ()


def test_the_machine_of_a_case_is_simulated_for_that_case(fake_device: Device) -> None:
    small = fake_case(machine=Machine(cores=3, ub_bytes=8192))
    for case, cores in ((small, 3), (fake_case(), 48), (small, 3)):
        observation = fake_device.run(fake_operator("FakeCores"), case)
        assert observation.outputs["y"].flat[0] == cores


def test_the_simulator_sees_nothing_of_cann(
    fake_device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASCEND_HOME_PATH", "/nowhere")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    run(fake_device, "FakeCrash")
    assert run(fake_device, "FakeEnvironment").outputs["y"].flat[0] == 0


def test_what_an_operator_prints_reaches_the_standard_error(
    fake_device: Device, capfd: pytest.CaptureFixture[str]
) -> None:
    run(fake_device, "FakePrint")
    run(fake_device, "FakeAdd")
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err == "printed by the operator\n"


def test_an_operator_that_the_library_lacks_is_unavailable(fake_device: Device) -> None:
    with pytest.raises(OperatorUnavailable, match="aclnnAbsentGetWorkspaceSize is in none of"):
        run(fake_device, "Absent")
    assert_fine(fake_device)


def test_limits_are_what_the_librarys_own_function_answers(fake_device: Device) -> None:
    asked = [Limit("hidden", 0, top_k=k, dtype="float32") for k in (1, 7)]
    assert fake_device.limits(fake_operator("FakeAdd"), asked) == (100, 700)
    with pytest.raises(OperatorUnavailable, match="exports no FakePidTilingLimit"):
        fake_device.limits(fake_operator("FakePid"), asked)


def test_a_function_of_limits_that_crashes_is_named(fake_device: Device) -> None:
    asked = [Limit("hidden", 0, top_k=1, dtype="float32")]
    with pytest.raises(LimitsCrash, match=r"^FakeCrashTilingLimit: .* ended by SIGSEGV$"):
        fake_device.limits(fake_operator("FakeCrash"), asked)
    assert_fine(fake_device)


def test_a_case_that_does_not_fit_the_signature_is_refused_before_the_device(
    fake_device: Device,
) -> None:
    case = replace(fake_case(), outputs={"y": Tensor((6,), "complex64")})
    with pytest.raises(ValueError, match="complex64"):
        fake_device.run(fake_operator("FakeAdd"), case)
    assert_fine(fake_device)


def test_a_renewed_device_is_another_process_that_has_made_no_call(fake_device: Device) -> None:
    before = process_of(fake_device)
    profile = fake_device.profile
    fake_device.renew()
    assert process_of(fake_device) != before
    assert not os.path.exists(f"/proc/{before}")
    assert fake_device.profile == profile
    assert_fine(fake_device)
