"""The signature of MoeTokenPermuteWithEp, its calls, and the sources of its clauses."""

from __future__ import annotations

from functools import partial

from cases.operators._interface import INTERFACE, REQUIRED, SHAPE, checked, null, read_in, typed
from cases.operators._moe_token_permute_with_ep_windows import RANGES
from cases.operators._token_permute import TokenPermute, probs_given, sorting_call
from cases.operators._token_permute_sizes import MOST_PADDED_TOKENS, MOST_TOP_K, VendorLines
from conformance.call.case import Attribute, Case, Machine
from conformance.record.clause import document, inferred, source_read
from conformance.record.derive.calls import Fields, Sizes
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Form, Kind, Rule, Signature, flag, integers, number, tensor
from conformance.record.sizes import Further, Product, Size, function
from conformance.values.fill import Fill
from reference.moe_token_permute_with_ep import Range, window

Shape = tuple[int, ...]
NAME = "moe_token_permute_with_ep"
DTYPES = ("float16", "bfloat16", "float32")
README = "aclnnMoeTokenPermuteWithEp document"
DEFINITION = "ops-transformer, moe_token_permute_with_ep_def.cpp"
TILING = "ops-transformer, moe_token_permute_with_ep_tiling.cpp"
MOST_SLOTS = 2**24 - 2


def rows(slots: int, rank_range: Range | None, num_out_tokens: int) -> int:
    """The rows of the outputs; none if a number of the range is not from 0 to ``slots``."""
    inside = rank_range is None or all(0 <= end <= slots for end in rank_range)
    return window(slots, rank_range, num_out_tokens)[1] if inside else 0


SHAPES = f"{TILING}: tokens have one axis or more, and all behind the first count as columns"
ANY = source_read("tokens have an axis or more", SHAPES)
TWO_OR_MORE = source_read("permuteTokensOut has two axes or more", SHAPES)
ONE_OR_TWO = document("indices have one axis or two", f"{README}, types")
CHOOSES = document("paddedMode chooses among the equations", f"{README}, equations")
TOKEN, SLOT = Size("token"), Size("slot", least=1, most=MOST_TOP_K)
PADDED_TOKEN = Size("token", most=MOST_PADDED_TOKENS)
SLOTS = Product((TOKEN, SLOT), most=MOST_SLOTS)
ROW = function("row", rows, SLOTS, "rank_range", "num_out_tokens")
EXPERT = Size("expert", default=1)
PADDED_ROW = Size("row", product=EXPERT * Size("share"))
COLUMNS = Further(ANY, size=Size("hidden"))
COPIED = Further(TWO_OR_MORE, size=COLUMNS.size, fewest=1)
indices = partial(tensor, "indices", dtype=("int32", "int64"))
probs = partial(tensor, "probs", optional=True, acl="probsOptional")
permute_tokens = partial(
    tensor, "permute_tokens", role="output", further=COPIED, acl="permuteTokensOut"
)
sorted_indices = partial(
    tensor, "sorted_indices", dtype="int32", role="output", acl="sortedIndicesOut"
)
permute_probs = partial(
    tensor, "permute_probs", role="output", optional=True, beside="probs", acl="permuteProbsOut"
)
PADDED = Form(
    {"padded_mode": 1},
    (
        tensor("tokens", PADDED_TOKEN, further=COLUMNS),
        indices(PADDED_ROW),
        probs(PADDED_TOKEN, EXPERT),
        permute_tokens(PADDED_ROW),
        sorted_indices(PADDED_ROW),
        permute_probs(PADDED_ROW),
    ),
)


tiled = read_in(TILING)


def of_document(
    text: str, *about: str, mode: str = "padded", kinds: tuple[Kind, ...] = SHAPE
) -> Rule:
    """A rule of calls that the document alone defines."""
    return checked(inferred(text, f"{README}, equations"), *about, kinds=kinds, modes=(mode,))


SIGNATURE = Signature(
    NAME,
    (
        tensor("tokens", TOKEN, further=COLUMNS),
        indices(TOKEN, further=Further(ONE_OR_TWO, most=1, size=SLOT)),
        probs(TOKEN, further=Further(ONE_OR_TWO, most=1, size=SLOT, like="indices")),
        integers("rank_range", acl="rangeOptional", count=2),
        number("num_out_tokens"),
        flag("padded_mode", free=CHOOSES),
        permute_tokens(ROW),
        sorted_indices(SLOTS),
        permute_probs(ROW),
    ),
    rules=(
        null(inferred("probs go where there is room for them", INTERFACE), "permute_probs"),
        REQUIRED,
        typed(
            source_read("tokens, probs and both outputs share one dtype", DEFINITION),
            *("probs", "permute_tokens", "permute_probs"),
        ),
        typed(document("float16, bfloat16 or float32; indices int32 or int64", f"{README}, types")),
        of_document("paddedMode: indices have one axis", "indices", kinds=("rank",)),
        of_document("paddedMode: tokens have rows", "tokens", kinds=("rank",)),
        of_document(
            "paddedMode: sortedIndicesOut names tokens by int32", "token", kinds=("limit",)
        ),
        of_document(
            "paddedMode: probs are [tokens, experts], and experts share the rows",
            "probs",
            "indices",
        ),
        of_document("paddedMode: a row of the outputs for every index"),
        of_document(
            "numOutTokens n has min(n, slots) rows, n <= 0 max(0, slots + n)",
            "row",
            mode="num_out_tokens",
        ),
        tiled("rangeOptional has two numbers", kinds=("attribute",)),
        tiled(
            "indices have rank 1 or 2, tokens an axis or more, and as many rows",
            "tokens",
            "indices",
        ),
        tiled("probs have the shape of indices", "probs"),
        tiled(f"1 <= top_k <= {MOST_TOP_K}", "slot", kinds=("limit",)),
        tiled("less than 2^24 - 1 slots", kinds=("limit",)),
        tiled("permuteProbsOut is [rows], where probs are given", "permute_probs"),
        tiled("a row for each rank of the range, both numbers of which lie in [0, slots]", "row"),
        tiled("permuteTokensOut is [rows, ...] with the columns of tokens", "permute_tokens"),
        tiled("sortedIndicesOut is [slots], also where a range cuts"),
    ),
    forms={"padded": PADDED},
)


call = sorting_call(SIGNATURE)


def padded_call(
    dtype: str,
    *,
    tokens: Shape,
    indices: Shape,
    index_dtype: str = "int32",
    experts: int = 1,
    probs: Fill | None = None,
    fill: Fill | None = None,
    held: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
    **attributes: Attribute,
) -> Case:
    """A case of which the indices name tokens, as many for each of ``experts``."""
    sizes: Sizes = {
        "token": tokens[0],
        "hidden": tokens[1:],
        "expert": experts,
        "share": len(indices) // experts,
    }
    given: Fields = {
        "tokens": {"fill": fill, "unread": unread, "rows": held},
        "indices": {"dtype": index_dtype, "values": indices},
        **probs_given(probs),
    }
    return call_of(SIGNATURE, "padded", dtype, sizes, given, machine=machine, **attributes)


PERMUTE = TokenPermute(
    call,
    RANGES,
    probs=True,
    vendor=VendorLines(),
    batches=True,
    edge_modes=("full", "middle"),
)
