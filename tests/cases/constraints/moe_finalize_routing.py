"""The constraints on calls of MoeFinalizeRouting."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

MODE = "dropless_columns"
ROUTERS = ("ranks of a router", "ranks of a router, no x2", "top_k 257", "top_k 1")
ROWS = ("expanded_x", "x1", "x2", "bias", "scales", "out")
CONSTRAINTS = (
    Constraint(
        "no tensor but x2 is null",
        ("ranks of a router, no x2",),
        tuple(
            f"{name} is null" for name in (*ROWS[:2], *ROWS[3:], "expanded_row_idx", "expert_idx")
        ),
        NULL,
    ),
    Constraint(
        "one float type; indices and experts int32",
        tuple(f"rows of {dtype}" for dtype in DTYPES),
        (f"{' and '.join(ROWS)} are int32, {MODE}",),
        INVALID,
        of=(*ROWS, "expanded_row_idx", "expert_idx"),
    ),
    Constraint("there is a row for each slot", ROUTERS, of=("expanded_x",)),
    Constraint("x1 and x2 are [tokens, hidden]", ROUTERS, of=("x1", "x2")),
    Constraint(
        "the bias is [experts, hidden], with a row for each slot of a token",
        ROUTERS,
        of=("bias",),
    ),
    Constraint(
        "scales and experts are [tokens, top_k], top_k at least 1",
        ROUTERS,
        (f"slot is 0, {MODE}",),
        of=("scales", "expert_idx"),
    ),
    Constraint("there is an index for each slot, in one axis", ROUTERS, of=("expanded_row_idx",)),
    Constraint("out is [tokens, hidden]", ROUTERS, of=("out",)),
)

MODES = {MODE: lambda case: True}
"""By what a call is one of each mode."""
