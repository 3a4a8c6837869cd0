"""By what a call of MoeInitRoutingV2Grad is one of a mode."""

from tests.cases.constraints.told_by import active, dropless, without_padding

MODES = {
    "dropless": dropless,
    "active": active,
    "drop_pad": without_padding(1),
}
"""By what a call is one of each mode."""

IN_NONE = (
    *(
        f"drop_pad_mode is {number}, {mode}"
        for number in ("-1", "2")
        for mode in ("dropless", "active", "drop_pad")
    ),
    *(f"drop_pad_mode is 2^32 + {n}" for n in ("0, dropless", "0, active", "1, drop_pad")),
    *(f"active_num is {n}" for n in ("-1, dropless", "-6, active")),
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""
