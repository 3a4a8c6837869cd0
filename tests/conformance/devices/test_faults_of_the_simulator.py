"""What a card's faults do to a judgement, with the project's own kernels on simulated cards.

The libraries of the simulator stand in for CANN's here: ASCENDSIM_DEVICES gives the host two cards,
ASCENDSIM_FAULTS strikes them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.call.observation import Observation, Outcome
from conformance.devices import cards
from conformance.devices.cards import Card, Claim
from conformance.devices.npu import NpuDevice
from conformance.devices.open import open_device, simulator_libraries
from conformance.errors import EnvironmentFailure
from conformance.evidence.lines import DeviceLine, read_lines
from tests.conformance.devices.test_simulator import grad_case
from tests.conformance.front_door import conformance
from tests.slow import slow_but

LOST_HEARTBEAT, MODEL_EXECUTE, VECTOR_CORE = 507010, 507011, 507035
EXAMPLES = "test_examples"
Opened = Callable[..., NpuDevice]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cards' locks, on a host with two simulated cards."""
    (folder := tmp_path / "locks").mkdir()
    monkeypatch.setenv("ASCENDSIM_DEVICES", "2")
    monkeypatch.setenv(cards.FOLDER, str(folder))
    monkeypatch.delenv(cards.VISIBLE, raising=False)
    monkeypatch.setattr(cards, "PATIENCE", 0.01)
    return folder


@pytest.fixture
def opened(place: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens the cards that a spec names, with faults."""

    def of(faults: str, spec: str = "npu:0,1") -> NpuDevice:
        monkeypatch.setenv("ASCENDSIM_FAULTS", faults)
        device = open_device(spec, libraries=simulator_libraries(None), time_limit=10.0)
        assert isinstance(device, NpuDevice)
        return device

    return of


def run(device: NpuDevice) -> Observation:
    return device.run(OPERATOR, grad_case((3, 0, 1, 2)))


def right(observation: Observation) -> bool:
    return observation.outputs["grad_x"].tolist() == [[8.0, 10.0], [8.0, 10.0]]


def test_a_card_that_the_host_lacks_is_no_device(opened: Opened) -> None:
    with pytest.raises(EnvironmentFailure, match="device 2 does not exist: the runtime sees 2"):
        opened("", "npu:2")


def test_a_busy_card_is_passed_over_and_the_last_one_names_its_holder(
    opened: Opened, place: Path
) -> None:
    held = Claim(Card(0, 0), place)
    with closing(opened("")) as device:
        assert device.card == Card(1, 1)
        assert right(run(device))
        with pytest.raises(EnvironmentFailure, match="no card is free: npu:0 is claimed by proc"):
            opened("")
    held.release()


def test_a_card_that_cannot_be_set_up_is_locked_out_and_the_other_one_opens(
    opened: Opened,
) -> None:
    with closing(opened("aclrtSetDevice#0:507033")) as device:
        assert device.card == Card(1, 1)
        assert right(run(device))
    with pytest.raises(EnvironmentFailure, match=r"npu:0 is locked out .*aclrtSetDevice.* 507033"):
        opened("", "npu:0")


def test_a_kernel_fault_is_the_verdict_of_its_case_and_the_card_stays(opened: Opened) -> None:
    with closing(opened(f"aclrtSynchronizeStream@2:{VECTOR_CORE}")) as device:
        assert right(run(device))
        observation = run(device)
        assert (observation.outcome, observation.status) == (Outcome.FAILED, VECTOR_CORE)
        assert "injected by ASCENDSIM_FAULTS" in observation.message
        assert observation.reopened == 1
        assert right(run(device))
        assert device.card == Card(0, 0)


def test_after_a_lost_context_the_call_is_made_once_more(opened: Opened) -> None:
    with closing(opened(f"aclrtSynchronizeStream@2:{MODEL_EXECUTE}")) as device:
        assert right(run(device))
        observation = run(device)
        assert right(observation)
        assert [one.code for one in observation.diagnostics] == ["context-lost"]
        assert observation.reopened == 1
        assert device.card == Card(0, 0)


def test_a_card_that_dies_in_the_middle_gives_way_to_the_other(
    opened: Opened, capfd: pytest.CaptureFixture[str]
) -> None:
    with closing(opened(f"aclrtSynchronizeStream@3+#0:{LOST_HEARTBEAT}")) as device:
        assert all(right(run(device)) for _ in range(4))
        assert device.card == Card(1, 1)
        told = "npu:0 is lost: aclrtSynchronizeStream answered 507010, the task scheduler's"
        told += " heartbeat is lost"
        assert [lost.partition(" (")[0] for lost in device.lost] == [told]
    assert told in capfd.readouterr().err


def test_device_memory_that_ends_is_a_failed_call_and_the_next_one_works(opened: Opened) -> None:
    with closing(opened("aclrtMalloc@1:207001")) as device:
        observation = run(device)
        assert (observation.outcome, observation.status) == (Outcome.OUT_OF_MEMORY, 207001)
        assert observation.phase == "aclrtMalloc"
        assert right(run(device))


RUNS = (
    ("npu:0,1", f"aclrtSynchronizeStream@5+#0:{LOST_HEARTBEAT}", 0, "accepted: ", [0, 1]),
    ("npu:1", f"aclrtSynchronizeStream@5+:{LOST_HEARTBEAT}", 3, "npu:1 is lost: aclrt", [1]),
    ("npu:1", f"aclrtSynchronizeStream@5:{VECTOR_CORE}", 1, "507035", [1]),
)


@pytest.mark.parametrize(
    ("spec", "faults", "status", "told", "judged_on"), slow_but(RUNS[:1], RUNS)
)
def test_a_run_says_by_its_status_what_became_of_its_card(
    place: Path,
    tmp_path: Path,
    spec: str,
    faults: str,
    status: int,
    told: str,
    judged_on: list[int],
) -> None:
    ended = conformance(
        *("run", "--operator", "moe_token_permute_grad", "--libraries"),
        *(str(simulator_libraries(None)), "--device", spec, "--out", "out"),
        *("-n", "1", "--", "-k", EXAMPLES),
        folder=tmp_path,
        ASCENDSIM_FAULTS=faults,
    )
    assert ended.status == status, ended.err
    assert told in ended.err + ended.out
    lines = read_lines(tmp_path / "out")
    assert [line.card for line in lines if isinstance(line, DeviceLine)] == judged_on
    lost = str(LOST_HEARTBEAT) in faults
    gave_way = "gave way to another card: npu:0 is lost: aclrtSynchronizeStream answered 507010"
    assert (gave_way in ended.err) == (len(judged_on) == 2)
    assert cards.free([Card(0, 0), Card(1, 1)], place) == 2 - lost
