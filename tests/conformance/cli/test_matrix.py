"""The matrix of a page: a row for each operator, what is not accepted first."""

from conformance.cli.matrix import matrix
from conformance.evidence.summary import REJECTIONS, Cell


def cell(operator: str, mode: str = "plain", dtype: str = "float16", **more: int) -> Cell:
    return Cell(operator=operator, mode=mode, dtype=dtype, **{"cases": 5, **more})


def test_a_row_has_a_mark_for_each_mode_in_each_data_type() -> None:
    cells = [cell("one", mode, dtype) for mode in ("a", "b") for dtype in ("float16", "float32")]
    dtypes, (row,) = matrix(cells)
    assert dtypes == ["float16", "float32"]
    assert row.marks == {dtype: [("a", "yes", 5), ("b", "yes", 5)] for dtype in dtypes}
    assert (row.operator, row.verdict, row.cases) == ("one", "yes", 20)


def test_calls_that_must_be_refused_count_and_have_no_mark() -> None:
    dtypes, (row,) = matrix([cell("one"), cell("one", REJECTIONS, "", cases=7, failed=1)])
    assert dtypes == ["float16"]
    assert [*row.marks] == ["float16"]
    assert (row.verdict, row.cases) == ("no", 12)


def test_failed_operators_come_first_then_those_that_were_not_judged_or_not_wholly() -> None:
    cells = [cell("fine"), cell("empty", cases=0), cell("wrong", failed=1), cell("fine too")]
    partial = cell("partial")
    partial.complete = False
    _, rows = matrix([*cells, partial])
    assert [row.operator for row in rows] == ["wrong", "empty", "partial", "fine", "fine too"]
    assert [row.verdict for row in rows] == ["no", "not judged", "partial", "yes", "yes"]


def test_nothing_has_no_rows() -> None:
    assert matrix([]) == ([], [])
