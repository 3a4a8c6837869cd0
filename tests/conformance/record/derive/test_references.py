"""The functions of a reference are called by the names of tensors and attributes."""

from __future__ import annotations

import numpy as np

from conformance.record.derive.references import formula_of, terms_of
from reference.terms import Terms

ROWS = np.arange(24.0).reshape(2, 3, 4)


def sums(rows, weights=None, *, top_k):  # type: ignore[no-untyped-def]
    return rows.sum() * top_k if weights is None else weights


def terms(indices, *, source_rows, top_k):  # type: ignore[no-untyped-def]
    return Terms(indices.reshape(-1, top_k) % source_rows, "rows")


def test_a_formula_is_given_what_it_has_parameters_for() -> None:
    formula = formula_of(sums, "sums")
    assert formula({"rows": ROWS, "other": ROWS}, {"top_k": 2, "padded": 1}) == {"sums": 552}
    assert formula({"rows": ROWS, "weights": 7}, {"top_k": 2}) == {"sums": 7}  # type: ignore[dict-item]


def test_an_attribute_that_is_ignored_is_not_given() -> None:
    def padded_sums(rows, *, top_k=1, padded=False):  # type: ignore[no-untyped-def]
        return top_k, padded

    formula = formula_of(padded_sums, "sums", ignored=("padded",))
    assert formula({"rows": ROWS}, {"top_k": 2, "padded": 1}) == {"sums": (2, False)}

    def padded_terms(*, source_rows, padded=False):  # type: ignore[no-untyped-def]
        return source_rows, padded

    found = terms_of(padded_terms, "rows", ignored=("padded",))
    assert found({"rows": ROWS}, {"padded": 1}) == (6, False)


def test_a_formula_of_several_outputs_returns_them_by_name() -> None:
    formula = formula_of(lambda rows: {"a": rows, "b": -rows})
    assert formula({"rows": ROWS}, {}).keys() == {"a", "b"}


def test_terms_are_told_how_many_rows_there_are_whatever_their_axes() -> None:
    found = terms_of(terms, "rows")({"rows": ROWS, "indices": np.array([7, 5])}, {"top_k": 2})
    assert found.rows.tolist() == [[1, 5]]
