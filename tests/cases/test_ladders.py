"""Ladders of the records: every operator has them, and each call has the size that is asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.draw.ladder_cells import cells_asked
from conformance.judge.legality import check_call
from conformance.record.derive.explain import explain
from conformance.record.operator import Operator
from conformance.record.size_ladders import MOST, ONE_CELL, Ladder
from conformance.suite import records as suite
from tests.cases.drawing import drawn_once, one_of_each

CLIMBED = [(operator, ladder) for operator in suite.operators([]) for ladder in operator.ladders]
IDS = [f"{operator.name} {ladder.name}" for operator, ladder in CLIMBED]
PLAIN = 79
"""No size that a ladder leaves as it is: a rung from here on says which one grows."""

DEAR = 5000
"""Sizes beyond it are drawn by runs alone, but for the largest of smoke."""


def sizes_of(case: Case) -> Iterator[int]:
    """Every size of a call: axes and elements of its tensors, attributes, the largest number, what
    one number names. The last takes longest to find."""
    yield from (one for one in case.attributes.values() if isinstance(one, int))
    first, *_ = case.inputs.values()
    result, *_ = case.outputs.values()
    for tensor in {**case.inputs, **case.outputs}.values():
        yield from tensor.shape
        yield tensor.size // max(1, case.attributes.get("tokens_num") or first.shape[0])
        yield tensor.size // max(1, *result.shape[:1])
        yield tensor.size
        yield math.prod(tensor.shape[:-1])
    for array in case.arrays.values():
        if array.dtype.kind in "iu":
            yield int(array.max(initial=0))
            yield from np.unique(array, return_counts=True)[1].tolist()


def grown(operator: Operator) -> Iterator[str]:
    """The sizes of a signature that are as large as a ladder asks."""
    assert operator.signature is not None
    for ladder in operator.ladders:
        size = next((one for one in ladder.sizes if one >= PLAIN), ladder.most)
        for mode, dtype in cells_asked(operator, ladder, "mode", 0):
            cases = ladder.cases(mode, dtype, size, ladder.machine(size, 0))
            sizes, _ = explain(operator.signature, drawn_once(cases, 0))
            yield from (name for name, found in sizes.items() if found == size)


@pytest.mark.parametrize("operator", suite.operators([]), ids=lambda one: one.name)
def test_every_operator_has_ladders_of_its_slots_and_columns(operator: Operator) -> None:
    assert operator.signature is not None
    names = [ladder.name for ladder in operator.ladders]
    sizes = {
        one.name
        for one in operator.signature.sizes.values()
        if not one.follows and one.least != one.most
    }
    if "hidden" in sizes:
        assert "columns" in names
    if "hidden" in sizes and sizes & {"slot", "top_k"}:  # a row for each slot of a token
        assert {"tokens", "slots", "top_k"} <= set(names)
    assert sizes <= set(grown(operator))
    assert len(names) == len(set(names))
    assert {mode for one in operator.ladders for mode in one.modes} <= {
        mode.name for mode in operator.modes
    }


@pytest.mark.parametrize(("operator", "ladder"), CLIMBED, ids=IDS)
def test_a_call_of_a_ladder_is_legal_and_has_its_size(operator: Operator, ladder: Ladder) -> None:
    some = [*[size for size in ladder.sizes if size <= DEAR][::13], ladder.asked(ONE_CELL, 0)[-1]]
    for mode, dtype in cells_asked(operator, ladder, "mode", 0):
        at = partial(ladder.cases, mode, dtype)
        strategies = [at(size, ladder.machine(size, 0)) for size in some]
        for size, case in zip(some, one_of_each(strategies), strict=True):
            check_call(case, operator)
            call_of(operator, case)
            assert (case.mode, case.dtype) == (mode, dtype)
            assert size in sizes_of(case)


@pytest.mark.parametrize(("operator", "ladder"), CLIMBED, ids=IDS)
def test_a_ladder_ends_at_the_documented_maximum_or_at_2_17(
    operator: Operator, ladder: Ladder
) -> None:
    assert ladder.sizes[-1] == ladder.most
    documented = {one.most for one in operator.ranges}
    assert ladder.most == MOST or ladder.name.startswith("top_k") or ladder.most in documented
