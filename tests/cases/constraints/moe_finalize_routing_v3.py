"""The constraints on calls of MoeFinalizeRoutingV3: those of V2, of ranges, and of all rows."""

from __future__ import annotations

from dataclasses import replace

from conformance.call.case import Case
from tests.cases.constraints import moe_finalize_routing_v2 as of_rows
from tests.cases.constraints.constraint import INVALID, Constraint

WITHOUT_ROWS = "experts_without_rows"
RANGES = ("zero_expert_range", "copy_expert_range", "constant_expert_range")
ALPHAS = ("alpha1", "alpha2", "v")
IN_NONE = of_rows.IN_NONE
EACH_KIND = tuple(f"an expert of each kind, {mode}" for mode in of_rows.MODES)


def has_ranges(case: Case) -> bool:
    return any(case.attributes[name] is not None for name in RANGES)


MODES = {
    **{
        mode: lambda case, asked=asked: asked(case) and not has_ranges(case)
        for mode, asked in of_rows.MODES.items()
    },
    WITHOUT_ROWS: has_ranges,
}
DERIVED = ("rows of rank 3, dropless_columns",)
"""What follows from the signature where rows are those of all slots."""

CONSTRAINTS = (
    *(
        replace(one, outside=tuple(name for name in one.outside if name not in DERIVED))
        for one in of_rows.CONSTRAINTS
    ),
    Constraint(
        "a range has two numbers, the second beyond the first, and no two overlap",
        EACH_KIND,
        of=RANGES,
    ),
    Constraint("x is [tokens, hidden]", EACH_KIND, of=("x",)),
    Constraint("alphas and v have a row for each constant expert", EACH_KIND, of=ALPHAS),
    Constraint(
        "constant experts have x, alphas and v",
        EACH_KIND,
        tuple(f"{name} is null" for name in ("x", *ALPHAS)),
    ),
    Constraint(
        "x, alphas and v are of the rows' type",
        EACH_KIND,
        (
            f"{' and '.join(('expanded_x', 'x', *ALPHAS, 'out'))} are int32, {WITHOUT_ROWS}",
            *(
                f"{one} are int32, {WITHOUT_ROWS}"
                for one in (
                    "v and x",
                    "alpha2 and alpha1",
                    "v and alpha2",
                    "alpha1 and v",
                )
            ),
        ),
        INVALID,
        of=("x", *ALPHAS),
    ),
)
