"""Relations of MoeTokenPermuteWithRoutingMapGrad: who adds the same, and whose adjoint it is."""

from __future__ import annotations

import numpy as np

from cases.relations.copy_adjoints import adjoint_of_sums
from cases.relations.slot_sorts import PERMUTE
from cases.relations.slot_sums import INIT_GRAD, MAP_GRAD, SlotSum, SumForm, as_column
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded
from conformance.call.case import Case
from conformance.relations.axes import Axes

GRAD, PROBS_IN = "permuted_token_output_grad", "permuted_probs_output_grad"
AXES = Axes(
    {"permuted_token_output_grad": ("kept", "hidden"), "tokens_grad": ("of_token", "hidden")}
)


def _probs(case: Case) -> SlotSum | None:
    """The gradient of a token's probability for an expert is that of the copy, if there is one."""
    if PROBS_IN not in case.inputs or "probs_grad" not in case.outputs:
        return None
    rows = as_column(case, PROBS_IN)
    names = np.full(case.outputs["probs_grad"].shape, -1, np.int64)
    if case.mode == "dropless":
        experts, tokens = np.nonzero(case.arrays["routing_map"].T)
        names[tokens, experts] = np.arange(tokens.size)
    else:
        ids = np.asarray(case.arrays["sorted_indices"], np.int64)
        capacity = ids.size // names.shape[1]
        names[ids, np.arange(ids.size) // capacity] = np.arange(ids.size)
    return SlotSum(rows, names.reshape(-1, 1))


PROBS = SumForm(
    MAP_GRAD.operator, MAP_GRAD.title, PROBS_IN, "probs_grad", _probs, lambda sums: None
)
RELATIONS = (
    *of_sums(AXES, ("tokens_grad",), (GRAD,)),
    agrees(MAP_GRAD, INIT_GRAD),
    agrees_rounded(MAP_GRAD, INIT_GRAD),
    agrees(PROBS, INIT_GRAD, what="probs"),
    adjoint_of_sums(MAP_GRAD, PERMUTE, ("dropless",)),
)
