"""Calls with one tensor null, of a wrong data type or in a wrong format, from a record's examples.

Each is made of every kind of documented call: in each mode, with each set of optional tensors, and
with each set of empty ones. A host entry may check less when it takes a branch for one of these.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.call.case import Case, Tensor
from conformance.record.call_rules import Unseen
from conformance.record.clause import Clause
from conformance.record.operator import Operator, Rejection
from conformance.record.signature import Kind
from conformance.record.variations import in_format, retyped, without
from conformance.suite.wrong_protocol_calls import INVALID, NULL_POINTER

OTHER_FORMAT = "FRACTAL_NZ"
"""That of matrices in tiles of 16 by 16, which the cube unit reads: the one that PyTorch makes."""

OTHER_TYPE = "uint64"
"""One that no tensor of these operators has."""


def of_tensors(operator: Operator) -> tuple[Rejection, ...]:
    """The calls with one wrong tensor, but for those that the record itself has.

    None where the record says nothing of its tensors (`Operator.each_tensor`). CANN's interfaces do
    not all look at a format, and the storage has the size of ND: on an NPU such a call is not made,
    nor one without a result, of which CANN may make an end at once, nor one that breaks what a rule
    of the signature leaves open there.
    """
    if operator.each_tensor is None:
        return ()
    known = [one.case for one in operator.rejections]
    made = _wrong(operator, operator.each_tensor)
    return tuple(one for one in made if one.case not in known)


def kinds(operator: Operator) -> dict[str, Case]:
    """The smallest documented call of each kind, by its kind in words."""
    found: dict[str, Case] = {}
    for one in operator.examples:
        case = one.case
        if case.before or any(tensor.rows is not None for tensor in _tensors(case).values()):
            continue
        kind = _kind(operator, case)
        if kind not in found or _elements(case) < _elements(found[kind]):
            found[kind] = case
    return found


def _kind(operator: Operator, case: Case) -> str:
    have = _tensors(case)
    lacking = [one.name for one in operator.tensors if one.optional and one.name not in have]
    words = [case.mode, f"without {', '.join(lacking)}" if lacking else ""]
    empty = [name for name, tensor in have.items() if not tensor.size]
    words += [f"{', '.join(empty)} empty"] if empty else []
    return ", ".join(filter(None, words))


def _wrong(operator: Operator, clause: Clause) -> Iterator[Rejection]:
    """The calls of all kinds."""
    optional = {one.name for one in operator.tensors if one.optional}
    unseen = [one for one in operator.freedoms if isinstance(one, Unseen)]
    for kind, case in kinds(operator).items():
        have, seen = _tensors(case), _has_result(case)
        free = {one.tensor for one in unseen if one.without not in have}
        for name in have:
            if name not in optional:
                bad, told = without(case, name), f"{name} is null, {kind}"
                asked = seen and _is_checked(operator, "null", name, case.mode)
                yield Rejection(told, bad, NULL_POINTER, clause, checked_by_cann=asked)
            if name not in free:
                bad, told = retyped(case, name, OTHER_TYPE), f"{name} of {OTHER_TYPE}, {kind}"
                asked = seen and _is_checked(operator, "dtype", name, case.mode)
                yield Rejection(told, bad, INVALID, clause, checked_by_cann=asked)
                bad = in_format(case, name, OTHER_FORMAT)
                told = f"{name} in format {OTHER_FORMAT}, {kind}"
                yield Rejection(told, bad, INVALID, clause, checked_by_cann=False)


def _is_checked(operator: Operator, kind: Kind, name: str, mode: str) -> bool:
    """Whether CANN looks at that, by the rule of the signature, if there is one."""
    signature = operator.signature
    rule = None if signature is None else signature.rule(kind, name, mode=mode)
    return rule is None or rule.checked_by_cann


def _has_result(case: Case) -> bool:
    """Whether some output has elements."""
    return any(tensor.size for tensor in case.outputs.values())


def _tensors(case: Case) -> dict[str, Tensor]:
    return {**case.inputs, **case.outputs}


def _elements(case: Case) -> int:
    return sum(tensor.size for tensor in _tensors(case).values())
