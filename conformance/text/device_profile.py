"""A device's profile in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.devices.arithmetic_traits import words_of
from conformance.devices.device import ARCHIVE, DeviceProfile, Trait


def profile_lines(profile: DeviceProfile) -> Iterator[str]:
    """What is known of a device; of its arithmetic also whether that was measured on it."""
    buffer = "unknown" if profile.ub_bytes is None else f"{profile.ub_bytes} B for a tiling"
    figures = {
        "SoC": profile.soc,
        "vector cores": str(profile.vector_cores),
        "unified buffer": buffer,
        "CANN": profile.cann,
        "cast mode": _trait(profile.cast_mode),
        "flush to zero": _trait(profile.flush_to_zero),
        "overflow mode": _trait(profile.overflow_mode),
        "determinism": _trait(profile.determinism),
    }
    loaded = {n: one for n, one in profile.libraries.items() if not n.endswith(ARCHIVE)}
    for name, library in loaded.items():
        figures[name] = f"{library.path}, sha256 {library.sha256[:16]}"
    width = max(map(len, figures))
    yield from (f"{name:{width}}  {text}" for name, text in figures.items())


def _trait(trait: Trait) -> str:
    return f"{words_of(trait)} ({'probed' if trait.probed else 'declared, not probed'})"
