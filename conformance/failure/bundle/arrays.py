"""Arrays of a bundle as .npy files whose every byte is known beforehand.

A reader knows from the case which dtype and shape an array must have, so it knows the header to the
byte and the size of the file, and parses nothing: no header can ask for memory or name an object.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import bundle as say

ALIGNMENT = 64
"""Of the data in the file (numpy.lib.format, version 1.0)."""


class NotTheArray(ValueError):  # noqa: N818
    """A file that is not the array that the bundle must have there."""


def storable(array: NDArray[Any]) -> NDArray[Any]:
    """An array in a dtype that numpy alone knows: bfloat16 as the unsigned integers of its bits."""
    plain = array if array.dtype.kind in "iubf" else array.view(f"u{array.dtype.itemsize}")
    return np.ascontiguousarray(plain).reshape(array.shape)


def stored_dtype(name: str) -> np.dtype[Any]:
    """The dtype in which a tensor's elements are stored."""
    return np.dtype("u2") if name == "bfloat16" else np.dtype(name)


def header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The header of a .npy file in C order, as ``numpy.load`` reads it and the programs expect."""
    words = f"{{'descr': {dtype.newbyteorder('<').str!r}, 'fortran_order': False, "
    words += f"'shape': {tuple(map(int, shape))!r}, }}"
    short = -(10 + len(words) + 1) % ALIGNMENT
    padded = words + " " * short + "\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode("ascii")


def encode(array: NDArray[Any]) -> bytes:
    """An array as the bytes of its file."""
    plain = storable(array)
    little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    return header(plain.dtype, plain.shape) + little.tobytes()


def encoded_bytes(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    """The size of the file of such an array."""
    return len(header(dtype, shape)) + math.prod(shape) * dtype.itemsize


def decode(raw: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The array in the bytes of a file; raises `NotTheArray` where it is another one."""
    expected = header(dtype, shape)
    words = expected[10:].decode().strip()
    if not raw.startswith(expected):
        raise NotTheArray(say.OTHER_HEADER(array=words))
    if len(raw) != len(expected) + math.prod(shape) * dtype.itemsize:
        raise NotTheArray(say.OTHER_SIZE(count=len(raw), array=words))
    flat = np.frombuffer(raw, dtype.newbyteorder("<"), offset=len(expected))
    return flat.astype(dtype, copy=False).reshape(shape)
