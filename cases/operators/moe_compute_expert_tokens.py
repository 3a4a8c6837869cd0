"""MoeComputeExpertTokens: where the rows of each expert end among rows in the order of experts.

Missing coverage: entries that do not ascend, of which no document says anything.
"""

from __future__ import annotations

import numpy as np

from cases.operators import _moe_compute_expert_tokens_calls as calls
from cases.operators._interface import (
    REQUIRED,
    checked,
    in_document,
    of_a_definition,
    of_tables,
    typed,
)
from cases.operators._moe_compute_expert_tokens_relations import RELATIONS
from cases.operators._torch_npu import bound_by_names
from conformance.call.case import Case, Machine
from conformance.record.clause import inferred, source_read
from conformance.record.contract import Index
from conformance.record.derive.calls import Fields, call
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.edges import Sizes
from conformance.record.operator import Example, Mode, Operator, Quarantine
from conformance.record.signature import Signature, number, tensor
from conformance.record.sizes import Size
from reference import moe_compute_expert_tokens as reference

NAME, DTYPE = "moe_compute_expert_tokens", "int32"
PAGE = "aclnnMoeComputeExpertTokens"
DEFINITION = "ops-transformer, moe_compute_expert_tokens_def.cpp"
TILING = "ops-transformer, moe_compute_expert_tokens tiling"
TORCH = "torch_npu.npu_moe_compute_expert_tokens"
BISECTED = "bisected"

stated = in_document(PAGE)
FEWER = stated("there are fewer than 2^24 entries, of any number", "constraints")
ENTRY = Size("entry", most=calls.MOST_ENTRIES, free=FEWER)
EXPERT = Size("expert", least=1, most=calls.MOST_EXPERTS)
SIGNATURE = Signature(
    NAME,
    (
        tensor(calls.ENTRIES, ENTRY),
        number("num_experts", EXPERT),
        tensor("out", EXPERT, role="output"),
    ),
    rules=(
        REQUIRED,
        typed(stated("entries and out are int32")),
        checked(FEWER, "entry", kinds=("limit",)),
        checked(stated("1 to 2048 experts", "constraints"), kinds=("limit", "attribute")),
        checked(stated("entries have one axis, and out has a number for each expert")),
    ),
)


def make(sizes: Sizes, given: Fields, machine: Machine | None = None) -> Case:
    """The call of these sizes."""
    return call(SIGNATURE, BISECTED, DTYPE, sizes, given, machine=machine)


def listed(*entries: int, experts: int) -> Case:
    """The call of these entries."""
    return calls.of(make, np.array(entries, np.int32), experts)


def even(entries: int, experts: int) -> Case:
    """The call of so many entries in equal shares."""
    return calls.of(make, np.arange(entries) * experts // entries, experts)


BY_HAND = listed(0, 0, 1, 1, 2, 2, experts=3)


def examples() -> tuple[Example, ...]:
    """The document's call, and calls at the ends of what there may be: most entries are 0."""
    most, gap = calls.MOST_ENTRIES, np.repeat((1, 3), 6001)
    due = {
        "an expert without entries": (listed(0, 2, 2, experts=3), (1, 1, 3)),
        "the first experts without entries": (listed(2, 3, experts=4), (0, 0, 1, 2)),
        "the last experts without entries": (listed(0, 0, 1, experts=4), (2, 3, 3, 3)),
        "one entry of one expert": (listed(0, experts=1), (1,)),
        "a share without the first and the last": (
            calls.of(make, gap, 5),
            (0, 6001, 6001, 12002, 12002),
        ),
        "2^24 - 1 entries": (make({"entry": most, "expert": 2}, {calls.ENTRIES: {}}), (most, most)),
    }
    sizes = ((12000, 256), (12001, 256), (12001, 257), (65536, 8), (65537, 8), (5, 2048))
    return (
        Example("the document's", BY_HAND, f"{PAGE}, example", {"out": (2, 4, 6)}),
        *(
            Example(name, case, "worked by hand", {"out": values})
            for name, (case, values) in due.items()
        ),
        *(
            Example(f"{entries} entries, {experts} experts", even(entries, experts), PAGE)
            for entries, experts in sizes
        ),
    )


def doubtful() -> tuple[Quarantine, ...]:
    """Calls without entries, and with such as are no expert's."""
    beyond = source_read("entries are below num_expert, but not in its example", TORCH)
    silent = inferred("no document says whether there is an entry", PAGE)
    return (
        Quarantine("no entries", listed(experts=3), silent),
        Quarantine("entries beyond the experts", listed(3, 3, 4, 5, 6, 7, experts=5), beyond),
    )


OPERATOR = Operator(
    **of_signature(
        SIGNATURE,
        lambda mode, dtype, small=False, seam=False: calls.cases(make, small, seam),
    ),
    sources=(PAGE, DEFINITION, TILING, TORCH),
    **of_tables(PAGE),
    modes=(Mode(BISECTED, stated("each expert's last row is found by bisection", "formula")),),
    dtypes=(DTYPE,),
    formula=formula_of(reference.formula, "out"),
    contracts={"out": Index(stated("how many entries are no greater than the expert", "formula"))},
    cells=lambda mode, dtype: calls.cells(make),
    examples=examples(),
    rejections=rejections(SIGNATURE, BY_HAND),
    quarantine=doubtful(),
    limits=tuple(calls.limits()),
    ladders=calls.ladders(make),
    workload_cases=lambda dtype, batch: calls.workload(make, batch),
    relations=RELATIONS,
    strided=of_a_definition(SIGNATURE.tensors, DEFINITION),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_compute_expert_tokens",
        sorted_expert_for_source_row=calls.ENTRIES,
        num_expert="num_experts",
    ),
)
