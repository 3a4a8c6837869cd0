"""Sums over slots, and how each operator that adds them is called for one.

Operators of this family add the same sums under other names: gradients of permutes, unpermutes,
finalizes. What one is asked another can be asked, too, and on small integers, whose sums no order
of additions changes, all of them have to answer with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Machine, Tensor, numpy_dtype
from conformance.relations.axes import held

Integers = NDArray[np.int64]
MACHINE = Machine(cores=2, ub_bytes=196_608)
"""Where a call is made that no case has drawn: with room for what any drawn case asks."""

MOST_SLOTS = 512
"""Of a token, by the documents of these operators."""


@dataclass(frozen=True)
class SlotSum:
    """out[i] = sum over t of weights[i, t] * rows[names[i, t]].

    ``rows`` are [rows, hidden], ``names`` [tokens, top_k], -1 where a slot adds nothing;
    ``weights`` None are all 1.
    """

    rows: Tensor
    names: Integers
    weights: Tensor | None = None

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.rows.shape[0]

    def of_tokens(self, first: int) -> SlotSum:
        """The sums of the tokens from ``first`` on."""
        weights = self.weights
        if weights is not None:
            weights = held(weights, weights.materialize()[first:])
        return replace(self, names=self.names[first:], weights=weights)

    def among_ranks(self) -> SlotSum:
        """The same sums where a number from the rows' on is a rank, and so below that of slots.

        Rows that no slot names are left out where there are too many of them for such a rank.
        """
        few = self.count < self.names.size or (self.names >= 0).all()
        return self if few else self.of_named_rows()

    def of_named_rows(self) -> SlotSum:
        """The same sums without the rows that no slot names."""
        kept = self.names >= 0
        rows, names = np.unique(self.names[kept], return_inverse=True)
        renamed = self.names.copy()
        renamed[kept] = names.ravel()
        return replace(self, rows=held(self.rows, self.rows.materialize()[rows]), names=renamed)

    def listed(self, none: int) -> Tensor:
        """The names, one after the other, with that number where a slot adds nothing."""
        return held(Tensor((), "int32"), np.where(self.names < 0, none, self.names).ravel())

    def with_ones(self) -> Tensor | None:
        """Weights also where all are 1; none where a token has one slot."""
        if self.weights is not None or self.names.shape[1] == 1:
            return self.weights
        return held(
            Tensor((), self.rows.dtype), np.ones(self.names.shape, numpy_dtype(self.rows.dtype))
        )


@dataclass(frozen=True)
class Form:
    """How an operator is called for what other operators do, too."""

    operator: str

    @property
    def title(self) -> str:
        """Its name for people."""
        return title_of(self.operator)


def title_of(operator: str) -> str:
    """An operator's name for people."""
    return "".join(word.capitalize() for word in operator.split("_"))


@dataclass(frozen=True)
class SumForm(Form):
    """How an operator is called for sums over slots of its input ``rows``.

    ``read`` tells which sums are the ``output`` of a call, None: none of this kind; ``call`` makes
    the call of sums, None where the operator has none.
    """

    rows: str
    output: str
    read: Callable[[Case], SlotSum | None]
    call: Callable[[SlotSum], Case | None] = lambda sums: None


def as_rows(tensor: Tensor) -> Tensor:
    """A tensor of rows with one axis for all of them, one after the other in memory."""
    count = int(np.prod(tensor.shape[:-1], dtype=np.int64))
    return replace(tensor, shape=(count, tensor.shape[-1]), strides=None)


def as_column(case: Case, name: str) -> Tensor:
    """An input that has one element for each row, as rows of one column."""
    return held(Tensor((), case.inputs[name].dtype), case.arrays[name].reshape(-1, 1))


def named(case: Case, indices: str, tokens: int, rows: int, start: int = 0) -> Integers:
    """The row that each slot of a call names, counted from ``start``; -1 for one beyond."""
    found = np.asarray(case.arrays[indices], np.int64).reshape(tokens, -1) - start
    return np.where((found >= 0) & (found < rows), found, -1)


def cast(tensor: Tensor, dtype: str) -> Tensor | None:
    """A tensor of the same values in another dtype, None where it cannot hold them."""
    if tensor.dtype == dtype:
        return tensor
    values = tensor.materialize()
    with np.errstate(over="ignore", invalid="ignore"):
        stored = values.astype(numpy_dtype(dtype))
    if (stored.astype(np.float64) != values.astype(np.float64)).any():
        return None
    return held(Tensor((), dtype), stored)


def made(
    operator: str,
    mode: str,
    sums: SlotSum,
    attributes: dict[str, Any],
    inputs: Mapping[str, Tensor | None],
    output: str,
) -> Case:
    """A call whose output is [tokens, hidden] of the dtype of the rows."""
    given = {name: tensor for name, tensor in inputs.items() if tensor is not None}
    shape = (len(sums.names), sums.rows.shape[-1])
    outputs = {output: Tensor(shape, sums.rows.dtype)}
    return Case(operator, mode, sums.rows.dtype, attributes, given, outputs, MACHINE)


def reader(rows: str, indices: str, output: str, weights: str = "") -> Callable[[Case], SlotSum]:
    """What reads the sums of calls whose tensors have these names."""

    def read(case: Case) -> SlotSum:
        source, tokens = as_rows(case.inputs[rows]), case.outputs[output].shape[0]
        names = named(case, indices, tokens, source.shape[0])
        return SlotSum(source, names, case.inputs.get(weights))

    return read


def _init_grad(sums: SlotSum) -> Case | None:
    if sums.rows.rows is not None:
        sums = sums.among_ranks()
    if sums.weights is not None or sums.count == 0:
        return None
    attributes = {"top_k": sums.names.shape[1], "drop_pad_mode": 0, "active_num": sums.count}
    inputs = {"grad_expanded_x": sums.rows, "expanded_row_idx": sums.listed(sums.count)}
    mode = "active"
    if sums.count >= sums.names.size:
        # The numbers of its rows, and of none, are no ranks: those of places need be none.
        mode, attributes = "drop_pad", {**attributes, "drop_pad_mode": 1, "active_num": 0}
        places = replace(sums.rows, shape=(1, *sums.rows.shape))
        inputs = {"grad_expanded_x": places, "expanded_row_idx": sums.listed(-1)}
    return made("moe_init_routing_v2_grad", mode, sums, attributes, inputs, "grad_x")


def _permute_grad(sums: SlotSum) -> Case | None:
    sums = sums.among_ranks()
    if sums.weights is not None or 0 in sums.rows.shape or sums.names.shape[1] > MOST_SLOTS:
        return None
    attributes = {"num_topk": sums.names.shape[1], "padded_mode": 0}
    inputs = {"permuted_output_grad": sums.rows, "sorted_indices": sums.listed(sums.count)}
    return made("moe_token_permute_grad", "uneven", sums, attributes, inputs, "out")


def _map_grad_of(case: Case) -> SlotSum:
    rows = case.inputs["permuted_token_output_grad"]
    tokens, count = case.attributes["tokens_num"], rows.shape[0]
    if case.mode == "dropless":
        return SlotSum(rows, named(case, "sorted_indices", tokens, count))
    ids = np.asarray(case.arrays["sorted_indices"], np.int64)
    return SlotSum(rows, _rows_by_token(ids, tokens))


def _rows_by_token(ids: Integers, tokens: int) -> Integers:
    """The rows that name each token [tokens, slots], -1 where it has no more of them."""
    order = np.argsort(ids, kind="stable")
    shares = np.bincount(ids, minlength=tokens)
    names = np.full((tokens, max(1, int(shares.max(initial=0)))), -1, np.int64)
    slots = np.arange(ids.size) - np.repeat(np.cumsum(shares) - shares, shares)
    names[ids[order], slots] = order
    return names


def _map_grad(sums: SlotSum) -> Case | None:
    """Without a capacity there is one row for each slot."""
    if sums.weights is not None or (sums.names < 0).any() or sums.count != sums.names.size:
        return None
    tokens, top_k = sums.names.shape
    attributes = {"num_experts": top_k, "tokens_num": tokens, "drop_and_pad": 0}
    inputs = {"permuted_token_output_grad": sums.rows, "sorted_indices": sums.listed(-1)}
    operator = "moe_token_permute_with_routing_map_grad"
    return made(operator, "dropless", sums, attributes, inputs, "tokens_grad")


def _unpermute(sums: SlotSum) -> Case | None:
    sums = sums.among_ranks()
    if 0 in sums.rows.shape or sums.names.shape[1] > MOST_SLOTS:
        return None
    inputs = {
        "permuted_tokens": sums.rows,
        "sorted_indices": sums.listed(sums.count),
        "probs": sums.with_ones(),
    }
    mode = "single" if inputs["probs"] is None else "uneven"
    attributes = {"padded_mode": 0, "restore_shape": None}
    return made("moe_token_unpermute", mode, sums, attributes, inputs, "out")


def _map_unpermute_of(case: Case) -> SlotSum:
    """Padded, each row is a slot of the token that it names, with its own prob as weight."""
    rows, tokens = case.inputs["permuted_tokens"], case.outputs["unpermuted_tokens"].shape[0]
    probs = case.arrays.get("probs")
    if case.mode.startswith("padded"):
        ids = np.asarray(case.arrays["sorted_indices"], np.int64)
        names = _rows_by_token(ids, tokens)
        if probs is None:
            return SlotSum(rows, names)
        expert = np.arange(ids.size) // max(1, ids.size // probs.shape[1])
        weights = np.where(names < 0, 0, probs[ids, expert][names])
    else:
        names = named(case, "sorted_indices", tokens, rows.shape[0])
        if probs is None:
            return SlotSum(rows, names)
        weights = probs[case.arrays["routing_map"] != 0].reshape(names.shape)
    return SlotSum(rows, names, held(Tensor((), case.inputs["probs"].dtype), weights))


def _map_unpermute(sums: SlotSum) -> Case | None:
    """Every slot has a row of its own, if it names one or not; all experts are those of a token."""
    sums = sums.of_named_rows()
    slots, (tokens, top_k) = sums.names.size, sums.names.shape
    few = 0 < sums.count <= slots and 0 < top_k <= MOST_SLOTS
    if not few or (sums.weights is not None and sums.weights.dtype != sums.rows.dtype):
        return None
    rows = np.resize(sums.rows.materialize(), (slots, sums.rows.shape[1]))
    ones = held(Tensor((), "int8"), np.ones((tokens, top_k), np.int8))
    weighted = sums.weights is not None
    inputs = {
        "permuted_tokens": held(sums.rows, rows),
        "sorted_indices": sums.listed(-1),
        "routing_map": ones if weighted else None,
        "probs": sums.weights,
    }
    attributes = {"padded_mode": 0, "restore_shape": (tokens, sums.rows.shape[1])}
    mode = "dropless_probs" if weighted else "dropless"
    operator = "moe_token_unpermute_with_routing_map"
    case = made(operator, mode, sums, attributes, inputs, "unpermuted_tokens")
    indices = {name: Tensor((slots,), "int32") for name in ("out_index", "permute_token_id")}
    outputs = {**case.outputs, **indices}
    if sums.weights is not None:
        outputs["permute_probs"] = Tensor((slots,), sums.weights.dtype)
    return replace(case, outputs=outputs)


def _finalize_of(case: Case) -> SlotSum:
    """What is added to rows and sums is more rows: x1 and x2 of weight 1, of each slot its bias."""
    tokens, hidden = case.outputs["out"].shape
    expanded = as_rows(case.inputs["expanded_x"])
    by_column = case.mode.endswith("columns")
    names = np.asarray(case.arrays["expanded_row_idx"], np.int64)
    names = np.array(names.reshape(-1, tokens).T if by_column else names.reshape(tokens, -1))
    parts = [np.asarray(case.arrays["expanded_x"]).reshape(-1, hidden)]
    added, weights = [names], [case.arrays.get("scales")]
    extra = [(name, np.arange(tokens)[:, None]) for name in ("x1", "x2") if name in case.inputs]
    if "bias" in case.inputs:
        extra.append(("bias", np.asarray(case.arrays["expert_idx"], np.int64)))
    if not extra:
        return SlotSum(expanded, names, case.inputs.get("scales"))
    dtype = case.inputs["scales"].dtype if "scales" in case.inputs else case.dtype
    kept = names >= 0
    read, names[kept] = np.unique(names[kept], return_inverse=True)
    parts = [parts[0][read]]
    for name, of_rows in extra:
        added.append(of_rows + sum(map(len, parts)))
        parts.append(case.arrays[name])
        weights.append(weights[0] if name == "bias" else None)
    columns = [
        np.ones(of_rows.shape, numpy_dtype(dtype)) if weight is None else weight
        for of_rows, weight in zip(added, weights, strict=True)
    ]
    return SlotSum(
        held(Tensor((), case.dtype), np.concatenate(parts)),
        np.concatenate(added, axis=1),
        held(Tensor((), dtype), np.concatenate(columns, axis=1)),
    )


def finalized(operator: str, **attributes: Any) -> SumForm:
    """How a version of the operator that finalizes is called, with these attributes besides."""

    def call(sums: SlotSum) -> Case | None:
        scales = sums.with_ones()
        if scales is not None:
            scales = cast(scales, sums.rows.dtype)
        if 0 in sums.rows.shape or (scales is None and sums.weights is not None):
            return None
        inputs = {
            "expanded_x": replace(sums.rows, shape=(1, *sums.rows.shape)),
            "expanded_row_idx": sums.listed(-1),
            "scales": scales,
        }
        fixed = {"drop_pad_mode": 3, **attributes}
        return made(operator, "drop_pad_rows", sums, fixed, inputs, "out")

    return SumForm(operator, "expanded_x", "out", _finalize_of, call)


INIT_GRAD = SumForm(
    "moe_init_routing_v2_grad",
    "grad_expanded_x",
    "grad_x",
    reader("grad_expanded_x", "expanded_row_idx", "grad_x"),
    _init_grad,
)
PERMUTE_GRAD = SumForm(
    "moe_token_permute_grad",
    "permuted_output_grad",
    "out",
    reader("permuted_output_grad", "sorted_indices", "out"),
    _permute_grad,
)
MAP_GRAD = SumForm(
    "moe_token_permute_with_routing_map_grad",
    "permuted_token_output_grad",
    "tokens_grad",
    _map_grad_of,
    _map_grad,
)
UNPERMUTE = SumForm(
    "moe_token_unpermute",
    "permuted_tokens",
    "out",
    reader("permuted_tokens", "sorted_indices", "out", "probs"),
    _unpermute,
)
MAP_UNPERMUTE = SumForm(
    "moe_token_unpermute_with_routing_map",
    "permuted_tokens",
    "unpermuted_tokens",
    _map_unpermute_of,
    _map_unpermute,
)
FINALIZE = finalized("moe_finalize_routing_v2")
