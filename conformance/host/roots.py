"""Where the parts of an NPU host lie. Tests put folders of their own in their place."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.devices.packages.lookup import (
    Candidate,
    candidates,
    on_loader_path,
    package_folders,
)

MANAGERS = ("davinci_manager", "devmm_svm", "hisi_hdc")
"""The nodes that a process needs beside its card's (CANN, installation in a container)."""


@dataclass(frozen=True)
class Roots:
    """A host: its folders, and the environment, user and groups of this process."""

    devices: Path = Path("/dev")
    driver: Path = Path("/usr/local/Ascend/driver")
    groups: Path = Path("/etc/group")
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    user: int = field(default_factory=os.getuid)
    member_of: frozenset[int] = field(
        default_factory=lambda: frozenset({os.getgid(), os.getegid(), *os.getgroups()})
    )

    @property
    def cann(self) -> Path | None:
        """CANN's folder, None where ASCEND_HOME_PATH names none that is there."""
        return self._folder("ASCEND_HOME_PATH")

    @property
    def operators(self) -> Path | None:
        """The folder of operator packages: ASCEND_OPP_PATH, else ``opp`` of CANN."""
        named = self._folder("ASCEND_OPP_PATH")
        if named is None and self.cann is not None and (self.cann / "opp").is_dir():
            return self.cann / "opp"
        return named

    @property
    def is_npu_host(self) -> bool:
        """Whether a node or a variable says that this host is meant to have an NPU."""
        return bool(self.environment.get("ASCEND_HOME_PATH")) or any(
            self.devices.glob("davinci[0-9]*")
        )

    def library(self, name: str) -> Path | None:
        """The library that the loader finds by this name through LD_LIBRARY_PATH."""
        return on_loader_path(self.environment, name)

    def packages(self) -> Iterator[Path]:
        """The folders of installed operator packages, in the order in which they are asked: those
        of ASCEND_CUSTOM_OPP_PATH, then the vendors by ``load_priority`` of their config.ini.
        """
        yield from (folder for folder, _ in package_folders(self.environment, self.operators))

    def candidates(self) -> tuple[Candidate, ...]:
        """The libraries that are asked for an operator, in order."""
        return candidates(self.environment, self.user, self.operators)

    def _folder(self, variable: str) -> Path | None:
        named = self.environment.get(variable, "")
        return Path(named) if named and Path(named).is_dir() else None
