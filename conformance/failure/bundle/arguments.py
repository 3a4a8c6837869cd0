"""The arguments of a bundle's call, in the order of the signature, and the files that hold them."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from conformance.call.attribute import stored
from conformance.call.case import Case
from conformance.call.surroundings import OWN
from conformance.catalogue import bundle as say
from conformance.devices.call import call_of
from conformance.devices.guard_zones import GUARD_AFTER, GUARD_BEFORE, guard_pattern
from conformance.devices.messages import (
    DTYPES,
    AttributeArgument,
    IntArrayArgument,
    NullTensor,
    TensorArgument,
)
from conformance.devices.messages import Argument as Passed
from conformance.devices.placement import WORKSPACE, WORKSPACE_GUARD
from conformance.errors import text_of
from conformance.failure.bundle.manifest import GUARDS, Argument
from conformance.failure.bundle.stored import Arrays
from conformance.judge.sequences import alone
from conformance.record.operator import Operator
from conformance.suite.on_route import two_phase

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}", re.ASCII)
UNDEFINED = (ValueError, TypeError, LookupError, ArithmeticError)
"""What a record raises that says nothing of a case."""


def arguments_of(
    case: Case, operator: Operator | None, route: str, arrays: Arrays, number: int = 0
) -> tuple[tuple[Argument, ...], str]:
    """The arguments of a call, whose inputs are stored; or none, and why nothing is known of them.

    The inputs are stored in either case. ``number`` is that of a call before the bundle's, from 1.
    """
    if operator is None:
        why_not = say.NO_RECORD(operator=case.operator)
    elif case.breach is not None:
        why_not = say.BREACH()
    elif case.setting.stream != OWN:
        why_not = say.OTHER_STREAM(stream=case.setting.stream)
    else:
        try:
            passed = call_of(operator, alone(case), two_phase(route)).arguments
        except UNDEFINED as error:
            why_not = say.DOES_NOT_FIT(error=text_of(error))
        else:
            names = {one.name: one.acl_name for one in operator.parameters}
            made = tuple(_argument(one, names[one.name], case, arrays, number) for one in passed)
            arrays.add(guards_file(number), _guards(passed))
            return made, ""
    for name in case.inputs:
        _store(name, case, arrays, number)
    return (), why_not


def input_file(name: str, number: int = 0) -> str:
    """Where the elements of an input lie, of the call or of that before it of a number."""
    return f"{f'before{number}' if number else 'inputs'}/{name}.npy"


def rows_file(name: str, number: int = 0) -> str:
    """Where the numbers of a row-sparse input's rows lie."""
    return input_file(f"{name}.rows", number)


def guards_file(number: int) -> str:
    """Where the guard zones of a call lie."""
    return input_file(GUARDS.removesuffix(".npy"), number) if number else GUARDS


def _argument(passed: Passed, acl_name: str, case: Case, arrays: Arrays, number: int) -> Argument:
    made = Argument(name=passed.name, acl_name=acl_name, kind="null")
    if isinstance(passed, NullTensor):
        return made
    if isinstance(passed, AttributeArgument):
        made.kind, made.value = passed.ctype, stored(passed.value)
    elif not isinstance(passed, TensorArgument):
        made.kind = "int array" if isinstance(passed, IntArrayArgument) else "numbers"
        made.value = passed.values
    else:
        made.kind, made.role, made.dtype = "tensor", passed.role, passed.dtype
        made.data_type, made.itemsize = DTYPES[passed.dtype]
        made.shape = tuple(map(int, passed.shape))
        made.strides = None if passed.strides is None else tuple(map(int, passed.strides))
        made.start, made.spare = int(passed.start), int(passed.spare)
        made.format = passed.format
        if passed.role == "input":
            made.file, made.rows_file = _store(passed.name, case, arrays, number)
    return made


def _store(name: str, case: Case, arrays: Arrays, number: int) -> tuple[str, str]:
    """Store an input; the paths of its elements and of its rows, "" for what there is not."""
    tensor = case.inputs[name]
    held, rows = input_file(name, number), rows_file(name, number)
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
