"""The traits of a device's arithmetic: values that programs compare, and their words."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.catalogue import device as say
from conformance.devices.device import Trait

SIMULATED: Mapping[str, Trait] = {
    "cast_mode": Trait("round half to even"),
    "flush_to_zero": Trait("subnormals are kept"),
    "overflow_mode": Trait("infinity"),
    "determinism": Trait("the same bits each time"),
}
"""Those of the simulator."""

IEEE: Mapping[str, Trait] = {**SIMULATED, "determinism": Trait("unknown")}
"""Those of a host's processor, and of numpy and torch on it."""

UNKNOWN: Mapping[str, Trait] = dict.fromkeys(SIMULATED, Trait("unknown"))
"""Those of a device that nobody has asked."""

WORDS = {
    "round half to even": say.ROUND_HALF_TO_EVEN,
    "subnormals are kept": say.SUBNORMALS_KEPT,
    "infinity": say.INFINITY,
    "the same bits each time": say.SAME_BITS,
    "unknown": say.UNKNOWN,
}


def words_of(trait: Trait) -> str:
    """A trait's value as a person reads it."""
    known = WORDS.get(trait.value)
    return trait.value if known is None else known()
