"""A package together with the operators that are judged out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.catalogue import packages as say
from conformance.devices.device import DeviceProfile
from conformance.devices.messages import JudgedPackage
from conformance.devices.packages.package import Package, Wanted, open_package
from conformance.record.operator import Operator


@dataclass(frozen=True)
class DeliveredPackage:
    """What a device judges in the place of its own operators."""

    package: Package
    operators: tuple[Wanted, ...]

    @property
    def judged(self) -> JudgedPackage:
        """What the device process is told of it."""
        package = self.package
        functions = tuple(symbol for one in self.operators for symbol in one.symbols)
        return JudgedPackage(str(package.root), str(package.aclnn), str(package.tiling), functions)

    def parts(self, soc: str) -> dict[str, Path]:
        """All files that are judged: both libraries, each kernel binary with its JSON.

        Raises EnvironmentFailure where the package has no kernel of an operator for the SoC.
        """
        found = dict(self.package.libraries)
        for one in self.operators:
            found |= self.package.kernels(one, soc)
        return found


def package_lines(delivered: DeliveredPackage, profile: DeviceProfile) -> Iterator[str]:
    """What is judged of a package: each part with its hash, and how far a simulator runs it."""
    root = delivered.package.root
    yield say.PACKAGE(root=root)
    for name in delivered.parts(profile.soc):
        yield say.PART(name=name, sha256=profile.libraries[name].sha256[:16])
    if profile.kind == "sim":
        yield say.NOT_RUN()


def wanted_of(operators: Iterable[Operator]) -> list[Wanted]:
    """The operators as a package knows them."""
    return [Wanted(one.name, one.title, one.aclnn) for one in operators]


def delivered(folder: Path | None, operators: Iterable[Operator]) -> DeliveredPackage | None:
    """The package in a folder with these operators; None where no folder is named.

    Raises EnvironmentFailure.
    """
    if folder is None:
        return None
    return DeliveredPackage(open_package(folder), tuple(wanted_of(operators)))


def of_package(folder: Path, operators: Sequence[Operator]) -> tuple[Operator, ...]:
    """Those of the operators of which the package in a folder has a part, whole or not.

    Raises EnvironmentFailure for a package without its libraries.
    """
    package = open_package(folder)
    held = {one.name for one in wanted_of(operators) if package.holds(one)}
    return tuple(one for one in operators if one.name in held)
