"""The constraints on calls of MoeComputeExpertTokens."""

from __future__ import annotations

from tests.cases.constraints.constraint import INVALID, NULL, Constraint

RIGHT = "the document's"
CONSTRAINTS = (
    Constraint("no tensor is null", (RIGHT,), ("sorted_experts is null", "out is null"), NULL),
    Constraint(
        "entries and results are int32", (RIGHT,), status=INVALID, of=("sorted_experts", "out")
    ),
    Constraint(
        "there are 1 to 2048 experts",
        ("one entry of one expert", "5 entries, 2048 experts"),
        of=("num_experts",),
    ),
    Constraint(
        "entries have one axis, of fewer than 2^24",
        ("one entry of one expert", "2^24 - 1 entries"),
        ("entry is 16777216, bisected",),
        of=("sorted_experts",),
    ),
    Constraint("there is a result for each expert", (RIGHT,), of=("out",)),
)

MODES = {"bisected": lambda case: True}
"""By what a call is of the mode: there is no other."""
