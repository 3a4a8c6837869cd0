"""MoeGatingTopK: experts are scored, their groups thinned out, and the k best of them weighed.

Missing coverage: x without rows, which the document excludes and CANN answers; rows whose scores
are NaN are selected in any way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cases.operators._gating_examples import DTYPES
from cases.operators._gating_group_examples import GroupCalls
from cases.operators._gating_group_limits import MOST_EXPERTS, MOST_GROUPS, aligned, limits
from cases.operators._gating_group_sizes import by_scores, ladders
from cases.operators._gating_groups import GroupedGating
from cases.operators._gating_scores import (
    Floats,
    Ids,
    chosen,
    classes_of,
    equal_groups,
    in_float32,
    softmax_keys,
)
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
from cases.relations.selections import (
    Selection,
    constant_more,
    descending,
    further_rows,
    order_of_positions,
    twice_the_factor,
)
from conformance.call.case import Case, Machine
from conformance.numerics import boxes, scores
from conformance.record.clause import Clause, document, source_read
from conformance.record.computed import Box, Computed, Groups, Keys
from conformance.record.contract import Bounded, Selected, Unspecified, Varying
from conformance.record.derive.calls import call
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.derive.torch_call import bound
from conformance.record.operator import Mode, Operator, Quarantine, Support, Target
from conformance.record.signature import Kind, Rule, Signature, flag, number, real, tensor
from conformance.record.sizes import Product, Size, function
from conformance.record.variations import with_attributes, without
from reference import moe_gating_top_k as reference
from reference.floats import widen

NAME = "moe_gating_top_k"
DOCUMENT = "aclnnMoeGatingTopK document"
KERNEL = "ops-transformer, moe_gating_top_k kernels"
TILING = "ops-transformer, moe_gating_top_k tiling"
SOFTMAX, RENORM, SIGMOID, SOFTPLUS = "softmax", "softmax_renorm", "sigmoid", "softplus"


def stated(text: str, place: str = "parameters") -> Clause:
    """A clause of the document."""
    return document(text, f"{DOCUMENT}, {place}")


def limited(text: str, *about: str, kinds: tuple[Kind, ...] = ("limit",)) -> Rule:
    """A rule of the document's constraints."""
    return checked(stated(text, "constraints"), *about, kinds=kinds)


ROW, MEMBER = Size("row"), Size("member", least=1)
SLOT = Size("slot", least=1, most=MOST_EXPERTS)
KEPT, GROUP = (Size(name, least=1, most=MOST_GROUPS) for name in ("kept", "group"))
EXPERTS = Product((GROUP, MEMBER), most=MOST_EXPERTS)
SIGNATURE = Signature(
    NAME,
    (
        tensor("x", ROW, EXPERTS),
        tensor("bias", EXPERTS, optional=True, acl="biasOptional"),
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
        typed(stated("x, bias and yOut share float16, bfloat16 or float32; the rest is listed")),
        limited("modes, renorm and normType are listed", kinds=("attribute",)),
        limited("1 <= k <= experts of the kept groups", "spare"),
        limited("1 <= kGroup <= groupCount", "left_out"),
        limited("a group has more experts than groupSelectMode", "unsummed"),
        limited("groups, each aligned to 32, have at most 2048 experts", "aligned"),
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
        function("unsummed", lambda member, mode: member - 1 - mode, MEMBER, "group_select_mode"),
        function("aligned", aligned, GROUP, MEMBER, most=MOST_EXPERTS),
    ),
)


def make(
    mode: str,
    dtype: str,
    sizes: dict[str, int],
    given: dict[str, Any],
    machine: Machine | None = None,
    **attributes: Any,
) -> Case:
    """The call of these sizes."""
    return call(SIGNATURE, mode, dtype, sizes, given, machine=machine, **attributes)


def scores_of(seen: Computed) -> Box:
    """What the score of each expert may be, in float32."""
    x, norm_type = in_float32(seen), seen.attributes["norm_type"]
    if norm_type == 0:
        return scores.softmax(x, seen.functions)
    of_type = scores.sigmoid if norm_type == 1 else scores.root_of_softplus
    return of_type(x, seen.functions)


def known_scores(seen: Computed) -> Box:
    """The scores that the call writes, or the boxes of those that it does not."""
    if "out" in seen.outputs:
        return boxes.exact(seen.outputs["out"])
    return scores_of(seen)


def keys_of(seen: Computed) -> Sequence[Keys]:
    """The keys by which experts are selected. No document rounds the sum with a bias: of scores
    that the call writes, it may also be compared as it is."""
    x, bias, attributes = in_float32(seen), seen.inputs.get("bias"), seen.attributes
    written, grouped = "out" in seen.outputs, is_grouped(x.shape[-1], attributes)
    if bias is None and not (grouped or written or attributes["norm_type"]):
        return (softmax_keys(x, seen.functions),)
    shift = np.zeros(x.shape[-1:], np.float32) if bias is None else widen(bias, np.float32)
    known = known_scores(seen)
    rounded = shifted(known, shift)
    classes = None if written else classes_of(seen.functions, x, shift)
    every = [rounded]
    if written and bias is not None:
        with np.errstate(invalid="ignore"):
            every.append(boxes.exact(known.low + shift))
    return tuple(
        Keys(
            box,
            classes=classes,
            groups=_groups(box, attributes, classes) if grouped else None,
            on_grid=box is rounded,
        )
        for box in every
    )


def shifted(score: Box, shift: Floats) -> Box:
    """RN(score + shift). It may be NaN of infinities: then nothing is promised of the row."""
    key = boxes.added(score, shift)
    lost = np.isneginf(shift) & np.isposinf(score.high) & ~score.unbounded
    return Box(np.where(lost, np.nan, key.low), np.where(lost, np.nan, key.high))


def is_grouped(experts: int, attributes: Any) -> bool:
    """Whether groups decide: not if all are kept, nor if each is one expert."""
    count = attributes["group_count"]
    return bool(1 < count < experts and attributes["k_group"] < count)


def _groups(keys: Box, attributes: Any, classes: Ids | None) -> Groups:
    """The scores of groups: the largest key of each, or the sum of its two largest, which may be
    NaN of infinities."""
    count = attributes["group_count"]
    score = largest = boxes.group_max(keys, count)
    if attributes["group_select_mode"]:
        score = boxes.group_top2(keys, count)
    lost = score.unbounded & ~largest.unbounded
    score = Box(np.where(lost, np.nan, score.low), np.where(lost, np.nan, score.high))
    equal = None if classes is None else equal_groups(classes, count)
    return Groups(score, attributes["k_group"], equal)


def weights(seen: Computed) -> Box:
    """What y may be at the positions that were selected."""
    attributes, functions = seen.attributes, seen.functions
    picked = chosen(known_scores(seen), seen.outputs["expert_idx"])
    if attributes["norm_type"] or attributes["renorm"]:
        eps = float(np.float32(attributes["eps"]))
        picked = boxes.shares(picked, functions.div, functions.reciprocal, eps)
    return boxes.scaled(picked, float(np.float32(attributes["routed_scaling_factor"])))


GATING = GroupedGating(make)
NO_SOFTPLUS = source_read("normType is 0 or 1 there", TILING)
VALUES = stated("yOut has the scores of the selected, normalised and scaled", "steps 5")
IDS = stated("expertIdxOut has the k largest of normValue, the largest first", "steps 2 to 4")
WRITTEN = stated("outFlag: outOut is normOut", "step 6")
UNWRITTEN = stated("without outFlag there is no such output", "step 6")
CALLS = GroupCalls(make, SIGMOID, (SOFTMAX, RENORM, SIGMOID, SOFTPLUS), DOCUMENT)


def plain(case: Case) -> Case:
    """The call without bias, groups and factor."""
    ungrouped = with_attributes(
        case, k_group=1, group_count=1, group_select_mode=0, routed_scaling_factor=1.0
    )
    return without(ungrouped, "bias")


SELECTION = Selection(
    "x", "y", "expert_idx", ("y", "expert_idx", "out"), shared=("bias",), plain=plain
)
NOTHING = stated("x is not empty; CANN answers the call", "constraints")
OPERATOR = Operator(
    **of_signature(SIGNATURE, GATING.cases),
    sources=(DOCUMENT, KERNEL, TILING, SORT),
    products=("Ascend910B", "Ascend910_93"),
    modes=(
        Mode(SOFTMAX, stated("normType 0, renorm 0: the softmax is the weight", "step 5")),
        Mode(RENORM, stated("normType 0, renorm 1: divided by the sum of the selected", "step 5")),
        Mode(SIGMOID, stated("normType 1: a sigmoid, divided by the sum", "step 5")),
        Mode(SOFTPLUS, stated("normType 2: the root of a softplus, divided by the sum", "step 5")),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        "y": Bounded(VALUES, weights, ("expert_idx", "out")),
        "expert_idx": Selected(IDS, keys_of, ("out",)),
        "out": Varying(
            lambda case: "written" if case.attributes["out_flag"] else "unwritten",
            {"written": Bounded(WRITTEN, scores_of), "unwritten": Unspecified(UNWRITTEN)},
        ),
    },
    cells=GATING.cells,
    examples=tuple(CALLS.examples()),
    rejections=rejections(SIGNATURE, *CALLS.rights, wrong=CALLS.wrong()),
    quarantine=(Quarantine("no rows", CALLS.call(sizes={"row": 0}), NOTHING),),
    limits=tuple(limits(DTYPES)),
    ladders=ladders(GATING.sized),
    workload_cases=by_scores(make, SIGMOID),
    relations=(
        descending(SELECTION),
        order_of_positions(SELECTION),
        constant_more(SELECTION, (SOFTMAX, RENORM)),
        further_rows(SELECTION),
        twice_the_factor(SELECTION, "routed_scaling_factor"),
    ),
    strided=of_written_code(SIGNATURE.parameters, TILING),
    each_tensor=as_listed(DOCUMENT),
    torch_npu=bound(
        SIGNATURE,
        "npu_moe_gating_top_k",
        ("y", "expert_idx", "out"),
        (),
        x="x",
        k="k",
        bias="bias",
        k_group="k_group",
        group_count="group_count",
        group_select_mode="group_select_mode",
        renorm="renorm",
        norm_type="norm_type",
        out_flag="out_flag",
        routed_scaling_factor="routed_scaling_factor",
        eps="eps",
    ),
    targets=(
        *supported(DOCUMENT),
        *(
            Target(product, Support.REJECTED, NO_SOFTPLUS, (SOFTPLUS,), TILING_FAILED)
            for product in ("Ascend910B", "Ascend910_93")
        ),
    ),
)
