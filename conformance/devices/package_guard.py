"""The device process's look at the package that it judges: nothing else may have been loaded."""

from __future__ import annotations

import ctypes
from pathlib import Path

from conformance.catalogue import packages as say
from conformance.devices.messages import JudgedPackage
from conformance.devices.packages.symbols import misplaced, strangers

MAPS = Path("/proc/self/maps")


class NotOfThePackage(OSError):  # noqa: N818 - reads as what it says
    """Something that runs is not of the package that is judged."""


class PackageGuard:
    """Watches over one package in this process; ``kind`` is the device's (sim, npu)."""

    def __init__(self, package: JudgedPackage, kind: str) -> None:
        self._package, self._kind = package, kind
        self._seen: set[str] = set()

    def check_functions(self, library: ctypes.CDLL | None) -> None:
        """Raise `NotOfThePackage` where a judged function is not the package library's own."""
        assert library is not None
        if why := misplaced(library, Path(self._package.aclnn), self._package.functions):
            raise self._error(why, say.EXPORT_BOTH())
        self._check_strangers(MAPS.read_text())

    def check_loaded(self, symbol: str) -> None:
        """Raise `NotOfThePackage` where the first call of an operator brought something else in.

        CANN loads tiling libraries by itself: on an NPU that of the package must be there by then.
        The simulator loads none: its aclnn library has the tiling and the kernel in it.
        """
        if symbol in self._seen:
            return
        self._seen.add(symbol)
        maps = MAPS.read_text()
        self._check_strangers(maps)
        if self._kind == "npu" and self._package.tiling not in maps:
            why = say.OTHER_TILING(library=self._package.tiling, symbol=symbol)
            raise self._error(why, say.REGISTER_TILING())

    def _check_strangers(self, maps: str) -> None:
        found = strangers(maps.splitlines(), Path(self._package.root))
        if found:
            why = say.STRANGERS(libraries=found)
            raise self._error(why, say.TAKE_AWAY())

    def _error(self, why: str, advice: str) -> NotOfThePackage:
        root = self._package.root
        return NotOfThePackage(say.NOT_OF_IT(root=root, why=why, advice=advice))
