"""Relations of MoeTokenUnpermuteGrad: its axes, who has the same gradients, and of what sums."""

from __future__ import annotations

from cases.operators._moe_token_unpermute_grad_call import (
    GRAD,
    MODES,
    PROBS,
    PROBS_GRAD,
    TOKENS,
    TOKENS_GRAD,
)
from cases.relations.slot_grads import (
    FINALIZE_GRAD,
    UNPERMUTE_GRAD,
    adjoint_of_grads,
    grads_agree,
)
from cases.relations.slot_sums import UNPERMUTE
from cases.relations.sums import of_sums
from conformance.relations.axes import Axes

AXES = Axes(
    {
        TOKENS: ("row", "hidden"),
        GRAD: ("token", "hidden"),
        "sorted_indices": ("token.slot",),
        PROBS: ("token", "slot"),
        TOKENS_GRAD: ("row", "hidden"),
        PROBS_GRAD: ("token", "slot"),
    },
    {"sorted_indices": "row"},
)
RELATIONS = (
    *of_sums(AXES, (TOKENS_GRAD, PROBS_GRAD), (GRAD,), MODES[:2], added="hidden"),
    grads_agree(UNPERMUTE_GRAD, FINALIZE_GRAD),
    adjoint_of_grads(UNPERMUTE_GRAD, UNPERMUTE, (TOKENS,), PROBS),
)
