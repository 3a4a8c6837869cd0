"""A tree that looks like an NPU host: nodes, driver, CANN, its operators and its kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.host.roots import MANAGERS, Roots

PLACE = "usr/local/Ascend"
SET_ENV = """export ASCEND_HOME_PATH={home}
export ASCEND_OPP_PATH={home}/opp
export LD_LIBRARY_PATH={home}/lib64
"""


@dataclass(frozen=True)
class FakeHost:
    """The tree below ``root``; its paths are those of a host without the root before them."""

    root: Path

    @property
    def devices(self) -> Path:
        return self.root / "dev"

    @property
    def driver(self) -> Path:
        return self.root / PLACE / "driver"

    @property
    def home(self) -> Path:
        return self.root / PLACE / "cann"

    @property
    def environment(self) -> dict[str, str]:
        lines = SET_ENV.format(home=self.home).splitlines()
        return dict(line.removeprefix("export ").split("=", 1) for line in lines)

    def roots(self, **changed: str) -> Roots:
        """What the doctor is given: this tree, and variables in place of set_env.sh's."""
        groups = self.root / "etc" / "group"
        cards = {"MOE_CONFORMANCE_CARDS": str(self.root / "cards")}
        environment = {**self.environment, **cards, **changed}
        return Roots(self.devices, self.driver, groups, environment)

    def operator(self, name: str, aclnn: str, soc: str = "ascend910b") -> None:
        """An operator of CANN's own: both functions in a library, a kernel for a SoC."""
        with (self.home / "lib64" / "libopapi_transformer.so").open("ab") as library:
            library.write(f"\0{aclnn}GetWorkspaceSize\0{aclnn}\0".encode())
        kernel = self.home / "opp/built-in/op_impl/ai_core/tbe/kernel" / soc / name
        kernel.mkdir(parents=True)
        (kernel / "a.o").touch()

    def package(self, vendor: str, aclnn: str) -> Path:
        """A custom package of a vendor, first in the order; returns its library."""
        vendors = self.home / "opp" / "vendors"
        library = vendors / vendor / "op_api" / "lib" / "libcust_opapi.so"
        library.parent.mkdir(parents=True)
        library.write_bytes(f"\0{aclnn}GetWorkspaceSize\0{aclnn}\0".encode())
        (vendors / "config.ini").write_text(f"load_priority={vendor},absent\n")
        return library


def fake_host(root: Path, cards: Iterable[int] = (0, 1), cann: str = "8.5.0") -> FakeHost:
    """A host with these cards, CANN of that version, and no operators yet."""
    host = FakeHost(root)
    host.devices.mkdir(parents=True)
    for name in (*(f"davinci{number}" for number in cards), *MANAGERS):
        (host.devices / name).touch()
    host.driver.mkdir(parents=True)
    (host.driver / "version.info").write_text("Version=25.2.0\nascendhal_version=7.35.23\n")
    for name in ("runtime", "compiler", "lib64", "opp"):
        (host.home / name).mkdir(parents=True)
    information = host.home / "aarch64-linux" / "ascend_toolkit_install.info"
    information.parent.mkdir()
    information.write_text(f"package_name=Ascend-cann-toolkit\nversion={cann}\n")
    for name in ("libascendcl.so", "libopapi.so", "libopapi_transformer.so"):
        (host.home / "lib64" / name).write_bytes(b"\0")
    (host.home / "set_env.sh").write_text(SET_ENV.format(home=host.home))
    (root / "etc").mkdir()
    (root / "etc" / "group").write_text("root:x:0:\nHwHiAiUser:x:1000:\n")
    return host
