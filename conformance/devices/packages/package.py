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
        whose = f"{wanted.name} for {soc}"
        if not (root / folder).is_dir():
            others = ", ".join(sorted(one.name for one in root.glob("ascend*"))) or "none"
            _fail(
                f"the kernel of {whose}", f"{root / folder} is not there (SoCs: {others})", folder
            )
        config = root / "config" / folder / BINARIES
        found: dict[str, Path] = {}
        for one in _listed(config, wanted, whose):
            for name in (one.path, one.json):
                path = root / name
                if not name or not path.is_file():
                    why = f"{config} lists '{name}', {path} is no file"
                    _fail(f"the kernel of {whose}", why, folder)
                found[name] = _inside(path, self.root.resolve(), f"the kernel of {whose}")
        if not found:
            _fail(f"the kernel of {whose}", f"{config} lists no binary of {wanted.title}", folder)
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
        advice = f"; name its folder: {inner[0].parents[2]}" if inner else ""
        _fail("the aclnn library", f"{aclnn} is no file{advice}", "")
    aclnn = _inside(aclnn, root, "the aclnn library")
    user = os.getuid() if user is None else user
    owner = owner_of(aclnn)
    if owner != user:
        raise EnvironmentFailure(
            f"package {root}: {aclnn} is of user {owner}, this process of user {user}: torch_npu"
            " passes such a library over with one warning and calls the built-in operator in its"
            f" place (specification of op-plugin); chown -R {user} {root}, or judge as user {owner}"
        )
    tilings = sorted((root / TILING_FOLDER).rglob(TILING))
    machine = MACHINES.get(platform.machine().lower(), platform.machine())
    foreign = [
        one for one in tilings if {*MACHINES.values()} & {*one.relative_to(root).parts} - {machine}
    ]
    mine = [one for one in tilings if one not in foreign]
    if not mine:
        where = f"no {TILING} for {machine} below {root / TILING_FOLDER}"
        others = f" (there: {', '.join(map(str, foreign))})" if foreign else ""
        _fail("the tiling library", where + others, "")
    return Package(root, aclnn, _inside(mine[0], root, "the tiling library"))


def soc_folder(soc: str) -> str:
    """The folder of a SoC's kernels. Raises EnvironmentFailure for a SoC that none is known of."""
    for pattern, folder in SOC_FOLDERS:
        if pattern.match(soc):
            return folder
    raise EnvironmentFailure(f"SoC '{soc}': no folder of kernels is known (CANN, platform_config)")


def _listed(config: Path, wanted: Wanted, whose: str) -> Iterator[_Binary]:
    """What the list of binaries has for an operator. Raises EnvironmentFailure."""
    try:
        told = msgspec.json.decode(config.read_bytes(), type=dict[str, _Listed])
    except OSError as error:
        _fail(f"the kernel of {whose}", f"{config} cannot be read ({error.strerror})", "")
    except msgspec.DecodeError as error:
        _fail(f"the kernel of {whose}", f"{config} is no list of binaries ({error})", "")
    yield from told.get(wanted.title, _Listed()).binaries


def _inside(path: Path, root: Path, part: str) -> Path:
    """The file that a path stands for. Raises EnvironmentFailure where it lies elsewhere."""
    real = path.resolve()
    if not real.is_relative_to(root):
        raise EnvironmentFailure(
            f"package {root}: {part} is not of the package: {path} leads to {real};"
            " put the file itself there, and judge the package as it is delivered"
        )
    return real


def _fail(part: str, where: str, soc: str) -> NoReturn:
    for_soc = f" (ASCEND_COMPUTE_UNIT with {soc})" if soc else ""
    raise EnvironmentFailure(
        f"the package lacks {part}: {where}. CANN would take that of another package or its own"
        f" (operator development guide, operator packages), and this one would not be judged:"
        f" build the package again with it{for_soc}"
    )
