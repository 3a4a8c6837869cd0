"""Relations of MoeTokenUnpermuteWithRoutingMap: who adds the same, and whose copies come back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from cases.operators._map_sums import DROPLESS, MAP, PADDED, PROBS
from cases.operators._moe_token_unpermute_with_routing_map_call import (
    FUNCTION,
    INDICES,
    KERNELS,
    OUT,
    PERMUTE_PROBS,
    SIGNATURE,
    TOKENS,
)
from cases.relations.adjoints import small, with_small
from cases.relations.slot_sums import MAP_UNPERMUTE, UNPERMUTE
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from cases.relations.weights import zero_is_none
from conformance.call.case import Case, Tensor
from conformance.record.clause import document, inferred, source_read
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.record.variations import in_mode, with_attributes, without
from conformance.relations.axes import Axes, held, on_lattice

PERMUTE = "moe_token_permute_with_routing_map"


def _forward(case: Case) -> Case:
    """The call of the forward operator with the map of a case, and tokens of small integers."""
    tokens = case.inputs[MAP].shape[0]
    slots, hidden = case.inputs[TOKENS].shape
    inputs = {
        "tokens": small("tokens", (tokens, hidden), case.dtype),
        "routing_map": case.inputs[MAP],
    }
    outputs = {
        "permute_tokens": Tensor((slots, hidden), case.dtype),
        "sorted_indices": Tensor((slots,), "int32"),
    }
    attributes = {"num_out_tokens": slots, "drop_and_pad": 0}
    return Case(PERMUTE, "dropless", case.dtype, attributes, inputs, outputs, case.machine)


def _of_the_forward(drawn: Case) -> Case | None:
    """The case with the rows and ranks that the forward operator gives, and few small probs."""
    if any(0 in tensor.shape for tensor in drawn.inputs.values()):
        return None
    case = with_small(drawn, PROBS)
    marks = case.arrays[MAP] != 0
    if case.inputs[PROBS].dtype != case.dtype or not 0 < marks[0].sum() < 16:
        return None
    token = np.nonzero(marks.T)[1]
    rows = _forward(case).arrays["tokens"][token]
    ranks = np.argsort(token, kind="stable").astype(np.int32)
    inputs = {
        **case.inputs,
        TOKENS: held(case.inputs[TOKENS], rows),
        INDICES: held(case.inputs[INDICES], ranks),
    }
    return replace(case, inputs=inputs)


def _came_back(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    asked = _forward(case)
    moved = run(asked)
    yield from difference("ranks", moved["sorted_indices"], case.arrays[INDICES], "by the map")
    kept = np.where(case.arrays[MAP] != 0, case.arrays[PROBS], 0).astype(np.float64).sum(axis=1)
    due = asked.arrays["tokens"].astype(np.float64) * kept[:, None]
    meaning = "by the tokens and the sums of their probs"
    seen = outputs[OUT]
    yield from difference(OUT, seen, due.astype(seen.dtype), meaning, sums=True)


def _with_twice_the_probs(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    probs = case.arrays[PROBS]
    doubled = replace(case, inputs={**case.inputs, PROBS: held(case.inputs[PROBS], probs * 2)})
    found = run(doubled)
    for name in (OUT, PERMUTE_PROBS):
        due = (outputs[name].astype(np.float64) * 2).astype(outputs[name].dtype)
        yield from difference(name, found[name], due, "twice what it was", sums=True)


def _with_ones(drawn: Case) -> Case:
    case = on_lattice(drawn)
    ones = held(case.inputs[PROBS], np.ones_like(case.arrays[PROBS]))
    shape = case.outputs[OUT].shape
    case = with_attributes(case, restore_shape=shape)
    return replace(case, inputs={**case.inputs, PROBS: ones})


def _without_them(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    bare = in_mode(case.mode.removesuffix("_probs"), case)
    for name in (PROBS, MAP, PERMUTE_PROBS):
        bare = without(bare, name)
    due = run(bare)[OUT]
    yield from difference(OUT, outputs[OUT], due, "by a call without probs", sums=True)


def _of_plain_calls(relation: Relation) -> Relation:
    """The relation of calls whose map gives every token all experts: a prob is that of a slot."""
    asked = relation.prepared

    def prepared(drawn: Case) -> Case | None:
        sums = MAP_UNPERMUTE.read(on_lattice(drawn))
        case = None if sums is None else MAP_UNPERMUTE.call(sums)
        return None if case is None or asked is None else asked(case)

    return replace(relation, prepared=prepared)


WITH_PROBS = (DROPLESS[1], PADDED[1])
ZERO = source_read("a prob of 0 leaves its row out, if nothing is padded", KERNELS)
RELATIONS = (
    *of_sums(Axes.of(SIGNATURE), (OUT,), (TOKENS,)),
    # Padded products of 16 bits are rounded: those of small integers, too.
    agrees(MAP_UNPERMUTE, UNPERMUTE, (*DROPLESS, PADDED[0])),
    agrees_rounded(MAP_UNPERMUTE, UNPERMUTE, DROPLESS),
    split(MAP_UNPERMUTE, DROPLESS),
    batch_invariant(MAP_UNPERMUTE, DROPLESS),
    _of_plain_calls(zero_is_none(MAP_UNPERMUTE, TOKENS, PROBS, ZERO, DROPLESS[1:])),
    Relation(
        "round trip",
        inferred("what was permuted comes back, times the sum of a token's probs", FUNCTION),
        _came_back,
        _of_the_forward,
        DROPLESS[1:],
        beside=(PERMUTE,),
    ),
    Relation(
        "probs twice as large",
        document("the tokens are multiplied by the probs", FUNCTION),
        _with_twice_the_probs,
        lambda drawn: with_small(drawn, TOKENS, PROBS),
        WITH_PROBS,
    ),
    Relation(
        "probs of one",
        inferred("probs of one give the sums without probs", FUNCTION),
        _without_them,
        _with_ones,
        WITH_PROBS,
    ),
)
