"""Operators that look at a range of ranks: how they are called, and what ranges add up to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.relations.adjoints import EXACT, small, with_small
from cases.relations.slot_sums import MOST_SLOTS, SlotSum, SumForm, made, named
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held


def range_reader(rows: str, of_tokens: str, weights: str = "") -> Callable[[Case], SlotSum]:
    """What reads the sums of calls whose slots name ranks, of which those in a range have a row.

    The tensor ``of_tokens`` has a row for each token. A call without such rows, which has
    their gradients, may have any: small integers.
    """

    def read(case: Case) -> SlotSum:
        here = {**case.outputs, **case.inputs}
        tokens = here[of_tokens].shape[0]
        source = here.get(rows) or small(rows, here[f"{rows}_grad"].shape, case.dtype)
        start, end = case.attributes["rank_range"] or (0, source.shape[0])
        names = named(case, "sorted_indices", tokens, end - start, start)
        return SlotSum(source, names, case.inputs.get(weights))

    return read


def _ranged(sums: SlotSum, operator: str, rows: str, **attributes: Any) -> Case | None:
    """The call of an operator for the first ranks, each of which has a row."""
    sums = sums.among_ranks()
    if not 0 < sums.count <= sums.names.size or sums.names.shape[1] > MOST_SLOTS:
        return None
    given = {"num_topk": sums.names.shape[1], "rank_range": (0, sums.count), "padded_mode": 0}
    inputs = {rows: sums.rows, "sorted_indices": sums.listed(sums.count), "probs": sums.weights}
    return made(operator, "head", sums, given | attributes, inputs, "out")


def _ep_grad(sums: SlotSum) -> Case | None:
    if sums.weights is not None:
        return None
    return _ranged(sums, "moe_token_permute_with_ep_grad", "permuted_tokens_output_grad")


def _unpermute_ep(sums: SlotSum) -> Case | None:
    return _ranged(sums, "moe_token_unpermute_with_ep", "permuted_tokens", restore_shape=None)


EP_GRAD = SumForm(
    "moe_token_permute_with_ep_grad",
    "permuted_tokens_output_grad",
    "out",
    range_reader("permuted_tokens_output_grad", "out"),
    _ep_grad,
)
UNPERMUTE_EP = SumForm(
    "moe_token_unpermute_with_ep",
    "permuted_tokens",
    "out",
    range_reader("permuted_tokens", "out", "probs"),
    _unpermute_ep,
)

MOST = 2
"""Of a factor: products and sums of so small integers are exact."""


def ranges_join(
    rows: str,
    factors: tuple[str, ...],
    added: Callable[[Case], int],
    modes: tuple[str, ...],
    cut: tuple[str, ...] = (),
) -> Relation:
    """What two ranges side by side come to is what the range of both comes to.

    The input ``rows`` and the outputs ``cut`` have a row for each rank of the range; other outputs
    are added. ``factors`` are the inputs that get small integers, ``added`` is how many products of
    them one element adds.
    """

    def parts(case: Case) -> list[Case]:
        start, end = case.attributes["rank_range"]
        middle = (start + end) // 2
        return [_part(case, *ends) for ends in ((start, middle), (middle, end))]

    def _part(case: Case, start: int, end: int) -> Case:
        first = case.attributes["rank_range"][0]
        inputs, outputs = dict(case.inputs), dict(case.outputs)
        if rows in inputs:
            inputs[rows] = held(inputs[rows], case.arrays[rows][start - first : end - first])
        for name in cut:
            outputs[name] = Tensor((end - start, *outputs[name].shape[1:]), outputs[name].dtype)
        attributes = {**case.attributes, "rank_range": (start, end)}
        return replace(case, attributes=attributes, inputs=inputs, outputs=outputs)

    def prepared(drawn: Case) -> Case | None:
        ends = drawn.attributes["rank_range"]
        tensors = (*drawn.inputs.values(), *drawn.outputs.values())
        if ends is None or ends[1] - ends[0] < 2 or any(0 in one.shape for one in tensors):
            return None
        inside = drawn.arrays["sorted_indices"].astype(np.int64) - ends[0]
        inside = np.sort(inside[(inside >= 0) & (inside < ends[1] - ends[0])])
        held_rows = {**drawn.inputs, **drawn.outputs}[rows if rows in drawn.inputs else cut[0]]
        if not np.array_equal(inside, np.arange(held_rows.shape[0])):
            return None
        least = min(EXACT[one.dtype] for one in tensors if one.dtype in EXACT)
        return with_small(drawn, *factors, most=MOST) if added(drawn) * MOST**2 <= least else None

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        found = [run(one) for one in parts(case)]
        meaning = "by calls of the two halves of the range"
        for name, seen in outputs.items():
            of_parts: list[NDArray[Any]] = [np.asarray(one[name]) for one in found]
            due = np.concatenate(of_parts) if name in cut else of_parts[0] + of_parts[1]
            yield from difference(name, seen, due, meaning, sums=True)

    clause = inferred(
        "two ranges side by side come to what the range of both does",
        "the equations, in which each slot has a part of its own",
    )
    return Relation("two ranges side by side", clause, broken, prepared, modes)
