"""Relations of MoeTokenUnpermuteWithRoutingMapGrad: who gives the same, and whose adjoint it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from cases.operators._map_sums import DROPLESS, PADDED, PROBS
from cases.operators._moe_token_unpermute_with_routing_map_grad_call import (
    FUNCTION,
    GRAD,
    OUT_INDEX,
    PROBS_GRAD,
    SIGNATURE,
    TOKEN_ID,
    TOKENS,
    TOKENS_GRAD,
)
from cases.relations.slot_grads import (
    MAP_UNPERMUTE_GRAD,
    UNPERMUTE_GRAD,
    adjoint_of_grads,
    grads_agree,
)
from cases.relations.slot_sums import MAP_UNPERMUTE
from cases.relations.sums import of_sums
from conformance.call.case import Case, Tensor
from conformance.record.clause import document, inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import Axes, held, on_lattice, shuffled, with_arrays

PERMUTE = "moe_token_permute_with_routing_map"


def _of_plain_calls(relation: Relation, *modes: str) -> Relation:
    """The relation of calls whose map gives every token all experts: a prob is that of a slot."""
    asked = relation.prepared

    def prepared(drawn: Case) -> Case | None:
        sums = MAP_UNPERMUTE_GRAD.read(on_lattice(drawn))
        case = MAP_UNPERMUTE_GRAD.call(sums, on_lattice(drawn).inputs[GRAD])
        return None if case is None or asked is None else asked(case)

    return replace(relation, prepared=prepared, modes=modes)


def _permuted(case: Case) -> Case:
    """The call of the forward permutation of the gradients, each to as many experts as slots."""
    tokens, slots = case.inputs[GRAD].shape[0], case.inputs[OUT_INDEX].size
    marks = np.ones((tokens, slots // tokens), np.int8)
    inputs = {"tokens": case.inputs[GRAD], "routing_map": held(Tensor((), "int8"), marks)}
    outputs = {
        "permute_tokens": case.outputs[TOKENS_GRAD],
        "sorted_indices": case.inputs[OUT_INDEX],
    }
    outputs = {name: Tensor(one.shape, one.dtype) for name, one in outputs.items()}
    attributes = {"num_out_tokens": slots, "drop_and_pad": 0}
    return Case(PERMUTE, "dropless", case.dtype, attributes, inputs, outputs, case.machine)


def _by_ranks(drawn: Case) -> Case:
    """The case whose rows lie expert by expert, as the forward permutation puts them."""
    tokens, slots = drawn.inputs[GRAD].shape[0], drawn.inputs[OUT_INDEX].size
    ranks = np.arange(slots, dtype=np.int32).reshape(-1, tokens).T
    return with_arrays(drawn, {OUT_INDEX: ranks.ravel()})


def _as_permuted(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    moved = run(_permuted(case))
    yield from difference("ranks", moved["sorted_indices"], case.arrays[OUT_INDEX], "by the map")
    due, meaning = moved["permute_tokens"], "by the forward permutation of the gradient"
    yield from difference(TOKENS_GRAD, outputs[TOKENS_GRAD], due, meaning)


def _in_another_order(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    order = shuffled(case.inputs[OUT_INDEX].size)
    arrays = {name: case.arrays[name][order] for name in (OUT_INDEX, TOKEN_ID)}
    found = run(with_arrays(case, arrays))
    for name, due in outputs.items():
        yield from difference(name, found[name], due, "with entries in another order", sums=True)


RELATIONS = (
    *of_sums(Axes.of(SIGNATURE), (TOKENS_GRAD, PROBS_GRAD), (GRAD,), added="hidden"),
    _of_plain_calls(grads_agree(MAP_UNPERMUTE_GRAD, UNPERMUTE_GRAD), *DROPLESS),
    _of_plain_calls(
        adjoint_of_grads(MAP_UNPERMUTE_GRAD, MAP_UNPERMUTE, (TOKENS,), PROBS), DROPLESS[1]
    ),
    Relation(
        "rows of the forward permutation",
        inferred("a gradient without probs is the permutation of the gradients", FUNCTION),
        _as_permuted,
        _by_ranks,
        DROPLESS[:1],
        beside=(PERMUTE,),
    ),
    Relation(
        "entries in another order",
        document("each entry has a token and a row of its own", FUNCTION),
        _in_another_order,
        on_lattice,
        PADDED,
    ),
)
