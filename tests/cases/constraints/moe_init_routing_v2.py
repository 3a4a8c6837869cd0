"""The constraints on calls of MoeInitRoutingV2."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

ALL = "three tokens of two experts, all rows"
CUMSUM, COUNTS = f"{ALL}, cumsum", f"{ALL}, counts"
PLACES = "three tokens of two experts, capacity 2, uneven experts"
ROWS_OF_4 = "three tokens of two experts, 4 rows"

CONSTRAINTS = (
    Constraint(
        "no tensor is null but for counts",
        (ALL,),
        ("x is null", "expert_idx is null", "expanded_x is null", "expanded_row_idx is null"),
        NULL,
    ),
    Constraint(
        "x is of a float type, all integers are int32",
        tuple(f"every kind of pattern {dtype}" for dtype in DTYPES),
        (
            "everything is int32",
            "x is float64",
            "experts are int64",
            "experts are float32",
            "row indices are int64",
            "counts are int64",
            "counts before capacity are int64",
        ),
        INVALID,
    ),
    Constraint(
        "x and its copies have one dtype",
        (ALL,),
        ("x of another dtype", "expanded_x of another dtype"),
        INVALID,
    ),
    Constraint(
        "dropPadMode is 0 or 1",
        (ALL, PLACES),
        ("dropPadMode is -1", "dropPadMode is 2", "dropPadMode is 2^32"),
        of=("drop_pad_mode",),
    ),
    Constraint(
        "the flag of counts is 0, 1 or 2",
        (ALL, CUMSUM, COUNTS),
        ("count flag is -1", "count flag is 3", "count flag is 2^32 + 2"),
    ),
    Constraint(
        "activeNum is 0 or more",
        (ALL, "activeNum 1", "drop/pad with an activeNum"),
        ("activeNum is -1", "activeNum is -1 in drop/pad"),
    ),
    Constraint(
        "expertCapacity and expertNum are 0 or more",
        ("no number of experts", "expert_capacity 9, without effect, dropless"),
        (
            "expertCapacity is -1",
            "expertNum is -1",
            "expertCapacity is -1 in drop/pad",
            "expertNum is -1 in drop/pad",
        ),
    ),
    Constraint(
        "drop/pad has an expert and a capacity of 1 at least, and more tokens than that",
        ("one expert of capacity 1", "a capacity of all tokens but one"),
        (
            "drop/pad without experts",
            "drop/pad without a capacity",
            "a capacity beyond all tokens",
        ),
    ),
    Constraint(
        "counts are of one expert at least",
        ("counts of one expert", "counts of experts without slots"),
        ("cumsum of no experts", "counts of no experts"),
    ),
    Constraint(
        "x and expertIdx have two axes, and as many rows",
        (ALL, "one expert of capacity 1"),
        (
            "x of rank 3",
            "expert_idx of rank 1",
        ),
        of=("x", "expert_idx"),
    ),
    Constraint(
        "there is a row for every slot that is active",
        (ROWS_OF_4, "activeNum of every slot", "activeNum beyond every slot"),
        (
            "expanded rows of rank 1",
            "expanded rows of rank 3",
            "every slot, activeNum 4",
            "4 rows, activeNum 3",
            "4 rows without activeNum",
            "4 rows, activeNum 2^32 + 4",
        ),
        of=("expanded_x", "active_num"),
    ),
    Constraint(
        "in drop/pad mode every expert has as many rows as its capacity",
        (PLACES, "one expert of capacity 1"),
        (
            "places of rank 2",
            "places of rank 4",
        ),
        of=("expert_capacity", "expert_num"),
    ),
    Constraint(
        "there is a row index for every slot",
        (ROWS_OF_4, PLACES),
        (
            "indices of the active rows only",
            "indices of rank 2",
        ),
        of=("expanded_row_idx",),
    ),
    Constraint(
        "there is a count for every expert, if a flag asks for it",
        (COUNTS, PLACES, "room for counts that are not asked for"),
        (
            "counts of rank 2",
            "counts without a tensor",
            "counts before capacity without a tensor",
        ),
        of=("expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"),
    ),
)
