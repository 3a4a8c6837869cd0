"""The shared segment: both sides see the same bytes, also after its size has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from conformance.devices.segment import KEPT, STEP, Segment


@pytest.fixture
def segment() -> Iterator[Segment]:
    segment = Segment.create()
    yield segment
    segment.close()


def test_both_sides_see_the_same_bytes(segment: Segment) -> None:
    other = Segment(segment.descriptor)
    segment.bytes[5000] = 7
    assert other.bytes[5000] == 7


def test_the_other_side_follows_a_change_of_size(segment: Segment) -> None:
    other = Segment(segment.descriptor)
    assert not other.follow()
    segment.reserve(3 * STEP)
    segment.bytes[3 * STEP - 1] = 9
    assert other.follow()
    assert other.bytes[3 * STEP - 1] == 9


def test_what_a_far_larger_case_took_is_given_back(segment: Segment) -> None:
    segment.reserve(2 * KEPT)
    segment.reserve(KEPT)
    assert segment.bytes.size >= 2 * KEPT
    segment.reserve(STEP)
    assert segment.bytes.size < KEPT
    assert os.fstat(segment.descriptor).st_size == segment.bytes.size


def test_a_note_is_read_by_the_other_side(segment: Segment) -> None:
    other = Segment(segment.descriptor)
    other.note("aclnnLongName")
    other.note("short")
    assert segment.noted() == "short"
