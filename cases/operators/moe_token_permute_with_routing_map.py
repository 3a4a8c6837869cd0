"""MoeTokenPermuteWithRoutingMap: tokens copied to the experts that a map gives them.

Missing coverage: tokens of more than two axes; rows beyond 2^31 elements without padding, where
every token has a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_tables, of_written_code
from cases.operators._ladders import of_a_map, on_edges
from cases.operators._landmarks import of_counted_rows
from cases.operators._moe_token_permute_with_routing_map_call import (
    CONSTRAINTS,
    DTYPES,
    FUNCTION,
    HOST,
    KERNELS,
    NAME,
    README,
    SIGNATURE,
    TILING,
)
from cases.operators._moe_token_permute_with_routing_map_cases import cases
from cases.operators._moe_token_permute_with_routing_map_cells import cells
from cases.operators._moe_token_permute_with_routing_map_examples import examples
from cases.operators._moe_token_permute_with_routing_map_limits import limits
from cases.operators._moe_token_permute_with_routing_map_rejections import (
    FREEDOMS,
    RANGES,
    REJECTIONS,
    RIGHT_CALLS,
    quarantine,
)
from cases.operators._moe_token_permute_with_routing_map_relations import RELATIONS
from cases.operators._moe_token_permute_with_routing_map_sizes import MOST_TOP_K
from cases.operators._torch_npu import bound_by_names
from cases.operators._workloads import by_map
from conformance.call.case import Case
from conformance.record.clause import document, source_read
from conformance.record.contract import Arrays, Copy, Index, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.operator import Mode, Operator
from conformance.record.picture import Landmarks
from conformance.record.variations import right_calls
from reference import moe_token_permute_with_routing_map as reference

equations = formula_of(reference.formula)


def formula(inputs: Arrays, attributes: Mapping[str, Any]) -> Arrays:
    """The document's equations on the case's arrays; permute_probs where probs are given.

    A map without entries, of which the equations say nothing, gives no rows.
    """
    if inputs["routing_map"].size:
        return equations(inputs, attributes)
    rows = {"permute_tokens": inputs["tokens"][:0], "sorted_indices": np.zeros(0, np.int32)}
    probs = inputs.get("probs")
    return rows if probs is None else {**rows, "permute_probs": probs.reshape(-1)[:0]}


def contract(case: Case) -> str:
    """Which of its contracts every output has in a call."""
    shapes = (case.inputs["routing_map"].shape, case.outputs["permute_tokens"].shape)
    return "empty call" if any(0 in shape for shape in shapes) else "call"


def contract_of_probs(case: Case) -> str:
    """The same for permute_probs, which has no equation without probs."""
    return contract(case) if "probs" in case.inputs else "no probs"


EMPTY = Unspecified(
    source_read(
        "a call without a map or without elements to copy writes nothing, and succeeds", HOST
    )
)


def landmarks(case: Case) -> Landmarks:
    """Rows lie expert by expert, those of a padded call as many of each."""
    routing_map = case.arrays["routing_map"]
    experts, rows = routing_map.shape[1], case.outputs["permute_tokens"].shape[0]
    padded = np.full(experts, rows // max(1, experts))
    counts = padded if case.mode == "drop_pad" else np.count_nonzero(routing_map, axis=0)
    return of_counted_rows(case, "permute_tokens", counts)


def extremes(mode: str, dtype: str) -> Extremes:
    """What is extreme in a mode; with padding a token has as many rows as experts that name it."""
    top_k, rows = (0, {"rows": 4}) if mode == "drop_pad" else (MOST_TOP_K, {"experts": 4})
    return Extremes({"tokens": {}}, {"probs": {"probs": 1, **rows}}, top_k, tiles="hidden, ")


def not_reached(case: Case) -> str:
    """Why torch_npu makes no such call; "": it makes it."""
    given = case.inputs.get("routing_map")
    if given is not None and not given.shape[case.attributes["drop_and_pad"]]:
        return "torch_npu divides by the map's tokens or experts: there are none"
    if "permute_probs" in case.outputs and "probs" not in case.inputs:
        return "torch_npu returns no permute_probs without probs"
    return ""


OPERATOR = Operator(
    **of_signature(SIGNATURE, cases, freedoms=FREEDOMS, ranges=RANGES),
    sources=(README, HOST, TILING, KERNELS),
    **of_tables(README),
    modes=(
        Mode(
            "dropless",
            document(
                "dropAndPad false: every token has topK experts, and a row of each", CONSTRAINTS
            ),
        ),
        Mode(
            "drop_pad",
            document("dropAndPad true: every expert has as many rows, its capacity", FUNCTION),
        ),
    ),
    dtypes=DTYPES,
    formula=formula,
    contracts={
        "permute_tokens": Varying(
            contract,
            {
                "call": Copy(
                    document("every row is one of tokens, bit for bit, expert by expert", FUNCTION)
                ),
                "empty call": EMPTY,
            },
        ),
        "permute_probs": Varying(
            contract_of_probs,
            {
                "no probs": Unspecified(
                    document("it holds the rows of probs, which may be null", FUNCTION)
                ),
                "call": Copy(
                    document(
                        "every row's element of probs at its token and expert, bit for bit, also of"
                        " a token that only fills up",
                        FUNCTION,
                    )
                ),
                "empty call": EMPTY,
            },
        ),
        "sorted_indices": Varying(
            contract,
            {
                "call": Index(
                    source_read(
                        "the rows of each token by rising expert; padded, the token of each row,"
                        " those of the map first and both by rising number: a stable descending"
                        " sort, of which the document's equation says no direction",
                        KERNELS,
                    )
                ),
                "empty call": EMPTY,
            },
        ),
    },
    cells=with_extremes(cells, extremes),
    examples=(*examples(), *right_calls(README, *RIGHT_CALLS)),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    limits=tuple(limits(DTYPES)),
    ladders=of_a_map(on_edges(cells)),
    workload_cases=by_map(on_edges(cells), "dropless", "routing_map"),
    torch_npu=bound_by_names(
        SIGNATURE,
        f"npu_{NAME}",
        "numOutTokens is rounded down to a multiple of the tokens, of the experts with"
        " dropAndPad; left out it is the number of tokens, one expert each",
        unreached=not_reached,
    ),
    relations=RELATIONS,
    landmarks=landmarks,
    strided=of_written_code(SIGNATURE.parameters, HOST),
)
