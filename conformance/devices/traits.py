"""What a folder of device libraries says of itself, in ``traits.json`` beside them.

Libraries built from a checkout of somebody else's operators are judged as these are meant to be
run: on machines whose unified buffer their tilings know, with as much synchronisation demanded as
the compiler leaves to the source, and without the calls that their aclnn layer, which is not part
of the build, would refuse. The suite's own libraries have no such file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from conformance.catalogue import device as say

FILE = "traits.json"
LOOSENING = ("ASCENDSIM_SYNC_LEVEL", "ASCENDSIM_TOLERATED")
STRICTEST = "vector"
"""The level of synchronisation of the simulator itself (docs/reference/diagnostics.md)."""


class LibraryTraits(msgspec.Struct, frozen=True, kw_only=True):
    """``least_ub_bytes``: no machine of a smaller unified buffer is drawn; one that a record names
    has that much. ``sync_level`` is that of the simulator's ASCENDSIM_SYNC_LEVEL, empty: its own.
    ``tolerated`` are codes of diagnostics after which the simulator lets a kernel go on where it
    can (ASCENDSIM_TOLERATED). ``checks_calls``: whether the libraries refuse what the documents
    forbid, so that it is asked.
    ``checkout`` is where the sources are from, ``operators`` are those in the libraries, none: all.
    ``tiling_keys`` has, for an operator whose kernel's source names them all, the tiling keys that
    the kernel tells apart.
    """

    least_ub_bytes: int = 0
    sync_level: str = ""
    tolerated: tuple[str, ...] = ()
    checks_calls: bool = True
    checkout: str = ""
    operators: tuple[str, ...] = ()
    tiling_keys: dict[str, tuple[int, ...]] = {}

    @property
    def environment(self) -> dict[str, str]:
        """What a process that loads the simulator's library must have in its environment."""
        named = {
            "ASCENDSIM_SYNC_LEVEL": self.sync_level,
            "ASCENDSIM_TOLERATED": ",".join(self.tolerated),
        }
        return {name: value for name, value in named.items() if value}


def loosened(traits: LibraryTraits, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables under which the simulator checks less than by itself; the environment wins."""
    asked = {name: environment[name] for name in LOOSENING if environment.get(name)}
    told = {**traits.environment, **asked}
    return {name: value for name, value in told.items() if value != STRICTEST}


def loosened_lines(profiles: Iterable[object]) -> Iterator[str]:
    """Under which settings the simulator checked less than it does by itself."""
    told = (one for one in profiles if isinstance(one, Mapping) and one)
    lines = (", ".join(f"{name}={value}" for name, value in one.items()) for one in told)
    yield from (say.LOOSENED(settings=line) for line in dict.fromkeys(lines))


def traits_of(libraries: Path | str | None) -> LibraryTraits:
    """The traits of the libraries in a folder; those of the suite's own where it says nothing.

    Raises ValueError for a file that cannot be read as such.
    """
    file = Path(libraries) / FILE if libraries is not None else None
    if file is None or not file.is_file():
        return LibraryTraits()
    try:
        return msgspec.json.decode(file.read_bytes(), type=LibraryTraits)
    except msgspec.DecodeError as error:
        raise ValueError(say.OF_FILE(file=file, error=str(error))) from error
