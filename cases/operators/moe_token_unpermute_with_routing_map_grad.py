"""MoeTokenUnpermuteWithRoutingMapGrad: gradients of the rows that a map weighs, and of its probs.

missing coverage: rows beyond 2^31 elements, as there is a row for every index; experts and columns
that a chip's buffer does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_a_definition, of_tables
from cases.operators._ladders import ladder, of_slots, of_tokens
from cases.operators._map_sums import DROPLESS, DTYPES, MAP, PADDED, PROBS
from cases.operators._moe_token_unpermute_with_routing_map_grad_call import (
    ACLNN,
    DEFINITION,
    FUNCTION,
    GRAD,
    KERNELS,
    NAME,
    OUT_INDEX,
    PROBS_GRAD,
    SIGNATURE,
    TILING,
    TOKEN_ID,
    TOKENS,
    TOKENS_GRAD,
    stated,
)
from cases.operators._moe_token_unpermute_with_routing_map_grad_calls import (
    REJECTIONS,
    examples,
    quarantine,
)
from cases.operators._moe_token_unpermute_with_routing_map_grad_cells import MAP_SUMS, limits
from cases.operators._moe_token_unpermute_with_routing_map_grad_relations import RELATIONS
from cases.operators._slot_grads import in_float32, named_rows, products
from cases.operators._torch_npu import bound_by_names
from cases.operators._workloads import by_ranks
from conformance.call.case import Case
from conformance.record.clause import document
from conformance.record.contract import Arrays, Copy, Sum, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.operator import Mode, Operator
from reference import moe_token_unpermute_with_routing_map_grad as reference
from reference.permutation import MOST_TOPK
from reference.terms import Terms

CHEAP = 2**15
"""Rows of padded calls that are judged fast: a core takes each as a token of its own."""


def probs_terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The elements of the row of each prob's slot, times those of its token's gradient."""
    given = {name: inputs[name] for name in (OUT_INDEX, TOKEN_ID, MAP, PROBS)}
    padded = bool(attributes["drop_and_pad"])
    rows = reference.rows_of_probs(**given, drop_and_pad=padded)
    return products(inputs, rows, TOKENS, GRAD, PROBS)


def written_rows(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """The rows that an index names; the others are never written."""
    return named_rows(inputs[OUT_INDEX], inputs[OUT_INDEX].size)


def of_probs(case: Case) -> str:
    """Which of its contracts an output has in a call."""
    return "probs" if PROBS in case.inputs else "no probs"


def extremes(mode: str, dtype: str) -> Extremes:
    """What is extreme in a mode: padded, a row is the one slot of a token."""
    top_k = 1 if mode in PADDED else MOST_TOPK
    if not mode.endswith("probs"):
        return Extremes({GRAD: {}}, top_k=top_k, tiles="2 x tile")
    return Extremes({TOKENS: {}, GRAD: {}}, {PROBS: {}}, top_k, tiles="2 x tile")


def not_reached(case: Case) -> str:
    """Why torch_npu makes no such call; "": it makes it."""
    if PROBS in case.inputs and case.inputs[PROBS].dtype != case.dtype:
        return "torch_npu makes the gradient of probs in the data type of the tokens"
    if case.attributes["restore_shape"] is None:
        return "torch_npu demands restore_shape"
    return ""


OPERATOR = Operator(
    **of_signature(SIGNATURE, MAP_SUMS.cases),
    sources=(ACLNN, DEFINITION, TILING, KERNELS),
    **of_tables(ACLNN, "products"),
    modes=(
        Mode("dropless", document("no padding: topK_num slots of a token", FUNCTION)),
        Mode("dropless_probs", document("the same, with probs that the map selects", FUNCTION)),
        Mode("padded", document("padding: a token and a row in each entry", FUNCTION)),
        Mode("padded_probs", document("the same, with the prob of each row's expert", FUNCTION)),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        TOKENS_GRAD: Varying(
            of_probs,
            {
                "probs": Sum(
                    document(
                        "each row is the gradient of its slot's token times the slot's prob:"
                        " that of the token's expert of the same number in its row of the map, or,"
                        " padded, of the row's expert",
                        f"{FUNCTION}; {KERNELS}",
                    ),
                    terms=in_float32(terms_of(reference.terms, GRAD)),
                    specified=written_rows,
                ),
                "no probs": Copy(
                    document("each row is the gradient of its token", FUNCTION),
                    specified=written_rows,
                ),
            },
        ),
        PROBS_GRAD: Varying(
            of_probs,
            {
                "probs": Sum(
                    document(
                        "of each slot's prob the sum of its row times the gradient of its token;"
                        " 0 of a prob that no slot has",
                        f"{FUNCTION}; {KERNELS}",
                    ),
                    terms=probs_terms,
                ),
                "no probs": Unspecified(stated("without probs it is a null pointer")),
            },
        ),
    },
    cells=with_extremes(MAP_SUMS.cells, extremes),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    limits=tuple(limits()),
    ladders=(
        *of_slots(MAP_SUMS.on_edge, modes=DROPLESS),
        ladder(
            "experts",
            MAP_SUMS.on_edge,
            lambda n: {"top_k": 1, "tokens": 8, "hidden": 1, "experts": n},
            modes=DROPLESS[1:],
        ),
        *(
            replace(one, cheap=CHEAP)
            for one in of_tokens(MAP_SUMS.on_edge, kind=", padded", modes=PADDED)
        ),
    ),
    workload_cases=by_ranks(MAP_SUMS.on_edge, "dropless", OUT_INDEX),
    torch_npu=bound_by_names(
        SIGNATURE,
        f"npu_{NAME}",
        "the gradient of probs is made in the data type of the tokens",
        "restore_shape must be given",
        permuted_token_id=TOKEN_ID,
        unreached=not_reached,
    ),
    relations=RELATIONS,
    strided=of_a_definition(SIGNATURE.tensors, DEFINITION),
)
