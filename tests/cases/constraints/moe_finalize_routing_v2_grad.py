"""The constraints on calls of MoeFinalizeRoutingV2Grad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

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
        ("grad_scales is null, scales are given",),
        NULL,
    ),
    Constraint(
        "float types, one for all; indices int32",
        BIASED,
        (
            "indices are int64",
            "experts are int64",
            "gradient is int32",
            "all floats are int32",
            *(
                f"{name} of another dtype"
                for name in (
                    *("grad_y", "expanded_x", "scales", "bias"),
                    *("grad_expanded_x", "grad_scales"),
                )
            ),
        ),
        INVALID,
    ),
    Constraint(
        "dropPadMode is 0 or 1",
        (WHOLE, PADDED),
        ("drop_pad_mode is -1", "drop_pad_mode is 2"),
        of=("drop_pad_mode",),
    ),
    Constraint(
        "drop/pad has experts, each with places",
        (PADDED, *(f"places {dtype}" for dtype in DTYPES)),
        (
            "drop/pad without experts",
            "drop/pad without places",
            "no experts, no rows",
            "no places, no rows",
        ),
    ),
    Constraint(
        "with drop/pad a bias has expert_num rows",
        tuple(f"places {dtype}" for dtype in DTYPES),
        (),
        of=("bias",),
    ),
    Constraint(
        "scales need rows, a bias experts",
        ("no rows given, and none needed", *BIASED),
        ("scales without rows", "a bias without experts"),
    ),
    Constraint(
        "ranks of the tensors",
        (WHOLE, PADDED, *BIASED),
        (
            "gradient of rank 1",
            "indices of rank 2",
            "rows of rank 2 in drop/pad",
            "scales of rank 1",
        ),
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
            "no slots, drop/pad",
        ),
        of=("expanded_row_idx", "scales"),
    ),
    Constraint(
        "shapes follow from the gradient, the slots and the attributes",
        (WHOLE, PADDED, *(f"the first 7 rows {dtype}" for dtype in DTYPES)),
        ("gradient of other places", "a bias of no rows"),
        of=(
            "expanded_x",
            "expert_idx",
            "grad_expanded_x",
            "grad_scales",
            "expert_num",
            "expert_capacity",
            "active_num",
        ),
    ),
    Constraint(
        "scales and places have a gradient of some element",
        ("hidden 0 without scales",),
        ("hidden 0 with scales", "no tokens for places"),
    ),
)
