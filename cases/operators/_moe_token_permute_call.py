"""Calls of MoeTokenPermute from the sizes that matter, and how many rows they keep."""

from __future__ import annotations

import math
from typing import Any

from cases.operators._token_permute import TokenPermute, Windows
from cases.operators._token_permute_sizes import VendorLines
from conformance.call.case import Case, Machine, Tensor
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill
from reference.permutation import rows_kept

Shape = tuple[int, ...]
NAME = "moe_token_permute"
DTYPES = ("float16", "bfloat16", "float32")
TENSORS = (
    TensorParameter("tokens", "tokens", "input"),
    TensorParameter("indices", "indices", "input", ("int32", "int64")),
    TensorParameter("permute_tokens", "permuteTokensOut", "output"),
    TensorParameter("sorted_indices", "sortedIndicesOut", "output", "int32"),
)

RESERVED_BYTES = 2048
WINDOWS = {
    "whole": ("all",),
    "first": ("any", "one row", "all", "too many"),
    "without_last": ("any", "one row", "no rows"),
}


def least_slots(mode: str, level: str) -> int:
    """The fewest slots in which a level of a mode is told from others."""
    return 2 if mode == "without_last" and level != "no rows" else 1


def number_at(mode: str, level: str, slots: int, first: int, second: int) -> int:
    """numOutTokens of a call that shows a level; two numbers choose among those that do."""
    if mode == "whole":
        return 0
    if mode == "without_last":
        some = {"one row": slots - 1, "no rows": slots + second % 3}
        return -some.get(level, 1 + first % max(1, slots - 1))
    some = {"one row": 1, "all": slots, "too many": slots + 1 + second % 9}
    return some.get(level, 1 + first % slots)


def levels_shown(mode: str, slots: int, num_out_tokens: int) -> set[str]:
    """The levels that a call of a mode shows."""
    rows = rows_kept(slots, num_out_tokens)
    shows = {
        "one row": rows == 1,
        "all": rows == slots,
        "too many": num_out_tokens > slots,
        "no rows": rows == 0,
    }
    levels = WINDOWS[mode]
    return {level for level in levels[1:] if shows[level]} | {levels[0]}


def _asked(mode: str, level: str, slots: int, first: int, second: int) -> dict[str, Any]:
    return {"num_out_tokens": number_at(mode, level, slots, first, second)}


def _shown(case: Case) -> set[str]:
    slots = case.inputs["indices"].size
    return levels_shown(case.mode, slots, case.attributes["num_out_tokens"])


def call(
    mode: str,
    dtype: str,
    *,
    tokens: Shape,
    indices: Shape | None = None,
    top_k: int | None = None,
    index_dtype: str = "int32",
    num_out_tokens: int = 0,
    fill: Fill | None = None,
    values: Shape | None = None,
    held: Shape | None = None,
    rows: int | None = None,
    machine: Machine | None = None,
) -> Case:
    """A case; ``top_k`` None: indices of one axis, one for each token.

    ``indices`` None are zeros. ``held`` lists the only rows of tokens that exist. ``rows`` of the
    output default to those that numOutTokens keeps.
    """
    shape: Shape = tokens[:1] if top_k is None else (tokens[0], top_k)
    slots = math.prod(shape)
    rows = rows_kept(slots, num_out_tokens) if rows is None else rows
    return Case(
        NAME,
        mode,
        dtype,
        {"num_out_tokens": num_out_tokens, "padded_mode": 0},
        {
            "tokens": Tensor(tokens, dtype, values, fill, rows=held),
            "indices": Tensor(shape, index_dtype, values=indices),
        },
        {
            "permute_tokens": Tensor((rows, *tokens[1:]), dtype),
            "sorted_indices": Tensor((slots,), "int32"),
        },
        machine,
    )


PERMUTE = TokenPermute(
    call,
    Windows(WINDOWS, least_slots, _asked, _shown),
    probs=False,
    vendor=VendorLines(RESERVED_BYTES),
    batches=False,
    edge_modes=("whole", "first"),
)
