"""Every constraint on a call has a case just inside and one just outside.

A documented limit that CANN is known not to enforce is judged from the inside alone, and one that
cannot be passed has no outside: `INSIDE_ONLY`.
"""

from __future__ import annotations

import pytest

from conformance.devices.call import call_of
from conformance.judge.legality import check_call, check_shape_and_data
from conformance.record.operator import Operator
from conformance.suite.on_route import on_route
from conformance.suite.records import operators
from conformance.suite.strided_calls import of_strides
from conformance.suite.wrong_protocol_calls import of_the_protocol
from tests.cases.constraints import CONSTRAINTS, INSIDE_ONLY, OUTSIDE_ONLY, Constraint
from tests.named import named

RECORDS = {one.name: one for one in operators() if one.name in CONSTRAINTS}
EACH = pytest.mark.parametrize("operator", RECORDS.values(), ids=RECORDS)


@EACH
def test_every_constraint_has_calls_just_inside_that_are_judged(operator: Operator) -> None:
    for constraint in CONSTRAINTS[operator.name]:
        with named(constraint.rule):
            check_inside(operator, constraint)


def check_inside(operator: Operator, constraint: Constraint) -> None:
    for route in constraint.routes:
        known = {example.name: example.case for example in on_route(operator, route).examples}
        assert constraint.inside
        assert set(constraint.inside) <= known.keys()
        for name in constraint.inside:
            check_call(known[name], operator)


@EACH
def test_every_constraint_has_calls_just_outside_with_their_status(operator: Operator) -> None:
    for constraint in CONSTRAINTS[operator.name]:
        with named(constraint.rule):
            check_outside(operator, constraint)


def check_outside(operator: Operator, constraint: Constraint) -> None:
    for route in constraint.routes:
        known = {one.name: one for one in on_route(operator, route).rejections}
        outside = constraint.names(known.values())
        assert outside
        assert set(outside) <= known.keys()
        assert all(f" {name} is " in f" {' '.join(outside)}" for name in constraint.of)
        for name in outside:
            assert known[name].status == constraint.status
            check_shape_and_data(known[name].case)
            call_of(operator, known[name].case, route)


@EACH
def test_every_call_that_must_be_refused_breaks_one_of_these_constraints(
    operator: Operator,
) -> None:
    rejections = operator.rejections
    listed = [name for one in CONSTRAINTS[operator.name] for name in one.names(rejections)]
    listed += OUTSIDE_ONLY.get(operator.name, ())
    # These have tables of their own: `Operator.strided`, the protocol, wrong tensors.
    listed += [one.name for one in (*of_strides(operator), *of_the_protocol(operator))]
    listed += [one.name for one in rejections if one.clause == operator.each_tensor]
    assert len(listed) == len(set(listed))
    assert sorted(listed) == sorted(rejection.name for rejection in operator.rejections)


@EACH
def test_a_limit_that_is_documented_only_is_judged_from_the_inside(operator: Operator) -> None:
    examples = {example.name for example in operator.examples}
    assert set(INSIDE_ONLY.get(operator.name, ())) <= examples


def test_what_no_vendor_enforces_has_no_call_that_must_be_refused() -> None:
    refused = {
        one.case.attributes["num_topk"] for one in RECORDS["moe_token_permute_grad"].rejections
    }
    assert 513 not in refused
    (doubtful,) = RECORDS["moe_token_permute_grad"].quarantine
    assert doubtful.case.attributes["num_topk"] == 513


def test_every_operator_but_the_first_one_is_in_the_table() -> None:
    assert CONSTRAINTS.keys() == {one.name for one in operators()} - {"moe_init_routing_v2_grad"}
