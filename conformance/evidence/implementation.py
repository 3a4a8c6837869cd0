"""What a case was called on: by it a replay knows whether it calls what failed, or something else.

An implementation is known by the hashes of its libraries, and by the place that they are from: of
the same place it may have been rebuilt since, of another one it is another implementation.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import structs

from conformance import places
from conformance.catalogue import implementation as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.devices.device import ARCHIVE, DeviceProfile, Origin
from conformance.devices.foreign import parts
from conformance.devices.messages import Functions
from conformance.devices.open import hashed
from conformance.errors import EnvironmentFailure

Told = TypeVar("Told")
RUNTIME = "libascendcl.so"
"""The device's own library: operators are told apart without it."""

DEVICES = "conformance.devices."
Source = Literal["suite", "kernels", "npu", "libraries", "package", "checkout", "plugin", "python"]
ALONE = {"suite": say.OWN_KERNELS, "npu": say.CANN}
IN_A_PLACE = {
    "kernels": say.KERNELS,
    "libraries": say.LIBRARIES,
    "package": say.PACKAGE,
    "checkout": say.CHECKOUT,
    "plugin": say.PLUGIN,
    "python": say.PYTHON,
}
NAMED_BY = {
    "suite": "--device sim",
    "kernels": say.BY_OPERATORS(),
    "npu": "--device npu",
    "libraries": "--libraries",
    "package": "--package",
    "checkout": "--kernels",
    "plugin": say.BY_PYTEST(),
    "python": "--implementation",
}


class Implementation(msgspec.Struct, frozen=True, kw_only=True):
    """What was called.

    ``source``: the suite's own kernels or those in a folder of others, built for the simulator; the
    operators of the NPU's CANN; libraries, a package or a checkout that was named; a device that a
    pytest plugin made; or Python ``functions``. ``place`` is the folder, of a plugin the class of
    its device, of Python the function. ``beside`` are the folders of kernels that were built
    together. ``libraries`` are hashes by file name. ``probed``: whether what it was judged by was
    probed of the device's functions.
    """

    source: Source
    place: str = ""
    beside: tuple[str, ...] = ()
    libraries: dict[str, str] = {}
    functions: Functions | None = None
    probed: bool = False

    @property
    def words(self) -> str:
        """The implementation in few words, with the hash of its first library."""
        known = ALONE.get(self.source)
        told = IN_A_PLACE[self.source](place=self.place) if known is None else known()
        first = next(iter(self.operators.items()), None)
        if first is None or self.source == "package":
            return told
        return say.WITH_LIBRARY(what=told, file=first[0], sha256=first[1][:16])

    @property
    def operators(self) -> dict[str, str]:
        """The hashes of the libraries that operators lie in."""
        return {name: sha for name, sha in self.libraries.items() if name != RUNTIME}


def of_device(device: object, operator: str = "") -> Implementation:
    """What a device calls; with ``operator``: for that one."""
    profile: DeviceProfile | None = getattr(device, "profile", None)
    found = _called(device, profile, operator)
    known = () if profile is None else profile.functions.by_name.values()
    return structs.replace(found, probed=any(one.origin == "probed" for one in known))


def _called(device: object, profile: DeviceProfile | None, operator: str) -> Implementation:
    libraries = {} if profile is None else {n: one.sha256 for n, one in profile.libraries.items()}
    made, origin = type(device), profile.origin if profile is not None else None
    if profile is None or origin is None or not made.__module__.startswith(DEVICES):
        place = f"{made.__module__}.{made.__qualname__}"
        return Implementation(source="plugin", place=place, libraries=libraries)
    if origin.source == "built":
        libraries = of_operator(operator, libraries) if operator else libraries
        return _built(origin, operator, libraries)
    if origin.source == "python":
        return _python(origin, operator, libraries)
    if origin.source == "checkout" and operator:
        folder = Path(profile.libraries["libopapi.so"].path).parent
        libraries = {one.name: hashed(one) for one in parts(folder, operator)}
    return Implementation(source=origin.source, place=origin.place, libraries=libraries)


def of_operator(operator: str, libraries: Mapping[str, Told]) -> dict[str, Told]:
    """Those of a device's libraries that decide what an operator does: its archive and the runtime.

    All archives for one that calls a function of another, all libraries if there is no archive.
    """
    own = f"lib{operator}{ARCHIVE}"
    archives = {own} & libraries.keys() or {name for name in libraries if name.endswith(ARCHIVE)}
    return {n: one for n, one in libraries.items() if not archives or n in {*archives, RUNTIME}}


def _python(origin: Origin, operator: str, libraries: dict[str, str]) -> Implementation:
    """Of several Python functions the one that carries out an operator."""
    functions = origin.functions
    assert functions is not None
    of_one = functions.by_operator.get(operator)
    places_of = (of_one,) if of_one else functions.by_operator.values()
    return Implementation(
        source="python",
        place=", ".join(dict.fromkeys(places_of)),
        libraries=libraries,
        functions=functions,
    )


def _built(origin: Origin, operator: str, libraries: dict[str, str]) -> Implementation:
    """Of several folders of kernels the one that an operator lies in."""
    own = str(places.own_kernels().resolve())
    folders = origin.folders or (own,)
    mine = [one for one in folders if (Path(one) / operator).is_dir()] if operator else folders
    others = [one for one in mine if one != own]
    if not others:
        return Implementation(source="suite", beside=origin.folders, libraries=libraries)
    return Implementation(
        source="kernels",
        place=os.pathsep.join(others),
        beside=origin.folders,
        libraries=libraries,
    )


def compared(failed: Implementation | None, now: Implementation) -> str:
    """What is called now beside what failed, as a sentence; empty where it is the same."""
    if failed is None:
        return say.UNKNOWN()
    known = failed.source != "plugin"  # what such a device does is not in its libraries alone
    other = "python" in (failed.source, now.source) and failed.place != now.place  # of one file
    if known and not other and _same(failed.operators, now.operators):
        return ""
    if not known or (failed.source, failed.place) != (now.source, now.place):
        return say.ANOTHER(now=now.words, failed=failed.words)
    if failed.beside != now.beside:
        return ""
    changed = list(_changed(failed.libraries, now.libraries))
    return say.REBUILT(changed=row(changed, SEMICOLON)) if changed else ""


def _same(failed: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether the libraries are the same; of archives those that both have: a device is built with
    the operators that are needed."""
    both = failed.keys() & now.keys()
    if not all(name.endswith(ARCHIVE) for name in {**failed, **now}):
        return bool(failed) and failed == now
    return bool(both) and all(failed[name] == now[name] for name in both)


def _changed(before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    for name in {**before, **now}:
        was, is_now = (one.get(name, "")[:16] for one in (before, now))
        if was and is_now and was != is_now:
            yield say.CHANGED(file=name, before=was, now=is_now)
        elif was and not is_now:
            yield say.GONE(file=name, before=was)
        elif is_now and not was:
            yield say.NEW(file=name, now=is_now)


def absent(failed: Implementation, why: str) -> EnvironmentFailure:
    """The failure that says that what failed is not here, and how it is named."""
    told = say.ABSENT(failed=failed.words, why=why, how=NAMED_BY[failed.source])
    return EnvironmentFailure(told)


def check_called(failed: Implementation | None, now: Implementation) -> None:
    """Raise EnvironmentFailure where something else would be called, and nobody asked for it."""
    if failed is None or failed.source == now.source:
        return
    if (failed.source, now.source) != (
        "suite",
        "kernels",
    ):  # these lie beside a record that is named
        raise absent(failed, say.DEVICE_CALLS(now=now.words))


def unusable(place: str, beside: Path) -> str:
    """Why the folder that a case names is not loaded from by itself; empty where it is.

    A bundle may be somebody else's: nothing that lies in its folder ``beside``, or that others may
    write, is run unless a person names it.
    """
    folder = Path(place)
    if not folder.is_absolute() or not folder.is_dir():
        return say.NO_FOLDER()
    real = folder.resolve()
    if real != folder:
        return say.LEADS_TO(real=real)
    if real.is_relative_to(beside.resolve()):
        return say.IN_THE_BUNDLE()
    for one in (real, *real.parents):
        known = one.stat()
        shared = known.st_mode & stat.S_IWOTH and not known.st_mode & stat.S_ISVTX
        if known.st_uid not in (0, os.getuid()) or shared:
            return say.OF_ANOTHER_USER(folder=one)
    return ""
