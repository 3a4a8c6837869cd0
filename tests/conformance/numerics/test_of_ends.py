"""An elementwise rule of both ends of an interval, worked out once where they are equal."""

import numpy as np
import pytest

from conformance.numerics.accepted import of_ends
from reference.floats import BF16, FP16, FP32, round_once

LOW = np.array([0.0, -0.0, 1.0, 1.1, np.nan, -np.inf, 65519.9, 3.5])
HIGH = np.array([0.0, 0.0, 1.0, 1.3, np.nan, np.inf, 65520.0, 3.5])


@pytest.mark.parametrize("fmt", [FP16, BF16, FP32], ids=lambda fmt: str(fmt.storage_dtype))
def test_both_ends_are_those_that_the_rule_gives_of_each(fmt) -> None:
    least, most = of_ends(lambda end: round_once(end, fmt), LOW, HIGH)
    np.testing.assert_array_equal(least, round_once(LOW, fmt))
    np.testing.assert_array_equal(most, round_once(HIGH, fmt))


def test_the_rule_is_asked_of_the_upper_ends_that_lie_apart_alone() -> None:
    asked = []
    of_ends(lambda end: asked.append(end.size) or end, LOW, HIGH)
    assert asked == [8, 4]  # a NaN is not equal to itself


def test_ends_that_are_all_equal_are_worked_out_once() -> None:
    asked = []
    of_ends(lambda end: asked.append(end.size) or end, HIGH[:4], HIGH[:4].copy())
    assert asked == [4]
