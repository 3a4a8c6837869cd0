"""The constraints on calls of MoeInitRoutingQuantV2."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import active, dropless, quantised, without_padding

PROGRAM = "the call of the document's program"
ALL = "three tokens of two experts, all rows"
CUMSUM, COUNTS = f"{ALL}, cumsum", f"{ALL}, counts"
PLACES = "three tokens of two experts, capacity 2, uneven experts"
UNHEARD = (
    *(f"{PLACES}, {kind} asked for" for kind in ("cumsum", "counts")),
    *(f"{ALL}, {kind}, counts before capacity asked for" for kind in ("cumsum", "counts")),
)
"""Both flags, of which each mode heeds one: each output exists in one mode alone."""

WITHOUT_ROOM = tuple(
    f"{flag} {value}, without effect, {mode}_{kind}"
    for flag, value, mode in (
        ("expert_tokens_count_or_cumsum_flag", 1, "drop_pad"),
        ("expert_tokens_count_or_cumsum_flag", 2, "drop_pad"),
        ("expert_tokens_before_capacity_flag", 1, "dropless"),
        ("expert_tokens_before_capacity_flag", 1, "active"),
    )
    for kind in ("static", "dynamic")
)
"""A flag that the mode does not heed, and no tensor for its output."""

ROWS_OF_4 = "three tokens of two experts, 4 rows"
DYNAMIC = "rows divided by powers of two"
CHANGED = ("dropless_static", "active_static", "drop_pad_static", "dropless_dynamic")
EACH = (PROGRAM, ALL, PLACES, DYNAMIC)
OPTIONAL = (
    *("scale", "offset", "dynamic_quant_scale"),
    *("expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"),
)

CONSTRAINTS = (
    Constraint(
        "no tensor is null but for scale, offset, counts and scales of rows",
        EACH,
        ("x is null", "expert_idx is null", "expanded_x is null", "expanded_row_idx is null"),
        NULL,
    ),
    Constraint(
        "a tensor is given for what a mode or a flag asks for",
        EACH,
        tuple(f"{name} is null" for name in OPTIONAL),
    ),
    Constraint(
        "x is of a float type, copies int8, scales and offset float32, other integers int32",
        (*(f"values within int8 and beyond, {dtype}" for dtype in DTYPES), *EACH, COUNTS),
        status=INVALID,
        of=("x", "expert_idx", "expanded_x", "expanded_row_idx", *OPTIONAL),
    ),
    Constraint(
        "dropPadMode and quantMode are 0 or 1, the flag of counts 0, 1 or 2",
        (*EACH, CUMSUM, COUNTS, *UNHEARD, *WITHOUT_ROOM),
        of=("drop_pad_mode", "quant_mode", "expert_tokens_count_or_cumsum_flag"),
    ),
    Constraint(
        "there is a row for every slot that activeNum keeps, which is 0 or more",
        (ROWS_OF_4, "activeNum 1", "activeNum of every slot", "activeNum beyond every slot"),
        ("every slot, activeNum 4", "4 rows without activeNum"),
        of=("active_num",),
    ),
    Constraint(
        "a capacity is 0 or more; places are 1 or more of each expert, no more than tokens, and"
        " each has a row",
        (PLACES, "one expert of capacity 1", "a capacity of all tokens"),
        ("drop/pad without a capacity", "a capacity beyond all tokens", "places of rank 2"),
        of=("expert_capacity",),
    ),
    Constraint(
        "experts are 0 or more, with counts or places 1 or more, and have a count, a place and a"
        " row of factors each",
        ("no number of experts", "counts of one expert", "factors of each expert", PLACES),
        ("drop/pad without experts", "cumsum of no experts", "counts of no experts"),
        of=("expert_num",),
    ),
    Constraint(
        "x and expertIdx have two axes, and as many rows",
        EACH,
        of=("x", "expert_idx"),
    ),
    Constraint(
        "scale is one number with an offset, or of experts and columns, or one row of them",
        (PROGRAM, "factors of each expert", "factors for any number of experts"),
        ("static quantisation with a scale of each row",),
        of=("scale", "offset", "one"),
    ),
    Constraint(
        "a copy for each row, a row index for each slot, a scale for each row that is divided",
        EACH,
        ("indices of the active rows only",),
        of=("expanded_x", "expanded_row_idx", "dynamic_quant_scale"),
    ),
    Constraint(
        "there is a count for each expert, if a flag asks for it of a mode that has the output",
        (CUMSUM, PLACES, "room for what is not asked for", *UNHEARD, *WITHOUT_ROOM),
        of=("expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"),
    ),
)

MODES = quantised(
    {"dropless": dropless, "active": active, "drop_pad": without_padding(1)},
    {"_static": 0, "_dynamic": 1},
)
"""By what a call is one of each mode."""

IN_NONE = (
    *(
        f"{name} is {n}, {mode}"
        for name in ("drop_pad_mode", "quant_mode")
        for n in ("-1", "2")
        for mode in CHANGED
    ),
    *(f"drop_pad_mode is 2^32 + {int(mode == CHANGED[2])}, {mode}" for mode in CHANGED),
    *(f"quant_mode is 2^32 + {int(mode == CHANGED[3])}, {mode}" for mode in CHANGED),
    *(f"active_num is -1, {mode}" for mode in ("dropless_static", "dropless_dynamic")),
)
"""Calls that are of no mode, as they break that by which modes are told apart."""
