"""The constraints on calls of MoeFinalizeRoutingV2."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import without_padding

MODES = ("dropless_columns", "drop_pad_columns", "dropless_rows", "drop_pad_rows")
ROUTERS = tuple(f"ranks of a router, {mode}" for mode in MODES)
FLOATS = tuple(f"{dtype}, {dtype} scales" for dtype in DTYPES)
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        tuple(f"no optional tensor, {mode}" for mode in MODES),
        ("expanded_x is null", "expanded_row_idx is null", "out is null"),
        NULL,
    ),
    Constraint(
        "one float type, but for float32 scales beside bfloat16; indices and experts int32",
        (*FLOATS, "bfloat16, float32 scales"),
        (
            "expanded_x and x1 and x2 and bias and out are int32, dropless_columns",
            "x2 and x1 are int32, dropless_columns",
            "float32 scales beside float16",
        ),
        INVALID,
        of=("expanded_x", "expanded_row_idx", "x1", "x2", "bias", "scales", "expert_idx", "out"),
    ),
    Constraint("dropPadMode is 0 to 3", ROUTERS, of=("drop_pad_mode",)),
    Constraint(
        "rows have two axes without drop, three with it",
        ROUTERS,
        tuple(
            f"rows of rank {rank}, {mode}"
            for mode in MODES
            for rank in (1, 2 if mode.startswith("drop_pad") else 3)
            if (rank, mode) != (1, "dropless_columns")
        ),
        of=("expanded_x",),
    ),
    Constraint("x2 is given beside x1 only", ("rows without scales, and x1",), ("x1 is null",)),
    Constraint(
        "a bias is given beside experts only",
        ("a dropped slot with a bias, drop_pad_rows", "a dropped slot, drop_pad_rows"),
        ("expert_idx is null",),
    ),
    Constraint(
        "there is an index for each slot, in one axis",
        (*ROUTERS, "rows without scales"),
        (
            "indices of rank 2",
            "8 indices without scales, out of 4",
        ),
        of=("expanded_row_idx",),
    ),
    Constraint(
        "scales are [tokens, top_k]",
        (*ROUTERS, "top_k 1 with scales, dropless_rows"),
        ("two slots for each token, and no scales",),
        of=("scales", "slot"),
    ),
    Constraint(
        "x1 and x2 are [tokens, hidden]",
        (*ROUTERS, "rows without scales, and x1"),
        of=("x1", "x2"),
    ),
    Constraint(
        "the bias is [experts, hidden], with a row for each slot of a token",
        (*ROUTERS, *(f"top_k 257, {mode}" for mode in MODES)),
        of=("bias",),
    ),
    Constraint("experts are [tokens, top_k]", ROUTERS, of=("expert_idx",)),
    Constraint(
        "out is [tokens, hidden]",
        (*ROUTERS, "rows without scales"),
        of=("out",),
    ),
)

MODES = {
    name: without_padding(number)
    for number, name in enumerate(
        ("dropless_columns", "drop_pad_columns", "dropless_rows", "drop_pad_rows")
    )
}
"""By what a call is one of each mode."""

IN_NONE = (
    *(f"drop_pad_mode is {n}, dropless_columns" for n in ("-1", "4", "2^32 + 0")),
    *(f"drop_pad_mode is {n}, drop_pad_rows" for n in ("-1", "-3", "4", "2^32 + 3")),
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""
