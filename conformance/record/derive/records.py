"""The fields of a record that follow from its signature, and from what draws its cases."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.record.derive.rejections import freedoms, ranges
from conformance.record.signature import Signature


def of_signature(signature: Signature, cases: Callable[..., Any], **instead: Any) -> dict[str, Any]:
    """The name, title, parameters, freedoms and ranges of an `Operator`, and its cases.

    ``cases(mode, dtype, small=False, seam=False)`` draws those of each kind. ``instead`` are fields
    that a record says otherwise. To be unpacked where the record is made:
    ``Operator(**of_signature(SIGNATURE, cases), modes=...)``.
    """
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
        "small_cases": partial(cases, small=True),
        "seam_cases": partial(cases, small=True, seam=True),
        **instead,
    }
