"""What the records of operators that select of groups have alike, by the name of their document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cases.operators._gating_examples import DTYPES
from cases.operators._gating_group_examples import GroupCalls
from cases.operators._gating_group_keys import keys_of, scores_of, weights
from cases.operators._gating_group_limits import MOST_EXPERTS, MOST_GROUPS, aligned, limits
from cases.operators._gating_group_sizes import ladders
from cases.operators._interface import (
    REQUIRED,
    SORT,
    TILING_FAILED,
    as_listed,
    checked,
    of_written_code,
    supported,
    typed,
)
from cases.operators._sized_calls import SizedCalls
from cases.relations.layers import layer_behind
from cases.relations.rows import further_rows
from cases.relations.selections import (
    Selection,
    constant_more,
    descending,
    order_of_positions,
    twice_the_factor,
)
from conformance.call.case import Case
from conformance.record.clause import Clause, document, source_read
from conformance.record.contract import Bounded, Selected, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.operator import Mode, Quarantine, Support, Target
from conformance.record.relation import Relation
from conformance.record.signature import (
    Kind,
    Rule,
    Signature,
    SizedTensor,
    flag,
    number,
    real,
    tensor,
)
from conformance.record.sizes import Function, Product, Size, function
from conformance.record.variations import with_attributes, without

KERNEL = "ops-transformer, moe_gating_top_k kernels"
TILING = "ops-transformer, moe_gating_top_k tiling"
SOFTMAX, RENORM, SIGMOID, SOFTPLUS = MODES = ("softmax", "softmax_renorm", "sigmoid", "softplus")

ROW, MEMBER = Size("row"), Size("member", least=1)
SLOT = Size("slot", least=1, most=MOST_EXPERTS)
KEPT, GROUP = (Size(name, least=1, most=MOST_GROUPS) for name in ("kept", "group"))
EXPERTS = Product((GROUP, MEMBER), most=MOST_EXPERTS)
BY_ROW = ("x", "input_ids", "y", "expert_idx", "out")


@dataclass(frozen=True)
class Page:
    """The document of an operator, by its name."""

    document: str

    def stated(self, text: str, place: str = "parameters") -> Clause:
        """A clause of the document."""
        return document(text, f"{self.document}, {place}")

    def limited(self, text: str, *about: str, kinds: tuple[Kind, ...] = ("limit",)) -> Rule:
        """A rule of the document's constraints."""
        return checked(self.stated(text, "constraints"), *about, kinds=kinds)

    @property
    def selected(self) -> Selected:
        """The contract of the experts that keys decide."""
        text = "expertIdxOut has the k largest of normValue, the largest first"
        return Selected(self.stated(text, "steps 2 to 4"), keys_of, ("out",), by_row=BY_ROW)


def signature_of(
    name: str,
    page: Page,
    lookup: tuple[SizedTensor, ...] = (),
    rules: tuple[Rule, ...] = (),
    derived: tuple[Function, ...] = (),
) -> Signature:
    """The signature of an operator, with its own tensors behind the bias, rules and sizes."""
    stated, limited = page.stated, page.limited
    return Signature(
        name,
        (
            tensor("x", ROW, EXPERTS),
            tensor("bias", EXPERTS, optional=True, acl="biasOptional"),
            *lookup,
            number("k", SLOT),
            number("k_group", KEPT),
            number("group_count", GROUP),
            number("group_select_mode", least=0, most=1),
            number("renorm", least=0, most=1),
            number("norm_type", least=0, most=2),
            flag("out_flag", stated("outFlag: whether the scores are written")),
            real("routed_scaling_factor", stated("any factor")),
            real("eps", stated("any eps")),
            tensor("y", ROW, SLOT, role="output", acl="yOut"),
            tensor("expert_idx", ROW, SLOT, role="output", dtype="int32", acl="expertIdxOut"),
            tensor("out", ROW, EXPERTS, role="output", dtype="float32", acl="outOut"),
        ),
        rules=(
            REQUIRED,
            typed(
                stated("x, bias and yOut share float16, bfloat16 or float32; the rest is listed")
            ),
            limited("modes, renorm and normType are listed", kinds=("attribute",)),
            limited("1 <= k <= experts of the kept groups", "spare"),
            limited("1 <= kGroup <= groupCount", "left_out"),
            limited("a group has more experts than groupSelectMode", "unsummed"),
            limited("groups, each aligned to 32, have at most 2048 experts", "aligned"),
            *rules,
            limited("there are at most 2048 experts"),
            checked(stated("the shapes of the table")),
        ),
        by_mode={
            SOFTMAX: {"norm_type": 0, "renorm": 0},
            RENORM: {"norm_type": 0, "renorm": 1},
            SIGMOID: {"norm_type": 1},
            SOFTPLUS: {"norm_type": 2},
        },
        derived=(
            function("spare", lambda kept, member, slot: kept * member - slot, KEPT, MEMBER, SLOT),
            function("left_out", lambda group, kept: group - kept, GROUP, KEPT),
            function(
                "unsummed", lambda member, mode: member - 1 - mode, MEMBER, "group_select_mode"
            ),
            function("aligned", aligned, GROUP, MEMBER, most=MOST_EXPERTS),
            *derived,
        ),
    )


def plain(case: Case) -> Case:
    """The call in which nothing but the scores decides: without bias, table, groups and factor."""
    ungrouped = with_attributes(
        case, k_group=1, group_count=1, group_select_mode=0, routed_scaling_factor=1.0
    )
    for name in case.inputs.keys() - {"x"}:
        ungrouped = without(ungrouped, name)
    return ungrouped


def relations_of(*shared: str) -> tuple[Relation, ...]:
    """The relations of an operator with these inputs that all rows have alike."""
    selection = Selection(
        "x", "y", "expert_idx", ("y", "expert_idx", "out"), shared=shared, plain=plain
    )
    return (
        descending(selection),
        order_of_positions(selection),
        constant_more(selection, (SOFTMAX, RENORM)),
        further_rows(selection.scores, selection.of_rows, selection.shared),
        twice_the_factor(selection, "routed_scaling_factor"),
        layer_behind(selection),
    )


def record(
    signature: Signature, page: Page, gating: SizedCalls, calls: GroupCalls
) -> dict[str, Any]:
    """The fields of a record that its operator has like the others."""
    stated = page.stated
    empty = stated("x is not empty; CANN answers the call", "constraints")
    values = stated("yOut has the scores of the selected, normalised and scaled", "steps 5")
    written = stated("outFlag: outOut is normOut", "step 6")
    unwritten = stated("without outFlag there is no such output", "step 6")
    no_softplus = source_read("normType is 0 or 1 there", TILING)
    return {
        **of_signature(signature, gating.cases),
        "sources": (page.document, KERNEL, TILING, SORT),
        "products": ("Ascend910B", "Ascend910_93"),
        "modes": (
            Mode(SOFTMAX, stated("normType 0, renorm 0: the softmax is the weight", "step 5")),
            Mode(
                RENORM, stated("normType 0, renorm 1: divided by the sum of the selected", "step 5")
            ),
            Mode(SIGMOID, stated("normType 1: a sigmoid, divided by the sum", "step 5")),
            Mode(
                SOFTPLUS, stated("normType 2: the root of a softplus, divided by the sum", "step 5")
            ),
        ),
        "dtypes": DTYPES,
        "contracts": {
            "y": Bounded(values, weights, ("expert_idx", "out"), by_row=BY_ROW),
            "expert_idx": page.selected,
            "out": Varying(
                lambda case: "written" if case.attributes["out_flag"] else "unwritten",
                {
                    "written": Bounded(written, scores_of, by_row=BY_ROW),
                    "unwritten": Unspecified(unwritten),
                },
            ),
        },
        "cells": gating.cells,
        "examples": tuple(calls.examples()),
        "quarantine": (Quarantine("no rows", calls.call(sizes={"row": 0}), empty),),
        "limits": tuple(limits(DTYPES)),
        "ladders": ladders(gating.sized),
        "relations": relations_of("bias"),
        "strided": of_written_code(signature.parameters, TILING),
        "each_tensor": as_listed(page.document),
        "targets": (
            *supported(page.document),
            *(
                Target(product, Support.REJECTED, no_softplus, (SOFTPLUS,), TILING_FAILED)
                for product in ("Ascend910B", "Ascend910_93")
            ),
        ),
    }
