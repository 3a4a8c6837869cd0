"""Layout: mistakes that show only where tensors are views into larger storages."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import find, settings
from hypothesis.errors import NoSuchExample

from conformance.call.observation import GuardDamage, Outcome
from conformance.judge.relate import related
from conformance.record.clause import document
from conformance.record.operator import Strided
from conformance.relations.layout import layout
from tests.conformance.segment_sum import case, observe, operator, right, whole
from tests.conformance.session.test_failure_text import SNAPSHOTS
from tests.snapshots import pinned

READ = document("x may have strides", "segment_sum.md, Layout")
QUICK = settings(database=None, derandomize=True, max_examples=100)
RECORD = replace(operator(), strided=(Strided(("x",), READ), Strided(("y",), READ, 161002)))
VIEWED = replace(
    whole(),
    inputs={
        **whole().inputs,
        "x": replace(whole().inputs["x"], strides=(40, 1), start=3, spare=2),
    },
)


def told(made, change, **fields):
    """The verdict on a kernel whose sums ``change(case, y)`` spoils in place."""

    def device(_, asked):
        y = right(asked).copy()
        change(asked, y)
        extra = fields if asked.inputs["x"].start else {}
        return observe(y, **extra)

    return related(layout(RECORD), {RECORD.name: RECORD}, made, device)[1]


def nothing(made, y):
    pass


def ignores_the_strides(made, y):
    if made.inputs["x"].strides is not None:
        y[0, 0] += 1


def ignores_the_start(made, y):
    if made.inputs["x"].start:
        y[1, 2] = 7


def test_a_right_kernel_keeps_it():
    verdict = told(VIEWED, nothing)
    assert verdict.ok, verdict
    assert told(case(np.zeros((2, 0)), [[0, 1]]), nothing).ok


@pytest.mark.parametrize("change", [ignores_the_strides, ignores_the_start])
def test_a_kernel_that_takes_a_view_for_a_whole_storage_breaks_it(change):
    verdict = told(VIEWED, change)
    assert not verdict.ok
    assert "layout does not hold: 1 of 144 elements of y differ" in verdict.headline
    assert "with these views, with contiguous tensors" in verdict.headline
    assert "aclCreateTensor" in str(verdict)


def test_the_text_of_a_call_whose_layout_matters():
    pinned(SNAPSHOTS / "invariant_layout.txt", told(VIEWED, ignores_the_start).text)


def test_what_is_written_beside_the_elements_of_a_view_breaks_it():
    verdict = told(VIEWED, nothing, guard_damage=(GuardDamage("y", -4, 4),))
    assert not verdict.ok


def test_a_view_that_is_refused_breaks_it():
    verdict = told(VIEWED, nothing, outcome=Outcome.REJECTED, status=161002, outputs={})
    assert "161002" in verdict.headline


def test_strides_are_drawn_of_what_may_have_them_and_of_nothing_else():
    drawn = partial(find, layout(RECORD).varied(whole()), settings=QUICK)
    assert drawn(lambda made: made.inputs["x"].strides is not None)
    assert drawn(lambda made: made.inputs["rows"].start and made.outputs["y"].spare)
    for name, role in (("rows", "inputs"), ("y", "outputs")):
        with pytest.raises(NoSuchExample):
            drawn(lambda made, of=(name, role): getattr(made, of[1])[of[0]].strides is not None)
