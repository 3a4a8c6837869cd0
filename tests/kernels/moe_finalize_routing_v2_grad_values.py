"""Calls of MoeFinalizeRoutingV2Grad with their results, by loops over the document's formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Tensor
from tests.kernels.moe_token_permute_grad_values import MACHINES, Value, permutation
from tests.kernels.moe_token_unpermute_grad_values import lane_sum, untouched
from tests.kernels.moe_token_unpermute_values import random_probs, typed
from tests.kernels.signatures import DTYPES, FINALIZE_GRAD, call, random_bits, random_rows, storage

Array = NDArray[Any]
SIZES = (
    (1, 1, 1),
    (2, 1, 8),
    (3, 2, 17),
    (5, 3, 100),
    (7, 8, 40),
    (60, 2, 3),
    (4, 90, 33),
    (2, 5, 63),
    (2, 5, 65),
    (1, 3, 1000),
)
"""Tokens, slots of each, columns."""

COLUMNS = (8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 48, 64, 119, 120, 121, 128, 200, 240, 241)
WIDE = tuple((3, 2, hidden) for hidden in COLUMNS)
"""On a buffer of 1 KiB: with scales fp32 rows are in one tile up to 24 columns and with a bias up
to 16, 16-bit rows up to 16. Without scales these are 120 and 240.
"""

KINDS = ("bare", "scales", "bias")
MODES = ("dropless", "active", "pad")
INF = np.inf


@dataclass(frozen=True)
class Rows:
    """The rows of the experts: how many, and as which mode of the operator they lie there."""

    mode: str
    count: int
    experts: int = 1

    def shape(self, hidden: int) -> tuple[int, ...]:
        if self.mode == "pad":
            return (self.experts, self.count // self.experts, hidden)
        return (self.count, hidden)

    @property
    def attributes(self) -> dict[str, int]:
        pad, active = self.mode == "pad", self.mode == "active"
        return {
            "pad": int(pad),
            "active": self.count if active else 0,
            "expert_num": self.experts if pad else 0,
            "capacity": self.count // self.experts if pad else 0,
        }


def by_definition(inputs: Mapping[str, Array], rows: Rows) -> dict[str, Array]:
    """gradExpandedX[expandedRowIdx[i]] = gradY[i / K] * scales[i], and
    gradScales[i] = sum((expandedX[expandedRowIdx[i]] + bias[expertIdx[i]]) * gradY[i / K]).

    In float32, every result rounded once. An index that names none of the rows is passed over: its
    scale has the gradient 0. Without scales gradients are moved, bit by bit. Rows that no index
    names are zeros in drop/pad mode and stay in the others.
    """
    grads, indices = inputs["grads"], inputs["indices"]
    shape = (rows.count, grads.shape[1])
    out = untouched(shape, grads.dtype) if rows.mode != "pad" else np.zeros(shape, grads.dtype)
    if "scales" not in inputs:
        for token, index in enumerate(indices.tolist()):
            if 0 <= index < rows.count:
                out[index] = grads[token]
        return {"row_grads": out.reshape(rows.shape(shape[1]))}
    scales = inputs["scales"]
    sums = np.zeros(scales.shape, np.float32)
    wide = inputs["rows"].reshape(shape).astype(np.float32)
    wide_grads, factors = grads.astype(np.float32), scales.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for token, slot in np.ndindex(*scales.shape):
            index = indices[token * scales.shape[1] + slot]
            if 0 <= index < rows.count:
                out[index] = (wide_grads[token] * factors[token, slot]).astype(out.dtype)
                row = wide[index]
                if "biases" in inputs:
                    row = row + inputs["biases"][inputs["experts"][token, slot]].astype(np.float32)
                sums[token, slot] = lane_sum(row * wide_grads[token])
        scale_grads = sums.astype(scales.dtype)
    return {"row_grads": out.reshape(rows.shape(shape[1])), "scale_grads": scale_grads}


def value(name: str, rows: Rows, machine: tuple[int, int], /, **inputs: Array) -> Value:
    """A call with the inputs that it has; `rows` are those of expandedX and of its gradient."""
    order = ("grads", "indices", "rows", "scales", "experts", "biases")
    ints = {"indices", "experts"}
    given = {
        key: inputs[key].astype(np.int32) if key in ints else inputs[key]
        for key in order
        if key in inputs
    }
    expected = by_definition(given, rows)
    outputs = {key: (array.shape, array.dtype.name) for key, array in expected.items()}
    case = call(FINALIZE_GRAD, given, rows.attributes, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, expected)


def indices_of(slots: int, rows: Rows, seed: int) -> Array:
    """Each row at most once; in drop/pad mode, and where rows are few, slots have none."""
    order = permutation(max(slots, rows.count), seed)[:slots]
    if rows.mode == "pad":
        dropped = np.random.default_rng(seed).integers(0, 4, slots) == 0
        order = np.where(dropped | (order >= rows.count), -1, order)
    return order


def inputs_of(
    kind: str, shape: tuple[int, int], hidden: int, rows: Rows, dtype: str, seed: int
) -> dict[str, Array]:
    """Random ones of a kind of call: without scales, with them, with a bias too."""
    tokens, top_k = shape
    fill = random_bits if kind == "bare" else random_rows
    inputs = {
        "grads": fill((tokens, hidden), dtype, seed),
        "indices": indices_of(tokens * top_k, rows, seed),
    }
    if kind == "bare":
        return inputs
    inputs["rows"] = random_rows(rows.shape(hidden), dtype, seed + 1)
    inputs["scales"] = random_probs(shape, dtype, seed + 2)
    if kind == "bias":
        experts = rows.experts if rows.mode == "pad" else 5
        inputs["experts"] = np.random.default_rng(seed).integers(0, experts, shape)
        inputs["biases"] = random_rows((experts, hidden), dtype, seed + 3)
    return inputs


def rows_of(mode: str, slots: int, seed: int) -> Rows:
    if mode == "active" and slots > 1:
        return Rows("active", max(1, slots - 1 - slots // 3 * (seed % 2)))
    if mode == "pad":
        experts = 1 + seed % 4
        return Rows("pad", experts * -(-(slots + seed % 3) // experts), experts)
    return Rows("dropless", slots)


def drawn() -> Iterator[Value]:
    """Every kind of call, mode, data type and machine, all sizes."""
    every = product(KINDS, MODES, DTYPES, (*SIZES, *WIDE))
    for seed, (kind, mode, dtype, (tokens, slots, hidden)) in enumerate(every):
        shape = (tokens, 1 if kind == "bare" else slots)
        rows = rows_of(mode, tokens * shape[1], seed)
        inputs = inputs_of(kind, shape, hidden, rows, dtype, seed)
        small = (tokens, slots, hidden) in WIDE
        for machine in MACHINES[:2] if small else MACHINES:
            name = f"{kind}, {mode}, {dtype}, {shape}, {rows.count} rows, hidden {hidden}"
            yield value(name, rows, machine, **inputs)


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    one = (1, 1024)
    four = Rows("dropless", 4)
    for dtype in DTYPES:
        rows = typed([[3, -1, 2.0**-10], [-0.0, 0.0, -2], [1, INF, -4], [5, 6, 7]], dtype)
        grads = typed([[0.5, -0.0, 1.5], [-3, 2.0**-9, 0.0]], dtype)
        scales = typed([[0.0, -0.0], [-1.5, 2.0**-14]], dtype)
        order = np.array([1, 0, 9, 2])
        parts = {"grads": grads, "rows": rows, "scales": scales}
        yield value(f"zeros, {dtype}", four, one, **parts, indices=order)
        biases = typed([[1, 1, 1], [-3, 1, -(2.0**-10)]], dtype)
        experts = np.array([[1, 1], [0, 0]])
        parts |= {"biases": biases, "experts": experts}
        yield value(f"a bias that cancels, {dtype}", four, one, **parts, indices=order)
        yield value(f"dropped with a bias, {dtype}", four, one, **parts, indices=order - 1)
        far = np.array([-(2**31), 2**31 - 1, -1, 3])
        yield value(f"indices far outside, {dtype}", four, one, **parts, indices=far)
        bits = random_bits((4, 3), dtype, 7)
        yield value(f"bits, {dtype}", four, one, grads=bits, indices=np.array([2, -1, 0, 1]))
        signs = typed([[-0.0, 0.0, INF]] * 4, dtype)
        yield value(f"signs, {dtype}", four, one, grads=signs, indices=np.array([2, 4, 0, 3]))
        few = Rows("pad", 6, 3)
        yield value(f"all dropped, {dtype}", few, (3, 1024), grads=bits, indices=np.full(4, -1))
        large = typed([[INF], [2.0**15], [-INF], [1]], dtype)
        columns = typed([[3, 2.0**-12, -5]] * 4, dtype)
        yield value(
            f"large, {dtype}",
            four,
            one,
            grads=columns,
            indices=np.arange(4),
            rows=columns,
            scales=large,
        )
    near = np.array([[1 + 2.0**-12, -(1 + 2.0**-11)]], np.float32)
    alone = Rows("dropless", 1)
    yield value(
        "a product is rounded before it is added",
        alone,
        one,
        grads=np.array([[1 + 2.0**-12, 1]], np.float32),
        indices=np.arange(1),
        rows=near,
        scales=np.ones((1, 1), np.float32),
    )
    ladder = np.ones((1, 129), np.float16)
    ladder[0, ::64] = (2.0**11, 1, 1)
    yield value(
        "beyond 2048 steps of fp16",
        alone,
        one,
        grads=np.ones((1, 129), np.float16),
        indices=np.arange(1),
        rows=ladder,
        scales=np.ones((1, 1), np.float16),
    )
    tie = typed([[1.0, 2.0**-8, 2.0**-8]], "bfloat16")
    yield value(
        "a bias is added in fp32",
        alone,
        one,
        grads=typed([[1, 1, 1]], "bfloat16"),
        indices=np.arange(1),
        rows=tie,
        scales=typed([[1]], "bfloat16"),
        experts=np.zeros((1, 1)),
        biases=typed([[-1, 1, 1]], "bfloat16"),
    )


def large() -> Iterator[Value]:
    """Many slots of one token, many batches, long rows, and more zeros than a buffer holds."""
    for kind, machine in product(KINDS[1:], ((1, 4096), (40, 196352))):
        rows = Rows("active", 500)
        inputs = inputs_of(kind, (1, 700), 3, rows, "float16", 1)
        yield value(f"700 slots, {kind}", rows, machine, **inputs)
    for kind, mode in product(KINDS, MODES):
        top_k = 1 if kind == "bare" else 2
        rows = rows_of(mode, 300 * top_k, 2)
        inputs = inputs_of(kind, (300, top_k), 2, rows, "bfloat16", 6)
        yield value(f"many batches, {kind}, {mode}", rows, (1, 1024), **inputs)
        rows = rows_of(mode, 2, 1)
        inputs = inputs_of(kind, (2, 1), 16_500, rows, "bfloat16", 9)
        yield value(f"long rows, {kind}, {mode}", rows, (2, 196608), **inputs)
    for cores, elements in product((1, 3, 48), (-1, 0, 1)):
        rows = Rows("pad", cores * 256 + elements)
        inputs = inputs_of("bare", (2, 1), 1, rows, "float32", cores)
        yield value(f"{rows.count} zeros", rows, (cores, 1024), **inputs)


def parts() -> Iterator[Value]:
    """Tokens whose slots are as many as a part has, one fewer, one more and several times as many.

    A part has 2 slots on 4 KiB, 4 on 8 KiB, 95 on Ascend910B and 96 on 910_93.
    """
    machines = {4096: 2, 8192: 4, 196352: 95, 196608: 96}
    for seed, (cores, (ub, part)) in enumerate(product((1, 2), machines.items())):
        for top_k in (part - 1, part, part + 1, 3 * part + 1):
            dtype, kind = DTYPES[(seed + top_k) % 3], KINDS[1 + top_k % 2]
            rows = Rows("dropless", 4 * top_k)
            inputs = inputs_of(kind, (4, top_k), 70, rows, dtype, seed)
            name = f"{top_k} slots in parts of {part}, {dtype}, {kind}"
            yield value(name, rows, (cores, ub), **inputs)


def far() -> Iterator[Value]:
    """Gradients beyond 2^32 elements from the first one; those of dropped tokens do not exist."""
    shape, held = (120_000, 40_000), [5, 33_000, 60_000, 119_999]
    rows, named = Rows("active", 3), np.array([2, 0, -7, 1])
    indices = np.full(shape[0], 9)
    indices[held] = named
    grads = random_rows((len(held), shape[1]), "float16", 5)
    for kind in KINDS[:2]:
        few = {"grads": grads, "indices": named}
        scales = random_rows((shape[0], 1), "float16", 7)
        source = random_rows((3, shape[1]), "float16", 6)
        if kind == "scales":
            few |= {"rows": source, "scales": scales[held]}
        expected = by_definition(few, rows)
        inputs = few | {"indices": indices.astype(np.int32)}
        del inputs["grads"]
        if kind == "scales":
            inputs["scales"] = scales
            sums = np.zeros_like(scales)
            sums[held] = expected["scale_grads"]
            expected["scale_grads"] = sums
        outputs = {key: (array.shape, array.dtype.name) for key, array in expected.items()}
        case = call(FINALIZE_GRAD, inputs, rows.attributes, outputs)
        sparse = Tensor(shape, "float16", storage(grads), rows=tuple(held))
        whole = replace(case, inputs={**case.inputs, "grads": sparse})
        yield Value(f"far, {kind}", whole, expected)


def values() -> Iterator[Value]:
    yield from special()
    yield from large()
    yield from parts()
    yield from drawn()
    yield from far()
