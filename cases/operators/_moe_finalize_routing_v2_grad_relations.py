"""Relations of MoeFinalizeRoutingV2Grad: its axes, who has the same gradients, and of what sums."""

from __future__ import annotations

from collections.abc import Mapping

from cases.operators._moe_finalize_routing_v2_grad_call import (
    BIAS,
    EXPERTS,
    GRAD,
    MODES,
    ROWS,
    SCALES,
    SCALES_GRAD,
    X_GRAD,
    X,
)
from cases.relations.slot_grads import (
    FINALIZE_GRAD,
    UNPERMUTE_GRAD,
    adjoint_of_grads,
    grads_agree,
)
from cases.relations.slot_sums import FINALIZE
from cases.relations.sums import of_sums
from conformance.call.case import Case, Tensor
from conformance.relations.axes import Axes

SLOTS = {
    ROWS: ("token.slot",),
    GRAD: ("token", "hidden"),
    SCALES: ("token", "slot"),
    EXPERTS: ("token", "slot"),
    BIAS: ("biased", "hidden"),
    SCALES_GRAD: ("token", "slot"),
}
AXES = Axes({X: ("row", "hidden"), X_GRAD: ("row", "hidden"), **SLOTS}, {ROWS: "row"})
PLACES = Axes(
    {X: ("expert", "place", "hidden"), X_GRAD: ("expert", "place", "hidden"), **SLOTS},
    {ROWS: "expert.place"},
)
SUMS = (X_GRAD, SCALES_GRAD)


def _bias(case: Case) -> Mapping[str, Tensor] | None:
    """What the sums add to rows; None of fewer experts than slots, which their host refuses."""
    if BIAS in case.inputs and case.inputs[BIAS].shape[0] < case.inputs[EXPERTS].shape[1]:
        return None
    return {name: case.inputs[name] for name in (BIAS, EXPERTS) if name in case.inputs}


RELATIONS = (
    *of_sums(AXES, SUMS, (GRAD,), MODES[:2], added="hidden"),
    *of_sums(PLACES, SUMS, (GRAD,), ("drop_pad",), added="hidden"),
    grads_agree(FINALIZE_GRAD, UNPERMUTE_GRAD),
    adjoint_of_grads(FINALIZE_GRAD, FINALIZE, (X, BIAS), SCALES, _bias),
)
