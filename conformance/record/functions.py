"""What is known of the functions that a device computes: exp, ln, sqrt, division, reciprocal.

No page says of every product how exact they are. So what is not known of a device allows
everything: a value that depends on such a function has no bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Literal

NAMES = ("exp", "ln", "sqrt", "div", "reciprocal")
"""The functions, as they are named in a profile."""

Origin = Literal["unknown", "declared", "probed", "unused"]
"""Whether nobody says anything of a function, or somebody does, or its results show it; or the
implementation does not use it."""


@dataclass(frozen=True)
class FunctionTraits:
    """One function of a device, on float32 operands.

    ``steps`` is the furthest that a result lies from the correctly rounded one, in neighbours of
    the float32 grid; None: unknown. ``flush``: whether a result below 2^-126 may be zero.
    ``uniform``: equal operand bits give equal result bits, in every lane and on every core.
    ``monotone``: results do not fall if operands rise, or do not rise for a function that falls.
    ``origin`` says how that is known, and ``source`` where it is from, or why an unknown one was
    not probed; neither is compared.
    """

    steps: int | None = None
    flush: bool = True
    uniform: bool = False
    monotone: bool = False
    origin: Origin = field(default="unknown", compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.steps is not None and self.steps < 0:
            raise ValueError(f"steps={self.steps}: must be 0 or more, or None if unknown")


UNKNOWN = FunctionTraits()
"""A function that nobody has probed, and of which no page says anything."""

CORRECT = FunctionTraits(steps=0, flush=False, uniform=True, monotone=True)
"""A function whose every result is correctly rounded."""


UNUSED = replace(CORRECT, origin="unused")
"""A function that an implementation does not use: it errs by nothing."""


@dataclass(frozen=True)
class Functions:
    """The functions of a device by name."""

    exp: FunctionTraits = UNKNOWN
    ln: FunctionTraits = UNKNOWN
    sqrt: FunctionTraits = UNKNOWN
    div: FunctionTraits = UNKNOWN
    reciprocal: FunctionTraits = UNKNOWN

    @property
    def by_name(self) -> dict[str, FunctionTraits]:
        """The traits of each, by its name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def known(self) -> bool:
        """Whether the steps of each are."""
        return all(one.steps is not None for one in self.by_name.values())


ALL_UNKNOWN = Functions()
"""A device of which nothing is known."""

ALL_CORRECT = Functions(*(CORRECT for _ in NAMES))
"""A device that rounds every result correctly."""
