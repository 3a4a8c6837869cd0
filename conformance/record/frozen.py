"""One case that stays, by its name: what is judged of it, and how it is written down.

Small tensors are written as values, larger ones as the recipes that make them. The digest is that
of the bytes in either case, so that a version of numpy that draws otherwise is noticed, not judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec
import numpy as np

from conformance.call.attribute import of_json, to_json
from conformance.call.case import ND, PROGRAM, ROUNDED, Case, Tensor, integer_view, numpy_dtype
from conformance.call.surroundings import USUAL
from conformance.catalogue import record as say

Kind = Literal["corpus", "regression"]
NAME = re.compile(r"[A-Za-z0-9][\w .,+=^-]{0,119}", re.ASCII)
LINK = re.compile(r"https://[\w.-]+(/[\w./#?=&%-]*)?", re.ASCII)
LONGEST_LINK, MOST_LINKS = 200, 20
LISTED_ELEMENTS = 64
"""Elements up to which a tensor is written as values."""


@dataclass(frozen=True)
class Frozen:
    """A case with a name that stays, in the corpus or as a regression: ``digest`` is that of its
    inputs when it was frozen, ``why`` what it is kept for, ``links`` where the mistake that it
    shows was reported in public.
    """

    name: str
    case: Case
    digest: str
    kind: Kind
    why: str = ""
    links: tuple[str, ...] = ()


class Written(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A frozen case in its file."""

    name: str
    digest: str
    case: Case
    why: str = ""
    links: tuple[str, ...] = ()


class NotFrozen(ValueError):  # noqa: N818
    """What is written down is no case that was frozen."""


def written(frozen: Frozen) -> dict[str, Any]:
    """A frozen case as plain values, without what is not said; the file is made of these."""
    told: dict[str, Any] = {"name": frozen.name, "digest": frozen.digest}
    told |= {"why": frozen.why} if frozen.why else {}
    told |= {"links": list(frozen.links)} if frozen.links else {}
    plain = msgspec.to_builtins(to_json(frozen.case), enc_hook=lambda value: value.item())
    return told | {"case": _said(plain)}


def read(raw: bytes, kind: Kind, operator: str) -> Frozen:
    """A frozen case of an operator. Raises `NotFrozen` for what is none."""
    try:
        found = msgspec.json.decode(raw, type=Written)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotFrozen(str(error)) from error
    if not NAME.fullmatch(found.name):
        raise NotFrozen(say.NO_NAME(name=repr(found.name[:100])))
    if found.case.operator != operator:
        other = repr(found.case.operator[:100])
        raise NotFrozen(say.OF_ANOTHER(name=found.name, operator=other))
    wrong = [link for link in found.links if not is_link(link)]
    if wrong:
        raise NotFrozen(say.NO_LINK(link=repr(wrong[0][:100])))
    if len(found.links) > MOST_LINKS:
        raise NotFrozen(say.TOO_MANY_LINKS())
    case = of_json(found.case)
    return Frozen(found.name, case, found.digest, kind, found.why, found.links)


def is_link(text: str) -> bool:
    """Whether a text is the address of a public page, fit to be printed and clicked on."""
    return len(text) <= LONGEST_LINK and LINK.fullmatch(text) is not None


def frozen_now(
    name: str, case: Case, kind: Kind, why: str = "", links: tuple[str, ...] = ()
) -> Frozen:
    """A case as it is from now on: its small tensors as values."""
    inputs = {key: _listed(case, key, tensor) for key, tensor in case.inputs.items()}
    before = tuple(frozen_now(name, one, kind).case for one in case.before)
    kept = replace(case, inputs=inputs, before=before)
    assert kept.digest == case.digest
    return Frozen(name, kept, case.digest, kind, why, links)


def _listed(case: Case, name: str, tensor: Tensor) -> Tensor:
    if tensor.fill is None or tensor.held_size > LISTED_ELEMENTS:
        return tensor
    held = np.ascontiguousarray(tensor.held(case.arrays[name]))
    bits = held.view(integer_view(numpy_dtype(tensor.dtype))).reshape(-1)
    return replace(tensor, values=tuple(bits.tolist()), fill=None, unread=())


def _said(value: Any) -> Any:
    """Without what a case has where it says nothing: null, no unread rows, ND, a usual machine."""
    if isinstance(value, list | tuple):
        return [_said(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    return {
        name: one if name == "attributes" else _said(one)
        for name, one in value.items()
        if not (name in ABSENT and one is None)
        and not (name in EMPTY and not one)
        and not (name == "block_order" and one == "forward")
        and not (name == "functions" and one == ROUNDED)
        and not (name == "pipes" and one == PROGRAM)
        and not (name == "format" and one == ND)
        and not (name == "setting" and one == USUAL_SETTING)
    }


USUAL_SETTING = {
    "memory": USUAL.memory,
    "determinism": USUAL.determinism,
    "stream": USUAL.stream,
}
ABSENT = ("values", "fill", "rows", "strides", "machine", "breach")
EMPTY = ("unread", "before", "start", "spare")
"""What a case and its tensors may do without: null, and 0, no rows or no calls."""
