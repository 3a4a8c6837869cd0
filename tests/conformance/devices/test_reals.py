"""Floating-point numbers reach an operator with all their bits, wherever they stand."""

from __future__ import annotations

import math
import struct
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from conformance.call.case import Case, Tensor
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.messages import Functions
from conformance.devices.open import open_device
from conformance.record.operator import AttributeParameter, Operator, TensorParameter
from tests.conformance.devices.fakes import fake_case, fake_operator

KINDS = "double x int64 double double bool double double double double double double int64 double"
REALS = (0.1, -0.0, math.inf, -math.inf, 5e-324, 1e22, -1.5, 2.0**-1000, 3.0, math.pi)


def mixed() -> Operator:
    """The record of FakeMixed."""
    numbers = count()
    x = TensorParameter("x", "x", "input")
    parameters = [
        x if kind == "x" else AttributeParameter(name, name, kind)  # type: ignore[arg-type]
        for kind in KINDS.split()
        for name in [f"a{next(numbers)}"]
    ]
    y = TensorParameter("y", "y", "output", "int64")
    return replace(fake_operator("FakeMixed"), parameters=(*parameters, y))


def mixed_case(reals: tuple[float, ...]) -> Case:
    """Values for the attributes of FakeMixed: 2^40 + 5 and 1 and -7, and these ten."""
    integers, floats = iter((2**40 + 5, 1, -7)), iter(reals)
    values = {
        one.name: next(floats if one.ctype == "double" else integers)
        for one in mixed().parameters
        if isinstance(one, AttributeParameter)
    }
    shaped = replace(fake_case(), attributes=values)
    return replace(shaped, outputs={"y": Tensor((13,), "int64")})


@pytest.mark.parametrize("reals", [REALS, REALS[::-1], (math.nan,) * 10])
def test_numbers_of_both_kinds_keep_their_places(
    fake_device: Device, reals: tuple[float, ...]
) -> None:
    observation = fake_device.run(mixed(), mixed_case(reals))
    assert observation.outcome is Outcome.COMPLETED, observation
    *bits, first, flag, last = observation.outputs["y"].tolist()
    assert struct.pack("<10q", *bits) == struct.pack("<10d", *reals)
    assert (first, flag, last) == (2**40 + 5, 1, -7)


FUNCTION = """
import numpy as np

def scaled(x, eps):
    assert type(eps) is float, type(eps)
    return np.full_like(x, 7 if repr(eps) == {expected!r} else 0)
"""


@pytest.mark.parametrize("eps", [0.1, -0.0, 1.0, math.inf, math.nan])
def test_a_python_function_gets_a_float(tmp_path: Path, eps: float) -> None:
    file = tmp_path / "scaled.py"
    file.write_text(FUNCTION.format(expected=repr(eps)))
    x, _, y = fake_operator("scaled").parameters
    operator = replace(
        fake_operator("scaled"), parameters=(x, AttributeParameter("eps", "eps", "double"), y)
    )
    functions = Functions({"scaled": f"{file}:scaled"}, tensors="numpy")
    with closing(open_device(functions=functions)) as device:
        seen = device.run(operator, replace(fake_case(), attributes={"eps": eps}))
    assert (seen.outcome, seen.message) == (Outcome.COMPLETED, "")
    assert seen.outputs["y"].tolist() == [7] * 6
