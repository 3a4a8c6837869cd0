"""Sorts of slots by their experts, and how each operator that sorts them is called for one.

Operators of this family sort the same slots under other names, and copy tokens to the ranks. What
one is asked another can be asked, too: both have to find the same ranks and copy the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.relations.slot_sums import MACHINE, Form, Integers
from cases.relations.sorts import Sorted, in_order
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held, with_arrays

MOST_EXPERTS = 512
"""Of a map that is made for a sort, whose tokens have at most as many slots."""


@dataclass(frozen=True)
class SlotSort:
    """Slots sorted by key, equal ones in order, and a copy of its token at the rank of each.

    ``tokens`` are [tokens, hidden], ``keys`` [tokens, top_k], ``probs`` one for each slot. Copied
    are the first ``count`` ranks, None: all of them.
    """

    tokens: Tensor
    keys: Integers
    probs: Tensor | None = None
    count: int | None = None

    @property
    def rows(self) -> int:
        """How many ranks have a copy."""
        return self.keys.size if self.count is None else self.count


@dataclass(frozen=True)
class Ranked:
    """What a sort comes to: the rank of each slot, [tokens, top_k], rows and probs by rank."""

    ranks: Integers
    rows: NDArray[Any]
    probs: NDArray[Any] | None = None


@dataclass(frozen=True)
class SortForm(Form):
    """How an operator is called for a sort; ``answer`` tells what the outputs of that call say.

    ``call`` makes the call of a sort, None where the operator has none. ``tokens`` is its input,
    ``copies`` the output that has them at their ranks.
    """

    tokens: str
    copies: str
    call: Callable[[SlotSort], Case | None]
    answer: Callable[[SlotSort, Outputs], Ranked]


@dataclass(frozen=True)
class Sorter:
    """How an operator's own calls sort: what they sort, and which of it their outputs hold.

    ``sort`` reads a call; ``kept`` says what its outputs are, by name, where the sort comes to what
    it is given; an output may go on, where nothing is promised of it. ``keys`` is an input that may
    hold any other integers as well.
    """

    operator: str
    sort: Callable[[Case], SlotSort | None]
    kept: Callable[[Case, Ranked], dict[str, NDArray[Any]]]
    keys: str = ""


def sorter(operator: str, given: Sorted) -> Sorter:
    """How the calls of an operator sort whose tensors have these names."""
    tokens, copies = given.rows
    source, elements = given.elements

    def sort(case: Case) -> SlotSort:
        rows, probs = case.inputs[tokens], case.inputs.get(source)
        if probs is not None and given.of is not in_order:
            probs = held(probs, given.of(case, case.arrays[source]))
        keys = np.asarray(given.keys(case), np.int64).reshape(rows.shape[0], -1)
        owners, lying = given.tokens_of(case), np.arange(keys.size) // max(1, keys.shape[1])
        if np.array_equal(owners, lying):
            return SlotSort(flat(rows), keys, probs)
        return SlotSort(held(rows, case.arrays[tokens][owners]), keys.reshape(-1, 1), probs)

    def kept(case: Case, ranked: Ranked) -> dict[str, NDArray[Any]]:
        start, end = given.window(case)
        rows = case.outputs[copies].shape[0]
        ranks = ranked.ranks.ravel().astype(np.int32)
        if given.numbers:
            ranks = ranks[np.argsort(case.arrays[given.numbers], axis=None)]
        found = {given.ranks: ranks, copies: ranked.rows[start:end][:rows]}
        if ranked.probs is not None:
            found[elements] = ranked.probs[start:end][:rows]
        return found

    return Sorter(operator, sort, kept, given.named)


def same_ranks(
    own: Sorter, other: SortForm, modes: tuple[str, ...] = (), name: str = ""
) -> Relation:
    """Another operator sorts the same slots to the same ranks, and copies the same rows there."""

    def prepared(drawn: Case) -> Case | None:
        if _asked(drawn)[1] is not None:
            return drawn
        case = _with_other_keys(drawn)
        return None if case is None or _asked(case)[1] is None else case

    def _with_other_keys(case: Case) -> Case | None:
        """The call with no key twice among those of a token."""
        sort = own.sort(case) if own.keys else None
        if sort is None or not sort.keys.size:
            return None
        top_k = sort.keys.shape[1]
        experts = max(top_k, min(MOST_EXPERTS, np.unique(sort.keys).size))
        keys = (_dense(sort.keys)[:, :1] + np.arange(top_k)) % experts
        old = case.arrays[own.keys]
        return with_arrays(case, {own.keys: keys.reshape(old.shape).astype(old.dtype)})

    def _asked(case: Case) -> tuple[SlotSort | None, Case | None]:
        if any(0 in tensor.shape for tensor in (*case.inputs.values(), *case.outputs.values())):
            return None, None
        sort = own.sort(case)
        return sort, None if sort is None else other.call(sort)

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        sort, asked = _asked(case)
        if sort is None or asked is None:
            return
        due = own.kept(case, other.answer(sort, run(asked)))
        for name, array in due.items():
            seen = outputs[name].reshape(-1)[: array.size].reshape(array.shape)
            yield from difference(name, seen, array, f"by {other.title}")

    text = f"{other.title} finds the same ranks, and copies the same rows"
    source = "the sort of both documents' equations, stable in both"
    clause = inferred(text, source)
    beside = () if other.operator == own.operator else (other.operator,)
    return Relation(
        name or f"ranks of {other.title}", clause, broken, prepared, modes, beside=beside
    )


def flat(tokens: Tensor) -> Tensor:
    """Tokens with one axis for all that follows the first."""
    count = tokens.shape[0]
    shape = (count, int(np.prod(tokens.shape[1:], dtype=np.int64)))
    if tokens.shape[1:] == shape[1:]:
        return replace(tokens, strides=None)
    if tokens.fill is None or len(tokens.shape) < 2:
        return replace(tokens, shape=shape, strides=None)
    return held(Tensor((), tokens.dtype), tokens.materialize().reshape(shape))


def _int32(values: Integers) -> Tensor:
    return held(Tensor((), "int32"), values.astype(np.int32))


def _dense(keys: Integers) -> Integers:
    """The keys numbered from 0 on, in the same order."""
    return np.asarray(np.unique(keys, return_inverse=True)[1], np.int64).reshape(keys.shape)


def _init(sort: SlotSort) -> Case | None:
    slots, hidden = sort.keys.size, sort.tokens.shape[-1]
    attributes = {
        "active_num": 0 if sort.rows == slots else sort.rows,
        "expert_capacity": 0,
        "expert_num": 0,
        "drop_pad_mode": 0,
        "expert_tokens_count_or_cumsum_flag": 0,
        "expert_tokens_before_capacity_flag": 0,
    }
    outputs = {
        "expanded_x": Tensor((sort.rows, hidden), sort.tokens.dtype),
        "expanded_row_idx": Tensor((slots,), "int32"),
    }
    inputs = {"x": sort.tokens, "expert_idx": _int32(_dense(sort.keys))}
    dtype = sort.tokens.dtype
    mode = "active" if attributes["active_num"] else "dropless"
    return Case("moe_init_routing_v2", mode, dtype, attributes, inputs, outputs, MACHINE)


def _init_answer(sort: SlotSort, outputs: Outputs) -> Ranked:
    ranks = np.asarray(outputs["expanded_row_idx"], np.int64).reshape(sort.keys.shape)
    return Ranked(ranks, outputs["expanded_x"])


def _permute(sort: SlotSort) -> Case | None:
    attributes = {"num_out_tokens": 0 if sort.rows == sort.keys.size else sort.rows}
    mode = "first" if attributes["num_out_tokens"] else "whole"
    return _permuting("moe_token_permute", mode, sort, {**attributes, "padded_mode": 0})


def _permuting(
    operator: str,
    mode: str,
    sort: SlotSort,
    attributes: dict[str, Any],
    probs: Tensor | None = None,
) -> Case:
    """A call whose tensors have the names of MoeTokenPermute, and perhaps probabilities."""
    outputs = {
        "permute_tokens": Tensor((sort.rows, sort.tokens.shape[-1]), sort.tokens.dtype),
        "sorted_indices": Tensor((sort.keys.size,), "int32"),
    }
    inputs = {"tokens": sort.tokens, "indices": _int32(_dense(sort.keys))}
    if probs is not None:
        inputs["probs"] = probs
        outputs["permute_probs"] = Tensor((sort.rows,), probs.dtype)
    return Case(operator, mode, sort.tokens.dtype, attributes, inputs, outputs, MACHINE)


def _permute_answer(sort: SlotSort, outputs: Outputs) -> Ranked:
    ranks = np.asarray(outputs["sorted_indices"], np.int64).reshape(sort.keys.shape)
    return Ranked(ranks, outputs["permute_tokens"], outputs.get("permute_probs"))


def _ep(sort: SlotSort) -> Case | None:
    attributes = {"rank_range": (0, sort.rows), "num_out_tokens": 0, "padded_mode": 0}
    mode = "full" if sort.rows == sort.keys.size else "head"
    probs = sort.probs
    if probs is not None:
        probs = replace(probs, shape=sort.keys.shape, strides=None)
    return _permuting("moe_token_permute_with_ep", mode, sort, attributes, probs)


def _map(sort: SlotSort) -> Case | None:
    """A map of the experts of each token, of which no two may be the same."""
    keys = _dense(sort.keys)
    tokens, top_k = keys.shape
    experts = int(keys.max(initial=0)) + 1
    alike = (np.diff(np.sort(keys, axis=1), axis=1) == 0).any()
    partly = sort.rows != keys.size
    if alike or partly or experts > MOST_EXPERTS or top_k >= MOST_EXPERTS:
        return None
    marks = np.zeros((tokens, experts), np.int8)
    np.put_along_axis(marks, keys, 1, axis=1)
    slots, hidden = keys.size, sort.tokens.shape[-1]
    inputs = {"tokens": sort.tokens, "routing_map": held(Tensor((), "int8"), marks)}
    outputs = {"permute_tokens": Tensor((slots, hidden), sort.tokens.dtype)}
    if sort.probs is not None:
        stored = sort.probs.materialize().reshape(keys.shape)
        probs = np.zeros((tokens, experts), stored.dtype)
        np.put_along_axis(probs, keys, stored, axis=1)
        inputs["probs"] = held(sort.probs, probs)
        outputs["permute_probs"] = Tensor((slots,), sort.probs.dtype)
    outputs["sorted_indices"] = Tensor((slots,), "int32")
    attributes = {"num_out_tokens": slots, "drop_and_pad": 0}
    operator, dtype = "moe_token_permute_with_routing_map", sort.tokens.dtype
    return Case(operator, "dropless", dtype, attributes, inputs, outputs, MACHINE)


def _map_answer(sort: SlotSort, outputs: Outputs) -> Ranked:
    """Its ranks are those of a token's experts in ascending order."""
    ranks = np.empty(sort.keys.shape, np.int64)
    ascending = np.asarray(outputs["sorted_indices"], np.int64).reshape(ranks.shape)
    np.put_along_axis(ranks, np.argsort(sort.keys, axis=1), ascending, axis=1)
    return Ranked(ranks, outputs["permute_tokens"], outputs.get("permute_probs"))


INIT = SortForm("moe_init_routing_v2", "x", "expanded_x", _init, _init_answer)
PERMUTE = SortForm("moe_token_permute", "tokens", "permute_tokens", _permute, _permute_answer)
EP = SortForm("moe_token_permute_with_ep", "tokens", "permute_tokens", _ep, _permute_answer)
MAP = SortForm("moe_token_permute_with_routing_map", "tokens", "permute_tokens", _map, _map_answer)
