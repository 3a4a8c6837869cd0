"""Whether a case that came from outside is one: what a file may not smuggle into a verdict."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import (
    FUNCTIONS,
    ND,
    Attribute,
    Case,
    Machine,
    Tensor,
    integer_view,
    numpy_dtype,
)
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
from conformance.catalogue import legality as say
from conformance.catalogue.marks import NONE, OR
from conformance.catalogue.message import Message, row
from conformance.devices.messages import DTYPES, FORMATS
from conformance.errors import text_of
from conformance.judge.copies import as_integers
from conformance.numerics.sources import Sources
from conformance.record.contract import Computing, Contract, Copy, Index, Sum
from conformance.record.operator import AttributeParameter, Operator
from conformance.values.fill import BITS, INTEGERS, NAMES, UNMIXED, Fill
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


Found = dict[tuple[tuple[str, ...] | None, ...], Mapping[str, Any]]
"""What a formula gave, by the inputs that it read as integers."""


class IllegalCase(ValueError):  # noqa: N818
    """What is wrong with a case: the parameter, its value, the rule."""


def check_shape_and_data(case: Case) -> None:
    """Check what every case must be, whatever it is judged as. Raises `IllegalCase`."""
    for name, tensor in {**case.inputs, **case.outputs}.items():
        _check_tensor(name, tensor)
    for name, tensor in case.outputs.items():
        _require(tensor.rows is None, f"{name}.rows", say.A_LIST, say.ALL_ROWS)
        shared = say.NO_SHARED_PLACE_OF_OUTPUT
        _require(not tensor.broadcast, f"{name}.strides", tensor.strides, shared)
    if case.machine is not None:
        _check_machine(case.machine)
    _check_setting(case.setting)
    count = len(case.before)
    calls = say.CALLS(count=count)
    _require(count <= MOST_BEFORE, "before", calls, say.AT_MOST_CALLS, most=MOST_BEFORE)
    for one in case.before:
        deep = say.CALL_WITH_OTHERS(count=len(one.before))
        _require(not one.before, "before", deep, say.NONE_BEFORE)


def check_call(case: Case, operator: Operator) -> None:
    """Check that a case is a call that ``operator`` must carry out. Raises `IllegalCase`."""
    check_shape_and_data(case)
    _require(case.breach is None, "breach", case.breach, say.NO_BREACH)
    _require_one_of("mode", case.mode, [mode.name for mode in operator.modes])
    documented = [one.dtype for one in operator.dated if one.dtype not in ("", *operator.dtypes)]
    _require_one_of("dtype", case.dtype, [*operator.dtypes_in(case.mode), *documented])
    check_attributes(case, operator)
    form = operator.signature.of(case) if operator.signature else operator
    for role, tensors in (("input", case.inputs), ("output", case.outputs)):
        declared = {p.name: p for p in form.tensors if p.role == role}
        optional = {name for name, parameter in declared.items() if parameter.optional}
        _require_names(f"{role}s", set(tensors) | optional, set(declared))
        for name, tensor in tensors.items():
            allowed = declared[name].dtypes(case.dtype)
            rule = row(allowed, OR)
            _require(tensor.dtype in allowed, f"{name}.dtype", tensor.dtype, rule)
            plain = tensor.format == ND
            _require(plain, f"{name}.format", tensor.format, say.ONE_FORMAT, format=ND)
    found: Found = {}
    for name in case.outputs:
        contract = operator.contract(name, case)
        if isinstance(contract, Copy | Index | Computing):
            _check_moved(name, contract, case, operator, found)
        if not isinstance(contract, Sum):
            continue
        try:
            terms = contract.terms(case.arrays, case.attributes)
            sources = Sources.of(terms, case.inputs)
            rows, columns = sources.view
            terms.validate(rows)
            out, wanted = case.outputs[name].shape, {"rows": len(terms.rows), "columns": columns}
            fits = terms.view(out) == tuple(wanted.values())
            _require(fits, f"{name}.shape", out, say.ROWS_OF_COLUMNS, **wanted)
            lacking = sources.lacking(case.inputs)
            held = case.inputs[terms.source].rows
            _require(not lacking, f"{terms.source}.rows", held, say.WITH_TOO, row=lacking)
        except (ValueError, TypeError, LookupError) as error:
            raise IllegalCase(text_of(error)) from error


def check_attributes(case: Case, operator: Operator) -> None:
    """Check that a case has the attributes of ``operator``, each of its type, as also a call that
    must be rejected has. Raises `IllegalCase`.
    """
    attributes = {p.name: p for p in operator.parameters if isinstance(p, AttributeParameter)}
    _require_names("attributes", set(case.attributes), set(attributes))
    for name, parameter in attributes.items():
        _check_attribute(parameter, case.attributes[name])


def _check_attribute(parameter: AttributeParameter, value: Attribute) -> None:
    """A value is of its attribute's type, and integers fit into int64."""
    rules = {"double": say.ONE_FLOAT, "int array": say.INTEGERS}
    rule = rules.get(parameter.ctype, say.ONE_INTEGER)
    _require(parameter.has(value), parameter.name, value, rule)
    if value is None or parameter.ctype == "double":
        return
    for number in value if isinstance(value, tuple) else (value,):
        low, high = _range(np.dtype(np.int64))
        inside = low <= number <= high
        _require(inside, parameter.name, number, say.RANGE, low=low, high=high)


def _check_moved(
    name: str, contract: Contract, case: Case, operator: Operator, found: Found
) -> None:
    """The formula must be defined on the case, and give the output its shape. It is called once
    for all outputs whose inputs are read alike, as it takes most of the time.
    """
    moved = (contract.moved,) if isinstance(contract, Copy) else ()
    try:
        if moved not in found:
            inputs = as_integers(case.arrays, *moved) if moved else case.arrays
            with np.errstate(all="ignore"):
                found[moved] = operator.formula(inputs, case.attributes)
        expected = np.shape(found[moved][name])
    except (ValueError, TypeError, LookupError) as error:
        raise IllegalCase(text_of(error)) from error
    shape = case.outputs[name].shape
    _require(shape == expected, f"{name}.shape", shape, str(expected))


def _extremes(values: Sequence[int]) -> tuple[int, ...]:
    """The least and the largest of some integers."""
    return (min(values), max(values)) if values else ()


def _check_tensor(name: str, tensor: Tensor) -> None:
    _require_one_of(f"{name}.dtype", tensor.dtype, list(DTYPES))
    _require_one_of(f"{name}.format", tensor.format, list(FORMATS))
    whole = all(size >= 0 for size in tensor.shape)
    _require(whole, f"{name}.shape", tensor.shape, say.SIZES)
    if tensor.rows is not None:
        _check_rows(name, tensor)
    reach = tensor.size
    if tensor.strides is not None:
        reach = _check_strides(name, tensor, tensor.strides)
    for field, count in (("start", tensor.start), ("spare", tensor.spare)):
        _require(count >= 0, f"{name}.{field}", count, say.COUNT)
        whole = tensor.rows is None or count == 0
        _require(whole, f"{name}.{field}", count, say.NO_OFFSET)
        reach += count
    elements = tensor.held_size
    for count, limit in ((elements, LARGEST_TENSOR), (reach, LARGEST_REACH)):
        most = limit // DTYPES[tensor.dtype][1]
        _require(count <= most, f"{name}.shape", tensor.shape, say.AT_MOST_ELEMENTS, most=most)
    both = tensor.values is not None and tensor.fill is not None
    _require(not both, name, say.VALUES_AND_FILL, say.ONE_OR_NONE)
    if tensor.values is not None:
        count = len(tensor.values)
        given = say.VALUES(count=count)
        _require(count == elements, f"{name}.values", given, say.AS_MANY, count=elements)
        dtype = integer_view(numpy_dtype(tensor.dtype))
        low, high = _range(dtype)
        beyond = next((one for one in _extremes(tensor.values) if not low <= one <= high), low)
        inside = low <= beyond <= high
        _require(inside, f"{name}.values", beyond, say.RANGE, low=low, high=high)
        _check_shared(name, tensor, np.array(tensor.values, dtype).reshape(tensor.held_shape))
    if tensor.fill is not None:
        _check_fill(name, tensor.fill, tensor.dtype)
    rows = math.prod(tensor.shape[:-1])
    stray = next((row for row in tensor.unread if not 0 <= row < rows), None)
    _require(stray is None, f"{name}.unread", stray, say.ROWS, last=rows - 1)
    read = not (tensor.unread and tensor.broadcast)
    _require(read, f"{name}.unread", tensor.unread, say.NO_UNREAD)
    marked = not tensor.unread or "float" in tensor.dtype
    _require(marked, f"{name}.unread", tensor.unread, say.NO_MARK, dtype=tensor.dtype)
    absent = tensor.lacks(np.array(tensor.unread, np.int64)).tolist()
    _require(not absent, f"{name}.unread", absent, say.SOME_ROWS, rows=str(tensor.rows))


def _check_rows(name: str, tensor: Tensor) -> None:
    """What the list of a row-sparse tensor must be: its recipes and offsets count on it."""
    _require(tensor.size > 0, f"{name}.shape", tensor.shape, say.SIZES_ABOVE_0)
    assert tensor.rows is not None
    rows = math.prod(tensor.shape[:-1])
    stray = next((row for row in tensor.rows if not 0 <= row < rows), None)
    _require(stray is None, f"{name}.rows", stray, say.ROWS, last=rows - 1)
    ascending = all(one < other for one, other in pairwise(tensor.rows))
    _require(ascending, f"{name}.rows", tensor.rows, say.ASCENDING)


def _check_strides(name: str, tensor: Tensor, strides: tuple[int, ...]) -> int:
    """Elements from the first to the last; no two may lie in one place, unless broadcast."""
    _require(tensor.rows is None, f"{name}.strides", strides, say.NO_STRIDES)
    ranks = len(strides) == len(tensor.shape)
    each = {"shape": str(tensor.shape)}
    _require(ranks, f"{name}.strides", strides, say.ONE_FOR_EACH_AXIS, **each)
    reach = 1
    for stride, size in sorted(zip(strides, tensor.shape, strict=True)):
        apart = size <= 1 or stride == 0 or stride >= reach or not tensor.size
        _require(apart, f"{name}.strides", strides, say.NO_SHARED_PLACE)
        reach += max(size - 1, 0) * stride
    return reach if tensor.size else 0


def _check_shared(name: str, tensor: Tensor, values: NDArray[Any]) -> None:
    """Elements that share a place must have one value."""
    for axis in tensor.broadcast:
        first = values.take([0], axis)
        equal = bool((values == first).all())
        _require(equal, f"{name}.values", say.UNEQUAL, say.EQUAL_ALONG, axis=axis)


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The least and the largest value of an integer dtype or bool."""
    if dtype.kind == "b":
        return 0, 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _check_fill(name: str, fill: Fill, dtype: str) -> None:
    _require(dtype != "bool", f"{name}.fill", dtype, say.NOT_BOOL)
    known = (*NAMES, BITS, PLANTED, *UNMIXED) if "float" in dtype else INTEGERS
    _require(bool(fill.stripes), f"{name}.fill.stripes", NONE, say.A_FAMILY)
    for stripe in fill.stripes:
        _require_one_of(f"{name}.fill.stripes", stripe, [*known])
    _require(0 <= fill.seed < 2**64, f"{name}.fill.seed", fill.seed, say.SEED)
    _require(fill.terms >= 1, f"{name}.fill.terms", fill.terms, say.ONE_OR_MORE)


def _check_machine(machine: Machine) -> None:
    known = re.fullmatch(r"forward|reverse|shuffled:\d{1,18}", machine.block_order) is not None
    _require(known, "machine.block_order", machine.block_order, say.BLOCK_ORDER)
    _require_one_of("machine.functions", machine.functions, [*FUNCTIONS])
    known = re.fullmatch(r"program|late|random:\d{1,18}", machine.pipes) is not None
    _require(known, "machine.pipes", machine.pipes, say.PIPES)
    cores = 1 <= machine.cores <= MOST_CORES
    _require(cores, "machine.cores", machine.cores, say.RANGE, low=1, high=MOST_CORES)
    whole = machine.ub_bytes in UB_BYTES
    sizes = {"step": UB_BYTES.step, "low": UB_BYTES.start, "high": UB_BYTES[-1]}
    _require(whole, "machine.ub_bytes", machine.ub_bytes, say.MULTIPLE, **sizes)


def _check_setting(setting: Setting) -> None:
    _require_one_of("setting.memory", setting.memory, [POISONED, ZEROED, AS_LEFT])
    _require_one_of("setting.stream", setting.stream, [OWN, DEFAULT, BESIDE])
    rule = ", ".join(map(str, LEVELS))
    _require(setting.determinism in LEVELS, "setting.determinism", setting.determinism, rule)


def _require_names(what: str, seen: set[str], declared: set[str]) -> None:
    rule = ", ".join(sorted(declared))
    _require(seen == declared, what, ", ".join(sorted(seen)) or NONE, rule)


def _require_one_of(parameter: str, value: str, allowed: list[str]) -> None:
    _require(value in allowed, parameter, value, say.ONE_OF, names=allowed)


def _require(
    holds: bool, parameter: str, value: object, rule: str | Message, **named: object
) -> None:
    """Raise `IllegalCase` unless what is asked holds. What it says is worked out only then."""
    if not holds:
        seen = value() if isinstance(value, Message) else value
        seen = seen if isinstance(seen, str) else str(seen)
        rule = rule(**named) if isinstance(rule, Message) else rule
        raise IllegalCase(say.ILLEGAL(parameter=parameter, value=seen, rule=rule))
