"""MoeGatingTopKBackward: the gradient of the scores that MoeGatingTopK made weights of.

Missing coverage: an expert that a row has twice, of which products differ; rows whose divisor may
be 0 or subnormal are not bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cases.operators._gating_examples import DTYPES
from cases.operators._gating_group_examples import of_rank_3
from cases.operators._interface import (
    INTERFACE,
    INVALID,
    checked,
    in_document,
    null,
    of_a_definition,
    of_tables,
    typed,
    unchecked,
)
from cases.operators._moe_gating_top_k_backward_calls import PLAIN, gradients
from cases.operators._moe_gating_top_k_backward_limits import FEWEST_EXPERTS, MOST_EXPERTS, limits
from cases.operators._moe_gating_top_k_backward_sizes import by_experts, ladders
from cases.operators._torch_npu import bound_by_names
from cases.operators._values import bits
from cases.relations.gate_grads import factor_for_gradients, two_slots
from cases.relations.rows import further_rows
from conformance.call.case import Case
from conformance.numerics.gradients import sigmoid_weights
from conformance.record.clause import Clause, inferred, source_read
from conformance.record.computed import Box, Computed
from conformance.record.contract import Bounded
from conformance.record.derive.calls import call
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Mode, Operator, Quarantine, Strided
from conformance.record.signature import Signature, number, real, tensor
from conformance.record.sizes import Size, function
from conformance.record.variations import reshaped, with_attributes
from conformance.relations.axes import Axes
from conformance.relations.symmetries import symmetry
from conformance.values.fill import Fill
from reference import moe_gating_top_k_backward as reference

NAME = "moe_gating_top_k_backward"
DOCUMENT = "aclnnMoeGatingTopKBackward document"
DEFINITION = "ops-transformer, moe_gating_top_k_backward_def.cpp"
TILING = "ops-transformer, moe_gating_top_k_backward tiling"
KERNEL = "ops-transformer, moe_gating_top_k_backward kernels"
SIGMOID = "sigmoid"

stated = in_document(DOCUMENT)


def read(text: str) -> Clause:
    """A rule of the document that the tiling checks, with another status."""
    return source_read(f"{text}; the document has 161002", TILING)


ROW, SLOT = Size("row"), Size("slot", least=1)
EXPERT = Size("expert", most=MOST_EXPERTS)
SIGNATURE = Signature(
    NAME,
    (
        tensor("x_norm", ROW, EXPERT, dtype="float32"),
        tensor("grad_y", ROW, SLOT),
        tensor("expert_idx", ROW, SLOT, dtype="int32", numbers=EXPERT),
        number("renorm", free=stated("renorm is reserved: only sigmoids are supported")),
        number("norm_type", least=1, most=1),
        real("routed_scaling_factor", stated("any factor")),
        real("eps", stated("any eps")),
        tensor("out", ROW, EXPERT, role="output"),
    ),
    rules=(
        null(stated("xNorm, gradY, expertIdx and out are no null pointers", "statuses")),
        typed(stated("xNorm is float32, expertIdx int32; out has the data type of gradY")),
        checked(stated("normType is 1"), kinds=("attribute",)),
        unchecked(stated("there are 2 experts or more"), "spare_experts", kinds=("limit",)),
        checked(stated("there are at most 2048 experts, and 1 <= k <= experts"), kinds=("limit",)),
        checked(read("the shapes fit together, each of two axes")),
    ),
    by_mode={SIGMOID: {"norm_type": 1}},
    derived=(
        function("spare_experts", lambda expert: expert - FEWEST_EXPERTS, EXPERT),
        function("unchosen", lambda expert, slot: expert - slot, EXPERT, SLOT),
    ),
)


def gradient(seen: Computed) -> Box:
    """What out may be. The interface hands both numbers on in float32."""
    given, numbers = seen.inputs, seen.attributes
    return sigmoid_weights(
        given["x_norm"],
        given["grad_y"],
        given["expert_idx"],
        seen.functions,
        factor=float(np.float32(numbers["routed_scaling_factor"])),
        eps=float(np.float32(numbers["eps"])),
    )


make = partial(call, SIGNATURE)
GRADIENTS = gradients(make)
PAGE = {"row": 4, "expert": 8, "slot": 2}
PAGE_SCORES = (
    *(0.5, 0.7, 0.3, 0.8, 0.2, 0.6, 0.9, 0.4, 0.6, 0.4, 0.8, 0.1, 0.7, 0.5, 0.3, 0.9),
    *(0.2, 0.9, 0.5, 0.6, 0.8, 0.3, 0.7, 0.4, 0.8, 0.3, 0.6, 0.5, 0.4, 0.7, 0.2, 0.9),
)
PAGE_GRADIENTS = (1.0, 0.5, 0.8, 0.3, 0.6, 0.9, 0.4, 0.7)
PAGE_IDS = (3, 6, 2, 7, 1, 4, 0, 7)


def page(dtype: str = "float32", **attributes: Any) -> Case:
    """The page's call, in a data type, and with other attributes."""
    given: dict[str, Any] = {
        "x_norm": {"values": bits("float32", *PAGE_SCORES)},
        "grad_y": {"values": bits(dtype, *PAGE_GRADIENTS)},
        "expert_idx": {"values": PAGE_IDS},
    }
    how = {"routed_scaling_factor": 2.5, "eps": 1e-20, **attributes}
    return make(SIGMOID, dtype, PAGE, given, **how)


def of_sizes(rows: int, experts: int, k: int, *, dtype: str = "float32") -> Case:
    """A call of these sizes: the last k experts of each row, the last one first."""
    given: dict[str, Any] = {
        "x_norm": {"fill": Fill(("sigmoids",), seed=1)},
        "grad_y": {"fill": Fill(("gaussian",), seed=2)},
        "expert_idx": {"values": tuple(range(experts - 1, experts - 1 - k, -1)) * rows},
    }
    sizes = {"row": rows, "expert": experts, "slot": k}
    return make(SIGMOID, dtype, sizes, given, routed_scaling_factor=1.0, eps=1e-20)


def examples() -> Iterator[Example]:
    """The page's call, with attributes that change nothing, and at the ends of each size."""
    place = f"{DOCUMENT}, parameters"
    yield Example("the page's call", page(), f"{DOCUMENT}, example")
    for dtype in DTYPES:
        yield Example(f"of {dtype}", page(dtype, eps=0.5), place)
    yield Example("renorm without effect", page(renorm=1), place)
    named = {
        "one of two experts": (1, FEWEST_EXPERTS, 1),
        "every token of every expert": (3, 5, 5),
        "k of all experts but one": (3, 9, 8),
        "2048 experts": (2, MOST_EXPERTS, 8),
        "every one of 2048 experts": (1, MOST_EXPERTS, MOST_EXPERTS),
    }
    for name, sizes in named.items():
        yield Example(name, of_sizes(*sizes), place)


def wrong() -> dict[str, Case]:
    """Calls in which several things are changed at once."""
    few, one = of_sizes(2, 5, 3), of_sizes(2, FEWEST_EXPERTS, 1)
    more = replace(few, inputs={**few.inputs, "grad_y": of_sizes(2, 6, 6).inputs["grad_y"]})
    return {
        "k is 6 of 5 experts": reshaped(more, "expert_idx", (2, 6)),
        "one expert": reshaped(reshaped(one, "x_norm", (2, 1)), "out", (2, 1)),
        "2049 experts": of_sizes(1, MOST_EXPERTS + 1, 8),
        "all of rank 3": of_rank_3(few, *few.inputs, *few.outputs),
        "a softmax": with_attributes(few, norm_type=0),
    }


def doubtful() -> Iterator[Quarantine]:
    """A call without rows, and one in which a row has an expert twice."""
    empty = inferred(
        "no tensor is empty, and interfaces of this kind do not ask about it", INTERFACE
    )
    yield Quarantine("no rows", of_sizes(0, 5, 3), empty)
    twice = source_read(
        "of an expert that a row has twice both add; CANN stores one of them", KERNEL
    )
    case = of_sizes(1, 5, 3)
    listed = replace(case.inputs["expert_idx"], values=(2, 0, 2))
    yield Quarantine(
        "an expert twice", replace(case, inputs={**case.inputs, "expert_idx": listed}), twice
    )


VALUES = stated("out is xNorm (1 - xNorm) times the gradient of the weights' scores", "equations")
AXES = Axes.of(SIGNATURE)
OPERATOR = Operator(
    **of_signature(SIGNATURE, GRADIENTS.cases),
    sources=(DOCUMENT, DEFINITION, TILING, KERNEL),
    **of_tables(DOCUMENT),
    modes=(Mode(SIGMOID, stated("normType 1: xNorm is what a sigmoid gave", "equations")),),
    dtypes=DTYPES,
    formula=formula_of(reference.formula, "out"),
    contracts={"out": Bounded(VALUES, gradient, by_row=("x_norm", "grad_y", "expert_idx", "out"))},
    cells=GRADIENTS.cells,
    examples=tuple(examples()),
    rejections=rejections(
        SIGNATURE, page(), of_sizes(2, 5, 3), of_sizes(2, 2, 1, dtype="float16"), wrong=wrong()
    ),
    quarantine=tuple(doubtful()),
    limits=tuple(limits(DTYPES)),
    ladders=ladders(partial(GRADIENTS.sized, families=PLAIN)),
    workload_cases=by_experts(make, SIGMOID),
    relations=(
        symmetry(AXES, "row", sums=("out",)),
        symmetry(AXES, "expert", sums=("out",)),
        further_rows("x_norm", ("out",)),
        two_slots("grad_y", "expert_idx", ("out",)),
        factor_for_gradients("grad_y", "routed_scaling_factor", ("out",)),
    ),
    strided=(
        *of_a_definition(
            [one for one in SIGNATURE.tensors if one.name != "expert_idx"], DEFINITION
        ),
        Strided(("expert_idx",), stated("expertIdx has no strides"), INVALID, False),
    ),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_gating_top_k_backward",
        expertIdx="expert_idx",
    ),
)
