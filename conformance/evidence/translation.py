"""What the texts of evidence say in other languages: beside each, the messages that it is made of.

Evidence has its texts in English, so that programs compare them. A line or a summary keeps in
``said``, by the English, what `conformance.catalogue.message` needs to say the same in Chinese.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from conformance.catalogue.message import Packed, Said, packed, unpacked

FIELD = "said"


def keep(told: Any) -> None:
    """Put into ``said`` of a struct what its texts are made of; structs in it keep their own."""
    setattr(told, FIELD, {str(one): packed(one) for one in _said(told)})


def revive(told: Any) -> None:
    """Make the texts of a struct, and of structs in it, again what they were; one that is not what
    ``said`` has stays plain English."""
    known = {text: one for text, said in getattr(told, FIELD).items() if (one := _made(text, said))}
    _in_fields(told, known)


def _made(text: str, said: Packed) -> str | None:
    try:
        made = unpacked(said)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):  # forged
        return None
    return made if made == text else None


def _said(value: Any) -> Iterator[Said]:
    if isinstance(value, Said):
        yield value
    elif isinstance(value, dict):
        yield from _each(value.values())
    elif isinstance(value, list | tuple):
        yield from _each(value)
    elif isinstance(value, msgspec.Struct):
        fields = (name for name in value.__struct_fields__ if name != FIELD)
        yield from _each(getattr(value, name) for name in fields)


def _each(values: Any) -> Iterator[Said]:
    for one in values:
        if not hasattr(one, FIELD):
            yield from _said(one)


def _with(value: Any, known: dict[str, str]) -> Any:
    if isinstance(value, str):
        return known.get(value, value)
    if isinstance(value, dict):
        return {name: _with(one, known) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_with(one, known) for one in value)
    if isinstance(value, msgspec.Struct):
        revive(value) if hasattr(value, FIELD) else _in_fields(value, known)
    return value


def _in_fields(struct: msgspec.Struct, known: dict[str, str]) -> None:
    for name in struct.__struct_fields__:
        if name != FIELD:
            setattr(struct, name, _with(getattr(struct, name), known))
