"""What the documents say of each tensor, the same of every operator."""

from __future__ import annotations

from conformance.record.clause import Clause, document


def as_listed(source: str) -> Clause:
    """Of an operator whose table of parameters has for each tensor whether it is optional, its data
    types and the format ND."""
    rule = "each tensor that is not optional is given; each has a listed data type and format ND"
    return document(rule, f"{source}, parameters")
