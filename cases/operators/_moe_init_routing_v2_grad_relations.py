"""Relations of MoeInitRoutingV2Grad: what its axes mean in each mode."""

from __future__ import annotations

from cases.relations.sums import of_sums
from conformance.relations.axes import Axes

GRAD = "grad_expanded_x"
SLOTS = {"expanded_row_idx": ("token.slot",), "grad_x": ("token", "hidden")}
ROWS = Axes({GRAD: ("row", "hidden"), **SLOTS}, {"expanded_row_idx": "row"})
PLACES = Axes({GRAD: ("expert", "place", "hidden"), **SLOTS}, {"expanded_row_idx": "expert.place"})

RELATIONS = (
    *of_sums(ROWS, ("grad_x",), (GRAD,), ("dropless", "active")),
    *of_sums(PLACES, ("grad_x",), (GRAD,), ("drop_pad",)),
)
