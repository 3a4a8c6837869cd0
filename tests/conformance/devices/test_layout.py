"""Guards show every byte that a call wrote where it should not."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.devices.guard_zones import (
    GUARD_AFTER,
    GUARD_BEFORE,
    fill_guards,
    guard_damage,
    guard_pattern,
)
from conformance.devices.layout import Bytes, same_at
from conformance.devices.messages import Damage


@pytest.fixture
def image() -> Bytes:
    image = np.zeros(GUARD_BEFORE + 10 + GUARD_AFTER, np.uint8)
    fill_guards(image, 0)
    return image


def test_intact_guards_are_no_damage(image: Bytes) -> None:
    image[GUARD_BEFORE : GUARD_BEFORE + 10] = 255
    assert guard_damage(image, "y", 0) == []


@pytest.mark.parametrize("offset", [-GUARD_BEFORE, -1, 10, 10 + GUARD_AFTER - 1])
def test_one_changed_guard_byte_is_found(image: Bytes, offset: int) -> None:
    image[GUARD_BEFORE + offset] ^= 1
    assert guard_damage(image, "y", 0) == [Damage("y", offset, 1)]


def test_damage_on_both_sides_is_two_findings(image: Bytes) -> None:
    image[GUARD_BEFORE - 4 : GUARD_BEFORE] ^= 0xFF
    image[GUARD_BEFORE + 10 : GUARD_BEFORE + 12] ^= 0xFF
    assert guard_damage(image, "y", 0) == [Damage("y", -4, 4), Damage("y", 10, 2)]


def test_no_two_guards_are_alike() -> None:
    patterns = {guard_pattern(place, 512).tobytes() for place in range(8)}
    assert len(patterns) == 8


def test_bytes_are_compared_to_the_last() -> None:
    both = np.zeros(18, np.uint8)
    left, right = both.ctypes.data, both[9:].ctypes.data
    assert same_at(left, right, 9)
    both[17] = 1
    assert not same_at(left, right, 9)
    assert same_at(left, right, 8)
