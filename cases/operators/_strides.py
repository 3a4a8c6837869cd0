"""What the interfaces make of tensors that are not contiguous, by how their code came about."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.record.clause import Clause, SourceClass, source_read
from conformance.record.operator import Parameter, Strided, TensorParameter

INVALID = 161002


def of_a_definition(tensors: Iterable[TensorParameter], source: str) -> tuple[Strided, ...]:
    """Of an interface that is made from an operator's definition."""
    names = {
        role: tuple(tensor.name for tensor in tensors if tensor.role == role)
        for role in ("input", "output")
    }
    read = source_read("an input may have strides: it is declared AutoContiguous", source)
    refused = Clause(
        "an output is contiguous: nothing declares that its strides are kept",
        f"{source}, inferred",
        SourceClass.INFERRED,
    )
    return Strided(names["input"], read), Strided(names["output"], refused, INVALID)


def of_written_code(parameters: Iterable[Parameter], source: str) -> tuple[Strided, ...]:
    """Of an interface that calls Contiguous and ViewCopy itself."""
    both = source_read(
        "a tensor may have strides: inputs pass through Contiguous, outputs through ViewCopy",
        source,
    )
    names = tuple(one.name for one in parameters if isinstance(one, TensorParameter))
    return (Strided(names, both),)
