"""The arguments of a bundle's call, in the order of the signature, and the files that hold them."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from conformance.bundle.manifest import GUARDS, Argument
from conformance.bundle.stored import Arrays
from conformance.case import Case
from conformance.devices.call import call_of
from conformance.devices.layout import GUARD_AFTER, GUARD_BEFORE, guard_pattern
from conformance.devices.messages import (
    DTYPES,
    AttributeArgument,
    IntArrayArgument,
    NullTensor,
    TensorArgument,
)
from conformance.devices.messages import Argument as Passed
from conformance.devices.placement import WORKSPACE, WORKSPACE_GUARD
from conformance.operator import Operator
from conformance.replay import Replay
from conformance.routes import two_phase

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}", re.ASCII)
UNDEFINED = (ValueError, TypeError, LookupError, ArithmeticError)
"""What a record raises that says nothing of a case."""


def arguments_of(
    replay: Replay, operator: Operator | None, arrays: Arrays
) -> tuple[tuple[Argument, ...], str]:
    """The arguments of a call, whose inputs are stored; or none, and why nothing is known of them.

    The inputs are stored in either case.
    """
    if operator is None:
        why_not = f"there is no record of {replay.case.operator}"
    else:
        try:
            passed = call_of(operator, replay.case, two_phase(replay.route)).arguments
        except UNDEFINED as error:
            why_not = f"the call does not fit the record: {error}"
        else:
            names = {one.name: one.acl_name for one in operator.parameters}
            made = tuple(_argument(one, names[one.name], replay.case, arrays) for one in passed)
            arrays.add(GUARDS, _guards(passed))
            return made, ""
    for name in replay.case.inputs:
        _store(name, replay.case, arrays)
    return (), why_not


def input_file(name: str) -> str:
    """Where the elements of an input lie."""
    return f"inputs/{name}.npy"


def rows_file(name: str) -> str:
    """Where the numbers of a row-sparse input's rows lie."""
    return f"inputs/{name}.rows.npy"


def _argument(passed: Passed, acl_name: str, case: Case, arrays: Arrays) -> Argument:
    made = Argument(name=passed.name, acl_name=acl_name, kind="null")
    if isinstance(passed, NullTensor):
        return made
    if isinstance(passed, AttributeArgument):
        made.kind, made.value = passed.ctype, passed.value
    elif not isinstance(passed, TensorArgument):
        made.kind = "int array" if isinstance(passed, IntArrayArgument) else "numbers"
        made.value = passed.values
    else:
        made.kind, made.role, made.dtype = "tensor", passed.role, passed.dtype
        made.data_type, made.itemsize = DTYPES[passed.dtype]
        made.shape = tuple(map(int, passed.shape))
        made.strides = None if passed.strides is None else tuple(map(int, passed.strides))
        if passed.role == "input":
            made.file, made.rows_file = _store(passed.name, case, arrays)
    return made


def _store(name: str, case: Case, arrays: Arrays) -> tuple[str, str]:
    """Store an input; the paths of its elements and of its rows, "" for what there is not."""
    tensor = case.inputs[name]
    held, rows = input_file(name), rows_file(name)
    arrays.add(held, tensor.held(case.arrays[name]))
    if tensor.rows is None:
        return held, ""
    arrays.add(rows, np.array(tensor.rows, np.int64))
    return held, rows


def _guards(passed: tuple[Passed, ...]) -> NDArray[np.uint8]:
    """The guard zones, [tensors and the workspace, bytes before and after]: a kernel that reads
    outside of its tensors reads them, so a program needs the same."""
    places = [at for at, one in enumerate(passed) if isinstance(one, TensorArgument)]
    zones = np.zeros((len(places) + 1, GUARD_BEFORE + GUARD_AFTER), np.uint8)
    for zone, place in zip(zones, places, strict=False):
        zone[:GUARD_BEFORE] = guard_pattern(2 * place, GUARD_BEFORE)
        zone[GUARD_BEFORE:] = guard_pattern(2 * place + 1, GUARD_AFTER)
    workspace = zones[-1]
    workspace[:WORKSPACE_GUARD] = guard_pattern(2 * WORKSPACE, WORKSPACE_GUARD)
    after = slice(WORKSPACE_GUARD, WORKSPACE_GUARD + GUARD_AFTER)
    workspace[after] = guard_pattern(2 * WORKSPACE + 1, GUARD_AFTER)
    return zones
