"""An NPU judges on a card of its own, and goes on after a lost context and after a lost card."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.observation import Observation, Outcome
from conformance.devices import cards, isolated
from conformance.devices.card_errors import Loss, in_words, loss_of
from conformance.devices.cards import Card, Claim
from conformance.devices.npu import NpuDevice
from conformance.devices.open import open_device
from conformance.draw.profiles import PROFILES
from conformance.errors import EnvironmentFailure
from conformance.evidence.lines import DeviceLine, read_lines
from conformance.evidence.summary import read_evidence
from conformance.poison import OUTPUTS
from conformance.record.clause import source_read
from conformance.record.operator import Mode
from conformance.record.versions import Versions
from conformance.session.resume import Asked, request
from tests.conformance.devices.fakes import fake_case, fake_operator, move_case
from tests.conformance.front_door import Ended, conformance

RECORDS = str(Path(__file__).parent / "fake_records")
Judge = Callable[..., Ended]

LOST_HEARTBEAT, MODEL_EXECUTE, VECTOR_CORE = 507010, 507011, 507035


class Host:
    """A host with two fake cards, and what strikes them."""

    def __init__(self, libraries: Path, place: Path, fault: Path) -> None:
        self.libraries, self.place, self.fault = libraries, place, fault

    def strike(self, text: str) -> None:
        self.fault.write_text(text)

    def open(self, spec: str = "npu:0,1") -> NpuDevice:
        device = open_device(spec, libraries=self.libraries, time_limit=5.0)
        assert isinstance(device, NpuDevice)
        return device


@pytest.fixture
def host(fake_libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    place, fault = tmp_path / "locks", tmp_path / "fault"
    place.mkdir()
    monkeypatch.setenv("FAKE_DEVICES", "2")
    monkeypatch.setenv("FAKE_FAULT", str(fault))
    monkeypatch.setenv(cards.FOLDER, str(place))
    monkeypatch.delenv(cards.VISIBLE, raising=False)
    monkeypatch.setattr(cards, "PATIENCE", 0.01)
    return Host(fake_libraries, place, fault)


def run(device: NpuDevice, name: str = "FakeAdd") -> Observation:
    return device.run(fake_operator(name), fake_case())


def fine(observation: Observation) -> bool:
    return observation.outputs["y"].tolist() == [11, 12, 13, 14, 15, 16]


def test_a_card_whose_cann_nobody_knows_is_not_given_a_call_that_may_do_harm(host: Host) -> None:
    clause = source_read("later ones write beyond y", "toy sources")
    dated = replace(
        fake_operator("FakeAdd"),
        modes=(Mode("plain", clause, versions=Versions(clause, until="8.5")),),
    )
    with closing(host.open("npu:0")) as device:
        left = device.run(dated, fake_case())
        assert fine(run(device))
    assert left.outcome is Outcome.NOT_POSSIBLE
    assert "with a CANN whose version is not known" in left.message
    with closing(open_device("sim", libraries=host.libraries, time_limit=5.0)) as device:
        assert fine(device.run(dated, fake_case()))


def test_what_was_never_written_is_told_by_two_calls_on_a_card_too(host: Host) -> None:
    with closing(host.open()) as device:
        for left, unwritten in ((0, 0), (2, 2)):
            seen = device.run(fake_operator("FakeMove"), move_case(OUTPUTS, "int8", left=left))
            assert (seen.outcome, seen.unwritten) == (Outcome.COMPLETED, {"y": unwritten})


@pytest.mark.parametrize(
    ("status", "loss"),
    [
        (507015, Loss.KERNEL),
        (507035, Loss.KERNEL),
        (507000, Loss.CONTEXT),
        (507011, Loss.CONTEXT),
        (507010, Loss.CARD),
        (507054, Loss.CARD),
        (0, None),
        (361001, None),
        (207001, None),
        (508000, None),
    ],
)
def test_a_status_says_what_is_lost(status: int, loss: Loss | None) -> None:
    assert loss_of(status) is loss


def test_a_status_has_the_words_of_cann() -> None:
    assert in_words(507010) == "507010, the task scheduler's heartbeat is lost"
    assert in_words(507000) == "507000"


def test_two_devices_have_two_cards_and_a_third_has_none(host: Host) -> None:
    with closing(host.open()) as first:
        assert (first.card, first.free_cards) == (Card(0, 0), 2)
        with closing(host.open()) as second:
            assert (second.card, first.free_cards) == (Card(1, 1), 1)
            assert fine(run(first))
            assert fine(run(second))
            with pytest.raises(EnvironmentFailure, match=r"does not open: no card is free: npu:0"):
                host.open()
    with closing(host.open()) as again:
        assert again.card == Card(0, 0)


def test_a_kernel_that_faults_is_the_verdict_of_its_case(host: Host) -> None:
    with closing(host.open()) as device:
        host.strike(f"0 {VECTOR_CORE} 1 once")
        observation = run(device)
        assert (observation.outcome, observation.status) == (Outcome.FAILED, VECTOR_CORE)
        assert observation.diagnostics == ()
        assert device.card == Card(0, 0)
        assert fine(run(device))


def test_after_a_lost_context_the_call_is_made_once_more_in_a_new_process(host: Host) -> None:
    with closing(host.open()) as device:
        before = int(run(device, "FakePid").outputs["y"].flat[0])
        host.strike(f"0 {MODEL_EXECUTE} 1 once")
        observation = run(device)
        assert fine(observation)
        (note,) = observation.diagnostics
        assert (note.code, note.severity) == ("context-lost", "note")
        assert (
            "npu:0: aclrtSynchronizeStream answered 507011 (struck by FAKE_FAULT)" in note.message
        )
        assert int(run(device, "FakePid").outputs["y"].flat[0]) != before
        assert run(device).diagnostics == ()


def test_a_context_that_is_lost_again_is_the_verdict_of_its_case(host: Host) -> None:
    with closing(host.open()) as device:
        host.strike(f"0 {MODEL_EXECUTE} 1")
        observation = run(device)
        assert (observation.outcome, observation.status) == (Outcome.FAILED, MODEL_EXECUTE)
        assert len(observation.diagnostics) == 1


def test_a_card_that_dies_in_the_middle_is_locked_out_and_another_is_taken(
    host: Host, capfd: pytest.CaptureFixture[str]
) -> None:
    with closing(host.open()) as device:
        assert fine(run(device))
        host.strike(f"0 {LOST_HEARTBEAT} 1")
        assert fine(run(device))
        assert device.card == Card(1, 1)
        assert fine(run(device))
    told = "npu:0 is lost: aclrtSynchronizeStream answered 507010, the task scheduler's heartbeat"
    assert told in capfd.readouterr().err
    with closing(host.open()) as next_one:
        assert next_one.card == Card(1, 1)


def test_where_the_last_card_dies_nothing_more_is_judged(host: Host) -> None:
    with closing(host.open("npu:0")) as device:
        host.strike(f"0 {LOST_HEARTBEAT} 1")
        with pytest.raises(EnvironmentFailure, match=r"^no card is left: npu:0 is lost: .*507010"):
            run(device)
        with pytest.raises(EnvironmentFailure, match="no card is left: npu:0 is lost"):
            run(device)
    Claim(Card(1, 1), host.place).release()


def test_where_another_process_has_the_other_card_its_holder_is_named(host: Host) -> None:
    held = Claim(Card(1, 1), host.place)
    with closing(host.open()) as device:
        host.strike(f"0 {LOST_HEARTBEAT} 1")
        with pytest.raises(EnvironmentFailure) as caught:
            run(device)
    assert "npu:0 is lost" in str(caught.value)
    assert "npu:1 is claimed by process" in str(caught.value)
    held.release()


def test_a_call_that_loses_two_cards_loses_no_third(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_DEVICES", "3")
    lost = r"^FakeLoseCard: one call lost two cards: "
    with closing(host.open("npu:0,1,2")) as device, pytest.raises(EnvironmentFailure, match=lost):
        run(device, "FakeLoseCard")
    Claim(Card(2, 2), host.place).release()


def test_a_card_that_does_not_open_any_more_is_passed_over(host: Host) -> None:
    host.strike("0 507033 0")
    with closing(host.open()) as device:
        assert device.card == Card(1, 1)


def test_a_card_that_hangs_while_it_is_opened_is_passed_over(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(isolated.OPEN_LIMIT, "npu", 1.0)
    host.strike("0 -1 0")
    with closing(host.open()) as device:
        assert device.card == Card(1, 1)
    with pytest.raises(EnvironmentFailure, match=r"npu:0 is locked out .*: no answer within 1 s"):
        host.open("npu:0")


def test_a_card_that_does_not_open_when_it_is_renewed_is_locked_out_and_another_is_taken(
    host: Host, capfd: pytest.CaptureFixture[str]
) -> None:
    with closing(host.open()) as device:
        device.renew()
        assert device.card == Card(0, 0)
        host.strike("0 507033 0")
        device.renew()
        assert device.card == Card(1, 1)
        assert fine(run(device))
    assert "npu:0 is lost" in capfd.readouterr().err


def test_the_runtime_knows_the_physical_number_best(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_PHYSICAL", "6")
    held = Claim(Card(0, 6), host.place)
    with closing(host.open()) as device:
        assert device.card == Card(1, 7)
        Claim(Card(0, 0), host.place).release()
    held.release()


@pytest.fixture
def judge(host: Host, tmp_path: Path) -> Judge:
    """A run of the front door over the fake operator, into ``out``."""

    def run_on(spec: str, workers: int) -> Ended:
        what = ("--operators", RECORDS, "--operator", "fake_add")
        where = ("--libraries", str(host.libraries), "--device", spec, "-n", str(workers))
        return conformance("run", *what, *where, "--out", "out", folder=tmp_path)

    return run_on


def cards_of(out: Path) -> list[tuple[str, int | None]]:
    return [(one.worker, one.card) for one in read_lines(out) if isinstance(one, DeviceLine)]


@pytest.mark.slow
def test_each_process_of_a_run_has_a_card_of_its_own_and_another_where_that_dies(
    host: Host, judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_DEVICES", "3")
    host.strike(f"0 {LOST_HEARTBEAT} 30")
    ended = judge("npu:0,1,2", 2)
    assert ended.status == 0, ended.err
    told = cards_of(tmp_path / "out")
    (first,) = [worker for worker, card in told if card == 0]
    (second,) = [worker for worker, card in told if card == 1]
    assert {first, second} == {"gw0", "gw1"}
    assert sorted(told) == sorted([(first, 0), (first, 2), (second, 1)])


def test_a_run_whose_last_card_died_ends_with_status_3(
    host: Host, judge: Judge, tmp_path: Path
) -> None:
    host.strike(f"1 {LOST_HEARTBEAT} 30")
    ended = judge("npu:1", 3)
    assert ended.status == 3
    assert "device: Ascend910B1, 48 vector cores, npu:1\n" in ended.err
    assert "1 card is free: 1 process judges, not 3\n" in ended.err
    assert "environment failed: no card is left: npu:1 is lost: aclrtSynchronizeStream" in ended.err
    assert "without a verdict" not in ended.err
    evidence = read_evidence(tmp_path / "out")
    assert evidence is not None
    assert 0 < evidence.cases < 100, "what was judged before stays on record"
    with pytest.raises(EnvironmentFailure, match="npu:1 is locked out since"):
        host.open("npu:1")


@pytest.mark.parametrize(
    ("device", "told"),
    [("npu:1", "npu"), ("npu:0,1", "npu"), ("npu", "npu"), ("sim:Ascend910B2", "sim:Ascend910B2")],
)
def test_a_run_goes_on_with_another_card_but_not_on_another_machine(device: str, told: str) -> None:
    asked = Asked(
        operators=(),
        device=device,
        route="aclnn",
        profile=PROFILES["smoke"],
        seed=0,
        directories=(),
        time_limit=1.0,
        libraries=None,
    )
    assert request(asked)["device"] == told
