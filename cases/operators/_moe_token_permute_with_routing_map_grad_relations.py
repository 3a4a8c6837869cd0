"""Relations of MoeTokenPermuteWithRoutingMapGrad: who adds the same, and whose adjoint it is."""

from __future__ import annotations

import numpy as np

from cases.operators._moe_token_permute_with_routing_map_grad_call import (
    GRAD,
    INDICES,
    MAP,
    PROBS,
    PROBS_GRAD,
    SIGNATURE,
    TOKENS_GRAD,
)
from cases.relations.copy_adjoints import adjoint_of_sums
from cases.relations.slot_sorts import PERMUTE
from cases.relations.slot_sums import INIT_GRAD, MAP_GRAD, SlotSum, SumForm, as_column
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded
from conformance.call.case import Case
from conformance.relations.axes import Axes


def _probs(case: Case) -> SlotSum | None:
    """The gradient of a token's probability for an expert is that of the copy, if there is one."""
    if PROBS not in case.inputs or PROBS_GRAD not in case.outputs:
        return None
    rows = as_column(case, PROBS)
    names = np.full(case.outputs[PROBS_GRAD].shape, -1, np.int64)
    if case.mode == "dropless":
        experts, tokens = np.nonzero(case.arrays[MAP].T)
        names[tokens, experts] = np.arange(tokens.size)
    else:
        ids = np.asarray(case.arrays[INDICES], np.int64)
        capacity = ids.size // names.shape[1]
        names[ids, np.arange(ids.size) // capacity] = np.arange(ids.size)
    return SlotSum(rows, names.reshape(-1, 1))


PROBS_MOVED = SumForm(MAP_GRAD.operator, PROBS, PROBS_GRAD, _probs)
RELATIONS = (
    *of_sums(Axes.of(SIGNATURE), (TOKENS_GRAD,), (GRAD,)),
    agrees(MAP_GRAD, INIT_GRAD),
    agrees_rounded(MAP_GRAD, INIT_GRAD),
    agrees(PROBS_MOVED, INIT_GRAD, what="probs"),
    adjoint_of_sums(MAP_GRAD, PERMUTE, ("dropless",)),
)
