"""A case with calls before it: how it is made, what it is judged as, and what it may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.call.attribute import all_stored
from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.catalogue import legality as say
from conformance.devices.device import Device
from conformance.errors import text_of
from conformance.judge import calls as judging
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.rejections import judge_rejection
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import Arithmetic
from conformance.record.operator import Operator, Rejection


def alone(case: Case) -> Case:
    """The case without the calls before it."""
    return replace(case, before=())


def observed(operators: Mapping[str, Operator], case: Case, device: Device) -> Observation:
    """What a case comes to after the calls before it, all of them on the device opened anew.

    Without calls before it, it is made on the device as that is.
    """
    if case.before:
        device.renew()
    for one in case.before:
        device.run(operators[one.operator], one)
    return device.run(operators[case.operator], alone(case))


def judged(
    operator: Operator, case: Case, observation: Observation, arithmetic: Arithmetic
) -> Verdict:
    """The judgement of a case by the reference, or of one on record as refused by its rule."""
    rejection = rejection_of(operator, case)
    if rejection is None:
        return judging.judge(operator, case, observation, arithmetic)
    verdict = judge_rejection(rejection, observation)
    return replace(verdict, subject=case)


def rejection_of(operator: Operator, case: Case) -> Rejection | None:
    """The call on record that must be rejected and is this one; None where there is none."""
    return next((one for one in operator.rejections if _same_call(one.case, case)), None)


def check_before(case: Case, operators: Mapping[str, Operator]) -> None:
    """Check that the calls before a case are ones to carry out or to refuse.

    Raises `IllegalCase`.
    """
    for number, one in enumerate(case.before, 1):
        operator = operators.get(one.operator)
        if operator is None:
            asked = {"parameter": f"before[{number}].operator", "value": one.operator}
            raise IllegalCase(say.ILLEGAL(rule=say.ONE_OF(names=list(operators)), **asked))
        try:
            check_shape_and_data(one)
            if rejection_of(operator, one) is None:
                check_call(one, operator)
        except IllegalCase as error:
            raise IllegalCase(say.BEFORE(number=number, what=text_of(error))) from error


def _same_call(one: Case, other: Case) -> bool:
    """Whether an operator is given the same; the digest is asked last, as it takes the bytes."""
    return (
        (one.operator, one.mode, one.dtype) == (other.operator, other.mode, other.dtype)
        and all_stored(one) == all_stored(other)
        and _shapes(one) == _shapes(other)
        and one.digest == other.digest
    )


def _shapes(case: Case) -> list[tuple[object, ...]]:
    tensors = (*case.inputs.items(), *case.outputs.items())
    return [(name, one.shape, one.dtype, one.rows, one.strides) for name, one in tensors]
