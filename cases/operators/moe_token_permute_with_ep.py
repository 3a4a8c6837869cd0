"""MoeTokenPermuteWithEp: tokens copied for each of their experts, sorted, and a range of them kept.

Missing coverage: copies of another rank than their tokens; more than 2^24 slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._extremes import with_extremes
from cases.operators._interface import SORT, as_listed, in_document, of_a_definition, supported
from cases.operators._ladders import of_slots
from cases.operators._landmarks import of_sorted_rows
from cases.operators._moe_token_permute_with_ep_call import (
    DEFINITION,
    DTYPES,
    NAME,
    PERMUTE,
    README,
    SIGNATURE,
    TILING,
    call,
    padded_call,
)
from cases.operators._moe_token_permute_with_ep_examples import examples
from cases.operators._moe_token_permute_with_ep_padded import padded_cases, padded_cells
from cases.operators._moe_token_permute_with_ep_rejections import (
    ENDS,
    REJECTIONS,
    RIGHT_CALLS,
    quarantine,
)
from cases.operators._moe_token_permute_with_ep_relations import RELATIONS
from cases.operators._moe_token_permute_with_ep_windows import RANGES, mode_of
from cases.operators._token_permute_cases import sorting_cases
from cases.operators._token_permute_cells import cells
from cases.operators._token_permute_edges import extremes, sorted_cases
from cases.operators._token_permute_limits import limits
from cases.operators._torch_npu import BINDINGS
from cases.operators._workloads import CHIP
from conformance.call.case import Case
from conformance.draw.values import MOVED
from conformance.record.cells import Cells
from conformance.record.clause import Clause, document, inferred, source_read
from conformance.record.contract import Arrays, Copy, Index
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import ranges
from conformance.record.operator import Mode, Operator, Support, Target
from conformance.record.picture import Landmarks
from conformance.record.variations import right_calls
from conformance.record.workload import Batch
from conformance.values.fill import Fill
from reference import moe_token_permute_with_ep as reference

EQUATIONS = formula_of(reference.formula)


def formula(inputs: Arrays, attributes: Mapping[str, Any]) -> Arrays:
    """The document's equations on the case's arrays; zeros for probabilities that are absent."""
    outputs = EQUATIONS(inputs, attributes)
    absent = np.zeros(len(outputs["permute_tokens"]), np.uint8)
    return {"permute_probs": absent, **outputs}


def assigned_rows(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Which rows of the outputs an equation assigns."""
    slots = inputs["indices"].size
    if attributes["padded_mode"]:
        return np.ones(slots, np.bool_)
    start, rows = reference.window(slots, attributes["rank_range"], attributes["num_out_tokens"])
    return np.asarray(np.arange(rows) < reference.assigned(slots, start, rows))


def assigned_tokens(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """The same for rows of tokens, with all their elements."""
    rows = assigned_rows(inputs, attributes)
    return rows.reshape(-1, *(1 for _ in inputs["tokens"].shape[1:]))


def assigned_probs(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """The same for probabilities: none where the call has none."""
    return assigned_rows(inputs, attributes) & ("probs" in inputs)


def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; where nothing is sorted, none lies on a seam."""
    if mode == "padded":
        return padded_cases(padded_call, dtype, small)
    return sorting_cases(PERMUTE, mode, dtype, small=small, seam=seam)


def cells_of(mode: str, dtype: str) -> Cells:
    """The discrete cells of one mode and dtype."""
    if mode == "padded":
        return padded_cells(padded_call, dtype)
    return cells(PERMUTE, mode, dtype)


stated = in_document(README, "equations")


def tiled(text: str) -> Clause:
    """A clause that was read in the host tiling."""
    return source_read(text, TILING)


SLICED = stated("the slot of rank r goes to row r - start, where start <= r < end")
NO_RANGE = "ops-transformer, newer README and definition disagree; MoeTokenPermute's rule"


def landmarks(case: Case) -> Landmarks:
    """Rows lie expert by expert from the first rank that is kept; a padded call sorts none."""
    if case.mode == "padded":
        return Landmarks()
    asked = case.attributes["rank_range"], case.attributes["num_out_tokens"]
    first, _ = reference.window(case.inputs["indices"].size, *asked)
    return of_sorted_rows(case, "permute_tokens", "indices", "tokens", first)


def workload_cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
    """The rows of the slots whose experts one rank holds; none: the range is empty."""
    start, end = batch.held

    def made(fill: Fill, probs: Fill) -> Case:
        return call(
            mode_of(start, end, batch.experts.size),
            dtype,
            tokens=(batch.tokens, batch.columns),
            top_k=batch.workload.top_k,
            indices=tuple(batch.experts.ravel().tolist()),
            probs=probs,
            rank_range=(start, end),
            fill=fill,
            machine=CHIP,
        )

    return st.builds(made, MOVED, MOVED)


# CANN 8.1.RC1 has no header of it, nor of another operator with expert parallelism.
OPERATOR = Operator(
    **of_signature(SIGNATURE, cases, ranges=(*ENDS, *ranges(SIGNATURE))),
    sources=(README, TILING, DEFINITION, SORT),
    products=("Ascend910B", "Ascend910_93"),
    modes=(
        Mode("full", SLICED),
        Mode("head", SLICED),
        Mode("tail", SLICED),
        Mode("middle", SLICED),
        Mode("equal", tiled("start == end keeps every slot; the document's equation keeps none")),
        Mode(
            "reversed",
            tiled(
                "start > end: ranks from start on, and slots - (start - end) rows of which the last"
                " stay open; the document's equation keeps none"
            ),
        ),
        Mode("no_range", tiled("no range, numOutTokens 0: every slot")),
        Mode(
            "num_out_tokens",
            document(
                "numOutTokens takes effect where there is no range: the first n slots of the order,"
                " n < 0: all but -n",
                f"{README}, parameters; {NO_RANGE}",
            ),
            routes=("kernel",),
        ),
        Mode(
            "padded",
            stated(
                "paddedMode: row i is token indices[i], and sorted_indices is indices; that its"
                " probability is probs[indices[i], expert of i] is inferred"
            ),
            routes=("kernel",),
        ),
    ),
    dtypes=DTYPES,
    formula=formula,
    contracts={
        "permute_tokens": Copy(
            stated("every row is one of tokens, bit for bit, where its slot's rank says"),
            specified=assigned_tokens,
        ),
        "sorted_indices": Index(
            document(
                "the rank of every slot among all, also of those cut off, equal keys in slot order:"
                " argSort of argSort, though the second equation sorts a name that none assigns",
                f"{README}, equations; {SORT}",
            )
        ),
        "permute_probs": Copy(
            stated("every element is one of probs, bit for bit, where its slot's rank says"),
            specified=assigned_probs,
        ),
    },
    cells=with_extremes(cells_of, partial(extremes, PERMUTE)),
    examples=(*examples(), *right_calls(README, *RIGHT_CALLS)),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    limits=tuple(limits(DTYPES)),
    landmarks=landmarks,
    workload_cases=workload_cases,
    torch_npu=BINDINGS[NAME],
    ladders=of_slots(
        partial(sorted_cases, PERMUTE, widest=True),
        modes=tuple(mode for mode in RANGES.levels if mode != "reversed"),  # it copies no row
        least_tokens=3,
    ),
    relations=RELATIONS,
    strided=of_a_definition(SIGNATURE.tensors, DEFINITION),
    each_tensor=as_listed(README),
    targets=(
        *supported(README),
        *(
            Target(
                product,
                Support.REJECTED,
                tiled("paddedMode true is refused; the document gives its equation"),
                modes=("padded",),
                status=561002,
            )
            for product in ("Ascend910B", "Ascend910_93")
        ),
        *(
            Target(
                product,
                Support.UNDEFINED,
                inferred("no source says what a null range becomes", NO_RANGE),
                modes=("num_out_tokens",),
            )
            for product in ("Ascend910B", "Ascend910_93")
        ),
        Target(
            "Ascend910_95",
            Support.UNAVAILABLE,
            source_read("the operator's definition names 910B and 910_93 only", DEFINITION),
        ),
    ),
)
