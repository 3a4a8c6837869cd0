"""Whose turn it is: of the rejected calls that break the same thing in the same way, one.

A record breaks each rule in every mode, and with each set of optional tensors: an entry may check
less if it takes a branch for one of these. That is most of the rejected calls, and few mistakes are
of one mode alone. So smoke makes one of those that are alike, another for another seed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.record.operator import Rejection

SHAPES = re.compile(r"\[([\d, ]*)\], not \[([\d, ]*)\]")
"""A wrong shape and the right one, in the name of a rejected call."""


def rejections_asked(
    rejections: Sequence[Rejection], each: bool, turn: int
) -> tuple[Rejection, ...]:
    """Those that a run makes: ``each``, or of those that are alike one, by ``turn``.

    The first that a rule refuses is always made: a documented call is made after it.
    """
    if each:
        return tuple(rejections)
    together: dict[str, list[int]] = {}
    for place, one in enumerate(rejections):
        together.setdefault(alike(one), []).append(place)
    rules = [(one.status, one.clause) for one in rejections]
    made = {rules.index(rule) for rule in dict.fromkeys(rules)}
    for number, places in enumerate(together.values()):
        made.add(places[(number + turn) % len(places)])
    return tuple(one for place, one in enumerate(rejections) if place in made)


def alike(rejection: Rejection) -> str:
    """What is broken, and how: the name without the mode and what is told after it, and of a wrong
    shape which axes are too short or too long, or the number of axes."""
    broken = rejection.name.partition(f", {rejection.case.mode}")[0]
    return SHAPES.sub(_difference, broken)


def _difference(shapes: re.Match[str]) -> str:
    wrong, right = (
        [int(size) for size in shape.split(",") if size.strip()] for shape in shapes.groups()
    )
    if len(wrong) != len(right):
        return f"{len(wrong)} axes for {len(right)}"
    return "".join(
        "=" if a == b else "<" if a < b else ">" for a, b in zip(wrong, right, strict=True)
    )
