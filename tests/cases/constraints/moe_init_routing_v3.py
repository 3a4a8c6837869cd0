"""The constraints on calls of MoeInitRoutingV3."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import Asked, quantised, without_padding

PROGRAM = "the call of the document's program"
PLACES = "three tokens of two experts, capacity 2"
CUMSUM, PAIRS = "ids of other cards, cumsum, gather", "ids of other cards, pairs, gather"
SCATTER = "ids of other cards, count, scatter"
STATIC, DYNAMIC = "a row of zeros and one without a slot, static", "rows divided by powers of two"
BYTES = "int8, odd rows, dropless"
EACH = (PROGRAM, PLACES, STATIC, DYNAMIC)

CONSTRAINTS = (
    Constraint(
        "no tensor is null but for scale and offset",
        EACH,
        tuple(
            f"{name} is null"
            for name in (
                *("x", "expert_idx", "expanded_x", "expanded_row_idx"),
                *("expert_tokens_count_or_cumsum", "expanded_scale"),
            )
        ),
        NULL,
    ),
    Constraint(
        "x is of a float type or int8, counts int64, other integers int32, scales fp32",
        (*(f"every kind of pattern dropless {dtype}" for dtype in DTYPES), BYTES),
        ("x is float64", "x and expanded_x are int32, dropless"),
        INVALID,
        of=(
            *("x", "expert_idx", "scale", "offset", "expanded_row_idx"),
            *("expert_tokens_count_or_cumsum", "expanded_scale"),
        ),
    ),
    Constraint(
        "copies are of the type of x, quantised ones int8",
        EACH,
        status=INVALID,
        of=("expanded_x",),
    ),
    Constraint(
        "dropPadMode is 0 or 1, rowIdxType, too, and 0 with places",
        (PROGRAM, SCATTER, PLACES),
        of=("drop_pad_mode", "row_idx_type"),
    ),
    Constraint(
        "quantMode is -1, 0 or 1",
        EACH,
        ("quantMode 2 with rows of int8",),
        of=("quant_mode",),
    ),
    Constraint(
        "counts are of type 0, 1 or 2, with places of type 1",
        (PROGRAM, CUMSUM, PAIRS, PLACES, "drop/pad without counts"),
        of=("expert_tokens_num_type",),
    ),
    Constraint(
        "there is a row for every slot that activeNum keeps, which is -1 or more",
        ("activeNum -1", "activeNum 1", "activeNum beyond every slot"),
        ("every slot, activeNum 4",),
        of=("active_num",),
    ),
    Constraint(
        "places are 1 or more of each expert, no more than tokens, and each has a row",
        (PLACES, "a capacity of all tokens but one"),
        ("drop/pad without a capacity", "a capacity beyond all tokens", "places of rank 2"),
        of=("expert_capacity",),
    ),
    Constraint(
        "experts are 1 or more",
        ("no tokens", "the most experts"),
        of=("expert_num",),
    ),
    Constraint(
        "the range has two ends, a start of 0 or more and an end beyond it, of which there is a"
        " most; all experts with places",
        (
            *("a range that no slot is in", "the most experts", "the most experts of pairs"),
            PLACES,
        ),
        (
            *("a range beyond the experts", "a range of no expert", "a range from -1"),
            *("a range of 10241", "pairs of 5121", "drop/pad of some experts"),
        ),
        of=("active_expert_range",),
    ),
    Constraint(
        "x and expertIdx have two axes, and as many rows",
        EACH,
        of=("x", "expert_idx"),
    ),
    Constraint(
        "a copy for each row, a row index for each slot, a scale for each row if there are any",
        (*EACH, CUMSUM),
        ("indices of the active rows only",),
        of=("expanded_x", "expanded_row_idx", "expanded_scale"),
    ),
    Constraint(
        "there is a count for each expert of the range, or a pair for each expert",
        (PROGRAM, CUMSUM, PAIRS, "drop/pad without counts"),
        of=("expert_tokens_count_or_cumsum",),
    ),
    Constraint(
        "scale is of tokens, one number with an offset, or of experts and columns",
        (CUMSUM, STATIC, DYNAMIC),
        ("scale is null", "offset is null", "factors of no expert"),
        of=("scale", "offset", "one"),
    ),
)


ROWS: dict[str, Asked] = {
    "dropless": lambda case: without_padding()(case) and case.attributes["active_num"] <= 0,
    "active": lambda case: without_padding()(case) and case.attributes["active_num"] > 0,
    "drop_pad": without_padding(1),
}
MODES = quantised(ROWS, {"": -1, "_static": 0, "_dynamic": 1})
"""By what a call is one of each mode."""

IN_NONE = (
    *(f"drop_pad_mode is {n}, {mode}" for n in ("-1", "2") for mode in ROWS),
    *(f"drop_pad_mode is 2^32 + {n}" for n in ("0, dropless", "0, active", "1, drop_pad")),
    *(f"quant_mode is {n}, {mode}" for n in ("-2", "2", "4294967295") for mode in ROWS),
    "quantMode 2 with rows of int8",
)
"""Calls that are of no mode, as they break that by which modes are told apart."""
