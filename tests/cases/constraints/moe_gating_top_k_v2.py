"""The constraints on calls of MoeGatingTopKV2: those of MoeGatingTopK, and those of a table."""

from __future__ import annotations

from tests.cases.constraints import moe_gating_top_k as by_key
from tests.cases.constraints.constraint import INVALID, Constraint
from tests.cases.constraints.moe_gating_top_k import IN_NONE, MODES

__all__ = ["CONSTRAINTS", "IN_NONE", "MODES"]

IDS, TABLE = "input_ids", "tid2eid"
TYPES = tuple(
    f"ids of {ids} in a table of {table}"
    for ids in ("int32", "int64")
    for table in ("int32", "int64")
)
CONSTRAINTS = (
    *by_key.CONSTRAINTS,
    Constraint(
        "inputIds has an id for every row of x",
        ("the page's call with a table", *TYPES, "ids without a table"),
        of=(IDS,),
    ),
    Constraint(
        "tid2eid has rows of k experts",
        ("the page's call with a table", *TYPES, "a table without ids"),
        of=(TABLE,),
    ),
    Constraint("both are int32 or int64", TYPES, (), INVALID, of=(IDS, TABLE)),
    Constraint(
        "with both, k is at most 64",
        ("looked up: k 1", "looked up: k 64"),
        ("looked up: k 65",),
    ),
    Constraint(
        "with both, all groups are kept, or each is one expert",
        ("the page's call with a table", "looked up: groups of one expert"),
        ("looked up: one of two groups kept",),
    ),
)
