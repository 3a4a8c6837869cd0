"""MoeTokenUnpermuteWithRoutingMap: permuted rows, weighted by a map's probs, added to their tokens.

missing coverage: rows beyond 2^31 elements, as there is a row for every index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_tables, of_written_code
from cases.operators._ladders import ladder, of_slots, of_tokens
from cases.operators._landmarks import of_summed_rows
from cases.operators._map_sums import DROPLESS, DTYPES, PADDED, PROBS
from cases.operators._moe_token_unpermute_with_routing_map_call import (
    ACLNN,
    FUNCTION,
    HOST,
    INDICES,
    KERNELS,
    NAME,
    OUT,
    OUT_INDEX,
    PERMUTE_PROBS,
    SIGNATURE,
    TOKEN_ID,
    TOKENS,
)
from cases.operators._moe_token_unpermute_with_routing_map_calls import (
    REJECTIONS,
    examples,
    quarantine,
    row_sum,
)
from cases.operators._moe_token_unpermute_with_routing_map_cells import MAP_SUMS, SUMS, limits
from cases.operators._moe_token_unpermute_with_routing_map_relations import RELATIONS
from cases.operators._slot_sum_cases import left_to_right
from cases.operators._torch_npu import added
from cases.operators._workloads import by_ranks
from conformance.call.case import Case
from conformance.record.call_rules import Unseen
from conformance.record.clause import document, source_read
from conformance.record.contract import Arrays, Copy, Index, Sum, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.derive.rejections import freedoms
from conformance.record.derive.torch_call import bound
from conformance.record.edges import Sizes
from conformance.record.operator import Mode, Operator
from conformance.record.picture import Landmarks
from reference import moe_token_unpermute_with_routing_map as reference
from reference.permutation import MOST_TOPK
from reference.terms import Terms

terms_of_rows = terms_of(reference.terms, TOKENS)


def terms(inputs: Arrays, attributes: Mapping[str, int]) -> Terms:
    """The rows that each token adds; padded, a product is rounded to their data type of 16 bits,
    if probs have it, too."""
    dtype = inputs[TOKENS].dtype
    narrow = PROBS in inputs and inputs[PROBS].dtype == dtype and dtype.itemsize == 2
    product = dtype.name if narrow else None
    return terms_of_rows(inputs, {**attributes, "product": product})  # type: ignore[dict-item]


def of_padding(case: Case) -> str:
    """Which of its contracts an output has in a call."""
    return "padded" if case.mode in PADDED else "not padded"


def extremes(mode: str, dtype: str) -> Extremes:
    """What is extreme in a mode: padded, a row is the one slot of a token."""
    weights: dict[str, Sizes] = {PROBS: {}} if mode.endswith("probs") else {}
    return Extremes({TOKENS: {}}, weights, 1 if mode in PADDED else MOST_TOPK)


def landmarks(case: Case) -> Landmarks:
    """Every row of the result is a token's."""
    return of_summed_rows(case, SUMS[case.mode].sizes(case)[0])


def not_reached(case: Case) -> str:
    """Why torch_npu makes no such call; "": it makes it."""
    if case.attributes["restore_shape"] != case.outputs[OUT].shape:
        return "torch_npu makes the result by restore_shape"
    if PERMUTE_PROBS in case.outputs and PROBS not in case.inputs:
        return "torch_npu returns no permute_probs without probs"
    return ""


FREEDOMS = (
    *freedoms(SIGNATURE),
    Unseen(PERMUTE_PROBS, PROBS, source_read("room without probs is not looked at", HOST)),
)
SORTED = Unspecified(source_read("nothing is sorted: the host does not write it", HOST))
SUMMED = Sum(
    clause=source_read(
        "each token is the sum of the rows that its slots name, times the prob of the map's experts"
        " in rising order; a slot that names no row, or has a prob of 0, adds nothing",
        KERNELS,
    ),
    terms=terms,
    merges=left_to_right,
    order_clause=source_read(
        "products rounded to float32, added in float32 from the first slot to the last; rounded"
        " once",
        KERNELS,
    ),
    fused="never",
)
OPERATOR = Operator(
    **of_signature(SIGNATURE, MAP_SUMS.cases, freedoms=FREEDOMS),
    sources=(ACLNN, HOST, KERNELS),
    **of_tables(ACLNN),
    modes=(
        Mode("dropless", document("no padding: indices are rows, topK_num of a token", FUNCTION)),
        Mode("dropless_probs", document("the same, with probs that the map selects", FUNCTION)),
        Mode("padded", document("padding: indices are the tokens of the rows", FUNCTION)),
        Mode("padded_probs", document("the same, with the prob of each row's expert", FUNCTION)),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        OUT: Varying(
            of_padding,
            {
                "not padded": SUMMED,
                "padded": Sum(
                    clause=document(
                        "each row is added to the token whose id it has; with probs, its product,"
                        " which is rounded as a tensor of its own",
                        FUNCTION,
                    ),
                    terms=terms,
                    fused="never",
                    deterministic=False,
                ),
            },
        ),
        OUT_INDEX: Varying(
            of_padding,
            {
                "padded": Index(
                    source_read(
                        "the row of each sorted id, equal ones by rising row: a stable sort, of"
                        " which the document's equation says nothing",
                        KERNELS,
                    )
                ),
                "not padded": SORTED,
            },
        ),
        TOKEN_ID: Varying(
            of_padding,
            {
                "padded": Index(document("the ids in rising order", FUNCTION)),
                "not padded": SORTED,
            },
        ),
        PERMUTE_PROBS: Varying(
            lambda case: "selected" if PROBS in case.inputs else "no probs",
            {
                "selected": Copy(
                    source_read(
                        "padded, the prob of each row's token and expert; else those that the map"
                        " selects, token by token, where the equation has them expert by expert",
                        KERNELS,
                    ),
                    moved=(PROBS,),
                ),
                "no probs": Unspecified(document("there are none to select", FUNCTION)),
            },
        ),
    },
    cells=with_extremes(MAP_SUMS.cells, extremes),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    row_sum=row_sum,
    limits=tuple(limits()),
    ladders=(
        *of_slots(MAP_SUMS.on_edge, modes=DROPLESS),
        ladder(
            "experts",
            MAP_SUMS.on_edge,
            lambda n: {"top_k": 1, "tokens": 8, "hidden": 1, "experts": n},
            modes=DROPLESS[1:],
        ),
        *of_tokens(MAP_SUMS.on_edge, kind=", padded", modes=PADDED),
    ),
    workload_cases=by_ranks(MAP_SUMS.on_edge, "dropless", INDICES),
    torch_npu=replace(
        bound(
            SIGNATURE,
            f"_npu_{NAME}",
            (OUT, OUT_INDEX, TOKEN_ID, PERMUTE_PROBS),
            (added("restore_shape must be given, and is the shape of the result"),),
            permuted_tokens=TOKENS,
            sorted_indices=INDICES,
            restore_shape="restore_shape",
            probs=PROBS,
            routing_map="routing_map",
            drop_and_pad="padded_mode",
        ),
        unreached=not_reached,
    ),
    relations=RELATIONS,
    landmarks=landmarks,
    strided=of_written_code(SIGNATURE.parameters, HOST),
)
