"""MoeGatingTopKSoftmax: the k largest of the softmax of each row, and where each came from.

Missing coverage: a kernel that takes a row in chunks and subtracts a running maximum may be refused
on rows of more than 1024 experts, as only differences from the maximum of all are followed; sums in
half precision; outputs of other leading axes with the same number of rows; Ascend310P, which has
rules of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from cases.operators import _gating_scores as scored
from cases.operators._gating_examples import DTYPES, Calls
from cases.operators._gating_ladders import by_scores, ladders
from cases.operators._gating_limits import MOST_K, limits
from cases.operators._gating_softmax import gating, softmax_call
from cases.operators._interface import (
    REQUIRED,
    SORT,
    checked,
    in_document,
    of_a_definition,
    of_tables,
    typed,
)
from cases.operators._torch_npu import bound_by_names
from cases.relations.layers import layer_behind
from cases.relations.selections import Selection, of_selections, same_bits
from conformance.record.clause import source_read
from conformance.record.computed import Box, Computed, Keys
from conformance.record.contract import Bounded, Index, Selected
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Mode, Operator
from conformance.record.signature import Signature, number, tensor
from conformance.record.sizes import Further, Size
from conformance.record.variations import without
from reference import moe_gating_top_k_softmax as reference

NAME = "moe_gating_top_k_softmax"
DOCUMENT = "aclnnMoeGatingTopKSoftmax document"
DEFINITION = "ops-transformer, moe_gating_top_k_softmax_def.cpp"
TILING = "ops-transformer, moe_gating_top_k_softmax tiling"
PLAIN = "softmax_first"

stated = in_document(DOCUMENT)
ROW, SLOT = Size("row"), Size("slot", least=1, most=MOST_K)
EXPERT = Size("expert", free=stated("any number of experts from k on"), covers=SLOT)
RANKS = stated("x has two axes or three, and the outputs have those of x but the last")
LEADING = Further(RANKS, most=2, fewest=1, size=ROW, first=True)
LIKE_X = Further(RANKS, most=2, fewest=1, size=ROW, first=True, like="x")
SIGNATURE = Signature(
    NAME,
    (
        tensor("x", EXPERT, further=LEADING),
        tensor("finished", dtype="bool", optional=True, further=LIKE_X, acl="finishedOptional"),
        number("k", SLOT),
        tensor("y", SLOT, role="output", further=LIKE_X, acl="yOut"),
        tensor(
            "expert_idx", SLOT, role="output", dtype="int32", further=LIKE_X, acl="expertIdxOut"
        ),
        tensor("row_idx", SLOT, role="output", dtype="int32", further=LIKE_X, acl="rowIdxOut"),
    ),
    rules=(
        REQUIRED,
        typed(stated("x and yOut share float16, bfloat16 or float32; finished is bool"), "x", "y"),
        typed(stated("the data types of the table")),
        checked(
            source_read("0 < k <= 1024; the document allows k of 0", TILING),
            "k",
            kinds=("attribute",),
        ),
        checked(stated("k is at most the number of experts", "statuses"), kinds=("limit",)),
        checked(stated("the shapes of the tensors fit together", "statuses")),
    ),
)


def keys(seen: Computed) -> Sequence[Keys]:
    """The softmax of a row. Of half-precision rows it may be rounded to them before the
    selection."""
    given = scored.finished_ids(seen, seen.attributes["k"])
    x = scored.in_float32(seen)
    exact = scored.softmax_keys(x, seen.functions, given)
    if seen.inputs["x"].dtype != "float16":
        return (exact,)
    return (exact, scored.rounded_keys(x, seen.inputs["x"].dtype, seen.functions, given))


def weights(seen: Computed) -> Box:
    """What y may be at the positions that were selected."""
    ids = seen.outputs["expert_idx"]
    return scored.reshaped(
        scored.chosen_softmax(scored.in_float32(seen), ids, seen.functions), ids.shape
    )


GATING = gating(partial(softmax_call, SIGNATURE))
VALUES = stated("yOut has the softmax of the experts that are selected", "equations")
IDS = stated("expertIdxOut has the k largest, the largest first, or E if finished", "equations")
BY_ROW = ("x", "finished", "y", "expert_idx")
ROWS = stated("rowIdxOut is arange(rows * k), laid out as [k, rows] and transposed", "equations")
SELECTION = Selection("x", "y", "expert_idx", ("y", "expert_idx"), rounded=True)
CALLS = Calls(GATING, PLAIN, (PLAIN,), DOCUMENT)
OPERATOR = Operator(
    **of_signature(SIGNATURE, GATING.cases),
    sources=(DOCUMENT, DEFINITION, TILING, SORT),
    **of_tables(DOCUMENT),
    modes=(Mode(PLAIN, stated("the softmax, then its k largest", "equations")),),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        "y": Bounded(VALUES, weights, ("expert_idx",), True, scored.unfinished, BY_ROW),
        "expert_idx": Selected(IDS, keys, by_row=BY_ROW),
        "row_idx": Index(ROWS),
    },
    cells=GATING.cells,
    examples=tuple(CALLS.examples()),
    rejections=rejections(SIGNATURE, *CALLS.rights, wrong=CALLS.wrong()),
    quarantine=CALLS.doubtful(),
    limits=tuple(limits(DTYPES)),
    ladders=ladders(GATING),
    workload_cases=by_scores(GATING, PLAIN),
    relations=(
        *of_selections(SELECTION),
        layer_behind(replace(SELECTION, plain=lambda case: without(case, "finished"))),
        same_bits(
            SELECTION,
            "moe_gating_top_k_softmax_v2",
            "softmax_first",
            {"renorm": 0, "output_softmax_result_flag": 0},
            most=scored.MOST_IN_ONE_PIECE,
        ),
    ),
    strided=of_a_definition(SIGNATURE.tensors, DEFINITION),
    torch_npu=bound_by_names(SIGNATURE, "npu_moe_gating_top_k_softmax"),
)
