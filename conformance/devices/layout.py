"""How the elements of a tensor lie in its storage, and the poison between them.

The guard zones around a storage are those of `guard_zones`; `placement` gives both their memory.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance import poison
from conformance.call.surroundings import ZEROED
from conformance.devices.messages import TensorArgument

Bytes = NDArray[np.uint8]

SEGMENT_HEADER = 4096
"""Bytes at the start of the segment in which the child notes the function that it is calling, and
the simulator says where a kernel is when the child is about to be ended."""

LAST_WORDS = 1024
"""Where in the header those last words begin."""

_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
_memcmp.restype = ctypes.c_int


def round_up(value: int, multiple: int) -> int:
    """The smallest multiple of ``multiple`` that is not below ``value``."""
    return -(-value // multiple) * multiple


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
    if tensor.strides is None:
        elements[...] = stored
        return
    shared = (*(stride == 0 for stride in tensor.strides), False)
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


def same_at(left: int, right: int, count: int) -> bool:
    """Whether so many bytes at two addresses of the host are equal."""
    return bool(_memcmp(left, right, count) == 0)
