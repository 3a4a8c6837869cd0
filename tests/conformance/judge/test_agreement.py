"""Formula, terms and declared order of a case are held against each other, and named where not."""

from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Tensor
from conformance.judge.agreement import ReferenceDisagreement, check, check_outputs
from conformance.numerics import output
from conformance.record.contract import Copy, Index, Sum, Unspecified
from reference.terms import Terms
from tests.conformance.segment_sum import ORDER, ROWS, SUM, case, lattice, operator, whole


def giving(y):
    """The toy operator with a formula that answers `y` or, of a function, what it makes."""

    def formula(inputs, attributes):
        right = operator().formula(inputs, attributes)["y"]
        return {"y": y(right) if callable(y) else np.array(y, np.float64)}

    return operator(formula=formula)


def changed(place, amount):
    """A formula that is off in one element."""

    def formula(right):
        right[place] += amount
        return right

    return giving(formula)


def column(*terms):
    """A case of one element that adds the terms, exact in fp32."""
    return case([[term] for term in terms], [range(len(terms))], "float32")


TWICE = giving(lambda right: 2 * right)


def test_the_element_and_both_of_its_values_are_named():
    check(changed((2, 1), 0.0), whole())
    said = r"segment_sum: y, row 2, column 1: the formula gives 9.0, the terms sum to 8.0"
    made = case([[0.0, 3.0, 9.0], [1.0, 5.0, 7.0]], [[0, 0], [1, 1], [0, 1], [1, -1]])
    with pytest.raises(ReferenceDisagreement, match=said):
        check(changed((2, 1), 1.0), made)


@pytest.mark.parametrize("shape", [(3, 36), (5, 36), (4, 35), (4, 37), (2, 72)])
def test_a_formula_of_another_shape_contradicts_the_case(shape):
    with pytest.raises(ReferenceDisagreement, match=r"output y\n.*case has \[4, 36\]"):
        check(giving(np.zeros(shape)), whole())


def test_a_formula_may_err_as_an_order_in_float64_does_and_no_more():
    # three terms of 1: (3 + 1) 2^-52 times their magnitudes, 3
    for sign in (1, -1):
        check(giving([[3 + sign * 12 * 2.0**-52]]), column(1.0, 1.0, 1.0))
        for far in (14 * 2.0**-52, 1.0, 1e300):
            with pytest.raises(ReferenceDisagreement, match=r"the terms sum to 3\.0"):
                check(giving([[3 + sign * far]]), column(1.0, 1.0, 1.0))
    with pytest.raises(ReferenceDisagreement, match=r"the formula gives -3\.0"):
        check(giving([[-3.0]]), column(1.0, 1.0, 1.0))


def test_the_error_is_measured_by_the_magnitudes_and_not_by_the_sum():
    check(giving([[6 * 2.0**-52]]), column(1.0, -1.0))
    check(giving([[-6 * 2.0**-52]]), column(1.0, -1.0))
    with pytest.raises(ReferenceDisagreement, match=r"the terms sum to 0\.0"):
        check(giving([[7 * 2.0**-52]]), column(1.0, -1.0))


@pytest.mark.parametrize(
    ("terms", "total"),
    [
        ((np.inf, 1.0), np.inf),
        ((-np.inf, 1.0), -np.inf),
        ((np.inf, -np.inf), np.nan),
        ((np.nan, 1.0), np.nan),
        ((2.0, 1.0), 3.0),
    ],
)
def test_infinities_and_nans_agree_only_with_themselves(terms, total):
    for given in (np.inf, -np.inf, np.nan, 3.0):
        if np.array_equal(given, total, equal_nan=True):
            check(giving([[given]]), column(*terms))
        else:
            with pytest.raises(ReferenceDisagreement, match="the formula gives"):
                check(giving([[given]]), column(*terms))


def weighted(cast, formula):
    """The weights 0.1 and 3 before the sum, as a record whose formula is given."""
    weights = np.array([[0.1, 3.0]], np.float32)
    contract = Sum(
        SUM, lambda inputs, attributes: Terms(inputs["rows"], "x", weights, cast), merges=None
    )
    return operator(
        formula=lambda inputs, attributes: {"y": formula(weights.T * inputs["x"])},
        contracts={"y": contract},
    )


@pytest.mark.parametrize("cast", [None, "float16"])
def test_coefficients_are_factors(cast):
    made = column(3.0, 0.5)
    check(weighted(cast, lambda products: products.sum(axis=0)[None]), made)
    for wrong in (3.5, 3.0 / 0.1, 0.5 / 3.0, 6.6):
        with pytest.raises(ReferenceDisagreement, match="the formula gives"):
            check(weighted(cast, lambda products, wrong=wrong: np.array([[wrong]])), made)


def test_a_formula_may_spell_out_a_cast_or_leave_it_out():
    def spelled_out(products):
        return products.astype(np.float16).astype(np.float64).sum(axis=0)[None]

    made = column(3.0, 0.5)
    check(weighted("float16", spelled_out), made)
    with pytest.raises(ReferenceDisagreement, match="the formula gives"):
        check(weighted(None, spelled_out), made)


def test_a_case_is_checked_up_to_the_limit_and_not_beyond():
    made = whole()  # 6 source rows of 36 in 3 slots
    with pytest.raises(ReferenceDisagreement, match="the formula gives"):
        check(TWICE, made, 648)
    check(TWICE, made, 647)


def test_the_limit_is_4096_source_elements_times_slots():
    with pytest.raises(ReferenceDisagreement, match="the formula gives"):
        check(TWICE, case(np.ones((2, 1024)), [[0, 1]]))
    check(TWICE, case(np.ones((1, 241)), [[0] * 17]))


def test_every_sum_is_checked_behind_a_copy_and_behind_one_that_is_too_large():
    contract = operator().contracts["y"]
    with pytest.raises(ReferenceDisagreement, match="the formula gives"):
        check(replace(TWICE, contracts={"x": Copy(SUM), "y": contract}), whole())
    wide = Sum(SUM, lambda inputs, attributes: Terms(np.zeros((1, 99), np.int32), "x"))
    made = whole()
    made = replace(made, outputs={"wide": Tensor((1, 36), "float16"), **made.outputs})
    record = replace(TWICE, contracts={"wide": wide, "y": contract})
    with pytest.raises(ReferenceDisagreement, match="y, row 0, column 0"):
        check(record, made)


def test_a_row_beyond_the_source_is_refused_before_anything_is_read():
    with pytest.raises(ValueError, match=r"slot 1\]=1: must lie in \[-1, 1\), the rows of x"):
        check(operator(), case([[1.0]], [[0, 1]]))


def test_an_order_that_no_tree_gives_is_named_with_its_bits(monkeypatch):
    def emulate(merges, values, *rest):
        total = values.sum(axis=0)
        total[2 * 36 + 5] += 1
        return total

    made = case(np.ones((6, 36)), ROWS)
    check(operator(), made)
    monkeypatch.setattr(output, "emulate", emulate)
    said = r"y, row 2, column 5: the declared order gives the bits 0x4400, .*\[1.0, 1.0, 1.0\]"
    with pytest.raises(ReferenceDisagreement, match=said):
        check(operator(), made)
    any_order = replace(operator().contracts["y"], merges=None, order_clause=None)
    check(operator(contracts={"y": any_order}), made)


def test_a_declared_order_is_checked_in_every_way_of_adding_products():
    weights = np.full((4, 3), 1 + 2.0**-12, np.float32)
    contract = Sum(
        SUM,
        lambda inputs, attributes: Terms(inputs["rows"], "x", weights),
        merges=operator().contracts["y"].merges,
        order_clause=ORDER,
    )
    made = case(lattice() * (1 + 2.0**-12), ROWS, "float32")
    record = operator(contracts={"y": contract})
    formula = record.formula

    def times(inputs, attributes):
        return {"y": (1 + 2.0**-12) * formula(inputs, attributes)["y"]}

    check(replace(record, formula=times), made)


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ({}, "the formula has no such output"),
        ({"y": np.zeros((4, 35))}, r"the case has \[4, 36\], the formula gives \[4, 35\]"),
    ],
)
def test_outputs_are_compared_whatever_became_of_the_call(outputs, said):
    check_outputs(operator(), whole())
    with pytest.raises(ReferenceDisagreement, match=said):
        check_outputs(replace(operator(), formula=lambda inputs, attributes: outputs), whole())


def test_a_formula_that_rejects_a_case_contradicts_the_record_that_has_it():
    def rejects(inputs, attributes):
        raise ValueError("rows[0]=9: must lie in [0, 6)")

    with pytest.raises(ReferenceDisagreement, match=r"on a case\n.*its formula rejects it: rows"):
        check_outputs(replace(operator(), formula=rejects), whole())


def test_an_index_is_made_of_integers_and_an_unspecified_output_of_anything():
    given = {"y": np.zeros((4, 36))}
    for contract, accepted in ((Index(SUM), False), (Unspecified(SUM), True), (Copy(SUM), True)):
        record = replace(operator(), contracts={"y": contract}, formula=lambda i, a: given)
        if accepted:
            check_outputs(record, whole())
            continue
        with pytest.raises(ReferenceDisagreement, match="the formula gives float64"):
            check_outputs(record, whole())
