"""Gradients of weighted sums over slots, by rows and by weights, and how operators are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.relations.adjoints import EXACT, few, with_small
from cases.relations.ranges import range_reader
from cases.relations.slot_sums import (
    MACHINE,
    MAP_UNPERMUTE,
    MOST_SLOTS,
    Form,
    SlotSum,
    SumForm,
    as_rows,
    cast,
    named,
)
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held, on_lattice

MOST_WEIGHT = 2
Added = Callable[[Case], Mapping[str, Tensor] | None]


@dataclass(frozen=True)
class GradForm(Form):
    """How an operator is called for the gradients of sums over slots, of which no row is in two.

    ``read`` tells which sums a call is about; ``call`` makes the call of sums and their gradient,
    None where the operator has none. ``grad`` is the input of the gradient, ``rows`` the output of
    the rows' gradients and ``weights`` that of the weights'.
    """

    grad: str
    rows: str
    weights: str
    read: Callable[[Case], SlotSum]
    call: Callable[[SlotSum, Tensor], Case | None]


def distinct(sums: SlotSum) -> bool:
    """Whether no two slots name one row, and some slot names one."""
    kept = sums.names[sums.names >= 0]
    return bool(kept.size) and np.unique(kept).size == kept.size


def of_slots(sums: SlotSum, rows: NDArray[Any]) -> NDArray[Any]:
    """The row of every slot, [tokens, top_k, hidden]; 0 where it names none."""
    listed = np.asarray(rows).reshape(-1, rows.shape[-1])
    found = np.zeros((*sums.names.shape, listed.shape[-1]), listed.dtype)
    kept = sums.names >= 0
    found[kept] = listed[sums.names[kept]]
    return found


def grads_agree(own: GradForm, other: GradForm, modes: tuple[str, ...] = ()) -> Relation:
    """Of small integers another operator has the same gradients, by rows and by weights."""

    def asked(case: Case) -> tuple[SlotSum, Case | None]:
        sums = own.read(case)
        return sums, other.call(sums, case.inputs[own.grad])

    def prepared(drawn: Case) -> Case | None:
        case = on_lattice(drawn)
        return None if _empty(case) or asked(case)[1] is None else case

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        sums, call = asked(case)
        if call is None:
            return
        answer, meaning = run(call), f"by {other.title}"
        seen = of_slots(sums, outputs[own.rows])
        due = of_slots(other.read(call), answer[other.rows])
        yield from difference(f"{own.rows} by slots", seen, due, meaning, sums=True)
        if own.weights not in outputs or other.weights not in answer or "bias" in case.inputs:
            return
        seen, due = np.asarray(outputs[own.weights]), np.asarray(answer[other.weights])
        if due.dtype in (seen.dtype, np.float32):
            with np.errstate(over="ignore"):
                due = due.astype(seen.dtype)
            yield from difference(own.weights, seen, due, meaning, sums=True)

    text = f"of small integers the gradients of {other.title} are the same"
    clause = inferred(text, "both documents' equations, exact on such data")
    name = f"gradients of {other.title}"
    return Relation(name, clause, broken, prepared, modes, beside=(other.operator,))


def adjoint_of_weighted(
    own: SumForm, other: GradForm, inputs: tuple[str, ...], weights: str
) -> Relation:
    """Small integers in ``inputs`` and ``weights``: what they add is what the gradients say."""

    def prepared(drawn: Case) -> Case | None:
        if _empty(drawn) or any(tensor.rows is not None for tensor in drawn.inputs.values()):
            return None
        case = with_small(with_small(drawn, *inputs, most=1), weights, most=MOST_WEIGHT)
        sums = own.read(case)
        return case if sums is not None and _call(case, sums) is not None else None

    def _call(case: Case, sums: SlotSum) -> Case | None:
        if not distinct(sums) or sums.names.shape[1] * MOST_WEIGHT > EXACT[case.dtype]:
            return None
        shape = case.outputs[own.output].shape
        return other.call(sums, few("grads", shape, case.dtype, _most(sums)))

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        sums = own.read(case)
        asked = None if sums is None else _call(case, sums)
        if sums is None or asked is None:
            return
        grad, answer = asked.arrays[other.grad], run(asked)
        slots = of_slots(other.read(asked), answer[other.rows])
        yield from _unequal(sums, grad, outputs[own.output], slots, answer.get(other.weights))

    return _adjoint(other, prepared, broken)


def adjoint_of_grads(
    own: GradForm, other: SumForm, inputs: tuple[str, ...], weights: str, added: Added | None = None
) -> Relation:
    """The same from the gradients' side; ``added`` are inputs that the sums have beside these.

    None of ``added``: the operator of the sums refuses what the gradients were asked.
    """

    def prepared(drawn: Case) -> Case | None:
        if _empty(drawn) or (added is not None and added(drawn) is None):
            return None
        case = with_small(with_small(drawn, *inputs, most=1), weights, most=MOST_WEIGHT)
        sums = own.read(case)
        biased = added is not None and bool(added(case))
        most = min(EXACT[one.dtype] for one in case.inputs.values() if one.dtype in EXACT)
        if not distinct(sums) or 2 * sums.names.shape[1] * MOST_WEIGHT > most:
            return None
        grad = case.inputs[own.grad]
        given = {**case.inputs, own.grad: few("grads", grad.shape, grad.dtype, _most(sums, biased))}
        if sums.weights is not None and biased:
            # What the bias alone makes of a scale's gradient nobody says.
            kept = np.where(sums.names < 0, 0, sums.weights.materialize())
            given[weights] = held(sums.weights, kept.astype(case.arrays[weights].dtype))
        return replace(case, inputs=given)

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        sums = own.read(case)
        asked = other.call(sums)
        if asked is None:
            return
        beside = {} if added is None else added(case) or {}
        asked = replace(asked, inputs={**asked.inputs, **beside})
        slots = None if beside else of_slots(sums, outputs[own.rows])
        grad, out = case.arrays[own.grad], run(asked)[other.output]
        yield from _unequal(sums, grad, out, slots, outputs.get(own.weights))

    return _adjoint(other, prepared, broken)


def _unequal(
    sums: SlotSum,
    grad: NDArray[Any],
    out: NDArray[Any],
    slots: NDArray[Any] | None,
    weights: NDArray[Any] | None,
) -> Iterable[str]:
    """<sum, grad> is what rows times their gradients are, and weights times theirs."""
    product = np.asarray(out, np.float64) * np.asarray(grad, np.float64)
    if slots is not None:
        rows = of_slots(sums, sums.rows.materialize()).astype(np.float64)
        found = (rows * slots.astype(np.float64)).sum(axis=1)
        for token, column in np.argwhere(found != product)[:1].tolist():
            yield (
                f"of token {token} and column {column} sum times gradient is"
                f" {product[token, column]:g}, rows times their gradients {found[token, column]:g}"
            )
    if weights is not None and sums.weights is not None:
        weighed = sums.weights.materialize().astype(np.float64)
        seen = np.where(weighed == 0, 0, weights.astype(np.float64))
        found, along = (weighed * seen).sum(axis=1), product.sum(axis=1)
        for token in np.flatnonzero(found != along)[:1].tolist():
            yield (
                f"of token {token} sum times gradient is {along[token]:g},"
                f" weights times their gradients {found[token]:g}"
            )


def _adjoint(
    other: SumForm | GradForm,
    prepared: Callable[[Case], Case | None],
    broken: Callable[[Case, Outputs, Run], Iterable[str]],
) -> Relation:
    text = f"<forward(x), g> = <x, gradient(g)> with {other.title}, exactly on small integers"
    clause = inferred(text, "a gradient is the adjoint of what is linear")
    beside = (other.operator,)
    return Relation(f"adjoint of {other.title}", clause, broken, prepared, beside=beside)


def _most(sums: SlotSum, biased: bool = False) -> int:
    """In how many columns a gradient may be 1 or -1 without rounding that of a weight."""
    dtypes = [sums.rows.dtype] + ([] if sums.weights is None else [sums.weights.dtype])
    return min(EXACT[dtype] for dtype in dtypes) // (1 + biased)


def _empty(case: Case) -> bool:
    return any(0 in one.shape for one in (*case.inputs.values(), *case.outputs.values()))


def _rows_of(case: Case) -> Tensor:
    """The rows of which a call has gradients: any that are not given."""
    shape = case.outputs["permuted_tokens_grad"].shape
    return case.inputs.get("permuted_tokens", Tensor(shape, case.dtype))


def _unpermute_grad_of(case: Case) -> SlotSum:
    rows, tokens = _rows_of(case), case.inputs["unpermuted_tokens_grad"].shape[0]
    names = named(case, "sorted_indices", tokens, rows.shape[0])
    return SlotSum(rows, names, case.inputs.get("probs"))


def _unpermute_grad(sums: SlotSum, grad: Tensor) -> Case | None:
    if not distinct(sums) or sums.names.shape[1] > MOST_SLOTS:
        return None
    mode = "whole"
    if (sums.names < 0).any():
        sums, mode = sums.of_named_rows(), "uneven"
    attributes = {"padded_mode": 0, "restore_shape": None}
    case = _of_ranks(sums, grad, "moe_token_unpermute_grad", mode, attributes)
    return case if "probs" in case.inputs else replace(case, mode="single")


def _of_ranks(
    sums: SlotSum, grad: Tensor, operator: str, mode: str, attributes: dict[str, Any]
) -> Case:
    """The call whose slots without a row have the ranks from the number of rows on."""
    beyond = sums.names < 0
    ranks = sums.names.copy()
    ranks[beyond] = sums.count + np.arange(np.count_nonzero(beyond))
    weights = sums.with_ones()
    inputs = {
        "permuted_tokens": replace(sums.rows, strides=None),
        "unpermuted_tokens_grad": grad,
        "sorted_indices": held(Tensor((), "int32"), ranks.ravel().astype(np.int32)),
    }
    outputs = {"permuted_tokens_grad": Tensor(sums.rows.shape, sums.rows.dtype)}
    if weights is not None:
        inputs["probs"] = weights
        outputs["probs_grad"] = Tensor(weights.shape, weights.dtype)
    return Case(operator, mode, sums.rows.dtype, attributes, inputs, outputs, MACHINE)


def _unpermute_ep_grad(sums: SlotSum, grad: Tensor) -> Case | None:
    """The call for the first ranks, each of which has a row."""
    if not distinct(sums) or sums.names.shape[1] > MOST_SLOTS:
        return None
    sums = sums.of_named_rows()
    attributes = {
        "padded_mode": 0,
        "restore_shape": None,
        "rank_range": (0, sums.count),
        "topk_num": sums.names.shape[1],
    }
    return _of_ranks(sums, grad, "moe_token_unpermute_with_ep_grad", "head", attributes)


def _finalize_grad_of(case: Case) -> SlotSum:
    shape = case.outputs["grad_expanded_x"].shape
    rows = as_rows(case.inputs.get("expanded_x", Tensor(shape, case.dtype)))
    names = named(case, "expanded_row_idx", case.inputs["grad_y"].shape[0], rows.shape[0])
    return SlotSum(rows, names, case.inputs.get("scales"))


def _finalize_grad(sums: SlotSum, grad: Tensor) -> Case | None:
    weights = sums.with_ones()
    scales = None if weights is None else cast(weights, sums.rows.dtype)
    if not distinct(sums) or (scales is None and weights is not None):
        return None
    count, hidden = sums.rows.shape
    places = replace(sums.rows, shape=(1, count, hidden), strides=None)
    inputs = {"grad_y": grad, "expanded_row_idx": sums.listed(-1), "expanded_x": places}
    outputs = {"grad_expanded_x": Tensor((1, count, hidden), sums.rows.dtype)}
    if scales is not None:
        inputs["scales"] = scales
        outputs["grad_scales"] = Tensor(scales.shape, scales.dtype)
    attributes = {"drop_pad_mode": 1, "active_num": 0, "expert_num": 1, "expert_capacity": count}
    operator, dtype = "moe_finalize_routing_v2_grad", sums.rows.dtype
    return Case(operator, "drop_pad", dtype, attributes, inputs, outputs, MACHINE)


def _map_unpermute_grad_of(case: Case) -> SlotSum:
    """Without padding; weights are those of the experts of a token's slots."""
    rows, tokens = _rows_of(case), case.inputs["unpermuted_tokens_grad"].shape[0]
    names = named(case, "out_index", tokens, rows.shape[0])
    if "probs" not in case.inputs:
        return SlotSum(rows, names)
    marks = case.arrays["routing_map"] != 0
    experts = np.argsort(~marks, axis=1, kind="stable")[:, : names.shape[1]]
    probs = np.where(marks, case.arrays["probs"], np.zeros_like(case.arrays["probs"]))
    weights = np.take_along_axis(probs, experts, axis=1)
    return SlotSum(rows, names, held(Tensor((), case.inputs["probs"].dtype), weights))


def _map_unpermute_grad(sums: SlotSum, grad: Tensor) -> Case | None:
    """Every slot has a row of its own, if it names one or not; all experts are those of a token."""
    forward = MAP_UNPERMUTE.call(sums) if distinct(sums) else None
    if forward is None:
        return None
    rows, out_index = (forward.inputs[name] for name in ("permuted_tokens", "sorted_indices"))
    tokens, top_k = sums.names.shape
    ids = np.repeat(np.arange(tokens), top_k).astype(np.int32)
    inputs = {
        "unpermuted_tokens_grad": grad,
        "out_index": out_index,
        "permute_token_id": held(Tensor((), "int32"), ids),
    }
    outputs = {"permuted_tokens_grad": Tensor(rows.shape, rows.dtype)}
    if sums.weights is not None:
        inputs["routing_map"] = forward.inputs["routing_map"]
        inputs |= {"permuted_tokens": rows, "probs": sums.weights}
        outputs["probs_grad"] = Tensor(sums.weights.shape, sums.weights.dtype)
    operator = "moe_token_unpermute_with_routing_map_grad"
    attributes = {"drop_and_pad": 0, "restore_shape": (tokens, rows.shape[1])}
    return Case(operator, forward.mode, rows.dtype, attributes, inputs, outputs, MACHINE)


UNPERMUTE_GRAD = GradForm(
    "moe_token_unpermute_grad",
    "unpermuted_tokens_grad",
    "permuted_tokens_grad",
    "probs_grad",
    _unpermute_grad_of,
    _unpermute_grad,
)
UNPERMUTE_EP_GRAD = GradForm(
    "moe_token_unpermute_with_ep_grad",
    "unpermuted_tokens_grad",
    "permuted_tokens_grad",
    "probs_grad",
    range_reader("permuted_tokens", "unpermuted_tokens_grad", "probs"),
    _unpermute_ep_grad,
)
FINALIZE_GRAD = GradForm(
    "moe_finalize_routing_v2_grad",
    "grad_y",
    "grad_expanded_x",
    "grad_scales",
    _finalize_grad_of,
    _finalize_grad,
)
MAP_UNPERMUTE_GRAD = GradForm(
    "moe_token_unpermute_with_routing_map_grad",
    "unpermuted_tokens_grad",
    "permuted_tokens_grad",
    "probs_grad",
    _map_unpermute_grad_of,
    _map_unpermute_grad,
)
