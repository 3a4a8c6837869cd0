"""What the documents say of formats, the same of every operator."""

from __future__ import annotations

from conformance.operator import Clause, document


def each_nd(source: str) -> Clause:
    """Of an operator whose table of parameters has the format ND beside each tensor."""
    return document("each tensor has format ND", f"{source}, parameters")
