"""A call that hands on what nobody wrote is told where it read that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.devices.device import Device
from conformance.judge.calls import judge
from conformance.record.clause import document
from conformance.record.contract import Index
from tests.conformance.devices.fakes import fake_case, fake_operator, move_case, move_operator

SUMS = Index(document("y is x + addend.", "fake_ascend/opapi.c"))


def told_of_a_move(device: Device, name: str, dtype: str, **placed: Any) -> str:
    """The verdict on a move of zeros that also reads elsewhere."""
    case = move_case(0, dtype, **placed)
    asked = replace(fake_operator(name), name=name)
    return str(judge(move_operator(case), case, device.run(asked, case)))


@pytest.mark.parametrize(
    ("dtype", "held"),
    [
        ("int8", "the bytes 0xf9 and 0x7f"),
        ("float16", "0x7ff9"),
        ("bfloat16", "0x7ff9"),
        ("float32", "0x7ff97ff9"),
        ("int32", "0x7ff97ff9"),
        ("int64", "0x7ff97ff97ff97ff9"),
    ],
)
def test_what_lies_between_the_rows_of_an_input_is_told(
    fake_device: Device, dtype: str, held: str
) -> None:
    text = told_of_a_move(fake_device, "FakeMoveGap", dtype, strides=(6, 1))
    where = "the gaps between the elements of an input"
    assert "2 of 6 elements of y are wrong" in text
    assert f"guess: read from {where}: 2 of 2 wrong elements hold {held}" in text
    assert "never written" not in text


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "int64"])
def test_what_lies_behind_an_input_is_told(fake_device: Device, dtype: str) -> None:
    text = told_of_a_move(fake_device, "FakeMoveBehind", dtype)
    assert "guess: read from a guard zone, outside of every tensor: 2 of 2 wrong elements" in text


def test_what_a_workspace_held_is_told(fake_device: Device) -> None:
    case = fake_case()
    operator = replace(fake_operator("FakeWorkspaceCopy"), contracts={"y": SUMS})
    text = str(judge(operator, case, fake_device.run(operator, case)))
    where = "a workspace that nobody wrote"
    assert f"guess: read from {where}: 2 of 2 wrong elements hold 0x7fe37fe3" in text
