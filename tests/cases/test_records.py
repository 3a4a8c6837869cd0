"""What holds of every record: its calls are legal or refused, its references agree, its cells are
met, and its cases can be saved.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.failure.replay import Replay, load, save
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.legality import check_call, check_shape_and_data
from conformance.judge.right_answer import right_answer
from conformance.judge.verdict import Verdict
from conformance.record.operator import Operator
from conformance.record.tuples import compact, possible
from conformance.suite import records as suite
from tests.cases.drawing import a_case_of_every_row, drawn_once
from tests.named import named
from tests.slow import slow_but

OPERATORS = suite.operators([])
MODES = [(operator, mode.name) for operator in OPERATORS for mode in operator.modes]
JUDGED = 4
"""Of so many rows one is judged as well."""


def by_mode(*dtypes: str, turns: bool = False) -> pytest.MarkDecorator:
    """Every mode of every record in these dtypes, or in one of them after the other by turns; a
    record has its first in place of one that it lacks. By turns they take long: all but the first
    mode of each record are slow.
    """
    rows = [(operator, mode, dtype) for operator, mode in MODES for dtype in dtypes]
    if turns:
        count = len(dtypes)
        rows = [row for at, row in enumerate(rows) if at % count == at // count % count]
    of_mode = [(one, mode, kind, one.dtypes_in(mode)) for one, mode, kind in rows]
    rows = [(one, mode, kind if kind in own else own[0]) for one, mode, kind, own in of_mode]
    ids = [f"{operator.name} {mode} {dtype}" for operator, mode, dtype in rows]
    quick = [row for row in rows if not turns or row[1] == row[0].modes[0].name]
    return pytest.mark.parametrize(("operator", "mode", "dtype"), slow_but(quick, rows), ids=ids)


def is_sparse(case: Case) -> bool:
    """Whether rows exist of which the others would fill no memory: plain numpy cannot do that."""
    return any(tensor.rows is not None for tensor in case.inputs.values())


def assert_right(verdict: Verdict) -> None:
    """An answer may be added in another order than the promised one, which a formula need not have,
    but is a sum of its terms in some order.
    """
    drifted = [one for one in verdict.outputs.values() if one.order_drift and not one.mismatches]
    assert verdict.ok or drifted, verdict


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_example_is_a_legal_call_and_the_reference_gives_its_values(
    operator: Operator,
) -> None:
    for example in operator.examples:
        with named(f"example {example.name!r}"):
            check_call(example.case, operator)
            call_of(operator, example.case)
            if not is_sparse(example.case):
                assert_right(judge_example(example, operator, right_answer(operator, example.case)))


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_refused_call_can_be_made(operator: Operator) -> None:
    for rejection in operator.rejections:
        with named(f"call {rejection.name!r}"):
            check_shape_and_data(rejection.case)
            call_of(operator, rejection.case)
            # A stream that is destroyed is an error of the runtime, not of a parameter.
            assert rejection.status in (161001, 161002, 561002, 361001)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_a_record_says_of_every_tensor_what_becomes_of_strides(operator: Operator) -> None:
    said = [name for one in operator.strided for name in one.tensors]
    assert sorted(said) == sorted(tensor.name for tensor in operator.tensors)
    refused = {name for one in operator.strided if one.status for name in one.tensors}
    assert refused <= {one.name.partition(" ")[0] for one in operator.rejections}


@by_mode("bfloat16", "float32", turns=True)
def test_every_row_of_the_pairs_is_drawn_as_a_legal_case_that_shows_it(
    operator: Operator, mode: str, dtype: str
) -> None:
    """Boundaries depend on the size of an element, not on its format; modes take them by turns."""
    assert operator.cells is not None
    cells, rows = operator.cells(mode, dtype), 0
    for row, case in a_case_of_every_row(operator, mode, dtype):
        check_call(case, operator)
        call_of(operator, case)
        shown = cells.of(case)
        assert all(level in shown[axis] for axis, level in row.items()), (row, shown)
        if rows % JUDGED == 0 and not is_sparse(case):
            assert_right(judge(operator, case, right_answer(operator, case)))
        rows += 1
    assert 30 < rows <= 150, "smoke judges 250 cases, a third of them small"


@by_mode("bfloat16")
def test_every_level_goes_with_some_level_of_each_other_axis(
    operator: Operator, mode: str, dtype: str
) -> None:
    assert operator.cells is not None
    cells = operator.cells(mode, dtype)
    for number, axis in enumerate(cells.axes):
        found = possible(cells.feasible, number)
        assert [level for level, some in zip(axis.levels, found, strict=True) if not some] == []
    assert compact(cells.feasible).mean() > 0.05


@by_mode("bfloat16")
def test_a_case_is_saved_and_read_back(
    operator: Operator, mode: str, dtype: str, tmp_path: Path
) -> None:
    case = drawn_once(operator.cases(mode, dtype), 0)
    save(Replay(case), tmp_path / "case.json")
    assert load(tmp_path / "case.json").case == case
