"""Far routings lie where they claim to lie, however they are drawn, and shrink."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from conformance.draw.far import EDGES, FarRouting, far_routings, mostly
from conformance.draw.routings import DROPPED


@settings(max_examples=200, deadline=None, database=None)
@given(far=far_routings(5, 4, most_groups=8, most_hidden=5000))
def test_the_last_row_begins_beyond_an_edge_and_is_named_as_an_int32(far: FarRouting) -> None:
    groups, per_group, hidden = far.shape
    assert far.rows[-1] == groups * per_group - 1
    assert any(edge <= far.rows[-1] * hidden < edge + 200 * hidden for edge in EDGES)
    assert far.rows[-1] in far.indices
    assert far.rows[-1] <= np.iinfo(np.int32).max


@settings(max_examples=200, deadline=None, database=None)
@given(far=far_routings(5, 4, most_groups=8, most_hidden=5000))
def test_indices_name_distinct_rows_that_exist(far: FarRouting) -> None:
    named = [index for index in far.indices if index != DROPPED]
    assert len(far.indices) == 20
    assert len(set(named)) == len(named)
    assert set(named) | set(far.unread) == set(far.rows)
    assert not set(named) & set(far.unread)
    assert list(far.rows) == sorted(set(far.rows))


@pytest.mark.parametrize("edge", EDGES)
def test_every_edge_is_met_with_a_row_that_lies_across_it(edge: int) -> None:
    def across(far: FarRouting) -> bool:
        hidden = far.shape[-1]
        return any(row * hidden < edge < (row + 1) * hidden for row in far.indices)

    assert across(find(far_routings(4, 2, most_groups=8, most_hidden=64), across))


def test_a_far_routing_shrinks_to_one_slot_one_group_and_two_columns() -> None:
    far = find(far_routings(1, 1, most_groups=8, most_hidden=5000), lambda far: True)
    assert far == FarRouting((1, 2**30 + 2, 2), (2**30 + 1,), (2**30 + 1,))


def test_far_cases_are_among_near_ones_which_they_shrink_to() -> None:
    both = mostly(st.just("near"), st.just("far"))
    assert find(both, lambda drawn: True) == "near"
    assert find(both, lambda drawn: drawn == "far") == "far"
