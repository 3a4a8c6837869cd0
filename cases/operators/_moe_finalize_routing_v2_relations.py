"""Relations of MoeFinalizeRoutingV2: its axes in each mode, and who adds the same sums."""

from __future__ import annotations

from cases.relations.slot_grads import FINALIZE_GRAD, adjoint_of_weighted
from cases.relations.slot_sums import FINALIZE, UNPERMUTE
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from cases.relations.weights import no_number_is_told
from conformance.record.clause import Clause, SourceClass
from conformance.relations.axes import Axes

ADDED = ("expanded_x", "x1", "x2", "bias")


def _axes(mode: str) -> Axes:
    """The axes of a mode: rows may be those of experts, slots of a token may lie apart."""
    places = ("expert", "place") if mode.startswith("drop_pad") else ("row",)
    return Axes(
        {
            "expanded_x": (*places, "hidden"),
            "expanded_row_idx": ("slot.token" if mode.endswith("columns") else "token.slot",),
            "x1": ("token", "hidden"),
            "x2": ("token", "hidden"),
            "bias": ("bias", "hidden"),
            "scales": ("token", "slot"),
            "expert_idx": ("token", "slot"),
            "out": ("token", "hidden"),
        },
        {"expanded_row_idx": ".".join(places), "expert_idx": "bias"},
    )


MODES = ("dropless_columns", "drop_pad_columns", "dropless_rows", "drop_pad_rows")
PRODUCT = Clause(
    "each token adds rows times their scales",
    "MoeFinalizeRoutingV2 README, function: equation",
    SourceClass.DOCUMENT,
)
RELATIONS = (
    *(relation for mode in MODES for relation in of_sums(_axes(mode), ("out",), ADDED, (mode,))),
    agrees(FINALIZE, UNPERMUTE),
    agrees_rounded(FINALIZE, UNPERMUTE),
    split(FINALIZE),
    batch_invariant(FINALIZE),
    adjoint_of_weighted(FINALIZE, FINALIZE_GRAD, ADDED, "scales"),
    no_number_is_told(FINALIZE, "scales", PRODUCT),
)
