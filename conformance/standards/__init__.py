"""Published precision standards under name and version, as executable rules (numerics, Part 2).

A user of Ascend operators may have to pass one of these. They judge outputs without knowing what
was added, so a tight kernel and a wrong one may look alike to them: see
docs/reference/standards.md. This package is the only place that holds tolerances
that are chosen and not derived.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from conformance.standards import (
    atk,
    cann_bench,
    commercial,
    ecosystem,
    formulas,
    libraries,
    msprobe,
    table,
    ttk,
)
from conformance.standards.comparison import Kind
from conformance.standards.standard import Ruling, Standard, StandardVerdict

__all__ = ["STANDARDS", "Kind", "Ruling", "Standard", "StandardVerdict", "all_verdicts"]

STANDARDS: Mapping[str, Standard] = MappingProxyType(
    {
        standard.name: standard
        for module in (ecosystem, commercial, ttk, atk, msprobe, cann_bench, libraries, formulas)
        for standard in module.STANDARDS
    }
)
"""Every standard by its name."""


def all_verdicts(
    device: NDArray[Any],
    golden: NDArray[Any],
    benchmark: NDArray[Any] | None = None,
    dtype: str | None = None,
    kind: Kind | None = None,
) -> dict[str, StandardVerdict]:
    """What every standard says of one output, by name.

    ``device`` and ``benchmark`` (what a CPU gives in the same dtype) have the output's dtype,
    ``golden`` is the exact value in float64, or integers; all have one shape. Without a ``kind``
    the output was computed. Raises ValueError where the arrays do not fit together.
    """
    return table.verdicts(STANDARDS, device, golden, benchmark, dtype, kind)
