"""How torch_npu calls an operator, from its signature: keywords, and what each is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from conformance.call.case import Case
from conformance.record.clause import Clause
from conformance.record.signature import Signature, SizedAttribute
from conformance.record.sizes import Size
from conformance.record.torch_binding import Binding, Given, OfDtype, Value


class DtypeOfCase:
    """In place of a parameter: the data type of the case, as a torch.dtype."""


DTYPE_OF_CASE = DtypeOfCase()
Source = str | Size | DtypeOfCase
"""A parameter by its name, a size, or the data type of the case."""


def bound(
    signature: Signature,
    function: str,
    results: tuple[str | None, ...],
    clauses: tuple[Clause, ...] = (),
    /,
    **keywords: Source,
) -> Binding:
    """The binding of a function that takes these keywords and returns ``results``; ``clauses`` are
    those of `Binding`.
    """
    sources = {keyword: _source(signature, source) for keyword, source in keywords.items()}
    return Binding(function, partial(_arguments, sources), results, clauses)


def _arguments(sources: Mapping[str, Callable[[Case], Value]], case: Case) -> Mapping[str, Value]:
    return {keyword: value(case) for keyword, value in sources.items()}


def _source(signature: Signature, source: Source) -> Callable[[Case], Value]:
    if isinstance(source, DtypeOfCase):
        return lambda case: OfDtype(case.dtype)
    if isinstance(source, Size):
        return partial(_extent, signature, source)
    for one in signature.attributes:
        if one.name == source:
            return partial(_attribute, one)
    if source not in {one.name for one in signature.tensors}:
        raise ValueError(f"{source}: {signature.operator} has no such parameter")
    return lambda case: Given(source)


def _attribute(one: SizedAttribute, case: Case) -> Value:
    return one.in_python(case.attributes[one.name])


def _extent(signature: Signature, size: Size, case: Case) -> int:
    """The extent of the last axis of that size alone, which a call of the function decides."""
    tensors = {**case.inputs, **case.outputs}
    return next(
        one.parted(tensors[one.name].shape)[0][one.shape.index(size)]
        for one in reversed(signature.of(case).tensors)
        if size in one.shape
    )
