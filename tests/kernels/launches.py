"""Cases of every operator on a simulated device whose settings come from the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.draw.plain import plainly
from conformance.record.operator import Operator
from conformance.suite.on_route import on_route

ROUTE = "kernel"
"""By this one all modes of the kernels can be called."""

MOST_DRAWS = 1000
"""Draws among which are some small cases."""


@contextmanager
def simulator(settings_of_process: Mapping[str, str], libraries: Path | None) -> Iterator[Device]:
    """A device whose process has these variables in its environment."""
    before = {name: os.environ.get(name) for name in settings_of_process}
    os.environ.update(settings_of_process)
    try:
        device = open_device("sim", libraries=libraries, route=ROUTE)
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    try:
        yield device
    finally:
        device.close()


def drawn(operator: Operator, per_cell: int, *, most_elements: int) -> list[Case]:
    """The same cases each time: small, of every mode and dtype, on small and large machines."""
    return [
        case
        for mode, dtype in on_route(operator, ROUTE).declared_cells
        for case in _small(operator.cases(mode, dtype), per_cell, most_elements)
    ]


def _small(cases: SearchStrategy[Case], count: int, most_elements: int) -> list[Case]:
    made = (case for case, _ in plainly(cases, MOST_DRAWS, 1, often_filtered=True))
    found = list(islice((case for case in made if elements(case) <= most_elements), 2 * count))
    found.sort(key=_machine)
    return [found[(2 * index + 1) * len(found) // (2 * count)] for index in range(count)]


def elements(case: Case) -> int:
    """Of all tensors of a call."""
    return sum(tensor.size for tensor in (*case.inputs.values(), *case.outputs.values()))


def _machine(case: Case) -> tuple[int, int, int]:
    """Few cores and little buffer first, where a core has most to do one after the other."""
    cores, ub = (case.machine.cores, case.machine.ub_bytes) if case.machine else (99, 0)
    return cores, ub, -max(one.size for one in case.outputs.values())
