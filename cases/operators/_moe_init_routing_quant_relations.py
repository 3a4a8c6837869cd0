"""Relations of MoeInitRoutingQuant: it sorts as MoeInitRouting does, and quantises as the static
mode of MoeInitRoutingQuantV2 does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from cases.operators._moe_init_routing_call import AXES
from cases.operators._moe_init_routing_call import SIGNATURE as FIRST
from cases.operators._moe_init_routing_quant_v2_call import ENDS
from cases.operators._moe_init_routing_quant_v2_call import SIGNATURE as SECOND
from cases.relations.quantised import SOURCE
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.derive.calls import call
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held, with_arrays
from conformance.relations.symmetries import symmetry


def _of_the_first(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """MoeInitRouting has the same row indices and experts."""
    moved = replace(case.outputs["expanded_x"], dtype=case.dtype)
    asked = {"active_num": case.attributes["active_num"]}
    seen = run(
        replace(
            case,
            operator=FIRST.operator,
            attributes=asked,
            outputs={**case.outputs, "expanded_x": moved},
        )
    )
    for name in ("expanded_row_idx", "expanded_expert_idx"):
        yield from difference(name, outputs[name], seen[name], "by MoeInitRouting")


def _in_columns(case: Case) -> Case | None:
    """The call with its slots counted column by column, if it keeps rows."""
    tokens, top_k = case.inputs["row_idx"].shape
    if 0 in (tokens, top_k, case.attributes["active_num"]):
        return None
    rows = np.arange(tokens * top_k, dtype=np.int32).reshape(top_k, tokens).T
    return with_arrays(case, {"row_idx": rows})


def _of_the_second(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """MoeInitRoutingQuantV2 has the same rows, but for the middle of two integers, where it may
    round otherwise; its ranks are the transpose."""
    experts, (tokens, hidden) = case.arrays["expert_idx"], case.inputs["x"].shape
    top_k, asked = experts.shape[1], case.attributes
    dense = np.unique(experts, return_inverse=True)[1].reshape(experts.shape).astype(np.int32)
    given = {
        "x": case.inputs["x"],
        "expert_idx": held(Tensor((), "int32"), dense),
        **{
            name: held(Tensor((), "float32"), np.array([asked[name]], np.float32))
            for name in ("scale", "offset")
        },
    }
    active = min(tokens, asked["active_num"]) * top_k if case.mode == "active" else 0
    sizes = {"token": tokens, "slot": top_k, "hidden": hidden, "one": 1}
    fields = {"scale": {}, "offset": {}, "x": {"dtype": case.dtype}}
    made = call(SECOND, ENDS[0], case.dtype, sizes, fields, machine=case.machine, active_num=active)
    seen = run(replace(made, mode=f"{case.mode}{ENDS[0]}", inputs=given))
    ranks = seen["expanded_row_idx"].reshape(tokens, top_k).T.reshape(-1)
    by = "by MoeInitRoutingQuantV2"
    yield from difference("expanded_row_idx", outputs["expanded_row_idx"], ranks, by)
    own, due = (one["expanded_x"].astype(int) for one in (outputs, seen))
    for at in np.flatnonzero(np.abs(own - due) > 1)[:1].tolist():
        found = own.reshape(-1)[at], due.reshape(-1)[at]
        yield f"expanded_x has {found[0]} at {at}, and must have about {found[1]} {by}"


RELATIONS = (
    symmetry(AXES, "hidden"),
    symmetry(AXES, "row"),
    Relation(
        "ranks of MoeInitRouting",
        inferred("both find the same ranks and experts", SOURCE),
        _of_the_first,
        beside=(FIRST.operator,),
    ),
    Relation(
        "rows of MoeInitRoutingQuantV2",
        inferred("of slots counted column by column both quantise the same rows", SOURCE),
        _of_the_second,
        _in_columns,
        beside=(SECOND.operator,),
    ),
)
