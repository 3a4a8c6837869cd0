"""Whether a case that came from outside is one: what a file may not smuggle into a verdict."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import ND, Attribute, Case, Machine, Tensor, integer_view, numpy_dtype
from conformance.call.surroundings import (
    AS_LEFT,
    BESIDE,
    DEFAULT,
    LEVELS,
    OWN,
    POISONED,
    ZEROED,
    Setting,
)
from conformance.devices.messages import DTYPES, FORMATS
from conformance.judge.copies import as_integers
from conformance.numerics.sources import Sources
from conformance.record.operator import AttributeParameter, Copy, Index, Operator, Sum
from conformance.values.fill import BITS, NAMES, PRESCRIBED, Fill
from conformance.values.special_rows import PLANTED

LARGEST_TENSOR = 2 << 30
"""Bytes of the largest tensor that a stored case may hold."""

LARGEST_REACH = 64 << 30
"""Bytes from the first to the last element of a row-sparse tensor: the memory of a large NPU."""

MOST_CORES = 64
MOST_BEFORE = 200
"""Calls that a stored case may have before it."""

UB_BYTES = range(1024, 196608 + 1, 32)
"""What a simulated machine may have: docs/explanation/architecture.md, "The simulated device"."""


class IllegalCase(ValueError):  # noqa: N818
    """What is wrong with a case: the parameter, its value, the rule."""


def check_shape_and_data(case: Case) -> None:
    """Check what every case must be, whatever it is judged as. Raises `IllegalCase`."""
    for name, tensor in {**case.inputs, **case.outputs}.items():
        _check_tensor(name, tensor)
    for name, tensor in case.outputs.items():
        _require(tensor.rows is None, f"{name}.rows", "a list", "none: an output has all its rows")
        rule = "such that no two elements share a place: only an input may be broadcast"
        _require(not tensor.broadcast, f"{name}.strides", tensor.strides, rule)
    if case.machine is not None:
        _check_machine(case.machine)
    _check_setting(case.setting)
    count = len(case.before)
    _require(count <= MOST_BEFORE, "before", f"{count} calls", f"{MOST_BEFORE} calls or fewer")
    for one in case.before:
        deep = f"a call with {len(one.before)} calls before it"
        _require(not one.before, "before", deep, "calls with none before them")


def check_call(case: Case, operator: Operator) -> None:
    """Check that a case is a call that ``operator`` must carry out. Raises `IllegalCase`."""
    check_shape_and_data(case)
    kept = case.breach is None
    _require(kept, "breach", case.breach, "null: a call that breaks the protocol is refused")
    _require_one_of("mode", case.mode, [mode.name for mode in operator.modes])
    newer = [one.dtype for one in operator.newer]
    _require_one_of("dtype", case.dtype, [*operator.dtypes, *newer])
    attributes = {p.name for p in operator.parameters if isinstance(p, AttributeParameter)}
    _require_names("attributes", set(case.attributes), attributes)
    for parameter in operator.parameters:
        if isinstance(parameter, AttributeParameter):
            _check_attribute(parameter, case.attributes[parameter.name])
    for role, tensors in (("input", case.inputs), ("output", case.outputs)):
        declared = {p.name: p for p in operator.tensors if p.role == role}
        optional = {name for name, parameter in declared.items() if parameter.optional}
        _require_names(f"{role}s", set(tensors) | optional, set(declared))
        for name, tensor in tensors.items():
            allowed = declared[name].dtypes(case.dtype)
            _require(tensor.dtype in allowed, f"{name}.dtype", tensor.dtype, " or ".join(allowed))
            rule = f"{ND}: a call in another format is refused"
            _require(tensor.format == ND, f"{name}.format", tensor.format, rule)
    for name in case.outputs:
        contract = operator.contract(name, case)
        if isinstance(contract, Copy | Index):
            _check_moved(name, contract, case, operator)
        if not isinstance(contract, Sum):
            continue
        try:
            terms = contract.terms(case.arrays, case.attributes)
            sources = Sources.of(terms, case.inputs)
            rows, columns = sources.view
            terms.validate(rows)
            out, wanted = case.outputs[name].shape, (len(terms.rows), columns)
            fits = terms.view(out) == wanted
            _require(fits, f"{name}.shape", out, f"{wanted[0]} rows of {columns} columns")
            lacking = sources.lacking(case.inputs)
            held = case.inputs[terms.source].rows
            _require(not lacking, f"{terms.source}.rows", held, f"with {lacking} too")
        except (ValueError, TypeError) as error:
            raise IllegalCase(str(error)) from error


def _check_attribute(parameter: AttributeParameter, value: Attribute) -> None:
    """An int array holds integers or is absent, a scalar is one integer; all fit into int64."""
    array = value is None or isinstance(value, tuple)
    rule = "integers of 64 bits, or null" if parameter.ctype == "int array" else "one integer"
    _require(array == (parameter.ctype == "int array"), parameter.name, value, rule)
    for number in (value or ()) if array else (value,):
        low, high = _range(np.dtype(np.int64))
        _require(low <= number <= high, parameter.name, number, f"{low} to {high}")


def _check_moved(name: str, contract: Copy | Index, case: Case, operator: Operator) -> None:
    """The formula must be defined on the case, and give the output its shape."""
    inputs = case.arrays
    try:
        if isinstance(contract, Copy):
            inputs = as_integers(inputs, contract.moved)
        expected = np.shape(operator.formula(inputs, case.attributes)[name])
    except (ValueError, TypeError) as error:
        raise IllegalCase(str(error)) from error
    shape = case.outputs[name].shape
    _require(shape == expected, f"{name}.shape", shape, str(expected))


def _check_tensor(name: str, tensor: Tensor) -> None:
    _require_one_of(f"{name}.dtype", tensor.dtype, list(DTYPES))
    _require_one_of(f"{name}.format", tensor.format, list(FORMATS))
    whole = all(size >= 0 for size in tensor.shape)
    _require(whole, f"{name}.shape", tensor.shape, "sizes of 0 or more")
    if tensor.rows is not None:
        _check_rows(name, tensor)
    reach = tensor.size
    if tensor.strides is not None:
        reach = _check_strides(name, tensor, tensor.strides)
    for field, count in (("start", tensor.start), ("spare", tensor.spare)):
        _require(count >= 0, f"{name}.{field}", count, "0 or more elements")
        whole = tensor.rows is None or count == 0
        _require(whole, f"{name}.{field}", count, "0: the tensor lists rows")
        reach += count
    elements = tensor.held_size
    for count, limit in ((elements, LARGEST_TENSOR), (reach, LARGEST_REACH)):
        most = limit // DTYPES[tensor.dtype][1]
        _require(count <= most, f"{name}.shape", tensor.shape, f"at most {most} elements")
    both = tensor.values is not None and tensor.fill is not None
    _require(not both, name, "values and fill", "one of them, or none")
    if tensor.values is not None:
        count = len(tensor.values)
        _require(count == elements, f"{name}.values", f"{count} values", f"{elements}, the shape's")
        dtype = integer_view(numpy_dtype(tensor.dtype))
        low, high = _range(dtype)
        beyond = next((value for value in tensor.values if not low <= value <= high), low)
        _require(low <= beyond <= high, f"{name}.values", beyond, f"{low} to {high}")
        _check_shared(name, tensor, np.array(tensor.values, dtype).reshape(tensor.held_shape))
    if tensor.fill is not None:
        _require("float" in tensor.dtype, f"{name}.fill", tensor.dtype, "of a floating dtype")
        _check_fill(name, tensor.fill)
    rows = math.prod(tensor.shape[:-1])
    stray = next((row for row in tensor.unread if not 0 <= row < rows), None)
    _require(stray is None, f"{name}.unread", stray, f"rows from 0 to {rows - 1}")
    read = not (tensor.unread and tensor.broadcast)
    _require(read, f"{name}.unread", tensor.unread, "none: broadcast rows share their places")
    absent = tensor.lacks(np.array(tensor.unread, np.int64)).tolist()
    _require(not absent, f"{name}.unread", absent, f"some of its rows, {tensor.rows}")


def _check_rows(name: str, tensor: Tensor) -> None:
    """What the list of a row-sparse tensor must be: its recipes and offsets count on it."""
    _require(tensor.size > 0, f"{name}.shape", tensor.shape, "sizes above 0, as it lists rows")
    assert tensor.rows is not None
    rows = math.prod(tensor.shape[:-1])
    stray = next((row for row in tensor.rows if not 0 <= row < rows), None)
    _require(stray is None, f"{name}.rows", stray, f"rows from 0 to {rows - 1}")
    ascending = all(one < other for one, other in pairwise(tensor.rows))
    _require(ascending, f"{name}.rows", tensor.rows, "ascending")


def _check_strides(name: str, tensor: Tensor, strides: tuple[int, ...]) -> int:
    """Elements from the first to the last; no two may lie in one place, unless broadcast."""
    _require(tensor.rows is None, f"{name}.strides", strides, "none: the tensor lists rows")
    ranks = len(strides) == len(tensor.shape)
    _require(ranks, f"{name}.strides", strides, f"one for each axis of {tensor.shape}")
    reach = 1
    for stride, size in sorted(zip(strides, tensor.shape, strict=True)):
        apart = size <= 1 or stride == 0 or stride >= reach or not tensor.size
        rule = "such that no two elements share a place, unless a stride is 0"
        _require(apart, f"{name}.strides", strides, rule)
        reach += max(size - 1, 0) * stride
    return reach if tensor.size else 0


def _check_shared(name: str, tensor: Tensor, values: NDArray[Any]) -> None:
    """Elements that share a place must have one value."""
    for axis in tensor.broadcast:
        first = values.take([0], axis)
        rule = f"equal along axis {axis}, whose stride is 0"
        _require(bool((values == first).all()), f"{name}.values", "unequal", rule)


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The least and the largest value of an integer dtype or bool."""
    if dtype.kind == "b":
        return 0, 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _check_fill(name: str, fill: Fill) -> None:
    _require(bool(fill.stripes), f"{name}.fill.stripes", "none", "at least one family")
    for stripe in fill.stripes:
        _require_one_of(f"{name}.fill.stripes", stripe, [*NAMES, BITS, PLANTED, *PRESCRIBED])
    _require(0 <= fill.seed < 2**64, f"{name}.fill.seed", fill.seed, "0 to 2^64 - 1")
    _require(fill.terms >= 1, f"{name}.fill.terms", fill.terms, "1 or more")


def _check_machine(machine: Machine) -> None:
    known = re.fullmatch(r"forward|reverse|shuffled:\d{1,18}", machine.block_order) is not None
    rule = "forward, reverse or shuffled:SEED with a seed of up to 18 digits"
    _require(known, "machine.block_order", machine.block_order, rule)
    cores = 1 <= machine.cores <= MOST_CORES
    _require(cores, "machine.cores", machine.cores, f"1 to {MOST_CORES}")
    rule = f"a multiple of {UB_BYTES.step} from {UB_BYTES.start} to {UB_BYTES[-1]}"
    _require(machine.ub_bytes in UB_BYTES, "machine.ub_bytes", machine.ub_bytes, rule)


def _check_setting(setting: Setting) -> None:
    _require_one_of("setting.memory", setting.memory, [POISONED, ZEROED, AS_LEFT])
    _require_one_of("setting.stream", setting.stream, [OWN, DEFAULT, BESIDE])
    rule = ", ".join(map(str, LEVELS))
    _require(setting.determinism in LEVELS, "setting.determinism", setting.determinism, rule)


def _require_names(what: str, seen: set[str], declared: set[str]) -> None:
    rule = ", ".join(sorted(declared))
    _require(seen == declared, what, ", ".join(sorted(seen)) or "none", rule)


def _require_one_of(parameter: str, value: str, allowed: list[str]) -> None:
    _require(value in allowed, parameter, value, f"one of {', '.join(allowed)}")


def _require(holds: bool, parameter: str, value: object, rule: str) -> None:
    if not holds:
        raise IllegalCase(f"{parameter} is {value}; it must be {rule}")
