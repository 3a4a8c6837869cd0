"""How tensors lie in memory: guard zones, poison, and what became of them after a call.

One image of a tensor is ``guard | storage | guard``, the same in the shared segment and in device
memory, so that one copy moves all of it.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance import poison
from conformance.call.surroundings import ZEROED
from conformance.devices.messages import Damage, TensorArgument

Bytes = NDArray[np.uint8]

SEGMENT_HEADER = 4096
"""Bytes at the start of the segment in which the child notes the function that it is calling, and
the simulator says where a kernel is when the child is about to be ended."""

LAST_WORDS = 1024
"""Where in the header those last words begin."""

GUARD_BEFORE = 4096 + 32
"""Bytes of guard zone before a tensor. The odd 32 makes a tensor's address a multiple of 32 and of
nothing greater, as a view into a larger tensor may be, so that reliance on more shows."""

GUARD_AFTER = 4096
"""Bytes of guard zone after a tensor: enough for a stray block of every vector core."""

_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
_memcmp.restype = ctypes.c_int


def round_up(value: int, multiple: int) -> int:
    """The smallest multiple of ``multiple`` that is not below ``value``."""
    return -(-value // multiple) * multiple


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
        if not same_bytes(zone, pattern):
            changed = np.flatnonzero(zone != pattern)
            offset = start - before + int(changed[0])
            damage.append(Damage(name, offset, int(changed.size)))
    return damage


def fill_elements(image: Bytes, tensor: TensorArgument, memory: str, word: int) -> None:
    """Fill the storage of an output: with what a setting's ``memory`` says its elements, poison
    being that ``word``, and with a poison of its own what is no element.

    "as left" leaves the device as it is where the elements are all that the storage has.
    """
    if not tensor.is_part:
        image.fill(0) if memory == ZEROED else poison.fill(image, word)
        return
    poison.fill(image, poison.OUTPUT_GAPS)
    elements = elements_of(image, tensor)
    filled = np.zeros(elements.size, np.uint8)
    if memory != ZEROED:
        poison.fill(filled, word)
    elements[...] = filled.reshape(elements.shape)


def write_elements(image: Bytes, tensor: TensorArgument, array: NDArray[Any]) -> None:
    """Write the elements that an input holds into its storage, each place of it once."""
    elements = elements_of(image, tensor)
    stored = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(elements.shape)
    shared = (*(stride == 0 for stride in tensor.strides or ()), False)
    once = tuple(slice(0, 1) if one else slice(None) for one in shared)
    elements[once] = stored[once]


def elements_of(image: Bytes, tensor: TensorArgument) -> NDArray[np.uint8]:
    """The elements of a tensor as bytes [*shape, itemsize], or without strides [-1, itemsize], in
    place: ``image`` is the storage. Elements of a broadcast input share their bytes.
    """
    itemsize, shape = tensor.itemsize, tensor.shape
    image = image[tensor.start * itemsize : image.size - tensor.spare * itemsize]
    if tensor.strides is None:
        return image.reshape(-1, itemsize)
    steps = (*(stride * itemsize for stride in tensor.strides), 1)
    if 0 in shape:
        return np.empty((*shape, itemsize), np.uint8)
    return np.lib.stride_tricks.as_strided(image, (*shape, itemsize), steps)


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


def same_bytes(left: Bytes, right: Bytes) -> bool:
    """Whether two contiguous byte arrays of one size are equal."""
    return bool(_memcmp(left.ctypes.data, right.ctypes.data, left.size) == 0)
