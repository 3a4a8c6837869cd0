"""The fields of a record that follow from its signature, and from what draws its cases."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.record.derive.rejections import freedoms, ranges
from conformance.record.signature import Signature


def of_signature(signature: Signature, cases: Callable[..., Any], **instead: Any) -> dict[str, Any]:
    """The name, title, parameters, freedoms and ranges of an `Operator`, and its cases.

    ``cases(mode, dtype)`` draws them, and if it has these parameters, ``small=True`` those that a
    person can work out, and ``seam=True`` beside it those on a seam. ``instead`` are fields that a
    record says otherwise. To be unpacked where the record is made:
    ``Operator(**of_signature(SIGNATURE, cases), modes=...)``.
    """
    known = inspect.signature(cases).parameters
    kinds: dict[str, Any] = {}
    if "small" in known:
        kinds["small_cases"] = partial(cases, small=True)
    if "seam" in known:
        kinds["seam_cases"] = partial(cases, small=True, seam=True)
    title = instead.get("title") or "".join(
        word.capitalize() for word in signature.operator.split("_")
    )
    return {
        "name": signature.operator,
        "title": title,
        "aclnn": f"aclnn{title}",
        "parameters": signature.parameters,
        "signature": signature,
        "freedoms": freedoms(signature),
        "ranges": ranges(signature),
        "cases": cases,
        **kinds,
        **instead,
    }
