"""The constraints on calls of MoeFinalizeRoutingV2Grad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import active, dropless, scaled, without_padding

WHOLE, PADDED = "a row for every slot", "two experts"
BIASED = tuple(f"a bias for every slot {dtype}" for dtype in DTYPES)
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        ("no rows given, and none needed",),
        ("grad_y is null", "expanded_row_idx is null", "grad_expanded_x is null"),
        NULL,
    ),
    Constraint(
        "scales have a gradient",
        (WHOLE, "rows without scales"),
        ("grad_scales is null",),
        NULL,
    ),
    Constraint(
        "float types, one for all; indices int32",
        BIASED,
        tuple(
            f"{names} are int32, dropless"
            for names in (
                "grad_y and expanded_x and scales and bias and grad_expanded_x and grad_scales",
                "scales and expanded_x",
                "scales and grad_scales",
            )
        ),
        INVALID,
        of=(
            *("grad_y", "expanded_row_idx", "expanded_x", "scales", "expert_idx", "bias"),
            *("grad_expanded_x", "grad_scales"),
        ),
    ),
    Constraint(
        "dropPadMode is 0 or 1",
        (WHOLE, PADDED),
        of=("drop_pad_mode",),
    ),
    Constraint(
        "drop/pad has experts, each with places",
        (PADDED, *(f"places {dtype}" for dtype in DTYPES)),
        ("no experts, no rows", "no places, no rows"),
    ),
    Constraint(
        "with drop/pad a bias has expert_num rows",
        tuple(f"places {dtype}" for dtype in DTYPES),
        of=("bias",),
    ),
    Constraint(
        "scales need rows, a bias experts",
        ("no rows given, and none needed", *BIASED),
        ("expanded_x is null", "expert_idx is null"),
    ),
    Constraint(
        "ranks of the tensors",
        (WHOLE, PADDED, *BIASED),
        ("rows of rank 2 in drop/pad",),
        of=("grad_y",),
    ),
    Constraint(
        "an index and a scale for every slot",
        (WHOLE, "rows without scales"),
        (
            "two slots for each token, and no scales",
            "two slots for each token, and a gradient of scales alone",
            "10 indices, 4 tokens of 2 slots, drop/pad",
            "scales and their gradient of 3 tokens for 4",
        ),
        of=("expanded_row_idx", "scales", "slot"),
    ),
    Constraint(
        "shapes follow from the gradient, the slots and the attributes",
        (WHOLE, PADDED, *(f"the first 7 rows {dtype}" for dtype in DTYPES)),
        ("gradient of other places",),
        of=(
            "expanded_x",
            "expert_idx",
            "grad_expanded_x",
            "grad_scales",
            "expert_num",
            "expert_capacity",
            "active_num",
            "biased",
        ),
    ),
    Constraint(
        "scales and places have a gradient of some element",
        ("hidden 0 without scales",),
        of=("hidden", "token"),
    ),
)

MODES = {
    "dropless": scaled(dropless),
    "active": scaled(active),
    "drop_pad": scaled(without_padding(1)),
    "single": lambda case: "scales" not in case.inputs,
}
"""By what a call is one of each mode."""

IN_NONE = (
    *(
        f"drop_pad_mode is {n}, {mode}"
        for n in ("-1", "2")
        for mode in ("dropless", "active", "drop_pad")
    ),
    *(f"drop_pad_mode is 2^32 + {n}" for n in ("0, dropless", "0, active", "1, drop_pad")),
    "activeNum -1",
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""
