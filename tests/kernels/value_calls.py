"""Calls of a record with what each must give (`by_definition`): those it lists, and drawn ones.

They are the same each time. Those that are drawn are small, or lie on a seam of a small machine, so
that several tiles, batches, cores and merges are reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Machine, Tensor
from conformance.call.findings import errors
from conformance.call.observation import Observation, Outcome
from conformance.devices.device import Device
from conformance.draw.profiles import PROFILES
from conformance.mutants.drawn_cases import drawn
from conformance.record.operator import Operator
from conformance.session.planned_cases import plan
from tests.kernels.by_definition import Wanted, expected
from tests.kernels.loop_elements import Array, stored
from tests.kernels.special_calls import far_weights, special

MOST = 60_000
"""Elements of a tensor of a call that is drawn, or documented."""

SEAMS, SMALL, FREE = 54, 36, 27
"""Drawn cases of each kind, of all modes and data types of an operator together."""

ROWS, EDGES = 60, 40
"""Rows of the discrete cells, and edges: the first of each as many."""

MACHINES = (
    Machine(1, 1024),
    Machine(2, 1024, "reverse"),
    Machine(3, 2048, "shuffled:0"),
    Machine(7, 1024, "shuffled:1"),
    Machine(3, 4096, "reverse"),
    Machine(5, 1024, "shuffled:2"),
    Machine(48, 2048, "shuffled:3"),
)

PROFILE = PROFILES["smoke"]


@dataclass(frozen=True)
class Value:
    """A call and what its outputs must hold. One that is ``doubtful`` may be refused."""

    name: str
    case: Case
    expected: Mapping[str, Wanted]
    doubtful: bool = False


def values(operator: Operator) -> Iterator[Value]:
    """The documented calls, drawn ones, and those that a record has not; none of which documents do
    not say the result.
    """
    doubtful = {one.name for one in operator.quarantine}
    for name, case in (*documented(operator), *cases(operator)):
        if is_small(case):
            with suppress(ValueError):
                yield Value(name, case, expected(case), name in doubtful)
    for name, case in special(operator):
        yield Value(name, case, expected(case))


def documented(operator: Operator) -> Iterator[tuple[str, Case]]:
    """Those in quarantine too: our kernels answer them, as the vendor's host and kernels do."""
    every = (*operator.examples, *operator.quarantine)
    return ((one.name, one.case) for one in every if not one.case.before)


def far(operator: Operator) -> Iterator[Value]:
    """The first documented call with a row beyond 2^32 elements, of which few exist."""
    for name, case in documented(operator):
        if any(tensor.rows and tensor.size > 1 << 32 for tensor in case.inputs.values()):
            yield Value(name, case, expected(near(case)))
            for other in far_weights(case):
                yield Value(f"{name}, weighted", other, expected(other))
            return


def near(case: Case) -> Case:
    """The same call with none but the rows that exist, if they are few of very many."""
    for name, tensor in case.inputs.items():
        if tensor.rows and len(tensor.shape) * MOST < tensor.size // tensor.shape[-1]:
            places = {row: at for at, row in enumerate(tensor.rows)}
            held = tensor.held(case.arrays[name])
            shape = (*(1 for _ in tensor.shape[2:]), *held.shape)
            made = {name: Tensor(shape, tensor.dtype, tuple(stored(held).reshape(-1).tolist()))}
            for other, indices in case.inputs.items():
                if indices.values is not None and indices.dtype == "int32":
                    moved = tuple(places[row] for row in indices.values)
                    made[other] = replace(indices, values=moved)
            return replace(case, inputs={**case.inputs, **made})
    return case


def cases(operator: Operator) -> Iterator[tuple[str, Case]]:
    """The drawn calls, each with a name."""
    cells = operator.declared_cells
    for mode, dtype in cells:
        planned = plan(operator, mode, dtype, PROFILE, beside=operator.dtypes_in(mode))
        assert planned.cells is not None
        assert operator.small_cases is not None
        assert operator.seam_cases is not None
        rows, near = spread(planned.rows, ROWS / len(cells)), planned.cells.edges
        kinds = [
            ("seam", operator.seam_cases(mode, dtype), -(-SEAMS // len(cells))),
            ("small", operator.small_cases(mode, dtype), -(-SMALL // len(cells))),
            ("free", operator.cases(mode, dtype), -(-FREE // len(cells))),
            *((f"row {at}", planned.cells.cases(row), 1) for at, row in rows),
        ]
        for _, edge in spread(planned.edges, EDGES / len(cells)) if near else ():
            kinds.append((edge.name, near.cases(edge), 1))
        for kind, strategy, count in kinds:
            for case in drawn(strategy, count, 0, f"{mode} {dtype} {kind}"):
                yield f"{mode} {dtype} {kind}", case


def spread(every: Sequence[Any], count: float) -> Iterator[tuple[int, Any]]:
    """So many of a sequence, from all its parts, each with its place."""
    step = max(1, round(len(every) / count))
    return ((at, every[at]) for at in range(0, len(every), step))


def is_small(case: Case) -> bool:
    return all(tensor.size <= MOST for tensor in (*case.inputs.values(), *case.outputs.values()))


def difference(value: Value, seen: Observation) -> str:
    """What is wrong with the answer; empty where nothing is."""
    if value.doubtful and seen.outcome is Outcome.REJECTED:
        return ""
    if seen.outcome is not Outcome.COMPLETED:
        return f"{seen.outcome.value}: {seen.message}"
    for told in (*errors(seen), *seen.guard_damage, *seen.inputs_changed):
        return str(told)
    for name, wanted in value.expected.items():
        got = seen.outputs[name]
        idle = seen.unwritten_at.get(name, np.zeros(got.shape, np.bool_))
        wrong = (idle != wanted.idle) | ~(same(got, wanted) | idle)
        if wrong.any():
            at = tuple(int(axis[0]) for axis in np.nonzero(wrong))
            must = "unwritten" if wanted.idle[at] else wanted.elements[at]
            return f"{name}{list(at)} is {got[at]}, it must be {must}"
    return ""


def same(got: Array, wanted: Wanted) -> NDArray[np.bool_]:
    """Which elements are the same bit by bit; of those that are computed, also two NaNs."""
    kind = f"u{got.itemsize}"
    found: NDArray[np.bool_] = got.view(kind) == wanted.elements.view(kind)
    if wanted.computed:
        found |= np.isnan(got.astype(np.float32)) & np.isnan(wanted.elements.astype(np.float32))
    return found


def differences(
    operator: Operator, value: Value, devices: Mapping[str, Device], turn: int
) -> Iterator[str]:
    """What is wrong with the answers on the call's own machine, and on a small one by turns,
    through the vendor's interface if the mode can be called there.

    The same call has the same result there, unless the buffer is too small for its slots.
    """
    yield difference(value, devices["kernel"].run(operator, value.case))
    mode = next(one for one in operator.modes if one.name == value.case.mode)
    small = replace(value.case, machine=MACHINES[turn % len(MACHINES)])
    seen = devices[mode.routes[0] if mode.routes else "aclnn"].run(operator, small)
    if seen.outcome is not Outcome.REJECTED or "the unified buffer is " not in seen.message:
        yield difference(value, seen)
