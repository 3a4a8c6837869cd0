"""The arithmetic of a device, as far as documents leave it open: how it rounds, overflows and
flushes subnormal numbers (numerics N.3), and what is known of its functions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from conformance.record.functions import ALL_CORRECT, ALL_UNKNOWN, Functions

if TYPE_CHECKING:
    from conformance.devices.device import DeviceProfile, Trait

NEAREST, TRUNCATE = "nearest", "truncate"
INFINITY, SATURATE = "infinity", "saturate"

CAST_MODES: Mapping[str, frozenset[str]] = {
    "round half to even": frozenset({NEAREST}),
    "truncate": frozenset({TRUNCATE}),
    "unknown": frozenset({NEAREST, TRUNCATE}),
}
"""Values of the trait ``cast_mode``: how a sum is cast to a narrower storage format."""

OVERFLOW_MODES: Mapping[str, frozenset[str]] = {
    "infinity": frozenset({INFINITY}),
    "saturate": frozenset({SATURATE}),
    "unknown": frozenset({INFINITY, SATURATE}),
}
"""Values of the trait ``overflow_mode``: what a finite result beyond the largest value becomes."""

FLUSH_MODES: Mapping[str, frozenset[bool]] = {
    "subnormals are kept": frozenset({False}),
    "subnormals become zero": frozenset({True}),
    "unknown": frozenset({False, True}),
}
"""Values of the trait ``flush_to_zero``: whether subnormal operands and results become zero."""

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Behaviour:
    """One way in which a device may do its arithmetic: IEEE 754 unless a field says otherwise."""

    truncate: bool = False
    saturate: bool = False
    flush: bool = False


@dataclass(frozen=True)
class Arithmetic:
    """Everything that a device may do, mode by mode; a judge accepts what any of it leads to.

    ``casts`` holds "nearest" (ties to even), "truncate" (toward zero) or both, ``overflows``
    "infinity", "saturate" or both, ``flushes`` whether subnormals become zero, or both answers.
    ``functions`` is what is known of exp, ln, sqrt, division and reciprocal.
    """

    casts: frozenset[str] = frozenset({NEAREST})
    overflows: frozenset[str] = frozenset({INFINITY})
    flushes: frozenset[bool] = frozenset({False})
    functions: Functions = ALL_CORRECT

    def __post_init__(self) -> None:
        allowed: tuple[tuple[str, frozenset[object], frozenset[object]], ...] = (
            ("casts", frozenset(self.casts), frozenset(CAST_MODES["unknown"])),
            ("overflows", frozenset(self.overflows), frozenset(OVERFLOW_MODES["unknown"])),
            ("flushes", frozenset(self.flushes), frozenset(FLUSH_MODES["unknown"])),
        )
        for parameter, value, possible in allowed:
            if not value or not value <= possible:
                names = ", ".join(sorted(map(str, possible)))
                raise ValueError(f"{parameter}={set(value)}: must be one or both of {names}")

    @staticmethod
    def of(profile: DeviceProfile) -> Arithmetic:
        """The arithmetic of a device's profile.

        A trait that was not probed on an NPU allows everything, whatever was declared. The
        simulated machine is its own definition, and a host keeps IEEE 754: what they declare is so.
        The functions are those of the profile: what nobody knows of them says so by itself.
        Raises ValueError for a trait of an unknown value.
        """

        def modes(
            name: str, trait: Trait, known: Mapping[str, frozenset[Choice]]
        ) -> frozenset[Choice]:
            if trait.value not in known:
                rule = f"must be one of {', '.join(map(repr, known))}"
                raise ValueError(f"{name}={trait.value!r}: {rule}")
            sure = trait.probed or profile.kind != "npu"
            return known[trait.value if sure else "unknown"]

        return Arithmetic(
            casts=modes("cast_mode", profile.cast_mode, CAST_MODES),
            overflows=modes("overflow_mode", profile.overflow_mode, OVERFLOW_MODES),
            flushes=modes("flush_to_zero", profile.flush_to_zero, FLUSH_MODES),
            functions=profile.functions,
        )

    @property
    def is_ieee(self) -> bool:
        """Whether sums and casts are those of IEEE 754 and no others, whatever functions are."""
        return replace(self, functions=ALL_CORRECT) == IEEE

    @property
    def may_flush(self) -> bool:
        """Whether a subnormal may become zero."""
        return True in self.flushes

    def behaviours(self) -> Iterator[Behaviour]:
        """Every way in which the device may do its arithmetic, the most likely one first."""
        for cast, overflow, flush in itertools.product(
            sorted(self.casts), sorted(self.overflows), sorted(self.flushes)
        ):
            yield Behaviour(cast == TRUNCATE, overflow == SATURATE, flush)


IEEE = Arithmetic()
"""Round half to even, overflow to infinity, gradual underflow, correct functions."""

UNKNOWN = Arithmetic(
    CAST_MODES["unknown"], OVERFLOW_MODES["unknown"], FLUSH_MODES["unknown"], ALL_UNKNOWN
)
"""That of a device of which nothing is known: everything that any may do."""
