"""Relations of MoeInitRoutingQuantV2: it routes as MoeInitRoutingV2 does, and divides rows as
MoeInitRoutingV3 does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from cases.operators._moe_init_routing_quant_v2_call import ENDS, MODES, SCALES, SIGNATURE
from cases.operators._moe_init_routing_v2_call import BEFORE_FLAG, COUNTS_FLAG, FLAGS
from cases.operators._moe_init_routing_v2_call import SIGNATURE as V2
from cases.operators._moe_init_routing_v3_call import BASES, RANGE
from cases.operators._moe_init_routing_v3_call import COUNTS as COUNTS_OF_V3
from cases.operators._moe_init_routing_v3_call import SIGNATURE as V3
from cases.relations.copy_adjoints import ranked
from cases.relations.quantised import SOURCE, STEPS, in_second_version, of_factors
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import Axes
from conformance.relations.symmetries import symmetry

BY_ONE, BY_OWN = (tuple(mode for mode in MODES if mode.endswith(end)) for end in ENDS)
NAMES = ranked("expanded_row_idx", "expanded_x", "x")
MOST_EXPERTS = 10240
"""Of MoeInitRoutingV3."""

NEAR = 2.0**-14
"""How far from the middle of two integers a quotient may become either. It is below 128: two scales
that are a step off and two divisions that are move it by less."""


def _second_version(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """MoeInitRoutingV2 has the same row indices and counts."""
    asked = case.attributes
    flag = BEFORE_FLAG if asked["drop_pad_mode"] == 1 else COUNTS_FLAG
    shown = (name for name, flags in FLAGS.items() if flags == {flag: asked[flag]})
    base = next(one for one in BASES if case.mode.startswith(one))
    seen = run(in_second_version(case, base, next(shown, "absent")))
    for name in (one for one in seen if one != "expanded_x"):
        yield from difference(name, outputs[name], seen[name], "by MoeInitRoutingV2")


def _for_second_version(case: Case) -> Case | None:
    """The case, if its capacity is not that of all tokens, which that version does not have."""
    padded = case.attributes["drop_pad_mode"] == 1
    full = case.attributes["expert_capacity"] >= case.inputs["x"].shape[0]
    return None if padded and full else case


def _in_third_version(case: Case) -> Case | None:
    """The call of MoeInitRoutingV3 that quantises the same rows; None if it has none."""
    asked, experts = case.attributes, case.arrays["expert_idx"]
    count = max(int(asked["expert_num"]), int(experts.max(initial=0)) + 1)
    if count > MOST_EXPERTS or _for_second_version(case) is None or not experts.size:
        return None
    own = {name: asked[name] for name in asked.keys() & {one.name for one in V3.attributes}}
    others = {"expert_num": count, RANGE: (0, count), "row_idx_type": 0}
    kind = {"expert_tokens_num_type": 1, "expert_tokens_num_flag": 1}
    attributes = {one.name: {**own, **others, **kind}[one.name] for one in V3.attributes}
    outputs = {
        "expanded_x": case.outputs["expanded_x"],
        "expanded_row_idx": case.outputs["expanded_row_idx"],
        COUNTS_OF_V3: Tensor((count,), "int64"),
        "expanded_scale": case.outputs[SCALES],
    }
    inputs = {name: one for name, one in case.inputs.items() if name != "offset"}
    return replace(
        case, operator=V3.operator, attributes=attributes, inputs=inputs, outputs=outputs
    )


def _third_version(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """MoeInitRoutingV3 has the same scales, up to the steps of a division, and the same integers,
    but for the middle of two."""
    asked = _in_third_version(case)
    assert asked is not None
    seen, by = run(asked), "by MoeInitRoutingV3"
    own, due = outputs[SCALES].astype(np.float64), seen["expanded_scale"].astype(np.float64)
    for at in np.flatnonzero(np.abs(own - due) > due * STEPS)[:1].tolist():
        yield f"{SCALES} has {own[at]} at {at}, and must have about {due[at]} {by}"
    hidden = case.inputs["x"].shape[1]
    mine, other = (one["expanded_x"].reshape(-1, hidden).astype(int) for one in (outputs, seen))
    slots = np.full(len(mine), -1)
    names = NAMES(case, outputs).reshape(-1)
    slots[names[names >= 0]] = np.flatnonzero(names >= 0)
    for row, column in np.argwhere(mine != other).tolist():
        far = abs(mine[row, column] - other[row, column]) > 1
        if own[row] > 0 and (far or not _is_tie(case, slots[row], column, own[row])):
            found = mine[row, column], other[row, column]
            yield f"expanded_x has {found[0]} at [{row}, {column}], and must have {found[1]} {by}"
            return


def _is_tie(case: Case, slot: int, column: int, scale: float) -> bool:
    """Whether the quotient of an element of a slot's row lies near the middle of two integers."""
    experts = case.arrays["expert_idx"]
    value: Any = np.float32(case.arrays["x"][slot // experts.shape[1], column])
    factors = case.arrays.get("scale")
    if factors is not None:
        value = value * factors[experts.reshape(-1)[slot] if len(factors) > 1 else 0, column]
    quotient = abs(float(value)) / scale
    return slot >= 0 and abs(quotient % 1 - 0.5) < NEAR


RELATIONS = (
    *(
        symmetry(Axes.of(SIGNATURE.of_mode(form)), "hidden", modes=modes)
        for end, some in zip(ENDS, (BY_ONE, BY_OWN), strict=True)
        for form, modes in ((end, some[:2]), (f"drop_pad{end}", some[2:]))
    ),
    Relation(
        "routing of MoeInitRoutingV2",
        inferred("both find the same rows and counts", SOURCE),
        _second_version,
        _for_second_version,
        beside=(V2.operator,),
    ),
    Relation(
        "rows of MoeInitRoutingV3",
        inferred("both divide the same rows, and may round the middle of two otherwise", SOURCE),
        _third_version,
        lambda case: None if _in_third_version(case) is None else case,
        BY_OWN,
        beside=(V3.operator,),
    ),
    *of_factors(SIGNATURE, SCALES, lambda case: 1, BY_OWN),
)
