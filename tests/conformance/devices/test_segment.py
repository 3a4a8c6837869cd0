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


def test_what_is_taken_is_a_copy_and_large_pages_are_given_back(segment: Segment) -> None:
    count = KEPT + 3 * STEP
    segment.reserve(count + 2 * STEP)
    start = STEP + 5
    segment.bytes[start : start + count] = 3
    segment.bytes[start + count] = 4
    full = os.fstat(segment.descriptor).st_blocks
    taken = segment.take(start, count)
    assert taken.size == count
    assert (taken == 3).all()
    assert segment.bytes[start + count] == 4, "what lies behind stays"
    assert os.fstat(segment.descriptor).st_blocks < full / 50


def test_what_is_small_is_taken_and_stays(segment: Segment) -> None:
    segment.bytes[5000:5010] = 7
    assert (segment.take(5000, 10) == 7).all()
    assert segment.bytes[5000] == 7


def test_a_large_segment_is_emptied_but_for_what_was_noted(segment: Segment) -> None:
    segment.reserve(KEPT + STEP)
    segment.bytes[:] = 1
    segment.note("reading")
    segment.empty()
    assert segment.noted() == "reading"
    assert not segment.bytes[8192:].any()
