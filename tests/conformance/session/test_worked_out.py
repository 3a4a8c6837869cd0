"""What goes together is worked out by workers, and the controller asks no constraint again."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st

from conformance.record.cells import Axis, Cells, Constraint
from conformance.session.worked_out import adopt, packed
from tests.conformance.segment_sum import operator

SIZE = Axis("size", ("small", "big"), lambda case: ())
COUNT = Axis("count", ("one", "two", "many"), lambda case: ())


class Asked:
    """A record as one process imports it, which counts what its constraint is asked."""

    def __init__(self) -> None:
        self.times = 0
        self.operator = operator(cells=cache(self._cells))
        mode, *_ = self.operator.modes
        self.cells = self.operator.cells(mode.name, self.operator.dtypes[0])

    def _cells(self, mode: str, dtype: str) -> Cells:
        constraint = Constraint(("size", "count"), self._goes, "few are small")
        return Cells((SIZE, COUNT), lambda levels: st.nothing(), (constraint,))

    def _goes(self, size: str, count: str) -> bool:
        self.times += 1
        return size == "big" or count == "one"


def test_a_controller_asks_nothing_that_a_worker_has_worked_out() -> None:
    worker, controller = Asked(), Asked()
    told = worker.cells.feasible
    known = packed([worker.operator])
    adopt([controller.operator], known)
    assert np.array_equal(controller.cells.feasible, told)
    assert told.any()
    assert not told.all()
    assert controller.times == 0


def test_what_no_worker_has_worked_out_is_worked_out_where_it_is_needed() -> None:
    worker, controller = Asked(), Asked()
    assert packed([worker.operator]) == {}
    adopt([controller.operator], {})
    assert controller.cells.feasible.sum() == 4
    assert controller.times == 6
