"""Mistakes that show only where the buffer is no whole KiB, or has an odd number of blocks of 32
bytes."""

from __future__ import annotations

from conformance.suite.records import operators
from tests.kernels.mutants import Mutant

UB = "call.machine().ubBytes"


def _cut(operator: str, name: str, ub_bytes: str) -> Mutant:
    """The operator's tiling cuts another buffer than there is."""
    return Mutant(name, f"{operator}/aclnn_{operator}.cpp", UB, ub_bytes)


def _of(operator: str) -> tuple[Mutant, ...]:
    few = _cut(operator, "buffer-rounded-up-to-64-bytes", f"({UB} + 63) / 64 * 64")
    many = _cut(operator, "buffer-rounded-up-to-a-kib", f"({UB} + 1023) / 1024 * 1024")
    return few, many


MUTANTS: dict[str, tuple[Mutant, ...]] = {one.name: _of(one.name) for one in operators([])}
