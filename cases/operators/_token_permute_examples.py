"""Calls of operators that sort slots and copy rows, at sizes where the vendor changes its path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from cases.operators._token_permute import Call, TokenPermute
from cases.operators._token_permute_sizes import LISTS_OF_ONE_MERGE, one_core_slots
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.far import EDGES
from conformance.draw.keys import keyed
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.operator import Example
from conformance.values.fill import BITS, Fill

DTYPES = ("float16", "bfloat16", "float32")
CHIP = Machine(48, USABLE_UB_BYTES["Ascend910_93"])
EXPERTS = 8
ADDRESSED, PATTERNS = Fill(("address",), seed=4), Fill((BITS,), seed=7)

Shape = tuple[int, ...]


def sized(
    permute: TokenPermute,
    mode: str,
    dtype: str,
    tokens: Shape,
    top_k: int | None,
    pattern: str = "negative",
    **how: Any,
) -> Case:
    """A call of sizes whose keys are drawn from a fixed seed; tokens tell their place."""
    slots = tokens[0] * (top_k or 1)
    keys = (0,) * slots
    if slots > 1:
        keys = tuple(keyed(pattern, slots, np.random.default_rng(slots)).tolist())
    how = {"indices": keys, "fill": ADDRESSED, **how}
    return permute.call(mode, dtype, tokens=tokens, top_k=top_k, **how)


def at_lines(
    permute: TokenPermute, source: str, every: str, some: str, **how: Any
) -> Iterator[Example]:
    """Every size at which the vendor's tiling branches on its chips, on the device's own machine.

    Calls of the mode ``every`` keep every slot, those of the mode ``some`` leave some out. Few have
    many slots, as their indices are listed one by one. The last has as many slots to a token as
    there are experts. All of them say ``how``, too.
    """
    core = one_core_slots(CHIP, permute.vendor.core_bytes)
    merge = LISTS_OF_ONE_MERGE * core
    sizes = (1, 31, 32, 33, core - 1, core, core + 1, core + 32, merge, merge + 1)
    for number, slots in enumerate(sizes):
        dtype, index_dtypes = DTYPES[number % 3], permute.index_dtypes
        index_dtype = index_dtypes[number % len(index_dtypes)]
        asked = {**_first(permute, every, slots), **how}
        top_k = None if permute.flat else 1
        case = sized(permute, every, dtype, (slots, 1), top_k, index_dtype=index_dtype, **asked)
        yield Example(f"{slots} slots", case, source)
    for dtype in ("float16", "float32"):
        size = numpy_dtype(dtype).itemsize
        for row in dict.fromkeys(permute.vendor.row(ub, size) for ub in USABLE_UB_BYTES.values()):
            for hidden in (row, row + 1):
                asked = {**_first(permute, some, 4), **how}
                case = sized(permute, some, dtype, (2, hidden), 2, "descending", **asked)
                yield Example(f"rows of {hidden} {dtype}", case, source)
    orders = np.random.default_rng(EXPERTS).permuted(np.tile(np.arange(EXPERTS), (5, 1)), axis=1)
    asked = {
        "indices": tuple(orders.ravel().tolist()),
        **_first(permute, every, orders.size),
        **how,
    }
    case = sized(permute, every, "bfloat16", (len(orders), 8), EXPERTS, **asked)
    yield Example("every token of every expert", case, "topK up to the number of experts, inferred")


def far(call: Call, mode: str, asked: Callable[[int], dict[str, Any]]) -> Iterator[Example]:
    """Tokens beyond 2^31 and 2^32 elements, of which ``asked``, of their number, keeps the last two
    alone; ``call`` makes a case of them.
    """
    for edge, dtype in product(EDGES, DTYPES):
        hidden = edge // 8192
        tokens = edge // hidden + 2
        held = (tokens - 2, tokens - 1)
        case = call(
            mode, dtype, tokens=(tokens, hidden), fill=ADDRESSED, held=held, **asked(tokens)
        )
        power = edge.bit_length() - 1
        yield Example(f"tokens beyond 2^{power} elements {dtype}", case, "int64 shape, inferred")


def _first(permute: TokenPermute, mode: str, slots: int) -> dict[str, Any]:
    """A call that shows the mode's first level."""
    level = permute.windows.levels[mode][0]
    return permute.windows.attributes(mode, level, slots, 0, 1)
