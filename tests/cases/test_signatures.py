"""Signatures say what the calls of a record are: right ones fit, rejected ones do not."""

from __future__ import annotations

import pytest

from conformance.call.case import ND, Case
from conformance.draw.plain import plainly
from conformance.record.derive.explain import explain
from conformance.record.operator import Operator
from conformance.suite.records import operators

RECORDS = [one for one in operators([]) if one.signature is not None]
EACH = pytest.mark.parametrize("operator", RECORDS, ids=lambda operator: operator.name)
CELLS = [(operator, mode.name) for operator in RECORDS for mode in operator.modes]


def fits(operator: Operator, case: Case) -> bool:
    assert operator.signature is not None
    return explain(operator.signature, case).misfit is None


@EACH
def test_a_record_has_the_parameters_of_its_signature(operator: Operator) -> None:
    assert operator.signature is not None
    assert operator.signature.operator == operator.name
    assert operator.parameters == operator.signature.parameters


@EACH
def test_every_documented_call_fits(operator: Operator) -> None:
    named = [*operator.examples, *operator.corpus, *operator.regressions]
    assert [one.name for one in named if not fits(operator, one.case)] == []


@pytest.mark.parametrize(
    ("operator", "mode"), CELLS, ids=[f"{one.name} {mode}" for one, mode in CELLS]
)
def test_every_drawn_call_fits(operator: Operator, mode: str) -> None:
    for case, _ in plainly(operator.cases(mode, "float16"), 20, 0):
        assert fits(operator, case)


@EACH
def test_no_rejected_call_fits_whose_shapes_dtypes_or_attributes_are_wrong(
    operator: Operator,
) -> None:
    """A wrong format, strides, the protocol, and a list that is needed if a tensor lacks, are no
    matter of a signature. Nor is a rule that is lifted: later versions carry the call out.
    """
    assert operator.rejections
    wrong = [
        one.name
        for one in operator.rejections
        if one.case.breach is None and not one.lifted and fits(operator, one.case)
        if not one.name.startswith("neither ")
        if all(
            tensor.format == ND and tensor.strides is None
            for tensor in {**one.case.inputs, **one.case.outputs}.values()
        )
    ]
    assert wrong == []
