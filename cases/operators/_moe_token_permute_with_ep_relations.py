"""Relations of MoeTokenPermuteWithEp: those of sorts, who else sorts the same, and who gathers."""

from __future__ import annotations

from typing import Any

import numpy as np

from cases.operators._moe_token_permute_with_ep_call import NAME, SIGNATURE
from cases.relations.adjoints import EXACT, Pairing, adjoint, small, with_small
from cases.relations.copy_adjoints import misnamed, named_by, round_trip
from cases.relations.ranges import EP_GRAD
from cases.relations.slot_sorts import INIT, MAP, flat, same_ranks, sorter
from cases.relations.slot_sums import MACHINE, UNPERMUTE, SlotSum, SumForm
from cases.relations.sorts import Sorted, of_sorts
from cases.relations.sums_agree import agrees
from conformance.call.case import Case, Tensor
from conformance.record.relation import Outputs
from conformance.relations.axes import Axes, held

SORTS = (
    "full",
    "head",
    "tail",
    "middle",
    "equal",
    "reversed",
    "no_range",
    "num_out_tokens",
)


def _window(case: Case) -> tuple[int, int]:
    """The ranks whose rows are copied: first, and first beyond."""
    slots = case.inputs["indices"].size
    start, end = case.attributes["rank_range"] or (0, 0)
    if start == end:
        return 0, case.outputs["permute_tokens"].shape[0]
    return start, end if start < end else slots


def _tokens_gathered(case: Case) -> SlotSum:
    """Padded, indices name the token of each row."""
    return SlotSum(
        flat(case.inputs["tokens"]), np.asarray(case.arrays["indices"], np.int64)[:, None]
    )


def _probs_gathered(case: Case) -> SlotSum | None:
    """Padded, each row has the probability of its token for the expert that it belongs to."""
    if "probs" not in case.inputs:
        return None
    ids = np.asarray(case.arrays["indices"], np.int64)
    experts = case.inputs["probs"].shape[1]
    names = ids * experts + np.arange(ids.size) // max(1, ids.size // experts)
    return SlotSum(held(case.inputs["probs"], case.arrays["probs"].reshape(-1, 1)), names[:, None])


def _gathers(output: str, read: Any) -> SumForm:
    return SumForm(NAME, "", output, read)


def _gradient(case: Case, outputs: Outputs) -> Case | str:
    """The call of the gradient with the ranks found, over the same range."""
    ranks = np.asarray(outputs["sorted_indices"], np.int64)
    wrong = misnamed(ranks, ranks)
    if wrong:
        return wrong
    rows, hidden = case.outputs["permute_tokens"].shape
    tokens = case.inputs["tokens"].shape[0]
    top_k = case.inputs["indices"].size // tokens
    inputs = {
        "permuted_tokens_output_grad": small("grads", (rows, hidden), case.dtype),
        "sorted_indices": held(Tensor((), "int32"), np.asarray(outputs["sorted_indices"])),
    }
    found = {"out": Tensor((tokens, hidden), case.dtype)}
    if "probs" in case.inputs:
        inputs["permuted_probs_output_grad"] = small("probs", (rows,), case.dtype)
        found["probs_grad"] = Tensor((tokens, top_k), case.dtype)
    attributes = {"num_topk": top_k, "rank_range": _window(case), "padded_mode": 0}
    return Case(EP_GRAD.operator, case.mode, case.dtype, attributes, inputs, found, MACHINE)


def _small(drawn: Case) -> Case | None:
    top_k = drawn.inputs["indices"].size // drawn.inputs["tokens"].shape[0]
    flat = len(drawn.inputs["tokens"].shape) == 2
    return with_small(drawn, "tokens", "probs") if flat and top_k <= EXACT[drawn.dtype] else None


RANGES = ("full", "head", "tail", "middle")
PAIRINGS = (
    Pairing("tokens", "permute_tokens", "permuted_tokens_output_grad", "out"),
    Pairing("probs", "permute_probs", "permuted_probs_output_grad", "probs_grad", columns=False),
)
SORTED = Sorted(
    axes=Axes.of(SIGNATURE),
    keys=lambda case: case.arrays["indices"],
    ranks="sorted_indices",
    rows=("tokens", "permute_tokens"),
    elements=("probs", "permute_probs"),
    ranges=_window,
    named="indices",
)
SORTER = sorter(NAME, SORTED)
RELATIONS = (
    *of_sorts(SORTED, SORTS),
    same_ranks(SORTER, INIT, SORTS),
    same_ranks(SORTER, MAP, SORTS),
    adjoint((EP_GRAD.operator, EP_GRAD.title), PAIRINGS, _small, _gradient, RANGES),
    round_trip("tokens", "permute_tokens", named_by(SORTED), RANGES),
    agrees(_gathers("permute_tokens", _tokens_gathered), UNPERMUTE, ("padded",), "tokens"),
    agrees(_gathers("permute_probs", _probs_gathered), UNPERMUTE, ("padded",), "probs"),
)
