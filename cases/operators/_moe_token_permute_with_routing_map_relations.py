"""Relations of MoeTokenPermuteWithRoutingMap: those of a sort by the experts that a map names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._moe_token_permute_with_routing_map_call import NAME, SIGNATURE
from cases.relations.adjoints import EXACT, Pairing, adjoint, small, with_small
from cases.relations.copy_adjoints import misnamed, named_by, round_trip
from cases.relations.slot_sorts import (
    EP,
    MOST_EXPERTS,
    Ranked,
    SlotSort,
    Sorter,
    flat,
    same_ranks,
    sorter,
)
from cases.relations.slot_sums import MACHINE, MAP_GRAD
from cases.relations.sorts import Sorted, of_sorts
from conformance.call.case import Case, Tensor
from conformance.record.relation import Outputs
from conformance.relations.axes import Axes, held
from conformance.relations.symmetries import symmetry

AXES = Axes.of(SIGNATURE)


def _experts(case: Case) -> NDArray[Any]:
    """The expert of every slot: of each token those that its row of the map marks."""
    return np.asarray(np.nonzero(case.arrays["routing_map"])[1])


def _marked(case: Case, probs: NDArray[Any]) -> NDArray[Any]:
    """The probability of every slot lies where the map marks it."""
    return np.asarray(probs[case.arrays["routing_map"] != 0])


def _sort_of_experts(case: Case) -> SlotSort | None:
    """Every token for every expert: those that the map marks first."""
    routes = case.arrays["routing_map"] != 0
    if routes.shape[1] > MOST_EXPERTS:
        return None
    keys = 2 * np.arange(routes.shape[1]) + ~routes
    return SlotSort(flat(case.inputs["tokens"]), keys, case.inputs.get("probs"))


def _kept_of_experts(case: Case, ranked: Ranked) -> dict[str, NDArray[Any]]:
    """Of each expert's tokens as many as it has places."""
    tokens, experts = ranked.ranks.shape
    capacity = case.outputs["permute_tokens"].shape[0] // experts
    ranks = (np.arange(experts)[:, None] * tokens + np.arange(capacity)).ravel()
    slots = np.argsort(ranked.ranks.ravel())[ranks]
    found = {
        "sorted_indices": (slots // experts).astype(np.int32),
        "permute_tokens": ranked.rows[ranks],
    }
    return found if ranked.probs is None else {**found, "permute_probs": ranked.probs[ranks]}


SORTED = Sorted(
    axes=AXES,
    keys=_experts,
    ranks="sorted_indices",
    rows=("tokens", "permute_tokens"),
    elements=("probs", "permute_probs"),
    of=_marked,
)
NAMES = named_by(SORTED)


def _misnamed(case: Case, outputs: Outputs) -> str:
    """What is wrong with the ranks, or with the ids of the tokens of each expert."""
    if case.mode == "dropless":
        return misnamed(NAMES(case, outputs), outputs["permute_tokens"])
    ids, tokens = np.asarray(outputs["sorted_indices"], np.int64), case.inputs["tokens"].shape[0]
    legal = (ids >= 0) & (ids < tokens)
    return "" if legal.all() else f"sorted_indices has {ids[~legal][0]}, and tokens are {tokens}"


def _gradient(case: Case, outputs: Outputs) -> Case | str:
    """The call of the gradient with the indices found, and the same map."""
    wrong = _misnamed(case, outputs)
    if wrong:
        return wrong
    rows, hidden = case.outputs["permute_tokens"].shape
    routes = case.inputs["routing_map"].shape
    inputs = {"permuted_token_output_grad": small("grads", (rows, hidden), case.dtype)}
    found = {"tokens_grad": Tensor((routes[0], hidden), case.dtype)}
    if "probs" in case.inputs:
        inputs["permuted_probs_output_grad"] = small("probs", (rows,), case.dtype)
        found["probs_grad"] = Tensor(routes, case.dtype)
    indices = np.asarray(outputs["sorted_indices"])
    inputs["sorted_indices"] = held(Tensor((), "int32"), indices)
    inputs["routing_map"] = case.inputs["routing_map"]
    attributes = {
        "num_experts": routes[1],
        "tokens_num": routes[0],
        "drop_and_pad": case.attributes["drop_and_pad"],
    }
    return Case(MAP_GRAD.operator, case.mode, case.dtype, attributes, inputs, found, MACHINE)


def _small(drawn: Case) -> Case | None:
    flat = len(drawn.inputs["tokens"].shape) == 2
    few = drawn.inputs["routing_map"].shape[1] <= EXACT[drawn.dtype]
    return with_small(drawn, "tokens", "probs") if flat and few else None


PAIRINGS = (
    Pairing("tokens", "permute_tokens", "permuted_token_output_grad", "tokens_grad"),
    Pairing("probs", "permute_probs", "permuted_probs_output_grad", "probs_grad", columns=False),
)
SORTER, PLACER = sorter(NAME, SORTED), Sorter(NAME, _sort_of_experts, _kept_of_experts)
RELATIONS = (
    *of_sorts(SORTED, ("dropless",)),
    symmetry(AXES, "hidden", modes=("drop_pad",)),
    same_ranks(SORTER, EP, ("dropless",)),
    same_ranks(PLACER, EP, ("drop_pad",)),
    adjoint((MAP_GRAD.operator, MAP_GRAD.title), PAIRINGS, _small, _gradient),
    round_trip("tokens", "permute_tokens", NAMES, ("dropless",)),
)
