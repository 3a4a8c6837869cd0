"""MoeGatingTopKSoftmaxV2: the k largest of a softmax, or the softmax of the k largest.

Missing coverage: a kernel that takes a row in chunks and subtracts a running maximum may be refused
on rows of more than 1024 experts, as only differences from the maximum of all are followed; outputs
of other leading axes with the same number of rows; k of 0, which the document allows and the host
tiling rejects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

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
from cases.relations.selections import Selection, of_selections
from conformance.call.case import Case, Tensor
from conformance.numerics import boxes, scores
from conformance.record.clause import source_read
from conformance.record.computed import Box, Computed, Keys
from conformance.record.contract import Bounded, Selected, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.derive.torch_call import bound
from conformance.record.operator import Example, Mode, Operator
from conformance.record.signature import Signature, flag, number, tensor
from conformance.record.sizes import Further, Size
from conformance.record.variations import with_attributes
from reference import moe_gating_top_k_softmax_v2 as reference

NAME = "moe_gating_top_k_softmax_v2"
DOCUMENT = "aclnnMoeGatingTopKSoftmaxV2 document"
DEFINITION = "ops-transformer, moe_gating_top_k_softmax_v2_def.cpp"
TILING = "ops-transformer, moe_gating_top_k_softmax_v2 tiling"
IDX = "expertIdxOut"
FIRST, LAST, RESULT = "softmax_first", "topk_first", "with_result"

stated = in_document(DOCUMENT)
ROW, SLOT = Size("row"), Size("slot", least=1, most=MOST_K)
EXPERT = Size("expert", covers=SLOT)
RANKS = stated("x has two axes or three, and the outputs have those of x but the last")
LEADING = Further(RANKS, most=2, fewest=1, size=ROW, first=True)
LIKE_X = Further(RANKS, most=2, fewest=1, size=ROW, first=True, like="x")
SIGNATURE = Signature(
    NAME,
    (
        tensor("x", EXPERT, further=LEADING),
        tensor(
            "finished",
            dtype="bool",
            optional=True,
            further=LIKE_X,
            acl="finishedOptional",
        ),
        number("k", SLOT),
        number("renorm", least=0, most=1),
        flag("output_softmax_result_flag", stated("with renorm 1 the flag has no effect")),
        tensor("y", SLOT, role="output", further=LIKE_X, acl="yOut"),
        tensor("expert_idx", SLOT, role="output", dtype="int32", further=LIKE_X, acl=IDX),
        tensor(
            "softmax_result",
            EXPERT,
            role="output",
            dtype="float32",
            optional=True,
            further=LIKE_X,
            acl="softmaxResultOutOptional",
        ),
    ),
    rules=(
        REQUIRED,
        typed(stated("x and yOut share float16, bfloat16 or float32; finished is bool"), "x", "y"),
        typed(stated("the data types of the table")),
        checked(stated("renorm is 0 or 1", "statuses"), "renorm", kinds=("attribute",)),
        checked(
            source_read("0 < k <= 1024; the document allows k of 0", TILING),
            "k",
            kinds=("attribute",),
        ),
        checked(stated("k is at most the number of experts", "statuses"), kinds=("limit",)),
        checked(stated("the shapes of the tensors fit together", "statuses")),
    ),
    by_mode={
        FIRST: {"renorm": 0, "output_softmax_result_flag": 0},
        LAST: {"renorm": 1, "output_softmax_result_flag": 0},
        RESULT: {"renorm": 0, "output_softmax_result_flag": 1},
    },
)


def make(mode: str, *how: Any) -> Case:
    """A call, as `softmax_call` makes it, with a result if the mode has one."""
    case = softmax_call(SIGNATURE, mode, *how)
    return with_softmax(case) if mode == RESULT else case


def keys(seen: Computed) -> Sequence[Keys]:
    """The scores by which a row is selected: those that the call writes, x itself, or a softmax."""
    given, x = scored.finished_ids(seen, seen.attributes["k"]), scored.in_float32(seen)
    if seen.attributes["renorm"]:
        return (scored.exact_keys(x, given),)
    if "softmax_result" in seen.outputs:
        shares, lost = scored.rows_of(seen.outputs["softmax_result"]), scored.has_no_softmax(x)
        written = Keys(scored.written(shares, lost), given=given, open=lost)
        # The winners of a row in chunks are scaled anew: their bits may not be those written.
        if x.shape[-1] <= scored.MOST_IN_ONE_PIECE:
            return (written,)
        return (written, scored.softmax_keys(x, seen.functions, given))
    return (scored.softmax_keys(x, seen.functions, given),)


def weights(seen: Computed) -> Box:
    """What y may be at the positions that were selected."""
    x, ids = scored.in_float32(seen), seen.outputs["expert_idx"]
    if seen.attributes["renorm"]:
        picked = scored.chosen(boxes.exact(x), ids)
        found = scores.softmax(picked.low.astype("float32"), seen.functions)
        beyond = np.asarray(picked.unbounded.any(axis=1, keepdims=True))
        return scored.reshaped(scored.unbounded_at(beyond, found), ids.shape)
    return scored.reshaped(scored.chosen_softmax(x, ids, seen.functions), ids.shape)


def result(seen: Computed) -> Box:
    """What the softmax of each expert may be."""
    return scored.reshaped(
        scores.softmax(scored.in_float32(seen), seen.functions), seen.inputs["x"].shape
    )


def unreached(case: Case) -> str:
    """Why torch_npu does not make a call, or "" if it does."""
    asked = case.attributes["output_softmax_result_flag"] and not case.attributes["renorm"]
    if "softmax_result" in case.outputs and not asked:
        return "torch_npu makes no tensor of a softmax that is not asked for"
    return ""


GATING = gating(make)
VALUES = stated("yOut has the softmax of the experts that are selected", "equations")
IDS = stated("expertIdxOut has the k largest, the largest first, or E if finished", "equations")
BY_ROW = ("x", "finished", "y", "expert_idx", "softmax_result")
UNWRITTEN = stated("without the flag, and with renorm 1, no softmax is written")


def with_softmax(case: Case) -> Case:
    """The call with a softmax of all experts to write."""
    softmax = Tensor(case.inputs["x"].shape, "float32")
    return replace(case, outputs={**case.outputs, "softmax_result": softmax})


def asked_for(case: Case) -> Case:
    """The call whose flag asks for a softmax of all experts."""
    return with_attributes(case, output_softmax_result_flag=1)


SELECTION = Selection("x", "y", "expert_idx", ("y", "expert_idx", "softmax_result"))
CALLS = Calls(GATING, RESULT, (FIRST, LAST, RESULT), DOCUMENT)
FIRST_CALL, LAST_CALL = CALLS.page(FIRST), CALLS.page(LAST)
MORE = tuple(
    Example(name, case, f"{DOCUMENT}, parameters")
    for name, case in {
        "softmax first": FIRST_CALL,
        "softmax first, a softmax that the flag does not ask for": with_softmax(FIRST_CALL),
        "topK first": LAST_CALL,
        "topK first, the flag true": asked_for(LAST_CALL),
        "topK first, the flag true, a softmax": asked_for(with_softmax(LAST_CALL)),
    }.items()
)
OPERATOR = Operator(
    **of_signature(SIGNATURE, GATING.cases),
    sources=(DOCUMENT, DEFINITION, TILING, SORT),
    **of_tables(DOCUMENT),
    modes=(
        Mode(FIRST, stated("renorm 0: the softmax, then the k largest", "equations")),
        Mode(LAST, stated("renorm 1: the k largest of x, then their softmax", "equations")),
        Mode(RESULT, stated("with the flag the softmax of all experts is written", "equations")),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        "y": Bounded(VALUES, weights, ("expert_idx",), True, scored.unfinished, BY_ROW),
        "expert_idx": Selected(IDS, keys, ("softmax_result",), by_row=BY_ROW),
        "softmax_result": Varying(
            lambda case: "written" if case.mode == RESULT else "unwritten",
            {
                "written": Bounded(
                    stated("softmaxResultOutOptional is the softmax of x", "equations"),
                    result,
                    by_row=BY_ROW,
                ),
                "unwritten": Unspecified(UNWRITTEN),
            },
        ),
    },
    cells=GATING.cells,
    examples=(*CALLS.examples(), *MORE),
    rejections=rejections(SIGNATURE, *CALLS.rights, wrong=CALLS.wrong()),
    quarantine=CALLS.doubtful(),
    limits=tuple(limits(DTYPES)),
    ladders=ladders(GATING),
    workload_cases=by_scores(GATING, FIRST),
    relations=of_selections(SELECTION),
    strided=of_a_definition(SIGNATURE.tensors, DEFINITION),
    torch_npu=replace(
        bound(
            SIGNATURE,
            "npu_moe_gating_top_k_softmax_v2",
            ("y", "expert_idx", "softmax_result"),
            (),
            x="x",
            k="k",
            finished="finished",
            renorm="renorm",
            output_softmax="output_softmax_result_flag",
        ),
        unreached=unreached,
    ),
)
