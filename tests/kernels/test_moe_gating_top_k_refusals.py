"""What the interface of MoeGatingTopK refuses, with which status and sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.variations import reshaped, retyped, with_attributes, without
from device_kernels.build import build
from tests.kernels.gating_calls import answer
from tests.kernels.group_gating_calls import GATING, Gating

NULL, INVALID, REJECTED = 161001, 161002, 561002
PLAIN = Gating(np.zeros((3, 40)), 6, bias=np.zeros(40), groups=8, kept=3, by_two=True)
RIGHT = PLAIN.case()
ONES = with_attributes(RIGHT, kGroup=40, groupCount=40, groupSelectMode=0)


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    library = build(only={GATING.name}, quiet=True).lib
    with closing(open_device("sim", libraries=library)) as opened:
        yield opened


def of(rows: int, experts: int, k: int = 2, **more: int) -> Case:
    return Gating(np.zeros((rows, experts)), k, **more).case()


WRONG: Mapping[str, tuple[Case, int, str]] = {
    "no x": (without(RIGHT, "x"), NULL, "x is null"),
    "no y": (without(RIGHT, "y"), NULL, "yOut is null"),
    "no ids": (without(RIGHT, "expert_idx"), NULL, "expertIdxOut is null"),
    "no scores": (without(RIGHT, "out"), NULL, "outOut is null"),
    "no scores, though none are wanted": (
        without(replace(PLAIN, wants_out=False).case(), "out"),
        NULL,
        "outOut is null",
    ),
    "x of int32": (retyped(RIGHT, "x", "int32"), INVALID, "the data type of x is 3"),
    "bias of fp16": (retyped(RIGHT, "bias", "float16"), INVALID, "the data type of biasOptional"),
    "fp32 bias of bf16": (
        retyped(replace(PLAIN, dtype="bfloat16").case(), "bias", "float32"),
        INVALID,
        "the data type of biasOptional is 0",
    ),
    "y of fp16": (retyped(RIGHT, "y", "float16"), INVALID, "the data type of yOut is 1"),
    "ids of int64": (retyped(RIGHT, "expert_idx", "int64"), INVALID, "the data type of expertIdx"),
    "scores of fp16": (retyped(RIGHT, "out", "float16"), INVALID, "the data type of outOut is 1"),
    "k 0": (with_attributes(RIGHT, k=0), REJECTED, "k is 0; it must be 1 to 2048"),
    "k 41": (
        replace(PLAIN, k=41, kept=8).case(),
        REJECTED,
        "k is 41; it must be at most the experts of kGroup groups, 8 * 5",
    ),
    "k 16": (
        replace(PLAIN, k=16).case(),
        REJECTED,
        "k is 16; it must be at most the experts of kGroup groups, 3 * 5",
    ),
    "kGroup 0": (with_attributes(RIGHT, kGroup=0), REJECTED, "kGroup is 0; it must be 1 to 2048"),
    "kGroup 9": (
        with_attributes(RIGHT, kGroup=9),
        REJECTED,
        "kGroup is 9; it must be at most groupCount, 8",
    ),
    "no groups": (with_attributes(RIGHT, groupCount=0), REJECTED, "groupCount is 0; it must be 1"),
    "7 groups": (
        with_attributes(RIGHT, groupCount=7),
        REJECTED,
        "dim 1 of x is 40; it must be a multiple of groupCount, 7",
    ),
    "2 best of one": (
        with_attributes(ONES, groupSelectMode=1),
        REJECTED,
        "the number of experts of a group is 1; it must be 2 or more if groupSelectMode is 1",
    ),
    "mode 2": (
        with_attributes(RIGHT, groupSelectMode=2),
        REJECTED,
        "groupSelectMode is 2; it must be 0 to 1",
    ),
    "mode -1": (with_attributes(RIGHT, groupSelectMode=-1), REJECTED, "groupSelectMode is -1"),
    "renorm 2": (with_attributes(RIGHT, renorm=2), REJECTED, "renorm is 2; it must be 0 to 1"),
    "renorm -1": (with_attributes(RIGHT, renorm=-1), REJECTED, "renorm is -1; it must be 0 to 1"),
    "norm 3": (with_attributes(RIGHT, normType=3), REJECTED, "normType is 3; it must be 0 to 2"),
    "norm -1": (with_attributes(RIGHT, normType=-1), REJECTED, "normType is -1; it must be 0 to 2"),
    "many experts": (of(1, 2049), REJECTED, "dim 1 of x is 2049; it must be at most 2048"),
    "no experts": (of(1, 0), REJECTED, "dim 1 of x is 0; it must be 1 or more"),
    "many groups, all kept": (
        of(1, 130, groups=65, kept=65),
        REJECTED,
        "groupCount is 65; it must be at most 64 for groups of 2 experts",
    ),
    "many groups": (
        of(1, 130, groups=65, kept=64),
        REJECTED,
        "groupCount is 65; it must be at most 64 for groups of 2 experts",
    ),
    "x of rank 1": (reshaped(RIGHT, "x", (40,)), REJECTED, "the rank of x [40] is 1"),
    "x of rank 3": (reshaped(RIGHT, "x", (1, 3, 40)), REJECTED, "the rank of x [1, 3, 40] is 3"),
    "bias of rank 2": (
        reshaped(RIGHT, "bias", (1, 40)),
        REJECTED,
        "the rank of biasOptional [1, 40] is 2",
    ),
    "short bias": (
        reshaped(RIGHT, "bias", (39,)),
        REJECTED,
        "dim 0 of biasOptional is 39; it must be dim 1 of x, 40",
    ),
    "short y": (reshaped(RIGHT, "y", (3, 5)), REJECTED, "dim 1 of yOut is 5; it must be k, 6"),
    "other ids": (
        reshaped(RIGHT, "expert_idx", (4, 6)),
        REJECTED,
        "dim 0 of expertIdxOut is 4; it must be dim 0 of x, 3",
    ),
    "other scores": (
        reshaped(RIGHT, "out", (3, 41)),
        REJECTED,
        "dim 1 of outOut is 41; it must be dim 1 of x, 40",
    ),
    "small buffer": (
        of(3, 33, ub=2016),
        REJECTED,
        "the unified buffer is 2016 bytes; it must be 2048 bytes or more for 33 experts in one "
        "group",
    ),
    "small buffer for groups": (
        of(3, 40, groups=8, kept=3, ub=8160),
        REJECTED,
        "the unified buffer is 8160 bytes; it must be 8192 bytes or more for 40 experts in 8 "
        "groups",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_has_its_status_and_sentence(name: str, device: Device) -> None:
    case, status, sentence = WRONG[name]
    seen = device.run(GATING, case)
    assert (seen.outcome, seen.outputs_untouched) == (Outcome.REJECTED, True), seen
    assert seen.status == status
    assert seen.message.split(": ", 1)[1].startswith(sentence)


def test_calls_at_the_edge_of_these_rules_are_carried_out(device: Device) -> None:
    for case in (
        RIGHT,
        ONES,
        with_attributes(RIGHT, kGroup=8, groupSelectMode=0),
        of(1, 2048, 2048),
        of(1, 128, 126, groups=64, kept=63),
        of(1, 2048, 8, groups=64, kept=64),
        of(1, 64, 8, groups=64, kept=8),
        of(3, 32, ub=1024),
    ):
        answer(device, GATING, case)


def test_a_call_without_rows_has_nothing_to_do(device: Device) -> None:
    assert device.run(GATING, of(0, 8)).outcome is Outcome.COMPLETED
