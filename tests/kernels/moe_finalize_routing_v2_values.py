"""Calls of MoeFinalizeRoutingV2 with their results, by loops over the document's formula."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Tensor
from tests.kernels.moe_token_permute_grad_values import MACHINES, WIDE, Value
from tests.kernels.signatures import (
    DTYPES,
    FINALIZE_V2,
    bits,
    call,
    numpy_type,
    random_bits,
    random_rows,
)

Arrays = Mapping[str, NDArray[Any]]
SLOT_MAJOR, SLOT_MAJOR_PADDED, TOKEN_MAJOR, TOKEN_MAJOR_PADDED = MODES = (0, 1, 2, 3)
PAIRS = (*((dtype, dtype) for dtype in DTYPES), ("bfloat16", "float32"))
"""Data types of rows and of scales."""

OPTIONALS = (
    ("scales",),
    ("x1", "scales"),
    ("x1", "x2", "scales", "bias", "experts"),
    (),
    ("x1", "bias", "experts"),
    ("scales", "bias", "experts"),
    ("x1", "x2", "experts"),
    ("scales", "experts"),
    ("bias", "experts"),
)
"""Which of the optional tensors a call has."""

SIZES = ((1, 1, 1), (2, 1, 8), (3, 2, 17), (5, 3, 100), (7, 8, 40), (50, 2, 3), (4, 90, 33))
"""Tokens, slots of each, columns."""

PARTS = tuple(
    (2, top_k, 5)
    for most in (6, 7, 16, 24, 32, 40)
    for top_k in sorted({most - 1, most, most + 1, 2 * most, 2 * most + 1})
)
"""On a buffer of 1 KiB the names of a token come in one part or in several. In one part there are
at most, without a bias and with one: 7 and 6 slots of slot-major rows; of token-major ones 32 and
16 with scales of 4 bytes, 40 and 24 with scales of 2.
"""
INF, NAN = np.inf, np.nan


def by_definition(inputs: Arrays, mode: int) -> NDArray[Any]:
    """x1 + x2 + the sum over k of scales[i, k] * (expandedX[index] + bias[expertIdx[i, k]]).

    The index is expandedRowIdx[k * tokens + i] in modes 0 and 1 and expandedRowIdx[i * top_k + k]
    in 2 and 3; one that names no row adds the bias alone. In float32, from left to right, every
    sum and every product rounded; the first of what there is starts it.
    """
    *numbers, hidden = inputs["rows"].shape
    table = inputs["rows"].reshape(math.prod(numbers), hidden)
    indices = inputs["indices"]
    top_k = inputs["scales"].shape[1] if "scales" in inputs else 1
    tokens = len(indices) // top_k
    out = np.zeros((tokens, table.shape[1]), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for token in range(tokens):
            terms = [
                inputs[name][token].astype(np.float32) for name in ("x1", "x2") if name in inputs
            ]
            for slot in range(top_k):
                at = slot * tokens + token if mode < TOKEN_MAJOR else token * top_k + slot
                term = _row(table, int(indices[at]))
                if "bias" in inputs:
                    bias = _row(inputs["bias"], int(inputs["experts"][token, slot]))
                    term = bias if term is None else term if bias is None else term + bias
                if term is not None:
                    if "scales" in inputs:
                        term = term * np.float32(inputs["scales"][token, slot])
                    terms.append(term)
            for number, term in enumerate(terms):
                out[token] = term if number == 0 else out[token] + term
        return out.astype(table.dtype)


def _row(table: NDArray[Any], index: int) -> NDArray[Any] | None:
    """In float32; None where the table has no such row."""
    return table[index].astype(np.float32) if 0 <= index < len(table) else None


def value(name: str, inputs: Arrays, mode: int, machine: tuple[int, int] | None) -> Value:
    expected = by_definition(inputs, mode)
    given = {key: _as_passed(key, array) for key, array in inputs.items()}
    outputs = {"out": (expected.shape, inputs["rows"].dtype.name)}
    case = call(FINALIZE_V2, given, {"mode": mode}, outputs, machine)
    return Value(f"{name} on {case.machine!r}", case, {"out": expected})


def _as_passed(name: str, array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(np.int32) if name in ("indices", "experts") else array


def random_inputs(
    sizes: tuple[int, int, int],
    mode: int,
    pair: tuple[str, str],
    optionals: tuple[str, ...],
    seed: int,
) -> dict[str, NDArray[Any]]:
    """Of padded modes one slot in four was dropped; of others rows are missing at the end."""
    (tokens, slots, hidden), (dtype, scales) = sizes, pair
    top_k = slots if "scales" in optionals else 1
    count, generator = tokens * top_k, np.random.default_rng(seed)
    experts = top_k + seed % 3
    rows = random_rows((count, hidden), dtype, seed)
    indices = generator.permutation(count)
    if mode in (SLOT_MAJOR_PADDED, TOKEN_MAJOR_PADDED):
        capacity = -(-count // experts)
        rows = random_rows((experts, capacity, hidden), dtype, seed)
        indices = generator.permutation(experts * capacity)[:count]
        indices[generator.integers(0, 4, count) == 0] = -1
    made = {
        "rows": rows,
        "indices": indices,
        "x1": random_rows((tokens, hidden), dtype, seed + 1),
        "x2": random_rows((tokens, hidden), dtype, seed + 2),
        "bias": random_rows((experts, hidden), dtype, seed + 3),
        "scales": random_rows((tokens, top_k), scales, seed + 4),
        "experts": generator.integers(0, experts, (tokens, top_k)),
    }
    wanted = ("rows", "indices", *optionals)
    return {name: array for name, array in made.items() if name in wanted}


def drawn() -> Iterator[Value]:
    """Every mode, pair of data types and machine, all sizes, and all optional inputs in turn."""
    every = product(MODES, PAIRS, MACHINES, (*SIZES, *WIDE))
    for seed, (mode, pair, machine, sizes) in enumerate(every):
        optionals = OPTIONALS[seed % len(OPTIONALS)]
        inputs = random_inputs(sizes, mode, pair, optionals, seed)
        yield value(f"mode {mode}, {pair}, {sizes}, {optionals}", inputs, mode, machine)


def parted() -> Iterator[Value]:
    """Around the most slots whose names are in the buffer together."""
    every = product(MODES, PAIRS, PARTS, (OPTIONALS[0], OPTIONALS[2]))
    for seed, (mode, pair, sizes, optionals) in enumerate(every):
        inputs = random_inputs(sizes, mode, pair, optionals, seed)
        yield value(f"parts, mode {mode}, {pair}, {sizes}", inputs, mode, (1, 1024))


def typed(values: Any, dtype: str) -> NDArray[Any]:
    return np.array(values, np.float32).astype(numpy_type(dtype))


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    one = (1, 1024)
    for mode, (dtype, scales) in product(MODES, PAIRS):
        pair = f"mode {mode}, {dtype}, scales {scales}"
        padded = mode in (SLOT_MAJOR_PADDED, TOKEN_MAJOR_PADDED)

        def table(values: Any, dtype: str = dtype, padded: bool = padded) -> NDArray[Any]:
            rows = typed(values, dtype)
            return rows.reshape(len(rows), 1, -1) if padded else rows

        large = {
            "rows": table([[INF, 3, -1], [1, 2.0**-14, 2.0**15], [2, 5, 7]]),
            "indices": np.array([0, 1, 1, 2, 2, 1]),
            "scales": typed([[1, 2], [2.0**-12, -1], [0.5, 4]], scales),
        }
        yield value(f"infinite and large, {pair}", large, mode, one)
        dropped = {
            "rows": table([[1, 2], [3, 4]]),
            "indices": np.array([-1, -1, 0, -1, 1, -1, -1, 7]),
            "scales": typed([[1, 2], [3, -4], [5, 0.5], [-0.0, 7]], scales),
        }
        yield value(f"slots without a row, {pair}", dropped, mode, one)
        experts = {"bias": typed([[10, -20], [-0.0, 0.5]], dtype)}
        experts["experts"] = np.array([[0, 1], [1, 0], [1, 1], [0, 5]])
        yield value(f"the bias of dropped slots, {pair}", dropped | experts, mode, one)
        outside = {"experts": np.array([[0, -1], [2, 1], [-5, 9], [1, 1]])}
        yield value(f"experts without a bias, {pair}", dropped | experts | outside, mode, one)
        zeros = {
            "rows": table([[-0.0, 0.0, 1]]),
            "indices": np.array([0, 0, -1]),
            "x1": typed([[-0.0, -0.0, -1], [0, -0.0, -1], [-0.0, 0.0, 5]], dtype),
            "scales": typed([[1], [-1], [1]], scales),
        }
        yield value(f"signs of zero, {pair}", zeros, mode, one)
        del zeros["x1"]
        yield value(f"signs of zero without an addend, {pair}", zeros, mode, one)
    near = {
        "rows": typed([[-(1 + 2.0**-11)], [1 + 2.0**-12]], "float32"),
        "indices": np.array([0, 1]),
        "scales": typed([[1, 1 + 2.0**-12]], "float32"),
    }
    yield value("a product is rounded before it is added", near, TOKEN_MAJOR, one)
    tie = {
        "rows": typed([[2.0**-8], [2.0**-8]], "bfloat16"),
        "indices": np.array([0, 1]),
        "x1": typed([[1]], "bfloat16"),
        "scales": typed([[1, 1]], "float32"),
    }
    yield value("rounded once, at the end", tie, SLOT_MAJOR, one)
    fine = dict(tie, scales=typed([[1 + 2.0**-20, -1]], "float32"))
    del fine["x1"]
    yield value("scales of more digits", fine, SLOT_MAJOR, one)
    distributed = {
        "rows": typed([[2.0**24]], "float32"),
        "indices": np.array([0]),
        "bias": typed([[1]], "float32"),
        "scales": typed([[3]], "float32"),
        "experts": np.array([[0]]),
    }
    yield value("the bias is added before the product", distributed, SLOT_MAJOR, one)
    ordered = {
        "rows": typed([[1], [-1]], "float32"),
        "indices": np.array([0, 1]),
        "x1": typed([[2.0**25]], "float32"),
        "x2": typed([[-(2.0**25) + 4]], "float32"),
        "scales": typed([[1, 3]], "float32"),
    }
    yield value("from left to right", ordered, TOKEN_MAJOR, one)
    nothing = {
        "rows": np.zeros((0, 8), np.float32),
        "indices": np.arange(4),
        "scales": np.ones((2, 2), np.float32),
    }
    yield value("no source row at all", nothing, SLOT_MAJOR, (2, 1024))
    rows = random_rows((6, 4), "float32", 3)
    order = {"rows": rows, "indices": np.array([2, 4, 0, 3, 1, 5])}
    yield value("rank, not position", order, SLOT_MAJOR, one)
    yield value("fewer rows than tokens", dict(order, rows=rows[:3]), TOKEN_MAJOR, one)
    repeated = {
        "rows": random_rows((2, 5), "bfloat16", 9),
        "indices": np.array([1, 1, 0, 1, 1, 1]),
        "scales": random_rows((2, 3), "float32", 9),
    }
    yield value("a row that is named twice", repeated, TOKEN_MAJOR, one)
    many = random_inputs((2, 1500, 3), SLOT_MAJOR, PAIRS[1], OPTIONALS[2], 4)
    yield value("1500 slots of a token", many, SLOT_MAJOR, (2, 1024))


def moved() -> Iterator[Value]:
    """Rows that arrive bit by bit: one slot, no factor, nothing to add."""
    for dtype, mode, machine in product(DTYPES, MODES, ((1, 1024), (40, 196352))):
        any_bits = random_bits((20, 130), dtype, mode)
        finite = np.where(np.isnan(any_bits.astype(np.float32)), typed(1, dtype), any_bits)
        rows = finite.reshape(4, 5, 130) if mode % 2 else finite
        order = np.random.default_rng(mode).permutation(20)
        inputs = {"rows": rows, "indices": order}
        one = value(f"moved, mode {mode}, {dtype}", inputs, mode, machine)
        assert bits(one.expected["out"]) == bits(finite[order])
        yield one


def far() -> Value:
    """Rows far beyond 2^32 elements from the first one, each with a scale."""
    shape, kept = (120_000, 40_000), (5, 33_000, 60_000, 119_999)
    held = random_rows((len(kept), shape[1]), "float16", 5)
    inputs = {
        "rows": held,
        "indices": np.array([1, 3, 0, 2]),
        "scales": typed([[0.5, 3.0], [-1.25, 2.0**-9]], "float16"),
    }
    one = value("far rows", inputs, SLOT_MAJOR, None)
    far_rows = Tensor(shape, "float16", values=one.case.inputs["rows"].values, rows=kept)
    indices = Tensor((4,), "int32", values=(33_000, 119_999, 5, 60_000))
    moved_apart = {**one.case.inputs, "rows": far_rows, "indices": indices}
    return replace(one, case=replace(one.case, inputs=moved_apart, dtype="float16"))


def values() -> Iterator[Value]:
    yield from special()
    yield from moved()
    yield from parted()
    yield from drawn()
    yield far()
