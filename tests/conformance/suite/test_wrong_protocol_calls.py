"""Calls that break the protocol of the two phases: data for every operator, refused by each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.observation import Observation, Outcome
from conformance.call.protocol_breach import Breach
from conformance.devices.call import call_of
from conformance.devices.device import Device
from conformance.devices.open import Kernels, open_device
from conformance.failure.bundle.arguments import arguments_of
from conformance.failure.bundle.stored import Arrays
from conformance.failure.replay import Replay, load, save
from conformance.judge.examples import judge_example
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.rejections import judge_rejection
from conformance.record.operator import Operator, Rejection
from conformance.record.torch_binding import TORCH_NPU
from conformance.session.template import left_out
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from conformance.suite.wrong_protocol_calls import MISTAKES, of_the_protocol

RECORDS = suite.records()
(GRAD,) = suite.chosen(RECORDS, ["moe_init_routing_v2_grad"])


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with closing(open_device("sim", time_limit=10, kernels=Kernels(only=[GRAD.name]))) as opened:
        yield opened


def broken(operator: Operator) -> list[Rejection]:
    """The calls of a record that break the protocol."""
    return [one for one in operator.rejections if one.case.breach is not None]


@pytest.mark.parametrize("operator", RECORDS.values(), ids=lambda one: one.name)
def test_every_operator_has_every_mistake_as_a_call_that_must_be_refused(
    operator: Operator,
) -> None:
    calls = broken(operator)
    assert [one.case.breach for one in calls] == [one.breach for one in MISTAKES]
    assert len({one.case.digest for one in calls}) == len(MISTAKES) == 12
    kept = replace(calls[0].case, breach=None)
    assert kept in [one.case for one in operator.examples]
    assert kept.digest not in {one.case.digest for one in calls}


def test_a_record_without_a_documented_call_has_none() -> None:
    assert of_the_protocol(replace(GRAD, examples=())) == ()


@pytest.mark.parametrize("route", ["aclnn", "kernel"])
def test_each_is_refused_with_its_status_and_a_right_call_is_right_after_it(
    device: Device, route: str
) -> None:
    (example, *_) = GRAD.examples
    for one in broken(on_route(GRAD, route)):
        verdict = judge_rejection(one, device.run(GRAD, one.case))
        assert verdict.ok, verdict
        after = judge_example(example, GRAD, device.run(GRAD, example.case))
        assert after.ok, after


def test_a_call_that_is_carried_out_is_told_as_any_that_must_be_refused(device: Device) -> None:
    """Phase two takes another stream than that of an earlier call: no rule is broken."""
    one = broken(GRAD)[0]
    case = replace(one.case, breach=Breach(stream="another"))
    verdict = judge_rejection(replace(one, case=case), device.run(GRAD, case))
    assert not verdict.ok
    assert "the call was carried out, it must be rejected with status 161001" in verdict.headline
    assert verdict.clause == one.clause
    assert "called with stream another" in str(verdict.subject)


def test_without_workspace_there_is_none_to_get_wrong() -> None:
    one = broken(GRAD)[0]
    seen = Observation(Outcome.NOT_POSSIBLE, message="phase one asks for no workspace")
    verdict = judge_rejection(one, seen)
    assert verdict.ok
    assert not verdict.judged
    assert "phase one asks for no workspace" in verdict.headline
    kept = replace(one, case=replace(one.case, breach=None))
    assert not judge_rejection(kept, seen).ok


def test_it_is_no_call_to_carry_out_nor_one_that_a_bundle_s_programs_make() -> None:
    case = broken(GRAD)[0].case
    check_shape_and_data(case)
    with pytest.raises(IllegalCase, match="breach is size place null; it must be null"):
        check_call(case, GRAD)
    arguments, why_not = arguments_of(case, GRAD, "aclnn", Arrays())
    assert not arguments
    assert "it breaks the protocol that the programs keep" in why_not


def test_it_is_saved_and_read_as_it_is(tmp_path: Path) -> None:
    for one in broken(GRAD):
        replay = Replay(one.case, "rejection", one.name)
        save(replay, tmp_path / "case.json")
        assert load(tmp_path / "case.json").case.digest == one.case.digest


def test_pytorch_makes_both_phases_itself() -> None:
    (operator,) = suite.chosen(RECORDS, ["moe_token_permute"])
    assert not broken(on_route(operator, TORCH_NPU))
    with pytest.raises(ValueError, match="route torch_npu has no phases"):
        call_of(operator, broken(operator)[0].case, TORCH_NPU)


def test_on_an_npu_only_what_cann_checks_is_made(device: Device) -> None:
    class Other:
        profile = replace(device.profile, kind="npu")

    made = [one.name for one in broken(GRAD) if not left_out(one, Other())]  # type: ignore[arg-type]
    assert made == ["protocol: phase two without phase one", "protocol: workspace null"]
    assert not any(left_out(one, device) for one in broken(GRAD))


def test_a_device_that_a_plugin_made_has_no_phases(device: Device) -> None:
    class Plugins:
        profile = replace(device.profile, origin=None)

    assert all(left_out(one, Plugins()) for one in broken(GRAD))  # type: ignore[arg-type]
    kept = [one for one in GRAD.rejections if one.case.breach is None and one.checked_by_cann]
    assert not any(left_out(one, Plugins()) for one in kept)  # type: ignore[arg-type]
