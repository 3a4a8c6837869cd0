"""Copies of tokens and sums of them: adjoint identities, and what comes back of a round trip."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.relations.adjoints import EXACT, Pairing, adjoint, small, with_small
from cases.relations.slot_sorts import SlotSort, SortForm
from cases.relations.slot_sums import MOST_SLOTS, UNPERMUTE, Integers, SlotSum, SumForm, as_rows
from cases.relations.sorts import Sorted
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held

Names = Callable[[Case, Outputs], Integers]
"""The row in which each slot's copy lies, [tokens, top_k]; -1 where it has none."""

MOST_WEIGHED = 16
"""Slots of a token that a round trip weighs with more than 0: their sums are exact in any dtype."""


def ranked(ranks: str, rows: str, tokens: str) -> Names:
    """The names that an output of ranks gives, where the first ranks have a row."""

    def names(case: Case, outputs: Outputs) -> Integers:
        count = int(np.prod(case.outputs[rows].shape[:-1], dtype=np.int64))
        found = np.asarray(outputs[ranks], np.int64).reshape(case.inputs[tokens].shape[0], -1)
        return np.where((found >= 0) & (found < count), found, -1)

    return names


def named_by(given: Sorted) -> Names:
    """The names that a sort gives, if the ranks of its window have a row."""

    def names(case: Case, outputs: Outputs) -> Integers:
        start, end = given.window(case)
        ranks = np.asarray(outputs[given.ranks], np.int64)
        kept = np.where((ranks >= start) & (ranks < end), ranks - start, -1)
        tokens = case.inputs[given.rows[0]].shape[0]
        return kept.reshape(-1, tokens).T if given.numbers else kept.reshape(tokens, -1)

    return names


def misnamed(names: Integers, rows: NDArray[Any]) -> str:
    """What is wrong with names of rows, of which every one is the copy of some slot."""
    named = np.sort(names[names >= 0])
    if rows.ndim > 2 or np.array_equal(named, np.arange(len(rows))):
        return ""
    return f"slots name {np.unique(named).size} of {len(rows)} rows, {named.size} times"


def adjoint_of_copies(
    tokens: str, rows: str, names: Names, other: SumForm, modes: tuple[str, ...] = ()
) -> Relation:
    """The sums of gradients over the rows of a call's own copies are the adjoint of copying."""

    def second(case: Case, outputs: Outputs) -> Case | str | None:
        width, named = case.outputs[rows].shape[-1], names(case, outputs)
        grads = small("grads", (outputs[rows].size // width, width), case.dtype)
        return misnamed(named, outputs[rows]) or other.call(SlotSum(grads, named))

    def prepared(drawn: Case) -> Case | None:
        slots = drawn.outputs[rows].size // max(1, drawn.inputs[tokens].size)
        flat = len(drawn.inputs[tokens].shape) == 2
        return with_small(drawn, tokens) if flat and slots <= EXACT[drawn.dtype] else None

    pairing = Pairing(tokens, rows, other.rows, other.output)
    return adjoint((other.operator, other.title), (pairing,), prepared, second, modes)


def adjoint_of_sums(own: SumForm, other: SortForm, modes: tuple[str, ...] = ()) -> Relation:
    """Copying tokens to where sums have their rows is the adjoint of these sums.

    The slots name all rows, each once, and are the ranks of keys that are these names.
    """

    def keys(sums: SlotSum) -> Integers | None:
        named = np.sort(sums.names[sums.names >= 0])
        if not np.array_equal(named, np.arange(sums.count)):
            return None
        return np.where(sums.names < 0, sums.count, sums.names)

    def second(case: Case, outputs: Outputs) -> Case | None:
        sums = own.read(case)
        named = None if sums is None else keys(sums)
        if sums is None or named is None:
            return None
        tokens = small("tokens", case.outputs[own.output].shape, case.dtype, 3)
        return other.call(SlotSort(tokens, named, count=sums.count))

    def prepared(drawn: Case) -> Case | None:
        sums = own.read(drawn)
        if sums is None or keys(sums) is None or sums.names.shape[1] > EXACT[drawn.dtype]:
            return None
        return with_small(drawn, own.rows, most=1)

    pairing = Pairing(own.rows, own.output, other.tokens, other.copies)
    return adjoint((other.operator, other.title), (pairing,), prepared, second, modes)


def round_trip(tokens: str, rows: str, names: Names, modes: tuple[str, ...] = ()) -> Relation:
    """Unpermuted, a call's own copies are its tokens, times the weights of the slots kept."""

    def weights(case: Case, named: Integers) -> Tensor:
        count, slots = named.shape
        weighed = np.zeros(named.shape)
        places = np.unique(np.linspace(0, slots - 1, MOST_WEIGHED).astype(np.int64))
        token = np.arange(count)[:, None]
        weighed[token, (places + token) % slots] = 1 + (places + token) % 3
        return held(Tensor((), case.dtype), weighed.astype(case.arrays[tokens].dtype))

    def prepared(drawn: Case) -> Case | None:
        sizes = [tensor.shape for tensor in (*drawn.inputs.values(), *drawn.outputs.values())]
        possible = len(drawn.inputs[tokens].shape) == 2 and not any(0 in size for size in sizes)
        return with_small(drawn, tokens) if possible else None

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        named = names(case, outputs)
        wrong = misnamed(named, outputs[rows])
        if wrong or named.shape[1] > MOST_SLOTS:
            yield from (wrong,) if wrong else ()
            return
        weighed = weights(case, named)
        copies = as_rows(held(Tensor((), case.dtype), np.asarray(outputs[rows])))
        asked = UNPERMUTE.call(SlotSum(copies, named, weighed))
        if asked is None:
            return
        kept = np.where(named < 0, 0, weighed.materialize().astype(np.float64)).sum(axis=1)
        due = case.arrays[tokens].astype(np.float64) * kept[:, None]
        seen = run(asked)[UNPERMUTE.output]
        meaning = f"by {tokens} and the weights of its slots"
        yield from difference(
            "what is unpermuted", seen, due.astype(seen.dtype), meaning, sums=True
        )

    clause = inferred(
        "unpermute(permute(x)) is x times the sum of its slots' weights",
        "the equations of both documents",
    )
    beside = (UNPERMUTE.operator,)
    return Relation("round trip", clause, broken, prepared, modes, beside=beside)
