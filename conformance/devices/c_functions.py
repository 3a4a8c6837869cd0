"""Functions of C libraries with their exact signatures; the lock of the simulator among them."""

from __future__ import annotations

import ctypes
import secrets
from ctypes import c_int, c_uint64
from typing import Any

KEY = secrets.randbits(63) | 1
"""This process's own: whoever has not got it changes no setting of the simulator."""


def declare(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    """The library's function with its exact signature; AttributeError if it is not there."""
    function = getattr(library, name)
    if (function.restype, function.argtypes) != (result, arguments):
        # Only then: ctypes looks up how to convert each argument whenever they are set.
        function.restype, function.argtypes = result, arguments
    return function


def declared(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    """The same, None where the library has no such function."""
    return declare(library, name, result, *arguments) if hasattr(library, name) else None


class Hold:
    """Holds the settings and findings of the simulator, and has them free for a block."""

    def __init__(self, runtime: ctypes.CDLL) -> None:
        self._hold = declared(runtime, "ascendsimHold", c_int, c_uint64, c_int)
        self.__exit__()

    def __enter__(self) -> None:
        if self._hold is not None:
            self._hold(KEY, 0)

    def __exit__(self, *_: object) -> None:
        if self._hold is not None:
            self._hold(KEY, 1)
