"""Rows of TTK's CSV files: `kernel` (``op_name``), `aclnn` and `e2e` (``api_name``).

The columns are those that hicann/ops-test-kit documents: docs/Test_Case_Generation.md and
docs/Operator_Test_Guides (ACLNN_, Kernel_ and E2E_Case_Writing.md). Cells are Python literals.
"""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.catalogue import field as say
from conformance.field.foreign import (
    Call,
    Described,
    Item,
    NotRead,
    Places,
    Row,
    attribute_of,
    dtype_of,
    listed_of,
    shape_of,
)

MOST_CELL = 1 << 16
"""Characters of a cell: a deeply nested literal would cost more to read than it is worth."""

MOST_DEPTH = 12
USUAL_RANGE = (-2.0, 2.0)
"""What TTK draws from if a row says nothing."""

NOT_READ = {
    "tensor_storage_shapes": say.LAYOUT,
    "tensor_view_offsets": say.LAYOUT,
    "tensor_view_strides": say.LAYOUT,
    "manual_tensor_binaries": say.BINARIES,
    "manual_input_binaries": say.BINARIES,
    "scalar_dtypes": say.SCALARS,
}
"""Columns that change the call, and that are not read."""


def is_header(columns: Sequence[str]) -> bool:
    """Whether a file with these columns is TTK's."""
    return bool({"api_name", "op_name"} & {one.strip() for one in columns})


def rows(text: str) -> Iterator[Row]:
    """The calls of a file, or why a row is none, each with its line."""
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    try:
        for row in reader:
            place = say.LINE(line=reader.line_num)
            cells = {k.strip(): (v or "").strip() for k, v in row.items() if isinstance(k, str)}
            try:
                yield _call(cells, place, reader.line_num)
            except NotRead as error:
                yield place, error
    except csv.Error as error:
        yield say.LINE(line=reader.line_num), NotRead(say.NO_CSV(error=str(error)))


def _call(cells: Mapping[str, str], place: str, line: int) -> Call:
    if cells.get("is_enabled", "").lower() in ("false", "0"):
        raise NotRead(say.DISABLED())
    for column, reason in NOT_READ.items():
        if cells.get(column) not in (None, "", "()", "None"):
            raise NotRead(reason(column=column))
    name = cells.get("testcase_name", "")
    if function := cells.get("op_name", ""):
        tensors = _tensors(cells, "input_shapes", "input_dtypes", "input_formats")
        outputs = _tensors(cells, "output_shapes", "output_dtypes", "output_formats")
        return _given(cells, place, line, name, function, tensors, "inputs", outputs)
    if not (function := cells.get("api_name", "")):
        raise NotRead(say.NO_FUNCTION())
    tensors = _tensors(cells, "tensor_view_shapes", "tensor_dtypes", "tensor_formats")
    places: Places = "tensors" if function.startswith("aclnn") else "tensor keywords"
    return _given(cells, place, line, name, function, tensors, places, ())


def _given(
    cells: Mapping[str, str],
    place: str,
    line: int,
    name: str,
    function: str,
    tensors: tuple[Described | None, ...],
    places: Places,
    outputs: tuple[Described | None, ...],
) -> Call:
    items = [Item("", one, True) for one in _ranged(tensors, cells.get("input_data_ranges", ""))]
    attributes = literal(cells.get("attributes", "") or "{}")
    if not isinstance(attributes, dict):
        raise NotRead(say.NO_DICTIONARY(column="attributes"))
    for key, value in attributes.items():
        items.append(Item(str(key), _value(value), False))
    return Call(place, name, function, tuple(items), places, outputs, seed=line)


def _value(value: Any) -> Any:
    """An attribute, or the numbers of a small tensor: which of them the record's parameter says."""
    if not isinstance(value, list | tuple):
        return attribute_of(value)
    flat = all(type(one) is int for one in value)
    return attribute_of(value) if flat else listed_of(value)


def _tensors(
    cells: Mapping[str, str], shapes: str, dtypes: str, formats: str
) -> tuple[Described | None, ...]:
    """The tensors of three columns; one data type or format stands for all."""
    found = literal(cells.get(shapes, "") or "()")
    if not isinstance(found, list | tuple):
        raise NotRead(say.NO_LIST(column=shapes))
    words = _each(literal(cells.get(dtypes, "") or "()"), len(found), dtypes)
    kinds = _each(literal(cells.get(formats, "") or "('ND',)"), len(found), formats)
    made: list[Described | None] = []
    for shape, word, kind in zip(found, words, kinds, strict=True):
        if shape is None:
            made.append(None)
            continue
        if isinstance(word, list | tuple) or any(isinstance(one, list | tuple) for one in shape):
            raise NotRead(say.TENSOR_LIST(column=shapes))
        made.append(Described(shape_of(shape), dtype_of(word), str(kind)))
    return tuple(made)


def _each(value: Any, count: int, column: str) -> tuple[Any, ...]:
    if isinstance(value, str):
        value = (value,)
    if not isinstance(value, list | tuple) or len(value) not in (1, count):
        raise NotRead(say.OTHER_LENGTH(column=column, count=count))
    return tuple(value) * count if len(value) == 1 else tuple(value)


def _ranged(tensors: tuple[Described | None, ...], cell: str) -> Iterator[Described | None]:
    """The tensors with the range that the row has for each, or for all."""
    ranges = literal(cell) if cell else ()
    if not isinstance(ranges, list | tuple):
        raise NotRead(say.NO_LIST(column="input_data_ranges"))
    if ranges and not isinstance(ranges[0], list | tuple):
        ranges = (ranges,)
    for at, one in enumerate(tensors):
        of_one = ranges[at] if at < len(ranges) else ranges[0] if len(ranges) == 1 else ()
        low, high = (
            of_one[:2] if isinstance(of_one, list | tuple) and len(of_one) > 1 else (None,) * 2
        )
        if one is None or low is high is None:
            yield one  # of integers TTK's usual range would be no routing
            continue
        ends = (USUAL_RANGE[0] if low is None else low, USUAL_RANGE[1] if high is None else high)
        if not all(isinstance(end, bool | int | float) for end in ends):
            yield one
        else:
            yield replace(one, low=float(ends[0]), high=float(ends[1]))


def literal(text: str) -> Any:
    """What a cell says as a Python literal; a bare word is a text. Raises `NotRead`."""
    if len(text) > MOST_CELL:
        raise NotRead(say.LONG_CELL(count=len(text), most=MOST_CELL))
    depth = deepest = 0
    for one in text:
        depth += (one in "([{") - (one in ")]}")
        deepest = max(deepest, depth)
    if deepest > MOST_DEPTH:
        raise NotRead(say.DEEP_CELL(depth=deepest, most=MOST_DEPTH))
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        if text.replace("_", "").replace(".", "").isalnum():
            return text
        raise NotRead(say.NO_LITERAL(text=text[:60])) from error
