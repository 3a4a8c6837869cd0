"""The constraints on calls of MoeFinalizeRoutingV2."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

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
            "indices are int64",
            "indices are float32",
            "experts are int64",
            "all floats are int32",
            "rows are int32",
            "rows and out are int32",
            "float32 scales beside float16",
            "float16 scales beside float32",
            "x1 of another dtype",
            "x2 of another dtype",
            "bias of another dtype",
            "out of another dtype",
        ),
        INVALID,
    ),
    Constraint(
        "dropPadMode is 0 to 3",
        ROUTERS,
        tuple(f"drop_pad_mode is {value}" for value in (-1, 4, 2**32)),
    ),
    Constraint(
        "rows have two axes without drop, three with it",
        ROUTERS,
        tuple(
            f"rows of rank {rank}, {mode}"
            for mode in MODES
            for rank in (1, 2 if mode.startswith("drop_pad") else 3)
        ),
        of=("expanded_x",),
    ),
    Constraint("x2 is given beside x1 only", ("rows without scales, and x1",), ("x2 without x1",)),
    Constraint(
        "a bias is given beside experts only",
        ("a dropped slot with a bias, drop_pad_rows", "a dropped slot, drop_pad_rows"),
        ("a bias without experts",),
    ),
    Constraint(
        "the bias has a row for each slot of a token",
        tuple(f"top_k 257, {mode}" for mode in MODES),
        ("a bias of 1 row for 2 slots", "a bias of no rows"),
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
        ("scales of rank 1", "scales of no slots", "two slots for each token, and no scales"),
        of=("scales",),
    ),
    Constraint(
        "x1 and x2 are [tokens, hidden]",
        (*ROUTERS, "rows without scales, and x1"),
        ("x1 of rank 1", "x2 of rank 1"),
        of=("x1", "x2"),
    ),
    Constraint(
        "the bias is [experts, hidden]",
        ROUTERS,
        ("a bias of rank 1", "a bias of rank 3"),
        of=("bias",),
    ),
    Constraint(
        "experts are [tokens, top_k]",
        ROUTERS,
        ("experts of rank 1",),
        of=("expert_idx",),
    ),
    Constraint(
        "out is [tokens, hidden]",
        (*ROUTERS, "rows without scales"),
        (
            "out of rank 1",
            "out of rank 3",
        ),
        of=("out",),
    ),
)
