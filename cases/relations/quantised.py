"""Relations of operators that route rows to experts and quantise them: what MoeInitRoutingV2 makes
of the same routing, and what factors, signs and powers of two do to int8."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from cases.operators._moe_init_routing_v2_call import BEFORE, COUNTS, FLAGS
from cases.operators._moe_init_routing_v2_call import SIGNATURE as V2
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.derive.calls import call
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.record.signature import Signature
from conformance.relations.axes import held, with_arrays

SOURCE = "the equations of the document"
STEPS = 2.0**-21
"""Relative: twice two steps of two divisions."""


def in_second_version(case: Case, mode: str, counts: str) -> Case:
    """The call of MoeInitRoutingV2 with the same routing; ``counts`` are those of its `FLAGS`."""
    asked = case.attributes
    (tokens, hidden), top_k = case.inputs["x"].shape, case.inputs["expert_idx"].shape[1]
    room = {"absent": (), "before": (BEFORE,)}.get(counts, (COUNTS,))
    other = call(
        V2,
        mode,
        case.dtype,
        {"token": tokens, "slot": top_k, "hidden": hidden},
        {name: {} for name in room},
        machine=case.machine,
        **FLAGS[counts],
        expert_capacity=asked["expert_capacity"],
        active_num=max(0, asked["active_num"]),
        expert_num=asked["expert_num"],
        drop_pad_mode=asked["drop_pad_mode"],
    )
    return replace(other, inputs={name: case.inputs[name] for name in other.inputs})


def of_factors(
    signature: Signature, scales: str, rows: Callable[[Case], int], modes: tuple[str, ...]
) -> tuple[Relation, ...]:
    """What holds of rows that are divided by a scale of their own, and multiplied with factors.

    ``scales`` is the output of their scales. A call may have so many ``rows`` of factors.
    """

    def ones(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        shape = rows(case), case.inputs["x"].shape[1]
        one = held(Tensor((), "float32"), np.ones(shape, np.float32))
        plain = {name: each for name, each in case.inputs.items() if name != "scale"}
        without = run(replace(case, inputs=plain))
        order = [each.name for each in signature.tensors if each.role == "input"]
        given = {**plain, "scale": one}
        seen = run(replace(case, inputs={name: given[name] for name in order if name in given}))
        for name, due in without.items():
            yield from difference(name, seen[name], due, "by the call without factors")

    def law(name: str, text: str, broken: Callable[..., Iterable[str]]) -> Relation:
        return Relation(name, inferred(text, SOURCE), broken, None, modes)

    return (
        law("factors of one", "factors of one change nothing", ones),
        law("twice the values", "scales have twice the size", _multiplied(2, scales)),
        law("other sign", "integers have the other sign", _multiplied(-1, scales)),
    )


def _multiplied(factor: int, scales: str) -> Callable[[Case, Outputs, Run], Iterable[str]]:
    """x times 2 or -1: a row's scale is twice as large or the same, its integers have its sign.

    A division that is off by a step may move what lies beside the middle of two integers.
    """

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        x: Any = case.arrays["x"]
        changed = (x.astype(np.float32) * np.float32(factor)).astype(x.dtype)
        if not np.isfinite(changed.astype(np.float32)).all():
            return
        seen = run(with_arrays(case, {"x": changed}))
        for name, array in outputs.items():
            times = {"expanded_x": np.sign(factor), scales: abs(factor)}.get(name, 1)
            due = np.asarray(array, np.float64) * times
            near = {"expanded_x": 1.0, scales: np.abs(due) * STEPS}.get(name, 0.0)
            far = np.flatnonzero(np.abs(np.asarray(seen[name], np.float64) - due) > near)
            for at in far[:1].tolist():
                found = seen[name].reshape(-1)[at]
                yield f"{name} has {found} at {at}, and must have about {due.reshape(-1)[at]}"

    return broken
