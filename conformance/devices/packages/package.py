"""The three parts of a delivered custom-operator package, each of which CANN resolves by itself.

What an operator runs comes from the aclnn library, the tiling library and the kernel binaries; for
each of them CANN goes on to the next package and to its own operators where the first has none. So
a package has been judged where all three are of it, and nothing less is taken for that.
Layout: the custom-operator packages that CANN's operator projects build. The keys of the list of
binaries and the folder of each SoC are as such packages have them (source-read and inferred): they
have not been compared with a package on a host with CANN yet.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import msgspec

from conformance.catalogue import packages as say
from conformance.catalogue.marks import NONE
from conformance.devices.packages.lookup import ACLNN, owner_of
from conformance.devices.packages.symbols import exports
from conformance.errors import EnvironmentFailure

TILING_FOLDER = "op_impl/ai_core/tbe/op_tiling"
TILING = "libcust_opmaster_rt2.0.so"
KERNELS = "op_impl/ai_core/tbe/kernel"
BINARIES = "binary_info_config.json"
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
SOC_FOLDERS = (
    (re.compile(r"Ascend910B\d"), "ascend910b"),
    (re.compile(r"Ascend910_93\d\d"), "ascend910_93"),
    (re.compile(r"Ascend310P\d"), "ascend310p"),
    (re.compile(r"Ascend310B\d"), "ascend310b"),
    (re.compile(r"Ascend950"), "ascend950"),
    (re.compile(r"Ascend910(A|B|Pro\w)?$"), "ascend910"),
)
"""The folder of a SoC's kernels by its name, inferred from the folders that packages have. One name
is the start of another, so that a prefix alone decides nothing."""


class _Binary(msgspec.Struct):
    path: str = msgspec.field(default="", name="binPath")
    json: str = msgspec.field(default="", name="jsonPath")


class _Listed(msgspec.Struct):
    binaries: list[_Binary] = msgspec.field(default_factory=list, name="binaryList")


@dataclass(frozen=True)
class Wanted:
    """An operator that is judged out of a package: its name in lower case with underscores, its
    type, and the function of its phase 2."""

    name: str
    title: str
    aclnn: str

    @property
    def symbols(self) -> tuple[str, str]:
        """Both functions of the operator."""
        return self.aclnn + "GetWorkspaceSize", self.aclnn


@dataclass(frozen=True)
class Package:
    """A package's folder and its two libraries, all resolved and inside of the folder."""

    root: Path
    aclnn: Path
    tiling: Path

    @property
    def libraries(self) -> dict[str, Path]:
        """The libraries by file name."""
        return {self.aclnn.name: self.aclnn, self.tiling.name: self.tiling}

    def holds(self, wanted: Wanted) -> bool:
        """Whether anything of the operator is in the package."""
        folder = self.root / KERNELS
        there = any(any(folder.glob(f"{depth}/{wanted.name}")) for depth in ("*", "*/*"))
        return there or exports(self.aclnn, wanted.symbols)

    def kernels(self, wanted: Wanted, soc: str) -> dict[str, Path]:
        """The operator's binaries for a SoC and their JSON, by path below the folder of kernels.

        Raises EnvironmentFailure where CANN would not find one here.
        """
        folder, root = soc_folder(soc), self.root / KERNELS
        kernel = say.KERNEL(operator=wanted.name, soc=soc)
        if not (root / folder).is_dir():
            others = sorted(one.name for one in root.glob("ascend*")) or NONE()
            _fail(kernel, say.NOT_THERE(folder=root / folder, others=others), folder)
        config = root / "config" / folder / BINARIES
        found: dict[str, Path] = {}
        for one in _listed(config, wanted, kernel):
            for name in (one.path, one.json):
                path = root / name
                if not name or not path.is_file():
                    why = say.LISTED_NO_FILE(config=config, name=name, path=path)
                    _fail(kernel, why, folder)
                found[name] = _inside(path, self.root.resolve(), kernel)
        if not found:
            _fail(kernel, say.LISTS_NONE(config=config, operator=wanted.title), folder)
        return dict(sorted(found.items()))


def open_package(folder: Path, user: int | None = None) -> Package:
    """The package in a folder, with the parts that every operator needs.

    ``user`` is the uid of the process that will load it (this one's). Raises EnvironmentFailure,
    which names the part, where it was looked for, what is used in its place, and what to do.
    """
    root = folder.resolve()
    aclnn = root / ACLNN
    if not aclnn.is_file():
        inner = sorted(root.glob(f"*/{ACLNN}")) + sorted(root.glob(f"*/*/{ACLNN}"))
        where = say.NO_FILE(path=aclnn)
        if inner:
            where = say.NO_FILE_INNER(path=aclnn, inner=inner[0].parents[2])
        _fail(say.ACLNN_LIBRARY(), where, "")
    aclnn = _inside(aclnn, root, say.ACLNN_LIBRARY())
    user = os.getuid() if user is None else user
    owner = owner_of(aclnn)
    if owner != user:
        raise EnvironmentFailure(
            say.OF_ANOTHER_USER(root=root, library=aclnn, owner=owner, user=user)
        )
    tilings = sorted((root / TILING_FOLDER).rglob(TILING))
    machine = MACHINES.get(platform.machine().lower(), platform.machine())
    foreign = [
        one for one in tilings if {*MACHINES.values()} & {*one.relative_to(root).parts} - {machine}
    ]
    mine = [one for one in tilings if one not in foreign]
    if not mine:
        told = {"file": TILING, "machine": machine, "folder": root / TILING_FOLDER}
        where = say.NO_TILING_BUT(others=foreign, **told) if foreign else say.NO_TILING(**told)
        _fail(say.TILING_LIBRARY(), where, "")
    return Package(root, aclnn, _inside(mine[0], root, say.TILING_LIBRARY()))


def soc_folder(soc: str) -> str:
    """The folder of a SoC's kernels. Raises EnvironmentFailure for a SoC that none is known of."""
    for pattern, folder in SOC_FOLDERS:
        if pattern.match(soc):
            return folder
    raise EnvironmentFailure(say.UNKNOWN_SOC(soc=soc))


def _listed(config: Path, wanted: Wanted, kernel: str) -> Iterator[_Binary]:
    """What the list of binaries has for an operator. Raises EnvironmentFailure."""
    try:
        told = msgspec.json.decode(config.read_bytes(), type=dict[str, _Listed])
    except OSError as error:
        _fail(kernel, say.UNREADABLE(config=config, why=error.strerror), "")
    except msgspec.DecodeError as error:
        _fail(kernel, say.NO_LIST(config=config, error=str(error)), "")
    yield from told.get(wanted.title, _Listed()).binaries


def _inside(path: Path, root: Path, part: str) -> Path:
    """The file that a path stands for. Raises EnvironmentFailure where it lies elsewhere."""
    real = path.resolve()
    if not real.is_relative_to(root):
        raise EnvironmentFailure(say.LEADS_OUT(root=root, part=part, path=path, real=real))
    return real


def _fail(part: str, where: str, soc: str) -> NoReturn:
    for_soc = say.FOR_SOC(soc=soc) if soc else ""
    raise EnvironmentFailure(say.LACKS(part=part, where=where, soc=for_soc))
