"""MoeTokenPermute: tokens copied for each of their experts, sorted, and the first rows kept.

Missing coverage: copies of another rank than their tokens, which are observed only; more than 2^24
slots.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cases.operators._extremes import with_extremes
from cases.operators._interface import SORT, as_listed, in_document, of_a_definition, supported
from cases.operators._ladders import of_slots
from cases.operators._landmarks import of_sorted_rows
from cases.operators._moe_token_permute_call import (
    DEFINITION,
    DOCUMENT,
    DTYPES,
    FLOATS,
    NAME,
    PERMUTE,
    README,
    SIGNATURE,
    TILING,
)
from cases.operators._moe_token_permute_calls import QUARANTINE, REJECTIONS, examples
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes, sorted_cases
from cases.operators._token_permute_limits import limits
from cases.operators._torch_npu import bound_by_names
from cases.operators._workloads import by_experts
from cases.relations.copy_adjoints import adjoint_of_copies, named_by, round_trip
from cases.relations.slot_sorts import INIT, MAP, same_ranks, sorter
from cases.relations.slot_sums import PERMUTE_GRAD
from cases.relations.sorts import Sorted, of_sorts
from conformance.call.case import Case
from conformance.record.clause import document, source_read
from conformance.record.contract import Copy, Index
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.operator import Mode, Operator, Support, Target
from conformance.record.versions import Versions, of_dtype
from conformance.relations.axes import Axes
from reference import moe_token_permute as reference

cases = partial(sorting_cases, PERMUTE)
SORTED = Sorted(
    axes=Axes.of(SIGNATURE),
    keys=lambda case: case.arrays["indices"],
    ranks="sorted_indices",
    rows=("tokens", "permute_tokens"),
    named="indices",
)
SORTER, NAMES = sorter(NAME, SORTED), named_by(SORTED)
RELATIONS = (
    *of_sorts(SORTED),
    *(
        replace(one, dtypes=FLOATS)  # of another operator that takes no bytes
        for one in (
            same_ranks(SORTER, INIT),
            same_ranks(SORTER, MAP),
            adjoint_of_copies("tokens", "permute_tokens", NAMES, PERMUTE_GRAD),
            round_trip("tokens", "permute_tokens", NAMES),
        )
    ),
)


def unreached(case: Case) -> str:
    """Why torch_npu does not make a call, or "" if it does."""
    tokens, indices = case.inputs.get("tokens"), case.inputs.get("indices")
    if tokens is not None and len(tokens.shape) != 2:
        return "torch_npu demands tokens of two dimensions"
    if indices is not None and 0 < indices.size <= -case.attributes["num_out_tokens"]:
        return "torch_npu passes on 0, which keeps all, for a cut that keeps nothing"
    return ""


stated = in_document(DOCUMENT)
OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(DOCUMENT, README, TILING, DEFINITION, SORT),
    products=("Ascend910B", "Ascend910_93"),
    modes=(
        Mode("whole", stated("numOutTokens 0 drops no row")),
        Mode("first", stated("numOutTokens n > 0 keeps the first n rows, or all if fewer")),
        Mode("without_last", stated("numOutTokens -n < 0 cuts as a slice to -n: the last n rows")),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
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
    cells=with_extremes(partial(cells, PERMUTE), partial(extremes, PERMUTE)),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=QUARANTINE,
    limits=tuple(limits(DTYPES, probs=(False,))),
    ladders=of_slots(partial(sorted_cases, PERMUTE, widest=True)),
    workload_cases=by_experts(partial(sorted_cases, PERMUTE), "whole", "indices"),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_token_permute",
        "tokens must have two dimensions",
        "a numOutTokens below 1 becomes what it keeps before it is passed on: one that"
        " keeps nothing becomes 0, which keeps all, and one that cuts more is refused",
        unreached=unreached,
    ),
    dated=(
        of_dtype(
            "int8",
            Versions(document("tokens may be int8; CANN 8.1.RC1 lists none", README), after="8.1"),
        ),
    ),
    relations=RELATIONS,
    landmarks=lambda case: of_sorted_rows(case, "permute_tokens", "indices", "tokens"),
    strided=of_a_definition(SIGNATURE.tensors, DEFINITION),
    each_tensor=as_listed(DOCUMENT),
    targets=(
        *supported(README),
        Target(
            "Ascend910_95",
            Support.UNDEFINED,
            source_read("carried out there by MoeInitRoutingV2", TILING),
        ),
    ),
)
