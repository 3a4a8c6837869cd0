"""Which two-phase functions those of torch_npu called, beside what records declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from conformance.evidence.lines import AnyLine, VerdictLine
from conformance.evidence.tiling_keys import of_judged_cases
from conformance.record.operator import Operator
from conformance.record.torch_binding import TORCH_NPU, Binding


class TorchFunction(msgspec.Struct, kw_only=True):
    """How torch_npu carried out one operator.

    ``function`` is that of torch_npu, ``declared`` are the two-phase functions of which the record
    says that it calls one. ``called`` counts distinct judged cases by the function that was called,
    as the device saw it; it is empty if the device does not tell.
    """

    operator: str
    function: str
    declared: tuple[str, ...]
    called: dict[str, int] = {}

    @property
    def undeclared(self) -> list[str]:
        """Functions that were called though the record does not declare them."""
        return [name for name in self.called if name not in self.declared]


def bindings(operators: Iterable[Operator]) -> Iterator[TorchFunction]:
    """What records declare of the operators that torch_npu reaches."""
    for one in operators:
        if isinstance(bound := one.torch_npu, Binding):
            declared = bound.two_phase or (one.aclnn,)
            yield TorchFunction(operator=one.name, function=bound.function, declared=declared)


def torch_functions(
    lines: Iterable[AnyLine], declared: Iterable[TorchFunction], phases: Iterable[str]
) -> list[TorchFunction]:
    """The functions of ``declared`` that verdicts of route torch_npu are of, with what they called;
    what stands in ``declared`` under ``called`` is not looked at.
    """
    judged = [one for one in of_judged_cases(lines, phases) if one.route == TORCH_NPU]
    known = {one.operator: one for one in declared}
    return [
        msgspec.structs.replace(
            one, called=_called(line for line in judged if line.operator == name)
        )
        for name, one in known.items()
        if any(line.operator == name for line in judged)
    ]


def _called(lines: Iterable[VerdictLine]) -> dict[str, int]:
    """Distinct cases by function."""
    cases = {(name, line.digest) for line in lines for name in line.two_phase}
    names = sorted(name for name, _ in cases)
    return {name: names.count(name) for name in dict.fromkeys(names)}
