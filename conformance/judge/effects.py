"""What every judge of a call looks at: what was written, in which shape, and what else was done."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.call.findings import errors
from conformance.call.observation import Observation, Outcome
from conformance.catalogue.verdict import (
    COMPLETED_WITH_STATUS,
    INPUTS_CHANGED,
    MACHINE_REPORTS,
    NO_OUTPUT,
    OUTSIDE_WRITTEN,
    SHAPE_MISFIT,
    VALUES_RIGHT_BUT,
)
from conformance.record.contract import Contract, Unspecified


def specified_elements(
    contract: Contract, case: Case, observed: NDArray[Any]
) -> NDArray[np.bool_] | None:
    """Which elements of an output the contract speaks of; None: all.

    Raises ValueError for a mask that does not broadcast to the output.
    """
    if isinstance(contract, Unspecified) or contract.specified is None:
        return None
    specified = contract.specified(case.arrays, case.attributes)
    if specified.shape == observed.shape:
        return specified
    return np.broadcast_to(specified, observed.shape)


def count_unwritten(
    observation: Observation, name: str, specified: NDArray[np.bool_] | None
) -> int:
    """How many elements of which a contract speaks were not written. If a device counts them and
    does not say which they are, those that are left open may be among them.
    """
    count = observation.unwritten.get(name, 0)
    if specified is None or not count:
        return count
    if (where := observation.unwritten_at.get(name)) is None:
        return max(0, count - int(np.count_nonzero(~specified)))
    return int(np.count_nonzero(where & specified))


def shape_misfit(case: Case, name: str, observation: Observation) -> str:
    """How an observed output differs in shape or dtype from the case's; empty if it does not."""
    declared = case.outputs[name]
    if name not in observation.outputs:
        return NO_OUTPUT(name=name)
    seen = observation.outputs[name]
    if seen.shape == declared.shape and seen.dtype == numpy_dtype(declared.dtype):
        return ""
    return SHAPE_MISFIT(
        name=name,
        seen=f"{seen.dtype.name}{list(seen.shape)}",
        declared=f"{declared.dtype}{list(declared.shape)}",
    )


def side_effects(observation: Observation, *, values_right: bool) -> list[str]:
    """What else a call must not do, for the headline."""
    problems: list[str] = []
    if observation.outcome is Outcome.COMPLETED and observation.status != 0:
        problems.append(COMPLETED_WITH_STATUS(status=observation.status))
    count = len(errors(observation))
    if count:
        machine = MACHINE_REPORTS(count=count, code=errors(observation)[0].code)
        problems.append(VALUES_RIGHT_BUT(what=machine) if values_right else machine)
    for damage in observation.guard_damage:
        problems.append(OUTSIDE_WRITTEN(count=damage.count, buffer=damage.buffer))
    if observation.inputs_changed:
        problems.append(INPUTS_CHANGED(names=tuple(observation.inputs_changed)))
    return problems
