"""The signature of MoeInitRouting, its calls, which tokens they keep and how rows are numbered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._expert_slots import SORTING, Experts, routed
from cases.operators._interface import INTERFACE, REQUIRED, SORT, checked, typed
from cases.operators._moe_init_routing_v2_call import given_of
from cases.operators._moe_init_routing_v2_rows import VENDOR_COLUMNS, asked
from cases.operators._token_permute import Choice, Windows, one_by_one
from cases.operators._token_permute_sizes import VendorLines
from conformance.call.case import Case, Machine
from conformance.draw.wide_keys import EXACT
from conformance.record.clause import Clause, document, inferred
from conformance.record.contract import Index
from conformance.record.derive.calls import Fields, Sizes
from conformance.record.derive.calls import call as call_of
from conformance.record.operator import Mode
from conformance.record.signature import Rule, Signature, number, tensor
from conformance.record.sizes import Size, function
from conformance.relations.axes import Axes

Shape = tuple[int, ...]
NAME = "moe_init_routing"
DTYPES = ("float16", "bfloat16", "float32")
DOCUMENT = "aclnnMoeInitRouting document"
TILING = "ops-transformer, moe_init_routing/op_host"


def _rows(tokens: int, top_k: int, active_num: int) -> int:
    return min(tokens, max(0, active_num)) * top_k


TOKEN, SLOT, HIDDEN = Size("token"), Size("slot"), Size("hidden")
ROW = function("row", _rows, TOKEN, SLOT, "active_num")
_out = partial(tensor, role="output")
said = partial(document, source=f"{DOCUMENT}, return values")


def shapes(said: Callable[[str], Clause]) -> tuple[Rule, ...]:
    """The rules of shapes and of activeNum, by what makes clauses of a document."""
    return (
        checked(said("x has two axes"), "x", kinds=("rank",)),
        checked(said("rowIdx has two axes, and the shape of expertIdx"), "row_idx", "expert_idx"),
        checked(said("activeNum is 0 or more"), kinds=("attribute",)),
        checked(said("expandedXOut is [min(tokens, activeNum) * top_k, hidden]"), "expanded_x"),
        checked(said("expandedRowIdxOut and expandedExpertIdxOut are [tokens * top_k]")),
    )


def modes(page: str) -> tuple[Mode, ...]:
    """The modes, by a document."""
    every = document("activeNum of all tokens or more: a row for every slot", page)
    first = document("activeNum n: n times top_k rows, the first ones", page)
    return Mode("dropless", every), Mode("active", first)


def sorted_integers(page: str) -> dict[str, Index]:
    """The contracts of row indices and experts, by a document."""
    equations = f"{page}, equations"
    ranks = document(
        "where row_idx says, the rank of each position among all, also of those beyond the active"
        " rows, equal experts in the order of their positions",
        f"{equations}; {SORT}",
    )
    experts = document("the experts of all slots, sorted", equations)
    return {"expanded_row_idx": Index(ranks), "expanded_expert_idx": Index(experts)}


SIGNATURE = Signature(
    NAME,
    (
        tensor("x", TOKEN, HIDDEN),
        tensor("row_idx", TOKEN, SLOT, dtype="int32"),
        tensor("expert_idx", TOKEN, SLOT, dtype="int32"),
        number("active_num", least=0),
        _out("expanded_x", ROW, HIDDEN, acl="expandedXOut"),
        _out("expanded_row_idx", TOKEN * SLOT, dtype="int32", acl="expandedRowIdxOut"),
        _out("expanded_expert_idx", TOKEN * SLOT, dtype="int32", acl="expandedExpertIdxOut"),
    ),
    rules=(
        REQUIRED,
        typed(inferred("x and its copies share one dtype", INTERFACE), "expanded_x"),
        typed(document("x float16, bfloat16, float32; all indices int32", f"{DOCUMENT}, table")),
        *shapes(said),
    ),
)

AXES = Axes(
    {
        "x": ("row", "hidden"),
        "expanded_x": ("rank", "hidden"),
        "expanded_row_idx": ("copy.row",),
    },
    numbers={"row_idx": "copy.row"},
)
"""A number of row_idx is that of a row of x, and of one of its copies."""

LEVELS = {
    "dropless": ("all", "too many"),
    "active": ("any", "one token", "fewer than half", "no rows"),
}
"""Numbers of active tokens. With fewer than half, the vendor's tiling copies in another way."""

IN_COLUMNS, IN_ROWS, SHUFFLED = "in columns", "in rows", "shuffled"
ORDERS = (IN_COLUMNS, IN_ROWS, SHUFFLED)
"""How row_idx numbers the positions: as the document's example does, as they lie, or neither."""


def row_numbers(order: str, tokens: int, top_k: int, seed: Any = 0) -> NDArray[np.int64]:
    """The rows that row_idx has at the positions, one after the other, in an order."""
    lying = np.arange(tokens * top_k)
    columns: NDArray[np.int64] = lying.reshape(top_k, tokens).T.reshape(-1)
    if order != SHUFFLED:
        return columns if order == IN_COLUMNS else lying
    mixed = np.random.default_rng(seed).permutation(lying)
    # The reverse is neither of both, if there are two positions.
    is_other = (mixed != columns).any() and (mixed != lying).any()
    return mixed if is_other else lying[::-1]


def orders_shown(case: Case) -> set[str]:
    """The orders that the row_idx of a call has; a single position shows each."""
    rows = case.arrays["row_idx"]
    known = (IN_COLUMNS, IN_ROWS)
    shown = {one for one in known if (rows.reshape(-1) == row_numbers(one, *rows.shape)).all()}
    return set(ORDERS) if rows.size < 2 else shown or {SHUFFLED}


def call_of_pairs(
    signature: Signature,
    mode: str,
    dtype: str,
    *,
    x: Shape,
    top_k: int,
    experts: Shape | None = None,
    rows: Shape | None = None,
    active_num: int | None = None,
    machine: Machine | None = None,
    **how: Any,
) -> Case:
    """A case of a signature; ``experts`` None are zeros, ``rows`` None those of the columns,
    ``active_num`` None all tokens; ``how`` has the recipe or storage bits of x, and attributes."""
    sizes: Sizes = {"token": x[0], "slot": top_k, "hidden": x[1]}
    numbers = tuple(row_numbers(IN_COLUMNS, x[0], top_k).tolist()) if rows is None else rows
    data = {name: how.pop(name) for name in ("fill", "values", "held") if name in how}
    given: Fields = {**given_of(dtype, x, experts, **data), "row_idx": {"values": numbers}}
    asked = {"active_num": x[0] if active_num is None else active_num, **how}
    return call_of(signature, mode, dtype, sizes, given, machine=machine, **asked)


call = partial(call_of_pairs, SIGNATURE)


def routing(
    mode: str,
    keys: Experts,
    level: str,
    tokens: int,
    numbers: tuple[int, int],
    rows: str = IN_COLUMNS,
    **data: Any,
) -> tuple[Experts, dict[str, Any]]:
    """The experts of a case that shows a level and an order of ``rows``, and what else it has.

    Keys that float32 does not hold lose their low bits: the operator gives its experts back.
    """
    named = row_numbers(rows, tokens, keys.size // tokens, numbers)
    how = {"rows": tuple(named.tolist()), "active_num": _active_num(level, tokens, *numbers)}
    is_exact = np.abs(keys).max(initial=0) <= EXACT
    return keys if is_exact else keys >> 8, {**how, **data}


def _active_num(level: str, tokens: int, first: int, second: int) -> int:
    """activeNum of a call that shows a level; that of "too many" may exceed 32 bits."""
    beyond = 2**32 + first % tokens if second % 2 else tokens + 1 + first % 9
    some = {"all": tokens, "too many": beyond, "one token": 1, "no rows": 0}
    some["fewer than half"] = (tokens - 1) // 2
    return some.get(level, tokens - 1 - first % tokens)


def _levels_shown(case: Case) -> set[str]:
    tokens, active_num = case.inputs["x"].shape[0], case.attributes["active_num"]
    first, *others = LEVELS[case.mode]
    shows: Mapping[str, bool] = {
        "too many": active_num > tokens,
        "one token": active_num == 1,
        "fewer than half": 2 * active_num < tokens,
        "no rows": active_num == 0,
    }
    return {first, *(level for level in others if shows[level])}


def _least_slots(mode: str, level: str) -> int:
    return 2 if mode == "active" else 1


PERMUTE = SORTING(
    routed(call, routing),
    Windows(LEVELS, _least_slots, asked, _levels_shown, {"active": 2}, "tokens kept"),
    vendor=VendorLines(2048, core_bytes=0, columns=VENDOR_COLUMNS),
    edge_modes=("dropless",),
    choices=(Choice("rows", dict.fromkeys(LEVELS, ORDERS), orders_shown),),
    wide=False,
    columns=one_by_one,
)
