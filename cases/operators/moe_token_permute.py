"""MoeTokenPermute: tokens copied for each of their experts, sorted, and the first rows kept.

Missing coverage: drawn int8 tokens (newer than CANN 8.1.RC1); copies of another rank than their
tokens, which are observed only; more than 2^24 slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from hypothesis.strategies import SearchStrategy

from cases.operators._documented_tensors import as_listed
from cases.operators._extremes import Extremes, with_extremes
from cases.operators._ladders import of_slots
from cases.operators._landmarks import of_sorted_rows
from cases.operators._moe_token_permute_call import DTYPES, NAME, PERMUTE, TENSORS
from cases.operators._moe_token_permute_calls import (
    DEFINITION,
    DOCUMENT,
    FREEDOMS,
    RANGES,
    README,
    SORT,
    TILING,
    examples,
    quarantine,
    rejections,
)
from cases.operators._moe_token_permute_relations import RELATIONS
from cases.operators._strides import of_a_definition
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import sorted_cases
from cases.operators._token_permute_limits import limits
from cases.operators._torch_npu import BINDINGS
from cases.operators._workloads import by_experts
from conformance.call.case import Case
from conformance.record.cells import Cells
from conformance.record.clause import document, source_read
from conformance.record.operator import (
    Arrays,
    AttributeParameter,
    Copy,
    Index,
    Mode,
    Newer,
    Operator,
    Support,
    Target,
)
from reference import moe_token_permute as reference


def formula(inputs: Arrays, attributes: Mapping[str, Any]) -> Arrays:
    """The document's equations on the case's arrays."""
    return reference.formula(
        inputs["tokens"],
        inputs["indices"],
        num_out_tokens=attributes["num_out_tokens"],
        padded_mode=bool(attributes["padded_mode"]),
    )


def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype."""
    return sorting_cases(PERMUTE, mode, dtype, small=small, seam=seam)


def cells_of(mode: str, dtype: str) -> Cells:
    """The discrete cells of one mode and dtype."""
    return cells(PERMUTE, mode, dtype)


PARAMETERS = f"{DOCUMENT}, parameters"

OPERATOR = Operator(
    name=NAME,
    title="MoeTokenPermute",
    aclnn="aclnnMoeTokenPermute",
    sources=(DOCUMENT, README, TILING, DEFINITION, SORT),
    products=("Ascend910B", "Ascend910_93"),
    parameters=(
        *TENSORS[:2],
        AttributeParameter("num_out_tokens", "numOutTokens"),
        AttributeParameter("padded_mode", "paddedMode", "bool"),
        *TENSORS[2:],
    ),
    modes=(
        Mode("whole", document("numOutTokens 0 drops no row", PARAMETERS)),
        Mode(
            "first",
            document("numOutTokens n > 0 keeps the first n rows, or all if fewer", PARAMETERS),
        ),
        Mode(
            "without_last",
            document("numOutTokens -n < 0 cuts as a slice to -n: the last n rows", PARAMETERS),
        ),
    ),
    dtypes=DTYPES,
    formula=formula,
    contracts={
        "permute_tokens": Copy(
            document(
                "every row is one of tokens, bit for bit, where its slot's rank says",
                f"{DOCUMENT}, equations; the newer README indexes it by the slot of a rank",
            ),
            moved=("tokens",),
        ),
        "sorted_indices": Index(
            document(
                "the rank of every slot among all, also of those cut off, equal keys in slot order:"
                " argSort of argSort",
                f"{README}, equations; {SORT}",
            )
        ),
    },
    cases=cases,
    small_cases=partial(cases, small=True),
    seam_cases=partial(cases, small=True, seam=True),
    cells=with_extremes(cells_of, Extremes({"tokens": {}}, tiles="hidden, ")),
    examples=examples(),
    rejections=rejections(),
    freedoms=FREEDOMS,
    ranges=RANGES,
    quarantine=quarantine(),
    limits=tuple(limits(DTYPES, probs=(False,))),
    ladders=of_slots(partial(sorted_cases, PERMUTE, widest=True)),
    workload_cases=by_experts(partial(sorted_cases, PERMUTE), "whole", "indices"),
    torch_npu=BINDINGS[NAME],
    newer=(Newer("int8", "8.1", document("tokens may be int8; CANN 8.1.RC1 lists none", README)),),
    relations=RELATIONS,
    landmarks=lambda case: of_sorted_rows(case, "permute_tokens", "indices", "tokens"),
    strided=of_a_definition(TENSORS, "ops-transformer, moe_token_permute_def.cpp"),
    each_tensor=as_listed(DOCUMENT),
    targets=(
        Target("Ascend910B", Support.SUPPORTED, document("Atlas A2 series: yes", README)),
        Target("Ascend910_93", Support.SUPPORTED, document("Atlas A3 series: yes", README)),
        Target(
            "Ascend910_95",
            Support.UNDEFINED,
            source_read("carried out there by MoeInitRoutingV2", TILING),
        ),
    ),
)
