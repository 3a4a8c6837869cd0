"""Where a two-phase operator is looked for on a host with CANN, in order.

The order is that of op-plugin, which torch_npu has too (specification of op-plugin, "custom
operators"): the packages of ``ASCEND_CUSTOM_OPP_PATH``, the vendors of ``ASCEND_OPP_PATH`` by
``load_priority``, CANN's split libraries, CANN's general one.
"""

from __future__ import annotations

import configparser
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.catalogue import packages as say

CUSTOM_VARIABLE = "ASCEND_CUSTOM_OPP_PATH"
OPERATORS_VARIABLE = "ASCEND_OPP_PATH"
ACLNN = "op_api/lib/libcust_opapi.so"
"""The library of aclnn functions, below a package's folder."""
GENERAL = "libopapi.so"


@dataclass(frozen=True)
class Candidate:
    """A library that is asked for an operator. ``source`` says by what it is found, ``skipped``
    why it is passed over all the same, empty: it is not. ``custom``: it is of a package.
    """

    path: Path
    source: str
    skipped: str = ""
    custom: bool = False


def candidates(
    environment: Mapping[str, str], user: int, operators: Path | None = None
) -> tuple[Candidate, ...]:
    """The libraries that are there, in the order in which they are asked.

    ``user`` is the uid of the process that asks: a custom library of another user is passed over.
    ``operators`` is the folder of operator packages where ASCEND_OPP_PATH does not name it.
    """
    found = []
    for folder, source in package_folders(environment, operators):
        library = folder / ACLNN
        if library.is_file():
            owner = owner_of(library)
            whose = "" if owner == user else say.OWNED_BY(owner=owner, user=user)
            found.append(Candidate(library, source, whose, custom=True))
    general = on_loader_path(environment, GENERAL)
    if general is not None:
        split = sorted(general.parent.glob("libopapi_*.so"))
        found += [Candidate(path, say.SPLIT_LIBRARIES()) for path in split]
        found.append(Candidate(general, say.CANN_OPERATORS()))
    return tuple(found)


def order_of_lookup(found: Iterable[Candidate]) -> Iterator[str]:
    """The order as people read it, a line for each library."""
    for place, one in enumerate(found, 1):
        told = {"place": place, "path": one.path, "source": one.source}
        if one.skipped:
            yield say.LOOKED_UP_SKIPPED(why=one.skipped, **told)
        else:
            yield say.LOOKED_UP(**told)


def package_folders(
    environment: Mapping[str, str], operators: Path | None = None
) -> Iterator[tuple[Path, str]]:
    """The folders of packages that are there, each with what names it, in their order."""
    for named in environment.get(CUSTOM_VARIABLE, "").split(":"):
        if named and Path(named).is_dir():
            yield Path(named), CUSTOM_VARIABLE
    told = environment.get(OPERATORS_VARIABLE, "")
    operators = Path(told) if told and Path(told).is_dir() else operators
    if operators is not None:
        config = operators / "vendors" / "config.ini"
        for name in _priority(config):
            yield config.parent / name, say.PRIORITY(config=config)


def owner_of(library: Path) -> int:
    """The uid of a library's owner."""
    return library.stat().st_uid


def on_loader_path(environment: Mapping[str, str], name: str) -> Path | None:
    """The library that the loader finds by this name through LD_LIBRARY_PATH."""
    listed = environment.get("LD_LIBRARY_PATH", "").split(":")
    paths = (Path(folder) / name for folder in listed if folder)
    return next((path for path in paths if path.is_file()), None)


def _priority(config: Path) -> Iterator[str]:
    """The vendors whose folders are there, as ``load_priority`` lists them; it has no section."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    try:
        parser.read_string("[config]\n" + config.read_text())
    except (OSError, UnicodeDecodeError, configparser.Error):
        return
    for name in parser.get("config", "load_priority", fallback="").split(","):
        if name.strip() and (config.parent / name.strip()).is_dir():
            yield name.strip()
