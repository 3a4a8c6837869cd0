"""Terms name the source rows of a sum, and refuse rows that do not exist."""

from __future__ import annotations

import numpy as np
import pytest

from reference.terms import Terms, stacked

ROWS = np.array([[0, 3, -1], [-1, -1, -1], [2, 2, 2]], dtype=np.int32)


def test_live_counts_the_slots_that_add_a_row() -> None:
    live = Terms(rows=ROWS, source="grad").live
    assert live.dtype == np.int64
    np.testing.assert_array_equal(live, [2, 0, 3])


def test_live_is_zero_without_slots_and_empty_without_rows() -> None:
    np.testing.assert_array_equal(Terms(np.empty((2, 0), np.int64), "grad").live, [0, 0])
    assert Terms(np.empty((0, 4), np.int64), "grad").live.shape == (0,)


def test_coefficients_and_cast_are_absent_unless_given() -> None:
    plain = Terms(rows=ROWS, source="grad")
    assert plain.coefficients is None
    assert plain.cast is None
    assert plain.source == "grad"
    weighted = Terms(ROWS, "grad", coefficients=np.ones(ROWS.shape), cast="bfloat16")
    assert weighted.cast == "bfloat16"


def test_rows_inside_the_source_are_valid() -> None:
    Terms(rows=ROWS, source="grad").validate(source_rows=4)
    Terms(rows=np.full((2, 2), -1, np.int64), source="grad").validate(source_rows=0)


@pytest.mark.parametrize(("entry", "source_rows"), [(4, 4), (-2, 4), (0, 0), (2**31 - 1, 4)])
def test_a_row_outside_the_source_is_rejected_by_place_value_and_rule(
    entry: int, source_rows: int
) -> None:
    rows = np.full((3, 2), -1, np.int32)
    rows[2, 1] = entry
    with pytest.raises(ValueError) as error:
        Terms(rows=rows, source="grad").validate(source_rows)
    assert f"rows[output row 2, slot 1]={entry}:" in str(error.value)
    assert f"[-1, {source_rows}), the rows of grad" in str(error.value)


def test_terms_of_the_wrong_form_are_rejected() -> None:
    with pytest.raises(TypeError, match="rows: dtype float64 must be int32 or int64"):
        Terms(rows=np.zeros((2, 2)), source="grad")
    with pytest.raises(ValueError, match=r"rows: shape \(2,\) must be \(output_rows, slots\)"):
        Terms(rows=np.zeros(2, np.int32), source="grad")
    with pytest.raises(ValueError, match=r"coefficients: shape \(3, 2\) must be that of rows"):
        Terms(rows=ROWS, source="grad", coefficients=np.ones((3, 2)))
    with pytest.raises(ValueError, match="dtype_or_name='float8'"):
        Terms(rows=ROWS, source="grad", cast="float8")


def test_a_view_has_the_last_axis_for_columns_unless_the_terms_say_otherwise() -> None:
    assert Terms(ROWS, "x").view((3, 4, 5)) == (12, 5)
    assert Terms(ROWS, "x").view(()) == (1, 1)
    assert Terms(ROWS, "x", columns=1).view((3, 4, 5)) == (60, 1)
    assert Terms(ROWS, "x", columns=1).view((3, 0)) == (0, 1)


def test_stacked_terms_number_their_rows_on_and_have_the_slots_of_each_part() -> None:
    one = Terms(np.array([[0, -1], [2, 1]]), "x", coefficients=np.array([[2, 3], [4, 5]]))
    other = Terms(np.array([[1], [0]], np.int32), "bias")
    terms = stacked((one, other, one), (3, 2, 3))
    assert terms.sources == ("x", "bias", "x")
    np.testing.assert_array_equal(terms.rows, [[0, -1, 4, 5, -1], [2, 1, 3, 7, 6]])
    np.testing.assert_array_equal(terms.coefficients, [[2, 3, 1, 2, 3], [4, 5, 1, 4, 5]])
    assert stacked((other,), (2,)).coefficients is None
    with pytest.raises(ValueError, match="cannot be stacked"):
        stacked((Terms(ROWS, "x", columns=1), other), (4, 2))
    with pytest.raises(ValueError, match=r"\[-1, 7\), the rows of x and bias and x"):
        terms.validate(7)
