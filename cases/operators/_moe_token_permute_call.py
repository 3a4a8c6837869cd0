"""The signature of MoeTokenPermute, its calls, and how many rows they keep."""

from __future__ import annotations

from typing import Any

from cases.operators._interface import REQUIRED, read_in, typed
from cases.operators._token_permute import TokenPermute, Windows, sorting_call
from cases.operators._token_permute_sizes import MOST_TOP_K, VendorLines
from conformance.call.case import Case
from conformance.record.clause import document, source_read
from conformance.record.signature import Signature, flag, number, tensor
from conformance.record.sizes import Further, Product, Size, function
from reference.permutation import rows_kept

Shape = tuple[int, ...]
NAME = "moe_token_permute"
FLOATS = ("float16", "bfloat16", "float32")
DTYPES = (*FLOATS, "int8")
DOCUMENT = "aclnnMoeTokenPermute document"
README = "ops-transformer, MoeTokenPermute README"
DEFINITION = "ops-transformer, moe_token_permute_def.cpp"
TILING = "ops-transformer, moe_token_permute_tiling.cpp"
MOST_SLOTS = 2**24 - 2

SHAPES = f"{TILING}: tokens have one axis or more, and all behind the first count as columns"
TOKEN, SLOT, HIDDEN = Size("token"), Size("slot", most=MOST_TOP_K), Size("hidden")
SLOTS = Product((TOKEN, SLOT), most=MOST_SLOTS)
ROW = function("row", rows_kept, SLOTS, "num_out_tokens")
ONE_OR_TWO = document("indices have one axis or two", DOCUMENT)
ANY = source_read("tokens have an axis or more", SHAPES)
TWO_OR_MORE = source_read("permuteTokensOut has two axes or more", SHAPES)


tiled = read_in(TILING)
SIGNATURE = Signature(
    NAME,
    (
        tensor("tokens", TOKEN, further=Further(ANY, size=HIDDEN)),
        tensor(
            "indices",
            TOKEN,
            dtype=("int32", "int64"),
            further=Further(ONE_OR_TWO, most=1, size=SLOT),
        ),
        number("num_out_tokens"),
        flag("padded_mode", most=0),
        tensor(
            "permute_tokens",
            ROW,
            role="output",
            further=Further(TWO_OR_MORE, size=HIDDEN, fewest=1),
            acl="permuteTokensOut",
        ),
        tensor("sorted_indices", SLOTS, dtype="int32", role="output", acl="sortedIndicesOut"),
    ),
    rules=(
        REQUIRED,
        typed(source_read("tokens and their copies share one dtype", DEFINITION), "permute_tokens"),
        typed(document("float16, bfloat16, float32 or int8; indices int32 or int64", DOCUMENT)),
        tiled(
            "paddedMode is false, though the document gives its equation",
            kinds=("attribute",),
        ),
        tiled(
            "indices have rank 1 or 2, tokens an axis or more, and as many rows",
            "tokens",
            "indices",
        ),
        tiled(f"top_k <= {MOST_TOP_K}", "slot", kinds=("limit",)),
        tiled("less than 2^24 - 1 slots", kinds=("limit",)),
        tiled("permuteTokensOut is [rows, ...] with the columns of tokens", "permute_tokens"),
        tiled("sortedIndicesOut is [slots], also where rows are left out", "sorted_indices"),
    ),
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


call = sorting_call(SIGNATURE)
PERMUTE = TokenPermute(
    call,
    Windows(WINDOWS, least_slots, _asked, _shown),
    probs=False,
    vendor=VendorLines(RESERVED_BYTES),
    batches=False,
    edge_modes=("whole", "first"),
)
