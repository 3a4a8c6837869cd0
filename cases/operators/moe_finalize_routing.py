"""MoeFinalizeRouting: MoeFinalizeRoutingV2 in its first mode, where all but x2 must be given.

Missing coverage: rows beyond 2^31 elements, as indices are ranks of slots; infinite scales.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._extremes import with_extremes
from cases.operators._finalize_call import Finalizing, Parts, with_parts
from cases.operators._finalize_calls import BIAS, EXPERTS, X1, X2, FinalizeCalls
from cases.operators._finalize_cells import cells
from cases.operators._finalize_edges import EXPERTS as EXPERT_ROWS
from cases.operators._finalize_edges import PATHS, extremes, limits
from cases.operators._finalize_record import NEGATED, PRODUCTS, cases, joined, scaled_sums, targets
from cases.operators._finalize_signature import DTYPES, HIDDEN, MODES, Page, optional
from cases.operators._interface import REQUIRED, as_listed, of_a_definition, typed, unchecked
from cases.operators._ladders import FEW, ladder, of_slots, on_edges
from cases.operators._slot_grads import with_data
from cases.operators._slot_sum_cases import row_sum as slot_row_sum
from cases.operators._torch_npu import BINDINGS
from cases.operators._values import bits
from cases.operators._workloads import by_experts
from cases.relations.finalized import version
from cases.relations.sums import of_sums
from conformance.call.case import Case
from conformance.record.clause import document, source_read
from conformance.record.contract import Arrays
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Mode, Operator
from conformance.record.signature import Signature, tensor
from conformance.record.sizes import Size
from conformance.record.variations import right_calls
from conformance.record.workload import Batch
from conformance.relations.axes import Axes
from reference import moe_finalize_routing as reference
from reference.terms import Terms

NAME, MODE = "moe_finalize_routing", MODES[0]
PAGE = Page("aclnnMoeFinalizeRouting document", "aclnnMoeFinalizeRouting document")
DEFINITION = "ops-transformer, moe_finalize_routing_def.cpp"
stated = partial(document, source=PAGE.parameters)
TOKEN, SLOT = Size("token"), Size("slot", least=1)
BIASES = Size("bias", least=1, free=stated("K of its E experts are selected"), covers=SLOT)
SIGNATURE = Signature(
    NAME,
    (
        tensor("expanded_x", TOKEN * SLOT, HIDDEN),
        tensor("x1", TOKEN, HIDDEN),
        optional("x2", TOKEN, HIDDEN, acl="x2Optional"),
        tensor("bias", BIASES, HIDDEN),
        tensor("scales", TOKEN, SLOT),
        tensor("expanded_row_idx", SLOT * TOKEN, dtype="int32", numbers=TOKEN * SLOT),
        tensor("expert_idx", TOKEN, SLOT, dtype="int32", numbers=BIASES, acl="expandedExpertIdx"),
        tensor("out", TOKEN, HIDDEN, role="output"),
    ),
    rules=(
        REQUIRED,
        typed(source_read("one float type, and int32 indices and experts", DEFINITION)),
        unchecked(stated("K experts of all are selected, at least one"), kinds=("limit",)),
        unchecked(stated("each tensor has the shape that the list gives it")),
    ),
)
ONE = Finalizing(SIGNATURE)
CALLS = FinalizeCalls(ONE, PAGE)
CELLS = partial(cells, ONE)


def terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The rows of all that each token adds, and the scales of those of experts."""
    parts = reference.terms(
        inputs["scales"],
        inputs["expanded_row_idx"],
        inputs["expert_idx"],
        source_rows=len(inputs["expanded_x"]),
        experts=len(inputs["bias"]),
        x2="x2" in inputs,
    )
    return joined(inputs, parts)


def row_sum(dtype: str, x: NDArray[np.generic]) -> Case:
    """One token whose slots are the rows of ``x`` [slots, columns], each of scale 1; the bias and
    x1 are 0."""
    count, hidden = x.shape
    none: tuple[int, ...] = (0,) * hidden
    parts = Parts(
        experts=count,
        scales=bits(dtype, *(1.0 for _ in x)),
        skips=(none,),
        bias=none * count,
        expert_idx=tuple(range(count)),
    )
    return with_parts(slot_row_sum(ONE.call, MODE, dtype, x), parts)


def workload_cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
    """Calls with the experts of a workload's slots, whose rows lie expert by expert."""
    ranks = tuple(batch.ranks.reshape(batch.tokens, -1).T.ravel().tolist())
    drawn = by_experts(on_edges(CELLS), MODE, "expert_idx")(dtype, batch)
    return drawn.map(partial(with_data, given={"expanded_row_idx": ranks}))


def examples() -> Iterator[Example]:
    """Calls worked by hand, of every data type, and at limits."""
    by_hand = f"{PAGE.equation}, by hand"
    sums = 0.5 * (16 + 400) + 2 * (1 + 100), (4 + 200) + 0.25 * (2 + 100), 3 * 208 - (32 + 400)
    routed = partial(CALLS.routed, MODE, bias=BIAS, expert_idx=EXPERTS)
    whole = {"out": tuple(a + b for a, b in zip(sums, (1000.5, 2000.25, 3000.125), strict=True))}
    yield Example("ranks of a router", routed(skips=(X1, X2)), by_hand, whole)
    bare = {"out": tuple(a + b for a, b in zip(sums, (1000, 2000, 3000), strict=True))}
    yield Example("ranks of a router, no x2", routed(skips=(X1,)), by_hand, bare)
    for dtype in DTYPES:
        case = CALLS.ranked(MODE, dtype, 5, 3, 33)
        yield Example(f"rows of {dtype}", case, f"{PAGE.parameters}")
    last = CALLS.ranked(MODE, "bfloat16", 2, PATHS[-1] + 1, 8)
    yield Example(f"top_k {PATHS[-1] + 1}", last, PAGE.equation)
    yield Example("top_k 1", CALLS.ranked(MODE, "float16", 4, 1, 16, skips=1), PAGE.equation)
    none = CALLS.ranked(MODE, "float32", 2, 2, 0)
    yield Example("hidden 0", none, "interface behaviour for empty tensors, inferred")
    yield from right_calls(PAGE.readme, *RIGHT_CALLS)


RIGHT_CALLS = tuple(CALLS.ranked(MODE, "float32", 4, 2, 16, skips=skips) for skips in (2, 1))
OPERATOR = Operator(
    **of_signature(SIGNATURE, partial(cases, ONE)),
    sources=(PAGE.page, DEFINITION),
    products=PRODUCTS,
    modes=(Mode(MODE, document("slot k of token i is index i + k * num_rows", PAGE.equation)),),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={"out": scaled_sums(PAGE, terms)},
    cells=with_extremes(CELLS, partial(extremes, whole=True)),
    examples=tuple(examples()),
    rejections=rejections(SIGNATURE, *RIGHT_CALLS),
    limits=tuple(limits((True,), whole=True)),
    row_sum=row_sum,
    ladders=(
        *of_slots(on_edges(CELLS), modes=(MODE,)),
        ladder(
            EXPERT_ROWS,
            on_edges(CELLS),
            lambda n: {"top_k": 1, "tokens": FEW, "hidden": 1, EXPERT_ROWS: n},
            modes=(MODE,),
        ),
    ),
    workload_cases=workload_cases,
    relations=(
        *of_sums(Axes.of(SIGNATURE), ("out",), NEGATED),
        version("moe_finalize_routing_v2", (MODE,), drop_pad_mode=0),
    ),
    torch_npu=BINDINGS[NAME],
    strided=of_a_definition(SIGNATURE.tensors, DEFINITION),
    each_tensor=as_listed(PAGE.page),
    targets=targets(PAGE),
)
