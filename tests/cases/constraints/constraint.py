"""A constraint on calls, with the calls just inside and just outside."""

from __future__ import annotations

from dataclasses import dataclass, field

NULL, INVALID, TILING = 161001, 161002, 561002


@dataclass(frozen=True)
class Constraint:
    """A rule, the examples that just keep it, the calls that just break it, and their status."""

    rule: str
    inside: tuple[str, ...]
    outside: tuple[str, ...] = ()
    status: int = TILING
    routes: tuple[str, ...] = field(default=("aclnn", "kernel"))


DTYPES = ("float16", "bfloat16", "float32")
