"""The record and the reference of a new operator."""

from __future__ import annotations

import math
from collections.abc import Iterator

from conformance.skeleton.operator import FLOATS, New, joined
from conformance.skeleton.parameters import Parameter, camel

ATTRIBUTES = {"number", "real", "flag", "integers"}


def reference(new: New) -> str:
    """The text of the reference: zeros in place of each output."""
    names = ", ".join(one.name + ("=None" if one.optional else "") for one in _ordered(new))
    outputs = [
        f'"{one.name}": np.zeros({_shape(new, one)}, {_type(new, one)}),' for one in new.outputs
    ]
    return f'''"""{new.title}: TODO what it computes, from its document."""

import numpy as np


def formula({names}):
    """TODO: the equation of the document, from the document alone. Zeros are a placeholder."""
    return {{
{joined(outputs, 8)}
    }}
'''


def _shape(new: New, output: Parameter) -> str:
    """The shape of an output, from the shapes of inputs and from attributes."""
    extents = [" * ".join(_extent(new, size) for size in axis.split(" * ")) for axis in output.axes]
    return f"({', '.join(extents)}{',' if len(extents) == 1 else ''})"


def _extent(new: New, size: str) -> str:
    if size.isdigit():
        return size
    for one in new.parameters:
        if not one.is_tensor and one.sizes == (size,):
            return one.name
    for one in sorted(new.inputs, key=lambda one: one.optional):
        for at, axis in enumerate(one.axes):
            if axis == size:
                return f"{one.name}.shape[{at}]"
    return f"1  # TODO: {size}"


def _ordered(new: New) -> list[Parameter]:
    given = [one for one in new.parameters if one.kind != "output"]
    return sorted(given, key=lambda one: one.optional)


def _type(new: New, one: Parameter) -> str:
    if not new.is_of_case(one):
        return f"np.{one.dtypes[0]}"
    like = next((each for each in new.inputs if new.is_of_case(each) and not each.optional), None)
    return f"{like.name}.dtype" if like else f"np.{new.dtypes[0]}"


def record(new: New) -> str:
    """The text of the record: one mode, tensors of one axis, and outputs that are all checked."""
    given = [line for one in new.inputs for line in _drawn(new, one)]
    attributes = [line for one in new.parameters if not one.is_tensor for line in _chosen(one)]
    imports = _imports(new, given + attributes)
    return f'''"""The record of {new.title}: TODO what it promises, and what cases look like."""

from typing import Any

from hypothesis import strategies as st

from conformance.call.case import Case
from conformance.draw.machines import machines
{joined(imports)}
from .reference import {new.name} as reference

DOCUMENT = "{new.title} document"
NULL, INVALID = 161001, 161002


def stated(text: str) -> Clause:
    """A clause of the table of parameters."""
    return document(text, f"{{DOCUMENT}}, parameters")


# TODO: whether each axis of each tensor has the right size.
{joined(list(_sizes(new)))}
SIGNATURE = Signature(
    "{new.name}",
    (
{joined([_parameter(new, one) for one in new.parameters], 8)}
    ),
    rules=(
        Rule(("null",), NULL, stated("TODO: which tensors are required")),
        Rule(("dtype",), INVALID, stated("TODO: the data types")),
        Rule({_kinds(new)}, INVALID, stated("TODO: the shapes")),
    ),
)


@st.composite
def cases(draw: st.DrawFn, mode: str, dtype: str) -> Case:
    """TODO: what shrinks to what; every value that the document allows must be reached."""
    machine = draw(machines())
{joined(_drawn_sizes(new), 4)}
    given: dict[str, dict[str, Any]] = {{}}
{joined(given, 4)}
    attributes: dict[str, Any] = {{}}
{joined(attributes, 4)}
    return call(SIGNATURE, mode, dtype, sizes, given, machine=machine, **attributes)


# TODO: a call that the document prints, with its values in `expected` of Example.
EXAMPLE = call(
    SIGNATURE,
    "documented",
    "{new.dtypes[0]}",
    {{{_two_of_each(new)}}},
    {{
{joined([f'"{one.name}": {{"values": {_zeros(one)}}},' for one in new.inputs], 8)}
    }},
)

OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(DOCUMENT,),
    products=("Ascend910B",),  # TODO: the products of the document
    modes=(Mode("documented", stated("TODO: one mode for each way to call it")),),
    dtypes={_tuple(new.dtypes)},
    formula=formula_of(reference.formula),
    contracts={{  # TODO: Sum, Copy or Index
{joined([_contract(new, one) for one in new.outputs], 8)}
    }},
    examples=(Example("two tokens", EXAMPLE, DOCUMENT),),
    rejections=rejections(SIGNATURE, EXAMPLE),
)
'''


def _imports(new: New, lines: list[str]) -> list[str]:
    text = "\n".join([*lines, *_drawn_sizes(new)])
    words = sorted({one.kind for one in new.parameters} & ATTRIBUTES)
    made = ", ".join(["Rule", "Signature", *sorted([*words, "tensor"])])
    contracts = ", ".join(sorted({_kind(new, one) for one in new.outputs}))
    return [
        "from conformance.draw.sizes import "
        + ("hiddens, token_counts" if "hiddens(" in text else "token_counts"),
        *(["from conformance.draw.values import fills"] if "fills(" in text else []),
        "from conformance.record.clause import Clause, document",
        f"from conformance.record.contract import {contracts}",
        "from conformance.record.derive.calls import call",
        "from conformance.record.derive.records import of_signature",
        "from conformance.record.derive.references import formula_of",
        "from conformance.record.derive.rejections import rejections",
        "from conformance.record.operator import Example, Mode, Operator",
        f"from conformance.record.signature import {made}",
        "from conformance.record.sizes import Size",
        "",
    ]


def _parameter(new: New, one: Parameter) -> str:
    first, rest = camel(one.name)[:1].lower(), camel(one.name)[1:]
    named = "" if first + rest == one.acl_name else f', acl="{one.acl_name}"'
    if not one.is_tensor:
        is_size = one.kind == "number" and one.axes
        rule = one.sizes[0].upper() if is_size else 'free=stated("TODO: what it may be")'
        return f'{one.kind}("{one.name}", {rule}{named if one.kind == "integers" else ""}),'
    words = [f'"{one.name}"', *map(_axis, one.axes)]
    words += ['role="output"'] if one.kind == "output" else []
    own = f'"{one.dtypes[0]}"' if len(one.dtypes) == 1 else _tuple(one.dtypes)
    words += [] if new.is_of_case(one) else [f"dtype={own}"]
    words += ["optional=True"] if one.optional else []
    return f"tensor({', '.join(words)}{named}),"


def _axis(axis: str) -> str:
    parts = axis.split(" * ")
    return " * ".join(f"FIXED_{part}" if part.isdigit() else part.upper() for part in parts)


def _kinds(new: New) -> str:
    """What of a call one rule covers: all that derived calls break."""
    sizes = any(one.axes for one in new.parameters if not one.is_tensor)
    more = (', "limit"' if new.fixed else "") + (', "attribute"' if sizes else "")
    return f'("rank", "extent"{more})'


def _sizes(new: New) -> Iterator[str]:
    """The sizes of the signature; one that nothing ties is free by a clause."""
    for size in new.sizes:
        free = ', free=stated("TODO: why it may be any")' if new.is_free(size) else ""
        yield f'{size.upper()} = Size("{size}"{free})'
    for number in new.fixed:
        yield f'FIXED_{number} = Size("fixed_{number}", least={number}, most={number})'


def _drawn_sizes(new: New) -> list[str]:
    first, *others = new.sizes
    last = {one.axes[-1] for one in new.tensors if len(one.axes) > 1}
    lines = [f'sizes = {{"{first}": draw(token_counts(machine.cores, 100))}}']
    for size in others:
        how = "hiddens(1000)" if size in last else "st.integers(1, 8)"
        lines.append(f'sizes["{size}"] = draw({how})')
    return [*lines, *(f'sizes["fixed_{one}"] = {one}' for one in new.fixed)]


def _two_of_each(new: New) -> str:
    listed = [f'"{size}": 2' for size in new.sizes]
    return ", ".join([*listed, *(f'"fixed_{one}": {one}' for one in new.fixed)])


def _zeros(one: Parameter) -> str:
    """Storage bits of a tensor whose sizes are all 2."""
    count = math.prod(int(part) if part.isdigit() else 2 for part in one.parts)
    return f"{count} * (0,)"


def _count(one: Parameter) -> str:
    """The number of elements of a tensor, of the drawn sizes."""
    return " * ".join(part if part.isdigit() else f'sizes["{part}"]' for part in one.parts)


def _drawn(new: New, one: Parameter) -> Iterator[str]:
    dtypes = new.dtypes_of(one)
    if set(dtypes) <= set(FLOATS):
        value = '{"fill": draw(fills(terms=1))}'
    else:
        most = 1 if dtypes == ("bool",) else 9
        yield f"count = {_count(one)}"
        yield f"numbers = st.lists(st.integers(0, {most}), min_size=count, max_size=count)"
        value = '{"values": tuple(draw(numbers))}'
    if one.optional:
        yield "if draw(st.booleans()):"
        yield f'    given["{one.name}"] = {value}'
    else:
        yield f'given["{one.name}"] = {value}'


def _chosen(one: Parameter) -> Iterator[str]:
    if one.sizes:
        return
    how = {
        "number": "st.integers(0, 9)",
        "real": "st.floats(0, 1)",
        "flag": "st.integers(0, 1)",
        "integers": "st.none()",
    }[one.kind]
    yield f'attributes["{one.name}"] = draw({how})'


def _kind(new: New, one: Parameter) -> str:
    return "Copy" if set(new.dtypes_of(one)) & set(FLOATS) else "Index"


def _contract(new: New, one: Parameter) -> str:
    return f'"{one.name}": {_kind(new, one)}(document("TODO: what it promises", DOCUMENT)),'


def _tuple(names: tuple[str, ...]) -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    return f"({listed}{',' if len(names) == 1 else ''})"
