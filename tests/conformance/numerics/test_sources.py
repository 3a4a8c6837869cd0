"""Rows of several tensors as one list: the same whether they are marked or sorted."""

import numpy as np
import pytest

from conformance.numerics import sources
from conformance.numerics.sources import Sources
from reference.terms import Terms, stacked

ARRAYS = {
    "x": np.arange(12, dtype=np.float32).reshape(6, 2),
    "bias": 100 + np.arange(6, dtype=np.float32).reshape(3, 2),
}


def added(rows, biases):
    """Rows of x and of a bias, added slot by slot."""
    parts = Terms(np.array(rows), "x"), Terms(np.array(biases), "bias")
    return stacked(parts, (6, 3))


@pytest.mark.parametrize("most", [0, 100], ids=["sorted", "marked"])
def test_only_rows_that_are_named_are_gathered_and_numbered_in_their_order(monkeypatch, most):
    monkeypatch.setattr(sources, "MOST_ROWS_BY_NAME", most)
    found = Sources.of(added([[5, -1], [0, 5]], [[2, 2], [-1, 0]]), ARRAYS)
    source, terms = found.gathered(ARRAYS)
    assert source.tolist() == [[0, 1], [10, 11], [100, 101], [104, 105]]
    assert terms.rows.tolist() == [[1, -1, 3, 3], [0, 1, -1, 2]]
    assert [found.named(row) for row in range(4)] == ["x[0]", "x[5]", "bias[0]", "bias[2]"]


@pytest.mark.parametrize("most", [0, 100], ids=["sorted", "marked"])
def test_a_row_beyond_the_last_of_several_is_refused(monkeypatch, most):
    monkeypatch.setattr(sources, "MOST_ROWS_BY_NAME", most)
    found = Sources.of(added([[0]], [[3]]), ARRAYS)
    with pytest.raises(ValueError, match=r"slot 1\]=9: must lie in \[-1, 9\), the rows of x and"):
        found.gathered(ARRAYS)


def test_where_no_slot_adds_anything_nothing_is_gathered():
    source, terms = Sources.of(added([[-1]], [[-1]]), ARRAYS).gathered(ARRAYS)
    assert (source.shape, terms.rows.tolist()) == ((0, 2), [[-1, -1]])
