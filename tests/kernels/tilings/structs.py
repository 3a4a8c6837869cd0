"""The structs that a host tiling shares with its callers, read from its header."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

STRUCT = re.compile(r"^struct (\w+)(?: : (\w+))? \{(?:\n(.*?)^)?\};", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^ +(?:const )?(\w+)(\*?) (\w+);", re.MULTILINE)
ENUM = re.compile(r"^enum class (\w+) : int64_t", re.MULTILINE)
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
SIZE = re.compile(r"^static_assert\(sizeof\((\w+)\) == (\d+)", re.MULTILINE)

Types = dict[str, type]


def structs_of(header: Path) -> Types:
    """Every struct of a header and of what it includes, by its name; fields have their names there,
    those of a base come first.

    A size that the header asserts must be that of the struct made here.
    """
    text = header.read_text(encoding="utf-8")
    types: Types = {
        "int64_t": ctypes.c_int64,
        "uint64_t": ctypes.c_uint64,
        "float": ctypes.c_float,
        "double": ctypes.c_double,
    }
    for included in INCLUDE.findall(text):
        types |= structs_of(header.parent / included)
    types |= dict.fromkeys(ENUM.findall(text), ctypes.c_int64)
    for name, base, body in STRUCT.findall(text):
        fields = list(types[base]._fields_) if base else []
        fields += [
            (field, ctypes.POINTER(types[kind]) if pointer else types[kind])
            for kind, pointer, field in FIELD.findall(body)
        ]
        types[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    for name, size in SIZE.findall(text):
        assert ctypes.sizeof(types[name]) == int(size), name
    return types


def differing(data: ctypes.Structure, other: ctypes.Structure, before: str = "") -> dict[str, int]:
    """The fields in which a struct differs from another one, those of its parts by their path."""
    found: dict[str, int] = {}
    for name, kind in type(data)._fields_:
        value = getattr(data, name)
        if issubclass(kind, ctypes.Structure):
            found |= differing(value, getattr(other, name), f"{before}{name}.")
        elif value != getattr(other, name):
            found[before + name] = value
    return found
