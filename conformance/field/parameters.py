"""Which parameter of a record each argument of a foreign call is, by its name or its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.catalogue import field as say
from conformance.field.foreign import Call, Described, Item, Listed, NotRead, with_numbers
from conformance.field.torch_functions import FUNCTIONS
from conformance.record.operator import AttributeParameter, Operator, Parameter, TensorParameter
from conformance.record.torch_binding import Binding, Given


@dataclass(frozen=True)
class Arguments:
    """A call by the names of a record: its tensors and attributes, and outputs that it describes.

    ``tensors`` has the inputs that are given; ``outputs`` None: the file says nothing of outputs.
    ``keywords`` are those of a torch function, which the case made of it must give again.
    """

    tensors: Mapping[str, Described]
    attributes: Mapping[str, Any]
    outputs: Mapping[str, Described] | None = None
    keywords: Mapping[str, Any] = field(default_factory=dict)


def operators_of(function: str, records: Mapping[str, Operator]) -> list[Operator]:
    """The operators that a function calls: by the name of the operator, of its aclnn function or of
    torch_npu's. Raises `NotRead` where no record has it."""
    name = _plain(function.rpartition(".")[2])
    found = [one for one in records.values() if name in _names_of(one)]
    if not found:
        raise NotRead(say.NO_RECORD(function=function[:80]))
    return found


def _names_of(operator: Operator) -> set[str]:
    names = {operator.name, operator.title, operator.aclnn}
    if isinstance(operator.torch_npu, Binding):
        names.add(operator.torch_npu.function)
    return {_plain(one) for one in names}


def is_of_torch(operator: Operator, function: str) -> bool:
    """Whether a function is torch_npu's way to an operator, not the operator itself."""
    binding = operator.torch_npu
    plain = _plain(function.rpartition(".")[2])
    return isinstance(binding, Binding) and plain == _plain(binding.function)


def given(call: Call, operator: Operator) -> Arguments:
    """The arguments by the names of the record. Raises `NotRead` for one that it does not know."""
    if "keywords" in call.places:
        return _of_keywords(call, operator)
    if call.places == "interface":
        pairs = _by_name_or_place(call.items, operator)
    else:
        pairs = _by_place(call, operator)
    return _sorted_out(pairs, call, operator)


def _by_place(call: Call, operator: Operator) -> list[tuple[Parameter, Item]]:
    """Tensors in the order of the interface, attributes by name."""
    own = [one for one in operator.tensors if call.places == "tensors" or one.role == "input"]
    tensors = [one for one in call.items if one.is_tensor]
    inputs = [one for one in own if one.role == "input"]
    if call.places == "tensors" and len(tensors) == len(inputs) < len(own):
        own = inputs
    if len(tensors) != len(own):
        raise NotRead(say.OTHER_TENSORS(count=len(tensors), own=len(own)))
    pairs: list[tuple[Parameter, Item]] = list(zip(own, tensors, strict=True))
    for one in call.items:
        if not one.is_tensor:
            pairs.append((_named(one.name, operator), one))
    return pairs


def _by_name_or_place(items: Sequence[Item], operator: Operator) -> list[tuple[Parameter, Item]]:
    """By names; if no entry has one, by place: inputs and attributes as the interface has them.

    One name alone may be another than the record's, if its place and kind are those of the one
    parameter that is left.
    """
    own = [
        one
        for one in operator.parameters
        if isinstance(one, AttributeParameter) or one.role == "input"
    ]
    if len(own) != len(items):
        return [(_named(item.name, operator), item) for item in items]
    pairs = list(zip(own, items, strict=True))
    unlike = [(one, item) for one, item in pairs if _known(item.name, operator) != [one]]
    fits = all(isinstance(one, TensorParameter) == item.is_tensor for one, item in unlike)
    nameless = not any(item.name for item in items)
    unknown = len(unlike) == 1 and not _known(unlike[0][1].name, operator)
    if fits and (nameless or unknown):
        return pairs
    return [(_named(item.name, operator), item) for item in items]


def _named(name: str, operator: Operator) -> Parameter:
    """The parameter of that name. Raises `NotRead`."""
    found = _known(name, operator)
    if len(found) != 1:
        names = tuple(one.acl_name for one in operator.parameters)
        raise NotRead(say.NO_PARAMETER(name=name[:80] or "?", names=names))
    return found[0]


def _known(name: str, operator: Operator) -> list[Parameter]:
    plain = _plain(name)
    every = operator.parameters
    exact = [one for one in every if plain in (_plain(one.name), _plain(one.acl_name))]
    return exact or [one for one in every if _stem(plain) in _stems(one)]


def _stems(one: Parameter) -> set[str]:
    return {_stem(_plain(one.name)), _stem(_plain(one.acl_name))}


def _stem(plain: str) -> str:
    return plain.removesuffix("optional").removesuffix("out") or plain


def _plain(name: str) -> str:
    """A name without what differs between C, Python and the operator's definition."""
    return name.replace("_", "").lower().removeprefix("aclnn")


def _sorted_out(
    pairs: Sequence[tuple[Parameter, Item]], call: Call, operator: Operator
) -> Arguments:
    tensors: dict[str, Described] = {}
    attributes: dict[str, Any] = {}
    outputs: dict[str, Described] = {}
    for one, item in pairs:
        if isinstance(one, AttributeParameter):
            if item.is_tensor:
                raise NotRead(say.NO_ATTRIBUTE(name=one.name))
            attributes[one.name] = item.value
        elif isinstance(item.value, Described):
            (tensors if one.role == "input" else outputs)[one.name] = item.value
    for one, item in pairs:
        if isinstance(one, TensorParameter) and not item.is_tensor and item.value is not None:
            _put_numbers(one, item, tensors)
    has_outputs = bool(outputs) or bool(call.outputs)
    own = [one for one in operator.tensors if one.role == "output"]
    for place, told in enumerate(call.outputs):
        if place < len(own) and told is not None:
            outputs[own[place].name] = told
    return Arguments(tensors, attributes, outputs if has_outputs else None)


def _put_numbers(one: TensorParameter, item: Item, tensors: dict[str, Described]) -> None:
    """Give a tensor the values that the attributes list for it."""
    listed = item.value if isinstance(item.value, Listed) else None
    if isinstance(item.value, tuple):
        listed = Listed(item.value)
    if listed is None or one.name not in tensors:
        raise NotRead(say.NO_TENSOR(name=one.name))
    tensors[one.name] = with_numbers(tensors[one.name], listed)


def _of_keywords(call: Call, operator: Operator) -> Arguments:
    """Of a call of a torch function: what each keyword is given, by the record's binding."""
    binding = operator.torch_npu
    declared = FUNCTIONS.get(call.function.rpartition(".")[2])
    if declared is None or not isinstance(binding, Binding):
        raise NotRead(say.NO_SCHEMA(function=call.function[:80]))
    to_tensors, to_attributes = _sources(operator, binding)
    names, most = declared.names, declared.by_position
    if call.places == "tensor keywords":
        names = tuple(one for one in names if one in to_tensors)
        most = len(names)
    keywords = dict(_keywords(call, declared.names, names[:most]))
    for name in declared.names:
        if keywords.get(name) is None:
            if name not in keywords and name not in declared.defaults:
                raise NotRead(say.MISSING(name=name))
            keywords[name] = declared.defaults.get(name)
    known = binding.arguments(operator.examples[0].case)
    tensors: dict[str, Described] = {}
    attributes: dict[str, Any] = {}
    for name, value in keywords.items():
        if isinstance(value, Described):
            if name not in to_tensors:
                raise NotRead(say.NO_KEYWORD(name=name, operator=operator.name))
            tensors[to_tensors[name]] = value
        elif name in to_attributes:
            attributes[to_attributes[name]] = value
        elif name not in known and value != declared.defaults.get(name):
            raise NotRead(say.NO_KEYWORD(name=name, operator=operator.name))
    return Arguments(tensors, attributes, None, keywords)


def _keywords(
    call: Call, names: tuple[str, ...], in_order: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    """The keywords with what each is given; without a name they are those ``in_order``."""
    without = [one for one in call.items if not one.name]
    if len(without) > len(in_order):
        raise NotRead(say.MANY_POSITIONS(count=len(without), most=len(in_order)))
    yield from ((name, one.value) for name, one in zip(in_order, without, strict=False))
    for one in call.items:
        if one.name and one.name not in names:
            raise NotRead(say.NO_PARAMETER(name=one.name[:80], names=names))
        if one.name:
            yield one.name, one.value


def _sources(operator: Operator, binding: Binding) -> tuple[dict[str, str], dict[str, str]]:
    """By keyword, the tensor or the attribute of the record that it is made of.

    The record says only what a call of it gives to the function. Which attribute a keyword follows
    shows when that attribute alone is another.
    """
    case = operator.examples[0].case
    before = binding.arguments(case)
    tensors = {name: one.name for name, one in before.items() if isinstance(one, Given)}
    attributes: dict[str, str] = {}
    for one in operator.parameters:
        if not isinstance(one, AttributeParameter):
            continue
        for other in _others(one, case.attributes[one.name]):
            changed = replace(case, attributes={**case.attributes, one.name: other})
            after = binding.arguments(changed)
            for name, value in after.items():
                if value != before.get(name) and name not in tensors:
                    attributes.setdefault(name, one.name)
    return tensors, attributes


def _others(one: AttributeParameter, value: Any) -> tuple[Any, ...]:
    if one.ctype == "double":
        return (value + 1.0,)
    if one.ctype == "int array":
        return ((7, 9),) if value != (7, 9) else ((1, 2),)
    return (1 - value,) if one.ctype == "bool" else (value + 1,)
