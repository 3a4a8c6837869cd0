"""What the softmax gating interfaces refuse, with which status and sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.variations import reshaped, retyped, with_attributes, without
from device_kernels.build import build
from tests.kernels.gating_calls import V1, V2, Rows

NULL, INVALID, REJECTED = 161001, 161002, 561002


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    library = build(only={V1.name, V2.name}, quiet=True).lib
    with closing(open_device("sim", libraries=library)) as opened:
        yield opened


def rows(*shape: int, k: int = 2, ub: int = 196352) -> Rows:
    x = np.zeros(shape, np.float32)
    return Rows(x, k, finished=np.zeros(shape[:-1], bool), ub=ub)


def second(made: Rows) -> Case:
    return made.case(V2, flag=True, result=True, renorm=0)


FLAT, BATCHED = second(rows(3, 8)), second(rows(2, 3, 8))
WRONG: Mapping[str, tuple[Case, int, str]] = {
    "no x": (without(FLAT, "x"), NULL, "x is null"),
    "no y": (without(FLAT, "y"), NULL, "yOut is null"),
    "no ids": (without(FLAT, "expert_idx"), NULL, "expertIdxOut is null"),
    "no result": (
        without(FLAT, "result"),
        REJECTED,
        "softmaxResultOutOptional is null; it must be a tensor if renorm is 0 and "
        "outputSoftmaxResultFlag is 1",
    ),
    "x of int32": (retyped(FLAT, "x", "int32"), INVALID, "the data type of x is 3"),
    "y of fp16": (retyped(FLAT, "y", "float16"), INVALID, "the data type of yOut is 1"),
    "ids of int64": (
        retyped(FLAT, "expert_idx", "int64"),
        INVALID,
        "the data type of expertIdxOut is 9",
    ),
    "finished of int8": (
        retyped(FLAT, "finished", "int8"),
        INVALID,
        "the data type of finishedOptional is 2",
    ),
    "result of fp16": (
        retyped(FLAT, "result", "float16"),
        INVALID,
        "the data type of softmaxResultOutOptional is 1",
    ),
    "k 0": (with_attributes(FLAT, k=0), REJECTED, "k is 0; it must be 1 to 1024"),
    "k 1025": (with_attributes(FLAT, k=1025), REJECTED, "k is 1025; it must be 1 to 1024"),
    "k 9": (with_attributes(FLAT, k=9), REJECTED, "k is 9; it must be at most dim 1 of x, 8"),
    "renorm 2": (with_attributes(FLAT, renorm=2), REJECTED, "renorm is 2; it must be 0 to 1"),
    "renorm -1": (with_attributes(FLAT, renorm=-1), REJECTED, "renorm is -1; it must be 0 to 1"),
    "no rows": (second(rows(0, 8)), REJECTED, "dim 0 of x is 0; it must be 1 or more"),
    "no experts": (second(rows(3, 0)), REJECTED, "dim 1 of x is 0; it must be 1 or more"),
    "no batches": (second(rows(0, 3, 8)), REJECTED, "dim 0 of x is 0; it must be 1 or more"),
    "x of rank 1": (reshaped(FLAT, "x", (8,)), REJECTED, "the rank of x [8] is 1"),
    "x of rank 4": (reshaped(FLAT, "x", (1, 1, 3, 8)), REJECTED, "the rank of x [1, 1, 3, 8]"),
    "y in batches": (reshaped(FLAT, "y", (1, 3, 2)), REJECTED, "the rank of yOut [1, 3, 2] is 3"),
    "y not in batches": (reshaped(BATCHED, "y", (6, 2)), REJECTED, "the rank of yOut [6, 2] is 2"),
    "y too short": (reshaped(FLAT, "y", (3, 1)), REJECTED, "dim 1 of yOut is 1; it must be k, 2"),
    "other ids": (
        reshaped(FLAT, "expert_idx", (4, 2)),
        REJECTED,
        "dim 0 of expertIdxOut is 4; it must be dim 0 of x, 3",
    ),
    "other finished": (
        reshaped(BATCHED, "finished", (3, 2)),
        REJECTED,
        "dim 0 of finishedOptional is 3; it must be dim 0 of x, 2",
    ),
    "other result": (
        reshaped(BATCHED, "result", (2, 3, 7)),
        REJECTED,
        "dim 2 of softmaxResultOutOptional is 7; it must be dim 2 of x, 8",
    ),
    "small buffer": (
        second(rows(3, 70, k=33, ub=2272)),
        REJECTED,
        "the unified buffer is 2272 bytes; it must be 2304 bytes or more for k 33 of 70 experts",
    ),
}


def refused(device: Device, operator: Any, case: Case) -> tuple[int, str]:
    seen = device.run(operator, case)
    assert (seen.outcome, seen.outputs_untouched) == (Outcome.REJECTED, True), seen
    return seen.status, seen.message.split(": ", 1)[1]


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_has_its_status_and_sentence(name: str, device: Device) -> None:
    case, status, sentence = WRONG[name]
    said = refused(device, V2, case)
    assert said[0] == status
    assert said[1].startswith(sentence)


def test_a_result_that_is_not_wanted_may_have_any_shape(device: Device) -> None:
    for attributes in ({"renorm": 1}, {"flag": 0}):
        case = with_attributes(reshaped(FLAT, "result", (1,)), **attributes)
        seen = device.run(V2, case)
        assert (seen.outcome, seen.unwritten["result"]) == (Outcome.COMPLETED, 1)


def test_the_first_version_refuses_the_same_and_row_numbers_of_another_shape(
    device: Device,
) -> None:
    right = rows(3, 8).case(V1)
    for name in ("x", "y", "expert_idx", "row_idx"):
        assert refused(device, V1, without(right, name))[0] == NULL
        assert refused(device, V1, retyped(right, name, "int64"))[0] == INVALID
        assert refused(device, V1, reshaped(right, name, (3, 0)))[0] == REJECTED
    said = refused(device, V1, reshaped(right, "row_idx", (2, 2)))
    assert said[1].startswith("dim 0 of rowIdxOut is 2; it must be dim 0 of x, 3")
    for k in (0, 9):
        assert refused(device, V1, with_attributes(right, k=k))[0] == REJECTED
    assert refused(device, V1, replace(rows(0, 8).case(V1)))[0] == REJECTED
