"""A case of a record made of a call from the field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from conformance.call.case import Attribute, Case, Tensor
from conformance.catalogue import field as say
from conformance.errors import text_of
from conformance.field.answers import Outputs, returned
from conformance.field.foreign import Call, Described, NotRead
from conformance.field.nearest import Nearest, nearest
from conformance.field.outputs import with_outputs
from conformance.field.parameters import Arguments, given, is_of_torch, operators_of
from conformance.field.routings import Ways
from conformance.field.values import filled, listed, with_values
from conformance.judge.legality import IllegalCase, check_call
from conformance.record.derive.explain import Misfit, explain, explain_inputs
from conformance.record.operator import AttributeParameter, Operator
from conformance.record.signature import Signature
from conformance.record.torch_binding import Binding, Given, OfDtype

MOST_MODES = 3
"""Modes that are tried, and sets of outputs in each."""

MOST_TRIED = 20
"""Ways to make the integers of a call that are tried."""

SAME = 4
"""So many times the same reason ends the trying."""

FEW_TRIED, LARGE = 6, 1 << 18
"""Ways that are tried of a call with more elements: to ask the record of one takes seconds."""


@dataclass(frozen=True)
class Read:
    """A case, and whether its values are the file's own, or drawn here in part.

    ``returned`` is what the call returned, if the file has that and all values of its inputs.
    """

    case: Case
    values: str
    returned: Outputs | None = None


def case_of(call: Call, records: Mapping[str, Operator], most_elements: int) -> Read:
    """The case of a call. Raises `NotRead` with the reason where there is none.

    A function that calls several operators is that of the first that can be called so.
    """
    reason: NotRead | None = None
    for operator in operators_of(call.function, records):
        try:
            return _of(call, operator, most_elements)
        except NotRead as error:
            reason = reason or error
    assert reason is not None
    raise reason


def _of(call: Call, operator: Operator, most_elements: int) -> Read:
    if is_of_torch(operator, call.function) and "keywords" not in call.places:
        call = replace(call, places="tensor keywords")
    told = given(call, operator)
    attributes = {one.name: _attribute(one, told) for one in _attributes(operator)}
    held = sum(one.size for one in told.tensors.values())
    if held > most_elements:
        raise NotRead(say.TOO_LARGE(size=held, most=most_elements))
    for name, one in told.tensors.items():
        if one.format not in ("ND", "ACL_FORMAT_ND"):
            raise NotRead(say.OTHER_FORMAT(name=name, format=one.format[:40]))
    shapes = {name: Tensor(one.shape, one.dtype) for name, one in told.tensors.items()}
    reason: NotRead | None = None
    for dtype in _dtypes(operator, shapes):
        modes = _modes(operator, attributes)
        for near in nearest(operator, modes, dtype, shapes, attributes)[:MOST_MODES]:
            try:
                return _in_mode(call, operator, told, attributes, dtype, near)
            except NotRead as error:
                reason = reason or error
    raise reason or NotRead(say.NO_MODE())


def _attributes(operator: Operator) -> Iterator[AttributeParameter]:
    yield from (one for one in operator.parameters if isinstance(one, AttributeParameter))


def _attribute(one: AttributeParameter, told: Arguments) -> Attribute:
    """An attribute of its type. Raises `NotRead` for a missing one, or a value that is none."""
    if one.name not in told.attributes:
        if one.ctype == "int array":
            return None
        raise NotRead(say.MISSING(name=one.name))
    value: Any = told.attributes[one.name]
    if one.ctype == "int array" and type(value) is int:
        value = (value,)
    if one.ctype == "double" and isinstance(value, int | float):
        value = float(value)
    if one.ctype in ("int64", "bool") and isinstance(value, float) and value.is_integer():
        value = int(value)
    if one.ctype in ("int64", "bool") and isinstance(value, bool):
        value = int(value)
    if one.ctype == "bool" and value not in (0, 1):
        raise NotRead(say.NO_VALUE(name=one.name, value=str(value)[:40]))
    if not one.has(value):
        raise NotRead(say.NO_VALUE(name=one.name, value=str(value)[:40]))
    return value


def _dtypes(operator: Operator, shapes: Mapping[str, Tensor]) -> list[str]:
    """The data types that a case may have, those of its tensors first."""
    here = {one.dtype for one in shapes.values()}
    return sorted(operator.dtypes, key=lambda one: one not in here)[
        : max(1, len(here & {*operator.dtypes}))
    ]


def _modes(operator: Operator, attributes: Mapping[str, Attribute]) -> list[str]:
    """The modes with whose fixed attributes a call agrees; all where none does."""
    signature, every = operator.signature, [one.name for one in operator.modes]
    if signature is None:
        return every
    fixed = {mode: signature.by_mode.get(mode, {}) for mode in every}
    found = [m for m in every if all(attributes.get(n) == v for n, v in fixed[m].items())]
    return found or every


def _in_mode(
    call: Call,
    operator: Operator,
    told: Arguments,
    attributes: Mapping[str, Attribute],
    dtype: str,
    near: Nearest,
) -> Read:
    drawn = near.case
    inputs: dict[str, Tensor] = {}
    open_: dict[str, Described] = {}
    own = 0
    for place, one in enumerate(operator.tensors):
        if one.role != "input" or one.name not in told.tensors:
            continue
        described = told.tensors[one.name]
        seed = (call.seed + place) % 2**63
        if described.values is not None:
            own += 1
            inputs[one.name] = listed(described, described.values)
        elif "float" in described.dtype or _is_data(drawn.inputs.get(one.name)):
            inputs[one.name] = filled(described, drawn.inputs.get(one.name), seed)
        else:
            inputs[one.name] = Tensor(described.shape, described.dtype)
            open_[one.name] = described
    case = Case(operator.name, near.mode, dtype, attributes, inputs, {})
    sizes: Mapping[str, int] = {}
    form: Signature | None = None
    if operator.signature is not None:
        form = operator.signature.of(case)
        sizes, misfit = explain_inputs(operator.signature, case)
        _check_fit(operator, case, misfit)
    ways = Ways(operator, near.draws, form, case, open_, sizes, call.seed % 2**31)
    values = ways.all() if open_ else iter([{}])
    held = sum(one.size for one in inputs.values())
    most = FEW_TRIED if held > LARGE else MOST_TRIED
    reasons: list[IllegalCase | NotRead] = []
    for chosen in islice(values, most):
        try:
            whole = _whole(operator, with_values(case, open_, chosen), told, near, sizes)
            own_alone = own == len(inputs)
            outputs = returned(call, operator, whole) if own_alone else None
            return Read(whole, _source(own, len(inputs)), outputs)
        except (IllegalCase, NotRead) as error:
            reasons.append(error)
        if [text_of(one) for one in reasons[-SAME:]] == [text_of(reasons[0])] * SAME:
            break  # it lies in something else than the values
    first = reasons[0] if reasons else NotRead(say.NO_ROUTING())
    if isinstance(first, NotRead):
        raise first
    raise NotRead(say.NOT_ALLOWED(reason=text_of(first)))


def _whole(
    operator: Operator, case: Case, told: Arguments, near: Nearest, sizes: Mapping[str, int]
) -> Case:
    """The case with outputs, as the record allows it. Raises `IllegalCase` or `NotRead` for the
    first reason why it does not."""
    reason: IllegalCase | NotRead | None = None
    for whole in with_outputs(operator, case, told, near, sizes):
        try:
            if operator.signature is not None:
                _check_fit(operator, whole, explain(operator.signature, whole).misfit)
            check_call(whole, operator)
            _check_torch(operator, whole, told)
        except (IllegalCase, NotRead) as error:
            reason = reason or error
        else:
            return whole
    raise reason or NotRead(say.NO_MODE())


def _is_data(drawn: Tensor | None) -> bool:
    """Whether the record fills a tensor by a recipe: then its values are moved, and number
    nothing."""
    return drawn is not None and drawn.fill is not None


def _source(own: int, count: int) -> str:
    if own == 0:
        return say.DRAWN()
    return say.OWN() if own == count else say.PARTLY_OWN(own=own, count=count)


def _check_fit(operator: Operator, case: Case, misfit: Misfit | None) -> None:
    """Raise `NotRead` for a call that the interface must refuse, with the rule."""
    if misfit is None or operator.signature is None:
        return
    rule = operator.signature.rule(misfit.kind, misfit.parameter, misfit.size, case.mode)
    about = misfit.parameter or misfit.size
    if rule is None:
        raise NotRead(say.MISFIT(about=about))
    raise NotRead(say.MUST_REFUSE(about=about, status=rule.status, rule=rule.clause.text))


def _check_torch(operator: Operator, case: Case, told: Arguments) -> None:
    """Raise `NotRead` unless the case, called through torch_npu, gives the function what the file
    says that it was given."""
    binding = operator.torch_npu
    if not told.keywords or not isinstance(binding, Binding):
        return
    if binding.unreached is not None and (why := binding.unreached(case)):
        raise NotRead(say.UNREACHED(reason=why))
    for name, value in binding.arguments(case).items():
        wanted = told.keywords.get(name)
        if isinstance(value, Given):
            same = (value.name in case.inputs) == isinstance(wanted, Described)
        elif isinstance(value, OfDtype):
            same = wanted is None or wanted == value.name
        else:
            same = _same(value, wanted)
        if not same:
            raise NotRead(say.OTHERWISE(name=name, value=str(value), wanted=str(wanted)[:60]))


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, tuple) or isinstance(wanted, tuple):
        return tuple(value or ()) == tuple(wanted or ())
    return bool(value == wanted)
