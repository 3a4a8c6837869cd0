"""Every call on record is filed under the one mode that it is a call of.

So the evidence of a run, which names modes, says of which clause each call is.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.call.case import Case
from conformance.frozen.attach import attached
from conformance.mutants.drawn_cases import drawn
from conformance.record.operator import Operator
from conformance.suite import records as suite
from tests.cases.drawing import one_of_each
from tests.cases.modes import AT_THE_BORDER, FREELY_AT_THE_BORDER, IN_NONE, MODES

OPERATORS = attached(suite.operators([]), [], corpus=True).operators
EACH = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
NAMED = ("examples", "rejections", "quarantine", "corpus", "regressions")
DEAREST_EDGE, EVERY = 20_000, 11


def own(case: Case) -> list[str]:
    """The modes that a call is one of."""
    return [mode for mode, asked in MODES[case.operator].items() if asked(case)]


def filed_wrongly(operator: Operator, case: Case, *, was_drawn: bool) -> bool:
    modes = own(case)
    if was_drawn and case.mode in AT_THE_BORDER.get(operator.name, ()):
        return len(modes) != 1
    return modes != [case.mode]


@EACH
def test_every_mode_of_a_record_is_told_apart(operator: Operator) -> None:
    assert MODES[operator.name].keys() == {mode.name for mode in operator.modes}


@EACH
@pytest.mark.parametrize("kind", NAMED)
def test_a_call_that_is_on_record_by_name_is_of_its_own_mode_alone(
    operator: Operator, kind: str
) -> None:
    wrong = [
        (one.name, one.case.mode, own(one.case))
        for one in getattr(operator, kind)
        if one.name not in IN_NONE.get(operator.name, ())
        if " is null, " not in one.name  # the tensor that is not there may be what tells the mode
        if filed_wrongly(operator, one.case, was_drawn=kind == "corpus")
    ]
    assert wrong == []


@EACH
def test_a_call_of_no_mode_breaks_what_tells_modes_apart(operator: Operator) -> None:
    named = IN_NONE.get(operator.name, ())
    calls = {one.name: one.case for one in (*operator.rejections, *operator.quarantine)}
    assert [name for name in named if own(calls[name])] == []


def drawn_calls(operator: Operator) -> Iterator[Case]:
    for mode in operator.modes:
        if mode.name not in FREELY_AT_THE_BORDER.get(operator.name, ()):
            yield from drawn(operator.cases(mode.name, "float16"), 8, 0, mode.name)
        assert operator.cells is not None
        cells = operator.cells(mode.name, "float16")
        yield from one_of_each([cells.cases(row) for row in cells.rows(2)[::EVERY]])
        if cells.edges is not None:
            some = cells.edges.within(DEAREST_EDGE)[::EVERY]
            yield from one_of_each([*map(cells.edges.cases, some)])


@EACH
def test_a_case_of_a_level_or_an_edge_is_of_its_own_mode_alone(operator: Operator) -> None:
    wrong = [
        (case.mode, own(case), dict(case.attributes))
        for case in drawn_calls(operator)
        if filed_wrongly(operator, case, was_drawn=True)
    ]
    assert wrong == []
