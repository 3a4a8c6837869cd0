"""Values that an operator only moves arrive bit by bit, whatever they are: NaNs of every payload,
quiet and signalling, zeros of both signs, subnormals. On the simulated device, and in the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.judge.calls import judge
from conformance.record.contract import Copy
from conformance.record.operator import Operator
from conformance.suite import records as suite
from reference.floats import Format, format_of

Bits = NDArray[Any]
OPERATORS = {operator.name: operator for operator in suite.operators()}
NAME = "every kind of pattern"


def copied(operator: Operator, case: Case) -> list[str]:
    """The outputs of a call whose every byte is moved."""
    return [name for name in case.outputs if isinstance(operator.contract(name, case), Copy)]


COPYING = [
    name
    for name, operator in OPERATORS.items()
    if any(copied(operator, example.case) for example in operator.examples)
]
MOVED = [
    pytest.param(operator, example.case, id=f"{operator.name}, {example.name}")
    for operator in OPERATORS.values()
    for example in operator.examples
    if example.name.startswith(NAME)
]


def sign(fmt: Format) -> int:
    return 1 << (8 * np.dtype(fmt.storage_dtype).itemsize - 1)


def magnitude(bits: Bits, fmt: Format) -> Bits:
    return np.asarray(bits & (sign(fmt) - 1))


def nans(bits: Bits, fmt: Format) -> Bits:
    return magnitude(bits, fmt) > fmt.infinity_bits


def quiet(fmt: Format) -> int:
    return 1 << (fmt.precision - 2)


def subnormal(bits: Bits, fmt: Format) -> Bits:
    size = magnitude(bits, fmt)
    return np.asarray((size > 0) & (size < 1 << (fmt.precision - 1)))


CHANGES: dict[str, Callable[[Bits, Format], Bits]] = {
    "signalling NaNs made quiet": lambda b, f: np.where(nans(b, f), b | quiet(f), b),
    "NaNs made one": lambda b, f: np.where(nans(b, f), f.infinity_bits | quiet(f), b),
    "payloads of quiet NaNs lost": lambda b, f: np.where(
        nans(b, f) & (b & quiet(f) > 0), b & (sign(f) | f.infinity_bits | quiet(f)), b
    ),
    "signs of NaNs lost": lambda b, f: np.where(nans(b, f), magnitude(b, f), b),
    "minus zeros made zeros": lambda b, f: np.where(b == sign(f), 0, b),
    "subnormals flushed": lambda b, f: np.where(subnormal(b, f), b & sign(f), b),
    "subnormals below zero flushed": lambda b, f: np.where(
        subnormal(b, f) & (b >= sign(f)), sign(f), b
    ),
}
"""What a device does to a value that passes its arithmetic on the way."""


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def test_every_operator_that_moves_values_has_such_an_example_of_each_dtype() -> None:
    held = {(operator.name, case.dtype) for operator, case in (one.values for one in MOVED)}
    assert held == {(name, dtype) for name in COPYING for dtype in OPERATORS[name].dtypes}
    assert held


@pytest.mark.parametrize(("operator", "case"), MOVED)
def test_the_kernel_moves_every_bit_and_the_judge_sees_any_that_changed(
    operator: Operator, case: Case, device: Device
) -> None:
    seen = device.run(operator, case)
    verdict = judge(operator, case, seen)
    assert verdict.ok, verdict
    for name in copied(operator, case):
        right = seen.outputs[name]
        if right.dtype.kind in "iu":
            told = replace(seen, outputs={**seen.outputs, name: right ^ 1})
            assert not judge(operator, case, told).ok, f"{name}: the lowest bits turned over"
            continue
        fmt = format_of(right.dtype)
        for change, made in CHANGES.items():
            bits = right.view(fmt.storage_dtype)
            wrong = made(bits, fmt).astype(fmt.storage_dtype)
            assert (wrong != bits).any(), f"{name}: nothing for {change!r}"
            told = replace(seen, outputs={**seen.outputs, name: wrong.view(right.dtype)})
            assert not judge(operator, case, told).ok, f"{name}: {change}"
