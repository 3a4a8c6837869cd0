"""Cases of ATK's JSON files, as `atk case` writes them: a list of objects.

Read are ``aclnn_name``, ``name``, ``id``, ``default_seed`` and ``inputs``, whose entries have
``name``, ``type`` (tensor, attr, attrs, attr_tuple), ``dtype``, ``shape`` and ``range_values``.
Source: the files of ops-transformer (moe/*/tests/st) and public guides to ATK's case design.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from zlib import crc32

import numpy as np

from conformance.catalogue import field as say
from conformance.field.foreign import (
    Attribute,
    Call,
    Described,
    Item,
    NotRead,
    Number,
    Row,
    attribute_of,
    dtype_of,
    field_of,
    number_of,
    shape_of,
)

ABSENT = "default"
"""The range of an argument that is not given."""

TENSORS, ATTRIBUTES = ("tensor",), ("attr", "attrs", "attr_tuple")


def is_file(document: Any) -> bool:
    """Whether a decoded file is ATK's."""
    rows = document if isinstance(document, list) else [document]
    return bool(rows) and all(isinstance(one, dict) and "aclnn_name" in one for one in rows)


def rows(document: Any) -> Iterator[Row]:
    """The calls of a file, or why an object is none, each with its number."""
    for number, one in enumerate(document if isinstance(document, list) else [document], 1):
        place = say.CASE(number=number)
        try:
            yield _call(one, place, number)
        except NotRead as error:
            yield place, error


def _call(one: Mapping[str, Any], place: str, number: int) -> Call:
    function = field_of(one, "aclnn_name", str)
    if one.get("expected_error_msg"):
        raise NotRead(say.EXPECTS_AN_ERROR())
    seed = one.get("default_seed")
    seed = seed if type(seed) is int and 0 <= seed < 2**63 else number
    generator = np.random.default_rng([seed, crc32(function.encode())])
    items = tuple(_item(each, generator) for each in field_of(one, "inputs", list))
    name = str(one.get("save_name") or one.get("name") or "")
    return Call(place, f"{name} {number}", function, items, "interface", seed=seed)


def _item(given: Any, generator: np.random.Generator) -> Item:
    if isinstance(given, list):  # of a list of numbers each has an entry
        each = [_item(one, generator) for one in given]
        values = tuple(one.value for one in each)
        if not each or any(one.is_tensor for one in each):
            raise NotRead(say.TENSOR_LIST(column="inputs"))
        return Item(each[0].name, attribute_of(values), False)
    if not isinstance(given, dict):
        raise NotRead(say.NO_FIELD(name="inputs"))
    kind, name = field_of(given, "type", str), str(given.get("name") or "")
    if kind not in (*TENSORS, *ATTRIBUTES):
        raise NotRead(say.OTHER_TYPE(name=name, type=kind[:40]))
    ranged = given.get("range_values")
    if ranged == ABSENT or ranged == [ABSENT]:
        return Item(name, None, kind in TENSORS)
    if kind in TENSORS:
        shape, dtype = shape_of(given.get("shape")), dtype_of(given.get("dtype"))
        low, high = _ends(ranged)
        return Item(
            name, Described(shape, dtype, str(given.get("format") or "ND"), None, low, high), True
        )
    return Item(name, _attribute(name, str(given.get("dtype")), ranged, generator), False)


def _ends(ranged: Any) -> tuple[float | None, float | None]:
    """The least and the largest value of a tensor; None where they are drawn otherwise."""
    if isinstance(ranged, list) and len(ranged) == 1:
        ranged = ranged[0]
    if isinstance(ranged, str):
        if ranged not in ("nan", "inf", "-inf"):
            raise NotRead(say.OTHER_RANGE(range=ranged[:40]))
        return float(ranged), float(ranged)
    if isinstance(ranged, bool | int | float):
        return float(ranged), float(ranged)
    if isinstance(ranged, list) and len(ranged) == 2:
        low, high = (float(number_of(one)) for one in ranged)
        return min(low, high), max(low, high)
    return None, None


def _attribute(name: str, dtype: str, ranged: Any, generator: np.random.Generator) -> Attribute:
    """The value of an attribute; of two numbers one between them is drawn, as ATK does."""
    if dtype in ("string", "str", "non_param"):
        raise NotRead(say.TEXT_ATTRIBUTE(name=name))
    if isinstance(ranged, list) and len(ranged) == 1:
        ranged = ranged[0]
    if isinstance(ranged, list) and len(ranged) == 2:
        low, high = sorted((number_of(ranged[0]), number_of(ranged[1])))
        value: Number = _between(low, high, dtype, generator)
    else:
        value = number_of(ranged)
    if dtype in ("double", "float", "float32", "fp32"):
        return float(value)
    return int(value) if float(value).is_integer() else value


def _between(low: Number, high: Number, dtype: str, generator: np.random.Generator) -> Number:
    if "int" in dtype or "bool" in dtype:
        return int(generator.integers(int(low), int(high), endpoint=True))
    return float(generator.uniform(low, high))
