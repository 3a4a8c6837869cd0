"""Relations of MoeInitRoutingV2Grad: its axes in each mode, and who adds the same sums."""

from __future__ import annotations

from cases.relations.copy_adjoints import adjoint_of_sums
from cases.relations.slot_sorts import INIT
from cases.relations.slot_sums import INIT_GRAD, PERMUTE_GRAD
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from conformance.relations.axes import Axes

GRAD = "grad_expanded_x"
SLOTS = {"expanded_row_idx": ("token.slot",), "grad_x": ("token", "hidden")}
ROWS = Axes({GRAD: ("row", "hidden"), **SLOTS}, {"expanded_row_idx": "row"})
PLACES = Axes({GRAD: ("expert", "place", "hidden"), **SLOTS}, {"expanded_row_idx": "expert.place"})

RELATIONS = (
    *of_sums(ROWS, ("grad_x",), (GRAD,), ("dropless", "active")),
    *of_sums(PLACES, ("grad_x",), (GRAD,), ("drop_pad",)),
    agrees(INIT_GRAD, PERMUTE_GRAD),
    agrees_rounded(INIT_GRAD, PERMUTE_GRAD),
    split(INIT_GRAD),
    batch_invariant(INIT_GRAD),
    adjoint_of_sums(INIT_GRAD, INIT),
)
