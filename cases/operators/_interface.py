"""What the interfaces of the family have alike: statuses, rules, strides, products."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance.call.case import Case
from conformance.record.clause import Clause, document, inferred, source_read
from conformance.record.operator import (
    Parameter,
    Quarantine,
    Rejection,
    Strided,
    Support,
    Target,
    TensorParameter,
)
from conformance.record.signature import Kind, Rule
from conformance.record.versions import Versions

NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
"""Statuses: a pointer is null; a parameter is invalid; the host tiling, an inner step, failed."""

SHAPE: tuple[Kind, ...] = ("rank", "extent")
INTERFACE = "aclnn interfaces made from an operator's definition"
TILING_ALONE = Versions(
    inferred("sources of 2026 refuse through a launcher", "ops-transformer, op_host/op_api"),
    until="8.5",
)
SORT = "Ascend C API, Sort and MrgSort: equal keys keep their order"


def in_document(page: str, part: str = "parameters") -> Callable[..., Clause]:
    """What makes clauses of a document by their texts; of another part of it if one is named."""
    return lambda text, part=part: document(text, f"{page}, {part}")


def in_doubt(text: str, source: str) -> Clause:
    """A clause that a source suggests, and does not state."""
    return inferred(text, f"{source}, inferred")


def doubted(calls: Mapping[str, tuple[Case, str, str]]) -> tuple[Quarantine, ...]:
    """Calls by name, each with what is in doubt of it, and the source that suggests it."""
    return tuple(
        Quarantine(name, case, in_doubt(text, source))
        for name, (case, text, source) in calls.items()
    )


def checked(
    clause: Clause,
    *about: str,
    kinds: tuple[Kind, ...] = SHAPE,
    status: int = TILING_FAILED,
    modes: tuple[str, ...] = (),
    versions: Versions | None = None,
) -> Rule:
    """A rule that CANN checks: most often the host tiling, of shapes."""
    return Rule(kinds, status, clause, about, modes=modes, versions=versions)


def unchecked(
    clause: Clause, *about: str, kinds: tuple[Kind, ...] = SHAPE, status: int = TILING_FAILED
) -> Rule:
    """A rule that CANN does not check: what a call that breaks it does there is undefined."""
    return Rule(kinds, status, clause, about, checked_by_cann=False)


def of_a_tiling_alone(rejections: Iterable[Rejection]) -> tuple[Rejection, ...]:
    """What the host tiling refuses has its status up to CANN 8.5. In the sources of 2026 a launcher
    stands between: it may answer another one, and nobody has measured which.
    """
    return tuple(
        replace(one, versions=TILING_ALONE) if one.status == TILING_FAILED else one
        for one in rejections
    )


def read_in(
    source: str, status: int = TILING_FAILED, checked_by_cann: bool = True
) -> Callable[..., Rule]:
    """What makes rules that were read in a source, of their texts."""

    def rule(
        text: str, *about: str, kinds: tuple[Kind, ...] = SHAPE, modes: tuple[str, ...] = ()
    ) -> Rule:
        clause = source_read(text, source)
        return Rule(kinds, status, clause, about, checked_by_cann, modes)

    return rule


def null(clause: Clause, *about: str) -> Rule:
    """A rule of pointers."""
    return Rule(("null",), NULL, clause, about)


def typed(clause: Clause, *about: str) -> Rule:
    """A rule of data types."""
    return Rule(("dtype",), INVALID, clause, about)


REQUIRED = null(inferred("the tensor is required", INTERFACE))


def as_listed(source: str) -> Clause:
    """Of an operator whose table of parameters has for each tensor whether it is optional, its data
    types and the format ND."""
    rule = "each tensor that is not optional is given; each has a listed data type and format ND"
    return document(rule, f"{source}, parameters")


def of_a_definition(tensors: Iterable[TensorParameter], source: str) -> tuple[Strided, ...]:
    """What an interface that is made from an operator's definition makes of strides."""
    read = source_read("an input may have strides: it is declared AutoContiguous", source)
    return _inputs_alone(tensors, read, source)


def of_a_table(tensors: Iterable[TensorParameter], source: str) -> tuple[Strided, ...]:
    """What an interface makes of strides whose table of parameters allows them of inputs alone."""
    listed = document("an input may have strides, an output none", f"{source}, parameters")
    return _inputs_alone(tensors, listed, source)


def _inputs_alone(
    tensors: Iterable[TensorParameter], allowed: Clause, source: str
) -> tuple[Strided, ...]:
    names = {
        role: tuple(tensor.name for tensor in tensors if tensor.role == role)
        for role in ("input", "output")
    }
    refused = inferred(
        "an output is contiguous: nothing declares that its strides are kept", f"{source}, inferred"
    )
    return Strided(names["input"], allowed), Strided(names["output"], refused, INVALID)


def of_written_code(parameters: Iterable[Parameter], source: str) -> tuple[Strided, ...]:
    """What an interface that calls Contiguous and ViewCopy itself makes of strides."""
    both = source_read(
        "a tensor may have strides: inputs pass through Contiguous, outputs through ViewCopy",
        source,
    )
    names = tuple(one.name for one in parameters if isinstance(one, TensorParameter))
    return (Strided(names, both),)


def supported(source: str) -> tuple[Target, ...]:
    """The products that a document's table lists with a yes."""
    return (
        Target("Ascend910B", Support.SUPPORTED, document("Atlas A2 series: yes", source)),
        Target("Ascend910_93", Support.SUPPORTED, document("Atlas A3 series: yes", source)),
    )


def of_tables(page: str, products: str = "") -> dict[str, Any]:
    """The fields of a record that a document's tables give: of parameters, as `as_listed` has it;
    of products, all that the project knows are listed with a yes, in a part of that name if any.
    """
    return {
        "products": ("Ascend910B", "Ascend910_93"),
        "each_tensor": as_listed(page),
        "targets": supported(f"{page}, {products}" if products else page),
    }
