"""Relations of operators that sort slots by their experts and copy each token to their ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import Axes, with_arrays
from conformance.relations.symmetries import symmetry

Integers = NDArray[np.int64]
SOURCE = "a stable sort by expert, and copies where it puts them"


def in_order(case: Case, source: NDArray[Any]) -> NDArray[Any]:
    """The elements of slots, one after the other."""
    return source.reshape(-1)


@dataclass(frozen=True)
class Sorted:
    """The names of what an operator sorts and copies, and which ranks its output holds.

    ``keys`` are the experts of a call's slots. ``rows`` are an input [tokens, ...] and the output
    of its copies, ``elements`` one that has an element for every slot, which ``of`` lists, and the
    output of these; ``ranges`` is `window`, None: the first ranks have copies. ``named`` is the
    input that names experts, of which only the order matters; empty: it says more. ``numbers`` is
    an input that says of each slot where its rank lies, and modulo the tokens which is its own;
    empty: ranks lie by slot, and the slots of a token side by side.
    """

    axes: Axes
    keys: Callable[[Case], NDArray[Any]]
    ranks: str
    rows: tuple[str, str]
    ranges: Callable[[Case], tuple[int, int]] | None = None
    elements: tuple[str, str] = ("", "")
    of: Callable[[Case, NDArray[Any]], NDArray[Any]] = in_order
    named: str = ""
    numbers: str = ""

    def ranks_of(self, case: Case, outputs: Outputs) -> Integers:
        """The rank of each slot."""
        ranks = np.asarray(outputs[self.ranks], np.int64).reshape(-1)
        return ranks[case.arrays[self.numbers].reshape(-1)] if self.numbers else ranks

    def tokens_of(self, case: Case) -> Integers:
        """The token of each slot."""
        tokens, slots = max(1, case.inputs[self.rows[0]].shape[0]), self.keys(case).size
        if self.numbers:
            return np.asarray(case.arrays[self.numbers], np.int64).reshape(-1) % tokens
        return np.arange(slots) // max(1, slots // tokens)

    def window(self, case: Case) -> tuple[int, int]:
        """The first rank of a call's copies, and the first beyond."""
        return self.ranges(case) if self.ranges else (0, case.outputs[self.rows[1]].shape[0])


def of_sorts(given: Sorted, modes: tuple[str, ...] = ()) -> tuple[Relation, ...]:
    """The ranks sort the keys and keep the order of equal ones, rows lie at their ranks, and only
    the order of the keys matters."""

    def slots_of_ranks(case: Case, outputs: Outputs) -> Integers | None:
        ranks = given.ranks_of(case, outputs)
        if not np.array_equal(np.sort(ranks), np.arange(ranks.size)):
            return None
        return np.argsort(ranks)

    def unsorted(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        slots = slots_of_ranks(case, outputs)
        if slots is None:
            yield f"{given.ranks} are not the numbers from 0 on, each once"
            return
        keys = np.asarray(given.keys(case), np.int64).reshape(-1)[slots]
        for rank in np.flatnonzero(keys[1:] < keys[:-1])[:1].tolist():
            yield f"rank {rank} has key {keys[rank]}, rank {rank + 1} has {keys[rank + 1]}"
        swapped = (keys[1:] == keys[:-1]) & (np.diff(slots) < 0)
        for rank in np.flatnonzero(swapped)[:1].tolist():
            yield (
                f"of equal keys {keys[rank]}, slot {slots[rank]} has rank {rank},"
                f" and the earlier slot {slots[rank + 1]} the next"
            )

    def misplaced(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        slots = slots_of_ranks(case, outputs)
        if slots is None:
            return
        start, end = given.window(case)
        kept = slots[start:end]
        meaning = f"by {given.ranks} it is a copy of"
        source, copy = given.rows
        due = case.arrays[source][given.tokens_of(case)[kept]]
        yield from difference(copy, outputs[copy][: kept.size], due, meaning)
        source, copy = given.elements
        if source in case.inputs and copy in outputs:
            due = given.of(case, case.arrays[source])[kept]
            yield from difference(copy, outputs[copy][: kept.size], due, meaning)

    def relabelled(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        keys = case.arrays[given.named]
        dense = np.unique(keys, return_inverse=True)[1].reshape(keys.shape)
        seen = run(with_arrays(case, {given.named: (2 * dense - 3).astype(keys.dtype)}))
        for name, due in outputs.items():
            yield from difference(name, seen[name], due, "by the call with its own experts")

    def law(name: str, text: str, broken: Callable[..., Iterable[str]]) -> Relation:
        return Relation(name, inferred(text, SOURCE), broken, None, modes)

    found = (
        symmetry(given.axes, "hidden", modes=modes),
        law("ranks that sort", "ranks sort the slots by expert, equal ones in order", unsorted),
        law("copies at their ranks", "a row is that of its slot's token", misplaced),
    )
    if not given.named:
        return found
    renamed = "other names of experts, in the same order, change nothing"
    return (*found, law("other names of experts", renamed, relabelled))
