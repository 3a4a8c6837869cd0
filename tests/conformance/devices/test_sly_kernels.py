"""What a judged library does beside its work, or in its place, is seen and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.observation import Observation, Outcome
from conformance.call.surroundings import BESIDE, DEFAULT, OWN, Setting, Stream
from conformance.devices.device import Device
from conformance.devices.open import Kernels, open_device
from conformance.judge.calls import judge
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Contract, Copy, Unspecified
from conformance.record.operator import Operator
from device_kernels.build import build
from tests.conformance.devices.fakes import fake_case, fake_operator

KERNELS = Path(__file__).parent / "sly_kernels"
SOURCE = (KERNELS / "sly" / "aclnn_sly.cpp").read_text()
TRICKS = SOURCE.partition("enum Trick {")[2].partition("}")[0].splitlines()
NUMBERS = {line.split(",")[0].strip(): place for place, line in enumerate(TRICKS[1:])}
"""The tricks of the library, by name."""

FAIR, UNORDERED, BEYOND = 1, -1, -2
"""First elements of the input: the kernel has no mistake, no barrier, or reads too far."""

CODES = {UNORDERED: "sync-missing", BEYOND: "gm-out-of-bounds"}
MEBIBYTE = 1 << 20
CLAUSE = Clause("y is x", "the test", SourceClass.DOCUMENT)
COPIES: Contract = Copy(CLAUSE)


@pytest.fixture(scope="module")
def own() -> Iterator[Device]:
    device = open_device("sim", kernels=Kernels([KERNELS]))
    yield device
    device.close()


@pytest.fixture(scope="module")
def foreign() -> Iterator[Device]:
    device = open_device("sim", libraries=build(KERNELS).lib)
    yield device
    device.close()


def sly(contract: Contract = COPIES) -> Operator:
    return replace(
        fake_operator("Sly"),
        formula=lambda inputs, attributes: {"y": inputs["x"]},
        contracts={"y": contract},
    )


def run(device: Device, trick: str, first: int = FAIR, contract: Contract = COPIES) -> Observation:
    return device.run(sly(contract), fake_case((first, 2, 3, 4), addend=NUMBERS[trick]))


def told(observation: Observation) -> list[tuple[str, str]]:
    return [(one.severity, one.code) for one in observation.diagnostics]


@pytest.mark.parametrize("trick", ["Honest", "Quietens"])
@pytest.mark.parametrize("first", [UNORDERED, BEYOND])
def test_a_library_changes_no_setting_that_it_is_judged_by(
    own: Device, trick: str, first: int
) -> None:
    """It sets variables and calls the simulator when it is loaded, and in a call."""
    observation = run(own, trick, first)
    assert observation.outcome is Outcome.FAILED
    assert told(observation) == [("error", CODES[first])]


@pytest.mark.parametrize("first", [UNORDERED, BEYOND])
@pytest.mark.parametrize("trick", ["OwnStream", "OtherThread", "WaitsItself", "TakesFindings"])
def test_what_a_kernel_did_is_found_wherever_it_was_launched(
    own: Device, trick: str, first: int
) -> None:
    observation = run(own, trick, first)
    assert (observation.outcome, observation.status) == (Outcome.FAILED, 507015)
    assert observation.phase == "aclnnSly"
    assert observation.message.startswith(
        f"the launch of sly with 1 block failed, and the call answered 0: [{CODES[first]}]"
    )
    assert told(observation) == [("error", CODES[first])]
    verdict = judge(sly(), fake_case(), observation)
    assert f"failed in aclnnSly with status 507015: {CODES[first]} at " in verdict.headline
    assert "never written" not in verdict.headline
    assert told(run(own, trick)) == []


def test_a_launch_that_was_refused_fails_the_call_though_its_status_was_dropped(
    own: Device, foreign: Device
) -> None:
    for device in (own, foreign):
        observation = run(device, "DropsLaunch")
        assert (observation.outcome, observation.status) == (Outcome.FAILED, 107000)
        assert observation.message == (
            "the launch of sly with 0 blocks failed, and the call answered 0: "
            "a launch needs a kernel and 1 to 65535 blocks; this one has 0"
        )


@pytest.mark.parametrize(
    ("trick", "code", "words"),
    [
        ("ByHost", "no-launch", "the call launched no kernel"),
        ("ByUpload", "no-launch", "though y must be written"),
        ("InPhaseOne", "written-early", "aclnnSlyGetWorkspaceSize wrote to y"),
        ("Leaves", "memory-left", f"each such call leaves {MEBIBYTE} bytes of device memory"),
        ("LeavesPlanned", "memory-left", f"each such call leaves {MEBIBYTE} bytes"),
        ("DropsCopy", "status-dropped", "aclrtMemcpyAsync answered 107000, and the call 0: aclrt"),
    ],
)
def test_what_no_call_may_do_fails_own_operators_and_is_told_of_others(
    own: Device, foreign: Device, trick: str, code: str, words: str
) -> None:
    for device, severity in ((own, "error"), (foreign, "note")):
        observation = run(device, trick)
        assert observation.outputs["y"].tolist() == [FAIR, 2, 3, 4]
        assert told(observation) == [(severity, code)]
        assert words in observation.diagnostics[0].message
        verdict = judge(sly(), fake_case((FAIR, 2, 3, 4)), observation)
        assert verdict.ok is (device is foreign)
        assert any(f"{severity} {code}: " in finding for finding in verdict.findings)
        assert told(run(device, "Honest")) == []


def test_work_on_a_stream_that_nobody_waits_for_is_told_and_comes_too_late(
    own: Device, foreign: Device
) -> None:
    for device, severity in ((own, "error"), (foreign, "note")):
        observation = run(device, "LeavesTask")
        assert told(observation) == [(severity, "task-left")]
        assert (
            "1 task waits in a stream that is not the call's" in observation.diagnostics[0].message
        )
        assert observation.unwritten == {"y": 4}
        assert run(device, "Honest").outputs["y"].tolist() == [FAIR, 2, 3, 4]


def on(device: Device, trick: str, stream: Stream) -> list[int]:
    """What a call on that kind of stream leaves in y."""
    case = fake_case((FAIR, 2, 3, 4), addend=NUMBERS[trick])
    observation = device.run(sly(), replace(case, setting=Setting(stream=stream)))
    return observation.outputs["y"].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("stream", [OWN, DEFAULT, BESIDE])
def test_a_copy_on_any_stream_has_what_host_memory_and_other_streams_hold_by_then(
    own: Device, stream: Stream
) -> None:
    assert on(own, "DyingHost", stream) == [0, 0, 0, 0]
    assert on(own, "OtherOrder", stream) != [FAIR, 2, 3, 4]
    assert on(own, "InOrder", stream) == [FAIR, 2, 3, 4]
    assert on(own, "Honest", stream) == [FAIR, 2, 3, 4]


def test_a_plan_that_all_calls_share_shows_beside_another_call_alone(own: Device) -> None:
    assert on(own, "Newest", OWN) == on(own, "Newest", DEFAULT) == [FAIR, 2, 3, 4]
    assert on(own, "Newest", BESIDE) != [FAIR, 2, 3, 4]


def test_memory_that_a_refused_call_leaves_is_told(own: Device) -> None:
    observation = run(own, "LeavesRefused")
    assert (observation.outcome, observation.status) == (Outcome.REJECTED, 161002)
    assert told(observation) == [("error", "memory-left")]


@pytest.mark.parametrize("trick", ["Honest", "ByFill", "ByCopy", "Keeps", "FreesLater"])
def test_what_a_call_may_do_is_not_told(own: Device, trick: str) -> None:
    """Keeps: memory for later calls is there after the first of them, and no more after others."""
    own.renew()
    for _ in range(2):
        observation = run(own, trick)
        assert observation.outcome is Outcome.COMPLETED
        assert observation.diagnostics == ()


@pytest.mark.parametrize(
    "contract",
    [Unspecified(CLAUSE), Copy(CLAUSE, specified=lambda inputs, attributes: inputs["x"] < 0)],
)
def test_nothing_need_be_launched_for_what_is_not_specified(
    own: Device, contract: Contract
) -> None:
    assert told(run(own, "ByHost", contract=contract)) == []


def test_nothing_need_be_launched_for_an_empty_output(own: Device) -> None:
    observation = own.run(sly(), fake_case(()))
    assert observation.outcome is Outcome.COMPLETED
    assert observation.diagnostics == ()


@pytest.mark.parametrize("memory", ["zeroed", "as left"])
def test_other_contents_of_the_outputs_before_the_call_are_no_early_write(
    own: Device, memory: str
) -> None:
    run(own, "Honest")
    case = replace(fake_case((5, 2, 3, 4), addend=0), setting=Setting(memory=memory))
    assert told(own.run(sly(), case)) == []
