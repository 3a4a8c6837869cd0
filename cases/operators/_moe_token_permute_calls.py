"""Calls of MoeTokenPermute that sources name, and calls that its interface refuses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from cases.operators._moe_token_permute_call import DTYPES, PERMUTE, TENSORS, Shape, call
from cases.operators._storage_bits import bits
from cases.operators._token_permute_examples import ADDRESSED, PATTERNS, at_lines, far, sized
from cases.operators._token_permute_sizes import MOST_TOP_K
from conformance.call.case import Case, Machine
from conformance.draw.keys import LARGEST_KEY
from conformance.record.call_rules import Freedom, Range, Ranks, extent
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Example, Quarantine, Rejection
from conformance.record.variations import (
    in_mode,
    misshapen,
    refused,
    reshaped,
    retyped,
    right_calls,
    stepped,
    with_attributes,
    without,
    without_effect,
)
from conformance.values.fill import Fill

DOCUMENT = "aclnnMoeTokenPermute document"
README = "ops-transformer, MoeTokenPermute README"
DEFINITION = "ops-transformer, moe_token_permute_def.cpp"
TILING = "ops-transformer, moe_token_permute_tiling.cpp"
SORT = "Ascend C API, Sort and MrgSort: equal keys keep their order"
INTERFACE = "aclnn interfaces made from an operator's definition"
INFERRED = "interface behaviour, inferred"

NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
LEAST_REFUSED_SLOTS = 2**24 - 1
EXPERTS: Shape = (1, 2, 3, 1, 2, 3)
RANKS = (0, 2, 4, 1, 3, 5)
LATTICE = Fill(("lattice",), seed=1)

_sized = partial(sized, PERMUTE)


def examples() -> tuple[Example, ...]:
    """A call worked by hand, the vendor's lines, limits, and calls that ask for little."""
    lines = at_lines(PERMUTE, f"{TILING}: sizes at which it takes another branch", "whole", "first")
    right = right_calls(TILING, RIGHT, ONE_SLOT)
    far_ones = far(call, "first", _last_two_first)
    return (*_by_hand(), *lines, *_inside(), *_odd(), *_of_bytes(), *far_ones, *right)


def _by_hand() -> Iterator[Example]:
    """Three tokens of two experts each: the printed example of MoeTokenPermuteWithEp, all rows."""
    rows = ((1, 10), (2, 20), (3, 30))
    order = (0, 1, 0, 2, 1, 2)
    calls = {
        "all rows kept": ("whole", 0, "int64"),
        "4 rows kept": ("first", 4, "int32"),
        "1 row dropped": ("without_last", -1, "int64"),
    }
    for kind, (mode, number, index_dtype) in calls.items():
        case = call(
            mode,
            "float32",
            tokens=(3, 2),
            top_k=2,
            indices=EXPERTS,
            index_dtype=index_dtype,
            num_out_tokens=number,
            values=bits("float32", *(value for row in rows for value in row)),
        )
        kept = order[: case.outputs["permute_tokens"].shape[0]]
        tokens = tuple(float(value) for token in kept for value in rows[token])
        expected = {"permute_tokens": tokens, "sorted_indices": RANKS}
        name = f"three tokens of two experts, {kind}, float32"
        yield Example(name, case, f"{DOCUMENT}, equations, by hand", expected)


def _inside() -> Iterator[Example]:
    """A call just inside each limit that is checked."""
    cases = {
        f"top_k {MOST_TOP_K}": _sized("whole", "float16", (1, 8), MOST_TOP_K),
        "top_k 1 of two axes": _sized("whole", "float32", (5, 8), 1),
        "numOutTokens 1": _sized("first", "bfloat16", (4, 8), 2, num_out_tokens=1),
        "numOutTokens of every slot": _sized("first", "float16", (4, 8), 2, num_out_tokens=8),
        "numOutTokens beyond every slot": _sized("first", "float32", (4, 8), 2, num_out_tokens=9),
        "all rows but one left out": _sized(
            "without_last", "float32", (4, 8), 2, num_out_tokens=-7
        ),
        "every row left out": _sized("without_last", "float16", (4, 8), 2, num_out_tokens=-8),
        "more rows left out than there are": _sized(
            "without_last", "bfloat16", (4, 8), 2, num_out_tokens=-9
        ),
        "largest and smallest key": _sized(
            "whole", "float32", (3, 1), None, indices=(LARGEST_KEY, 0, -5)
        ),
        "tokens of three axes": THREE_AXES,
    }
    source = f"{TILING}: just inside a limit that it checks"
    yield from (Example(name, case, source) for name, case in cases.items())


def _odd() -> Iterator[Example]:
    every = _sized("first", "float32", (4, 8), 2, num_out_tokens=8)
    yield from without_effect(f"{TILING}: all rows, if fewer", every, num_out_tokens=10)
    yield Example("no tokens", call("whole", "float16", tokens=(0, 8), top_k=2), INFERRED)
    for dtype in DTYPES:
        patterns = _sized("whole", dtype, (32, 33), 8, fill=PATTERNS)
        yield Example(f"every kind of pattern {dtype}", patterns, "values are moved, inferred")


def _of_bytes() -> Iterator[Example]:
    """Tokens of one byte an element: every byte, rows of odd lengths and rows in parts."""
    sizes = {
        "odd rows": (9, 33, 3, None),
        "one column": (70, 1, 2, None),
        "rows in parts": (3, 5001, 2, Machine(2, 4096)),
    }
    cut = {"whole": 0, "first": 5, "without_last": -2}
    for (name, given), index_dtype in product(sizes.items(), ("int32", "int64")):
        tokens, hidden, top_k, machine = given
        for mode, number in cut.items():
            generator = np.random.default_rng(tokens)
            values = generator.integers(-128, 128, tokens * hidden)
            case = call(
                mode,
                "int8",
                tokens=(tokens, hidden),
                top_k=top_k,
                indices=tuple(generator.integers(0, 8, tokens * top_k).tolist()),
                index_dtype=index_dtype,
                num_out_tokens=number,
                values=tuple(values.tolist()),
                machine=machine,
            )
            yield Example(f"int8, {name}, {index_dtype}, {mode}", case, f"{README}, types")


def _last_two_first(tokens: int) -> dict[str, Any]:
    """The last two tokens come first and are kept."""
    return {"indices": (*(2 for _ in range(tokens - 2)), 1, 0), "num_out_tokens": 2}


RIGHT = call(
    "first", "float32", tokens=(3, 16), top_k=2, indices=EXPERTS, num_out_tokens=4, fill=LATTICE
)
ONE_SLOT = _sized("whole", "float32", (3, 16), None, indices=EXPERTS[:3])
THREE_AXES = _sized("first", "float16", (4, 3, 5), 2, num_out_tokens=7)
SHAPES = f"{TILING}: tokens have one axis or more, and all behind the first count as columns"
FREEDOMS: tuple[Freedom, ...] = (
    Ranks("indices", 1, 2, document("indices have one axis or two", DOCUMENT)),
    Ranks("tokens", 1, None, source_read("tokens have an axis or more", SHAPES)),
    Ranks("permute_tokens", 2, None, source_read("permuteTokensOut has two axes or more", SHAPES)),
)
RANGES = (
    Range(
        "top_k",
        None,
        MOST_TOP_K,
        source_read(f"top_k is at most {MOST_TOP_K}", TILING),
        of=extent("indices", 1),
    ),
)


def rejections() -> tuple[Rejection, ...]:
    """Every rule of the definition and of the host tiling, broken once, with its status."""
    good, shaped = RIGHT, partial(misshapen, free=FREEDOMS)
    broken: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            Clause("the tensor is required", INTERFACE, SourceClass.INFERRED): {
                f"{tensor.name} is null": without(good, tensor.name) for tensor in TENSORS
            },
        },
        INVALID: _dtypes(good),
        TILING_FAILED: {
            _read("paddedMode is false, though the document gives its equation"): {
                "paddedMode is true": with_attributes(good, padded_mode=1),
            },
            _read("indices have rank 1 or 2, tokens an axis or more, and as many rows"): {
                **shaped(good, "tokens", "indices"),
                **shaped(ONE_SLOT, "indices"),
                **shaped(THREE_AXES, "tokens"),
            },
            _read(f"top_k <= {MOST_TOP_K}"): {
                f"top_k is {MOST_TOP_K + 1}": _slots((2, 1), MOST_TOP_K + 1),
            },
            _read("less than 2^24 - 1 slots"): {
                "2^24 - 1 slots": _slots((LEAST_REFUSED_SLOTS // 255, 1), 255),
            },
            _read("permuteTokensOut is [rows, ...] with the columns of tokens"): {
                "tokens of one axis, and their copies": _flat((6,)),
                **shaped(good, "permute_tokens"),
                **shaped(THREE_AXES, "permute_tokens"),
                **stepped(good, "num_out_tokens"),
                "permuted tokens of rank 1": reshaped(good, "permute_tokens", (4 * 16,)),
                "every slot, numOutTokens 4": reshaped(good, "permute_tokens", (6, 16)),
                "4 rows, numOutTokens -4 of 6": in_mode(
                    "without_last", with_attributes(good, num_out_tokens=-4)
                ),
                "4 rows, numOutTokens 2^32 + 4": with_attributes(good, num_out_tokens=2**32 + 4),
            },
            _read("sortedIndicesOut is [slots], also where rows are left out"): {
                **shaped(good, "sorted_indices"),
                "ranks of the rows only": reshaped(good, "sorted_indices", (4,)),
                "ranks of rank 2": reshaped(good, "sorted_indices", (3, 2)),
            },
        },
    }
    return refused(broken)


def _read(rule: str) -> Clause:
    return source_read(rule, TILING)


def _dtypes(good: Case) -> dict[Clause, dict[str, Case]]:
    """Calls whose dtypes are none that the operator's definition lists together."""
    integers = retyped(retyped(good, "tokens", "int32"), "permute_tokens", "int32")
    types = document("float16, bfloat16, float32 or int8; indices int32 or int64", DOCUMENT)
    shared = source_read("tokens and their copies share one dtype", DEFINITION)
    return {
        types: {
            "everything is int32": integers,
            "tokens are float64": retyped(good, "tokens", "float64"),
            "indices are int16": retyped(good, "indices", "int16"),
            "indices are float32": retyped(good, "indices", "float32"),
            "sorted indices are int64": retyped(good, "sorted_indices", "int64"),
        },
        shared: {
            f"{name} of another dtype": retyped(good, name, "float16")
            for name in ("tokens", "permute_tokens")
        },
    }


def _slots(tokens: Shape, top_k: int) -> Case:
    """A call that is refused for its number of slots; all indices are 0."""
    return call("first", "float16", tokens=tokens, top_k=top_k, num_out_tokens=1)


def _flat(kept: Shape, tokens: Shape = (3,)) -> Case:
    """A call whose tokens or copies have another rank than usual."""
    every = call("whole", "float32", tokens=tokens, top_k=2, indices=EXPERTS, fill=LATTICE)
    return reshaped(every, "permute_tokens", kept)


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open."""
    return (
        Quarantine(
            "neighbouring keys beyond 2^24",
            call(
                "whole",
                "float16",
                tokens=(4, 8),
                indices=(2**24 + 1, 2**24, 5, 2**24 + 3),
                fill=ADDRESSED,
            ),
            _open("keys are sorted as fp32, where they are equal: any order of theirs", SORT),
        ),
        Quarantine(
            "tokens without columns",
            call("first", "float32", tokens=(3, 0), top_k=2, indices=EXPERTS, num_out_tokens=3),
            _open("some outputs are empty and others are not: copies of length 0", TILING),
        ),
        Quarantine(
            "copies of two axes of tokens of one",
            _flat((6, 1)),
            _open("a token of no further axis is one column", TILING),
        ),
        Quarantine(
            "copies of two axes of tokens of three",
            _flat((6, 15), (3, 3, 5)),
            _open("axes behind the first count together as columns", TILING),
        ),
        Quarantine(
            "top_k is 0",
            call("whole", "float32", tokens=(3, 4), top_k=0),
            _open("no slots, and so no rows: MoeTokenPermuteWithEp refuses it", TILING),
        ),
    )


def _open(text: str, source: str) -> Clause:
    return Clause(text, f"{source}, inferred", SourceClass.INFERRED)
