"""Which library a function is really of, and which libraries a process has loaded."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from conformance.catalogue import packages as say


class _Info(ctypes.Structure):
    """Dl_info (dladdr(3))."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def exports(library: Path, symbols: Iterable[str]) -> bool:
    """Whether a library's tables hold all these names; False where it cannot be read.

    Nothing is loaded for it. A name that a library only asks for is in its tables, too.
    """
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as at:
            return all(at.find(symbol.encode() + b"\0") >= 0 for symbol in symbols)
    except (OSError, ValueError):  # an empty file has no map
        return False


def home_of(function: Any) -> Path | None:
    """The library that a ctypes function is of, by dladdr; None where the loader does not know.

    dlsym looks in what a library depends on, too: that a library has a name says nothing yet.
    """
    dladdr = ctypes.CDLL(None).dladdr
    dladdr.argtypes, dladdr.restype = [ctypes.c_void_p, ctypes.POINTER(_Info)], ctypes.c_int
    found = _Info()
    if not dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(found)) or not found.file:
        return None
    return Path(os.fsdecode(found.file)).resolve()


def misplaced(library: ctypes.CDLL, home: Path, symbols: Sequence[str]) -> str:
    """Why a library is not where these functions come from; empty: it is.

    ``home`` is the library's file, resolved.
    """
    for symbol in symbols:
        if not hasattr(library, symbol):
            return say.NO_SYMBOL(symbol=symbol, library=home)
        found = home_of(getattr(library, symbol))
        if found != home:
            where = found or say.NO_LIBRARY()
            return say.ELSEWHERE(symbol=symbol, library=home, found=where)
    return ""


def strangers(maps: Iterable[str], root: Path) -> list[str]:
    """The custom operators' libraries in /proc/self/maps that are not below ``root``, sorted."""
    paths = {line.split(maxsplit=5)[5] for line in maps if line.count("/")}
    custom = {path for path in paths if os.path.basename(path).startswith("libcust_op")}
    return sorted(path for path in custom if not Path(path).is_relative_to(root))
