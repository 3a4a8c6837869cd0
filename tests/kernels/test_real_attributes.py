"""An operator with floating-point attributes, from its record to the replay of a failure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import Kernels, open_device
from conformance.errors import UsageError
from conformance.failure.bundle import manifest as told
from conformance.failure.bundle.read import as_stored, read_bundle
from conformance.failure.replay import Replay, judgement
from conformance.judge.calls import judge
from conformance.judge.judged import JudgedAs
from conformance.judge.rejections import judge_rejection
from conformance.numerics.arithmetic import IEEE
from conformance.record.operator import Operator
from conformance.record.variations import with_attributes
from device_kernels.build import build
from tests.conformance.failure.bundle.bundles import bundle
from tests.conformance.failure.bundle.test_programs import RIGHT, WRONG, compiled, cpp, python
from tests.kernels.real_attributes.in_range import ENDS, EXAMPLE, OPERATOR
from tests.slow import slow_but

KERNELS = Path(__file__).parent / "real_attributes" / "kernels"
ROUTES = ("aclnn", "kernel")


@pytest.fixture(scope="module", params=ROUTES)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with closing(open_device("sim", kernels=Kernels([KERNELS]), route=request.param)) as opened:
        yield opened


@pytest.fixture(scope="module")
def lib() -> Path:
    return build(KERNELS).lib


def wrong_record() -> Operator:
    """The record, but for a reference that takes the lower end for the upper one."""

    def changed(inputs: Any, attributes: Any) -> Any:
        return OPERATOR.formula(inputs, {**attributes, "high": attributes["low"]})

    return replace(OPERATOR, formula=changed)


@pytest.mark.parametrize("high", ENDS)
@pytest.mark.parametrize(
    "others", [{"low": 1e-45, "inverted": 1}, {"low": -0.0, "times": -(2**31)}]
)
def test_the_kernel_gets_every_number(device: Device, high: float, others: dict[str, Any]) -> None:
    case = with_attributes(EXAMPLE, high=high, **others)
    verdict = judge(OPERATOR, case, device.run(OPERATOR, case))
    assert verdict.ok, verdict.text


def test_a_number_beyond_its_limits_is_refused_in_one_sentence(device: Device) -> None:
    said = {}
    for one in OPERATOR.rejections:
        if one.name.startswith("low is"):
            seen = device.run(OPERATOR, one.case)
            assert judge_rejection(one, seen).ok
            said[one.name.split()[2]] = seen.message.partition(": ")[2]
    rule = "it must be -1 to 1 (InRange document)"
    assert said == {
        f"{value},": f"low is {value}; {rule}"
        for value in ("-1.0000001192092896", "1.0000001192092896", "inf", "-inf", "nan")
    }
    nearest = with_attributes(EXAMPLE, low=math.nextafter(1, 2))
    assert device.run(OPERATOR, nearest).outcome is Outcome.REJECTED


@pytest.mark.parametrize("judged_as", ["values", "rejection"])
@pytest.mark.parametrize("high", [1, "1.0", (1,), None])
def test_a_case_with_another_value_is_refused(judged_as: JudgedAs, high: Any) -> None:
    name = next(one.name for one in OPERATOR.rejections if one.name.startswith("low is"))
    stored = Replay(with_attributes(EXAMPLE, high=high), judged_as, name)
    with pytest.raises(UsageError, match=r"no case to judge: high is .*; it must be one floating"):
        judgement(stored, {OPERATOR.name: OPERATOR})


CASES = [with_attributes(EXAMPLE, high=high) for high in (0.5, 5e-324, -0.0, *ENDS[-3:])]


@pytest.mark.parametrize(
    "case", slow_but(CASES[:1], CASES), ids=[str(one.attributes["high"]) for one in CASES]
)
def test_both_programs_of_a_bundle_make_the_call(tmp_path: Path, lib: Path, case: Case) -> None:
    folder = bundle(tmp_path / "b", case, OPERATOR)
    said = python(folder, lib=lib)
    assert said == cpp(compiled(folder, lib=lib))
    assert said.status == RIGHT, said.text


def test_a_failure_is_replayed_from_its_bundle(device: Device, tmp_path: Path, lib: Path) -> None:
    """The device is right; the reference is not, so that it is the device that errs."""
    case, record = with_attributes(EXAMPLE, high=math.inf), wrong_record()
    seen = device.run(record, case)
    assert not judge(record, case, seen).ok
    folder = bundle(tmp_path / "b", case, record, seen)
    for said in (python(folder, lib=lib), cpp(compiled(folder, lib=lib))):
        assert said.status == WRONG
        assert "y: 1 of 3 elements are accepted; the bytes that were observed" in said.text
    read, notes = as_stored(read_bundle(folder))
    assert not notes
    assert read.replay.case.attributes == case.attributes
    assert read.manifest.attributes["high"] == "inf"
    assert [one.kind for one in read.manifest.arguments][1:4] == ["double", "int64", "double"]
    for given, ok in ((record, False), (OPERATOR, True)):
        operator, called = judgement(read.replay, {OPERATOR.name: given})
        observation, verdict = called(device, IEEE)
        assert (operator, verdict.ok) == (given, ok)
        assert np.array_equal(observation.outputs["y"], seen.outputs["y"])
    assert (folder / told.CASE).read_text().count('"high": "inf"') == 1
