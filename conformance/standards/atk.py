"""Comparisons of ATK, the acceptance tool of Ascend's community tasks (numerics S.7, second-hand).

ATK chooses by the output's dtype. Known of it and not here: ``single_bm``, whose formula is not
known; ``performance_device``, which measures time; ``accuracy_dc``, 50 repetitions that must give
the same bits, which is no rule over one output.
"""

from __future__ import annotations

from conformance.catalogue import standards as say
from conformance.standards.commercial import dual_benchmark, integral, quantised
from conformance.standards.comparison import (
    ALL_FLOATS,
    COMPUTED,
    INTEGERS,
    Comparison,
    Kind,
)
from conformance.standards.ecosystem import mixed
from conformance.standards.standard import Rule, Standard, StandardVerdict

VERSION = say.SECOND_HAND(version="2026")
EXACT = (INTEGERS - {"int8"}) | {"bool"}


def mixed_tolerance(c: Comparison) -> StandardVerdict:
    """The ecosystem standard, version 2; int8 at most 1 apart, other integers and bools equal."""
    if c.dtype == "int8":
        return quantised(c)
    return integral(c) if c.dtype in EXACT else mixed(c)


def _standard(
    name: str, file: str, kinds: frozenset[Kind], dtypes: frozenset[str], rule: Rule, needs: bool
) -> Standard:
    return Standard(f"atk-{name}", VERSION, "ATK, " + file, "S.7", kinds, dtypes, rule, needs)


STANDARDS = (
    _standard(
        "mixed-tolerance",
        "mixed_tolerance_bm",
        frozenset(Kind),
        ALL_FLOATS | INTEGERS | {"bool"},
        mixed_tolerance,
        needs=False,
    ),
    _standard(
        "double-benchmark",
        say.COMMON_LIMITS(file="cv_fused_double_benchmark", limits="2, 1.2, 1.2"),
        COMPUTED,
        ALL_FLOATS,
        dual_benchmark("L2"),
        needs=True,
    ),
)
