"""What a kernel must not write: the zones around a tensor, and the gaps between its elements.

They are filled before a call, and compared after it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from conformance import poison
from conformance.devices.layout import Bytes, elements_of
from conformance.devices.messages import Damage, TensorArgument

GUARD_BEFORE = 4096 + 32
"""Bytes of guard zone before a tensor. The odd 32 makes a tensor's address a multiple of 32 and of
nothing greater, as a view into a larger tensor may be, so that reliance on more shows."""

GUARD_AFTER = 4096
"""Bytes of guard zone after a tensor: enough for a stray block of every vector core."""


@lru_cache(maxsize=256)
def guard_pattern(place: int, count: int) -> Bytes:
    """The bytes of a guard zone: poison in random order, but the same for the same place in every
    process.
    """
    generator = np.random.Generator(np.random.Philox(key=place))
    kinds = np.arange(poison.LEAST_GUARD, poison.MOST_GUARD + 1, 2, dtype=np.uint16)
    words = generator.choice(np.concatenate([kinds, kinds | 0x8000]), -(-count // 2))
    return words.astype("<u2").view(np.uint8)[:count]


def fill_guards(image: Bytes, position: int, before: int = GUARD_BEFORE) -> None:
    """Write the guard zones of the tensor at ``position`` of the call into its image."""
    image[:before] = guard_pattern(2 * position, before)
    image[image.size - GUARD_AFTER :] = guard_pattern(2 * position + 1, GUARD_AFTER)


def guard_damage(
    image: Bytes, name: str, position: int, before: int = GUARD_BEFORE
) -> list[Damage]:
    """Compare both guard zones of an image; one entry for each zone that changed."""
    damage = []
    end = image.size - GUARD_AFTER
    for key, start, length in ((2 * position, 0, before), (2 * position + 1, end, GUARD_AFTER)):
        zone, pattern = image[start : start + length], guard_pattern(key, length)
        if zone.tobytes() != pattern.tobytes():  # faster than numpy, of so few bytes
            changed = np.flatnonzero(zone != pattern)
            offset = start - before + int(changed[0])
            damage.append(Damage(name, offset, int(changed.size)))
    return damage


def gap_damage(image: Bytes, tensor: TensorArgument) -> list[Damage]:
    """What was written to the storage but no element of it, where the poison must be.

    Its offset counts bytes from the first element.
    """
    if not tensor.is_part or not image.size:
        return []
    untouched = np.empty_like(image)
    poison.fill(untouched, poison.OUTPUT_GAPS)
    elements_of(untouched, tensor)[...] = elements_of(image, tensor)
    changed = np.flatnonzero(image != untouched)
    first = tensor.start * tensor.itemsize
    return [Damage(tensor.name, int(changed[0]) - first, int(changed.size))] if changed.size else []
