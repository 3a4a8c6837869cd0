"""What is told of one operator, for a test over all of them: its calls, and what its tiling says.

A module of this folder with an operator's name has its `Description` as ``OPERATOR``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from conformance.record.operator import Operator
from conformance.suite import records as suite
from tests.kernels.host_tilings import BYTES, FP32, UB_910B, Call
from tests.kernels.tilings.work import Work


@dataclass(frozen=True)
class Sizes:
    """The sizes of a call, and the machine. ``kind``: what its limits' names begin or end with.

    ``variant``: the other of two forms of call that have the same limits. ``places`` are those of
    an expert; 0: as many as there are tokens for one expert, else one.
    """

    kind: str = ""
    tokens: int = 5000
    top_k: int = 1
    hidden: int = 8
    experts: int = 1
    places: int = 0
    variant: bool = False
    dtype: int = FP32
    cores: int = 1
    ub: int = UB_910B

    @property
    def slots(self) -> int:
        return self.tokens * self.top_k

    @property
    def capacity(self) -> int:
        return self.places or (self.tokens if self.experts == 1 else 1)

    @property
    def machine(self) -> dict[str, int]:
        """The fields of a call that are every operator's."""
        return {"dtype": self.dtype, "cores": self.cores, "ubBytes": self.ub}


@dataclass(frozen=True)
class Axis:
    """A limit's name: up to it calls have ``most`` such pieces, and one more of ``size`` has more.

    ``most`` None: as many as cores. ``fixed``: what such calls have beside that. ``says``: a number
    of the tiling that is the limit itself in a call beyond it, or in any call without a ``size``.
    ``in_slots``: the limit is one of slots, the size is the number of tokens. ``given``: the size
    that a limit takes as ``hidden``.
    """

    size: str = ""
    count: str = ""
    most: int | None = 1
    fixed: Mapping[str, Any] = field(default_factory=dict)
    says: str = ""
    in_slots: bool = False
    given: str = "hidden"


AXES = {
    "hidden": Axis("hidden", "tiles"),
    "four-buffers": Axis("hidden", "buffers missing", 0),
    "three-buffers": Axis("hidden", "buffers missing", 1),
    "batch": Axis("tokens", "batches", fixed={"cores": 1}),
    "tokens": Axis("tokens", "batches"),
    "cores": Axis("tokens", "share"),
    "sort": Axis("tokens", "levels", 0),
    "merge-1": Axis("tokens", "levels", 1),
    "merge-2": Axis("tokens", "levels", 2),
    "runs": Axis("tokens", "runs", None),
    "part": Axis("top_k", "parts", fixed={"cores": 1}),
    "slots": Axis("top_k", "parts"),
    "experts": Axis("experts", "map tiles"),
    "map-batch": Axis("tokens", "map batches", fixed={"cores": 1}, given="experts"),
}
"""The limits of more than one operator."""


@dataclass(frozen=True)
class Description:
    """``fit`` tells the nearest sizes of which there is a call, ``call`` makes it, and ``work`` is
    what its tiling says. Drawn calls have ``least_hidden`` columns or more, and up to
    ``most_tokens``.

    ``kinds`` are what the names of limits begin or end with. ``more_limits`` are those that the
    record does not state. ``calls`` are right ones from which refused ones follow, ``changes`` of
    the first one others that are worth a line. Phase 1 has checked the ``checked``: ranks of
    tensors, or that numbers are positive.
    """

    call: Callable[[Sizes], Call]
    work: Callable[[Sizes, Any], Work]
    calls: Mapping[str, Call]
    fit: Callable[[Sizes], Sizes] = lambda sizes: sizes
    kinds: tuple[str, ...] = ("",)
    dtypes: tuple[int, ...] = tuple(BYTES)
    axes: Mapping[str, Axis] = field(default_factory=dict)
    more_limits: tuple[str, ...] = ()
    changes: Mapping[str, tuple[Call, ...]] = field(default_factory=dict)
    checked: tuple[str, ...] = ()
    least_hidden: int = 1
    most_tokens: int = 1_000_000

    def limits_of(self, operator: Operator) -> list[str]:
        """The names of all limits that the tiling exports."""
        return sorted({one.axis for one in operator.limits} | set(self.more_limits))

    def axis(self, name: str) -> tuple[str, Axis]:
        """The kind of calls that a limit is of, and what changes there."""
        if name in self.axes:
            return self.axes[name].fixed.get("kind", ""), self.axes[name]
        for kind in self.kinds:
            stem = name.removesuffix(kind) if kind.startswith("-") else name.removeprefix(kind)
            known = {**AXES, **self.axes}
            if (kind == "" or stem != name) and stem in known:
                return kind, known[stem]
        raise KeyError(name)


def description(operator: Operator) -> Description:
    """The description of an operator."""
    found: Description = import_module(f"tests.kernels.tilings.{operator.name}").OPERATOR
    return found


OPERATORS = suite.operators([])
