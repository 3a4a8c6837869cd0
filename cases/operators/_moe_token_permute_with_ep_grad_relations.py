"""Relations of MoeTokenPermuteWithEpGrad: its axes, who adds the same, and whose adjoint it is."""

from __future__ import annotations

from cases.operators._moe_token_permute_with_ep_grad_call import GRAD, NAME, PROBS_IN
from cases.relations.copy_adjoints import adjoint_of_sums
from cases.relations.slot_sorts import EP
from cases.relations.slot_sums import EP_GRAD, INIT_GRAD, SlotSum, SumForm, as_column
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded
from conformance.call.case import Case
from conformance.relations.axes import Axes

AXES = Axes(
    {
        GRAD: ("kept", "hidden"),
        "sorted_indices": ("token.slot",),
        PROBS_IN: ("kept",),
        "out": ("token", "hidden"),
        "probs_grad": ("token", "slot"),
    }
)


def _probs(case: Case) -> SlotSum | None:
    """The gradient of each slot's probability is that of its copy."""
    sums = EP_GRAD.read(case)
    if sums is None or PROBS_IN not in case.inputs:
        return None
    return SlotSum(as_column(case, PROBS_IN), sums.names.reshape(-1, 1))


PROBS = SumForm(
    NAME, "MoeTokenPermuteWithEpGrad", PROBS_IN, "probs_grad", _probs, lambda sums: None
)
RELATIONS = (
    *of_sums(AXES, ("out",), (GRAD,)),
    agrees(EP_GRAD, INIT_GRAD),
    agrees_rounded(EP_GRAD, INIT_GRAD),
    agrees(PROBS, INIT_GRAD, what="probs"),
    adjoint_of_sums(EP_GRAD, EP),
)
