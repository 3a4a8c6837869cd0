"""Which levels go together, as workers have worked it out, for the controller of the run.

A worker works it out of the modes whose rows it judges, and the controller needs it of all of them
at the end: to ask every constraint of twelve operators again takes seconds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest

from conformance.names import cell_id
from conformance.record.cells import Cells
from conformance.record.operator import Operator

WORKED_OUT = "conformance_worked_out"
"""The key of it among what a worker hands to its controller."""


class Worker:
    """The hook of an xdist worker that hands over what it has worked out."""

    def __init__(self, operators: Iterable[Operator]) -> None:
        self._operators = operators

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """xdist sends it to the controller when all hooks of this name have run.

        An error of a record ends no session: its items have told of it, and the controller will.
        """
        output: dict[str, Any] = session.config.workeroutput  # type: ignore[attr-defined]
        with contextlib.suppress(Exception):
            output[WORKED_OUT] = packed(self._operators)


def packed(operators: Iterable[Operator]) -> dict[str, bytes]:
    """What this process has worked out, by the cell's name."""
    every = ((name, cells.packed) for name, cells in _cells_of(operators))
    return {name: known for name, known in every if known is not None}


def adopt(operators: Iterable[Operator], known: Mapping[str, bytes]) -> None:
    """Take what workers of the same run have worked out; what none has is worked out here."""
    for name, cells in _cells_of(operators):
        if name in known:
            cells.adopt(known[name])


def _cells_of(operators: Iterable[Operator]) -> Iterator[tuple[str, Cells]]:
    for operator in operators:
        if operator.cells is None:
            continue
        for mode, dtype in operator.declared_cells:
            yield cell_id(operator.name, mode, dtype), operator.cells(mode, dtype)
