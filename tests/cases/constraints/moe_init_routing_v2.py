"""The constraints on calls of MoeInitRoutingV2."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import active, dropless, without_padding

ALL = "three tokens of two experts, all rows"
CUMSUM, COUNTS = f"{ALL}, cumsum", f"{ALL}, counts"
PLACES = "three tokens of two experts, capacity 2, uneven experts"
UNHEARD = (
    *(f"{PLACES}, {kind} asked for" for kind in ("cumsum", "counts")),
    *(f"{ALL}, {kind}, counts before capacity asked for" for kind in ("cumsum", "counts")),
)
"""Both flags, of which each mode heeds one: each output exists in one mode alone."""

WITHOUT_ROOM = (
    "expert_tokens_count_or_cumsum_flag 1, without effect, drop_pad",
    "expert_tokens_count_or_cumsum_flag 2, without effect, drop_pad",
    "expert_tokens_before_capacity_flag 1, without effect, dropless",
)
"""A flag that the mode does not heed, and no tensor for its output."""

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
            "x is float64",
            "x and expanded_x are int32, dropless",
            "x and expanded_x are int32, drop_pad",
        ),
        INVALID,
        of=(
            *("x", "expert_idx", "expanded_row_idx"),
            *("expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"),
        ),
    ),
    Constraint(
        "x and its copies have one dtype",
        (ALL,),
        status=INVALID,
        of=("expanded_x",),
    ),
    Constraint(
        "dropPadMode is 0 or 1",
        (ALL, PLACES),
        of=("drop_pad_mode",),
    ),
    Constraint(
        "the flag of counts is 0, 1 or 2, in drop/pad mode, too",
        (ALL, CUMSUM, COUNTS, *UNHEARD, *WITHOUT_ROOM),
        ("count flag is 3",),
        of=("expert_tokens_count_or_cumsum_flag",),
    ),
    Constraint(
        "activeNum is 0 or more",
        (ALL, "activeNum 1", "drop/pad with an activeNum"),
        ("active_num is -1, dropless", "active_num is -1, drop_pad"),
    ),
    Constraint(
        "expertCapacity and expertNum are 0 or more",
        ("no number of experts", "expert_capacity 9, without effect, dropless"),
        (
            *(f"expert_capacity is -1, {mode}" for mode in ("dropless", "active")),
            *(f"expert_num is {n}, {mode}" for n in (-4, -1) for mode in ("dropless", "active")),
        ),
    ),
    Constraint(
        "drop/pad has an expert and a capacity of 1 at least, and more tokens than that",
        ("one expert of capacity 1", "a capacity of all tokens but one"),
        (
            "drop/pad without experts",
            "drop/pad without a capacity",
            "a capacity beyond all tokens",
            *(f"expert_num is {n}, drop_pad" for n in (-4, 0)),
            *(f"expert_capacity is {n}, drop_pad" for n in (-2, -1, 0)),
        ),
    ),
    Constraint(
        "counts are of one expert at least",
        ("counts of one expert", "counts of experts without slots"),
        ("cumsum of no experts", "counts of no experts", "expert_num is 0, dropless"),
    ),
    Constraint(
        "x and expertIdx have two axes, and as many rows",
        (ALL, "one expert of capacity 1"),
        of=("x", "expert_idx"),
    ),
    Constraint(
        "there is a row for every slot that is active",
        (ROWS_OF_4, "activeNum of every slot", "activeNum beyond every slot"),
        (
            "every slot, activeNum 4",
            "4 rows without activeNum",
            *(f"active_num is {n}, active" for n in ("3", "5", "2^32 + 4")),
        ),
        of=("expanded_x",),
    ),
    Constraint(
        "in drop/pad mode every expert has as many rows as its capacity",
        (PLACES, "one expert of capacity 1"),
        (
            "places of rank 2",
            *(f"expert_num is {n}, drop_pad" for n in ("3", "5", "2^32 + 4")),
            *(f"expert_capacity is {n}, drop_pad" for n in ("1", "2", "3", "2^32 + 1", "2^32 + 2")),
        ),
    ),
    Constraint(
        "there is a row index for every slot",
        (ROWS_OF_4, PLACES),
        ("indices of the active rows only",),
        of=("expanded_row_idx",),
    ),
    Constraint(
        "there is a count for every expert, if a flag asks for it of a mode that has the output",
        (COUNTS, PLACES, "room for counts that are not asked for", *UNHEARD, *WITHOUT_ROOM),
        (
            "expert_tokens_count_or_cumsum is null",
            "expert_tokens_before_capacity is null",
            *(f"expert_num is {n}, dropless" for n in ("3", "5", "2^32 + 4")),
        ),
        of=("expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"),
    ),
)

MODES = {
    "dropless": dropless,
    "active": active,
    "drop_pad": without_padding(1),
}
"""By what a call is one of each mode."""

IN_NONE = (
    *(
        f"drop_pad_mode is {n}, {mode}"
        for n in ("-1", "2")
        for mode in ("dropless", "active", "drop_pad")
    ),
    *(f"drop_pad_mode is 2^32 + {n}" for n in ("0, dropless", "0, active", "1, drop_pad")),
    "active_num is -1, dropless",
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""
