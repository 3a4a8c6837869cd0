"""How torch_npu reaches an operator: the function, what it is given, what it answers with.

A record has a `Binding`, or says by `Unreached` why torch_npu has no way to the operator. What
torch_npu adds to the two-phase interface is part of the contract on that route, and stated there.

Route python calls any Python function in the same way: by the keywords of torch_npu's function if
there is one, else by the names of the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from conformance.catalogue import record as say

if TYPE_CHECKING:
    from conformance.call.case import Case
    from conformance.record.clause import Clause


TORCH_NPU = "torch_npu"
"""The name of the route through torch_npu."""

PYTHON = "python"
"""The name of the route that calls a Python function."""

BY_KEYWORDS = (TORCH_NPU, PYTHON)
"""Routes on which a call is a function with keywords, which makes the outputs that it returns."""


class Given(msgspec.Struct, frozen=True, tag="given"):
    """A tensor of the case by its parameter's name; None is passed where the case has none."""

    name: str


class OfDtype(msgspec.Struct, frozen=True, tag="dtype"):
    """A torch.dtype, by its name in numpy."""

    name: str


Value = Given | OfDtype | bool | int | float | tuple[int, ...] | None


class TorchCall(msgspec.Struct, frozen=True):
    """One call of ``torch_npu.<function>``, or of a Python function in its place, with these
    keywords; ``results`` are the names of the outputs in the order of what it returns, None for one
    that the operator does not declare.
    """

    function: str
    arguments: tuple[tuple[str, Value], ...]
    results: tuple[str | None, ...]


@dataclass(frozen=True)
class Binding:
    """A function of torch_npu that carries out the operator.

    ``arguments(case)`` are its keyword arguments. ``clauses`` are what torch_npu itself adds:
    checks, defaults, roundings. ``unreached(case)`` says why a call cannot be made through it, ""
    where it can: a signature that leaves a parameter out reaches only one value of it.
    ``two_phase`` are the functions of which it calls one, such as aclnnMoeFinalizeRoutingV4; none:
    that of the operator.
    """

    function: str
    arguments: Callable[[Case], Mapping[str, Value]]
    results: tuple[str | None, ...]
    clauses: tuple[Clause, ...] = ()
    unreached: Callable[[Case], str] | None = None
    two_phase: tuple[str, ...] = ()

    def call(self, case: Case) -> TorchCall:
        """The call of a case."""
        return TorchCall(self.function, tuple(self.arguments(case).items()), self.results)


@dataclass(frozen=True)
class Unreached:
    """Why torch_npu does not reach an operator."""

    reason: str


UNDECLARED = Unreached(say.NO_BINDING())
"""Of a record that says nothing of torch_npu."""
