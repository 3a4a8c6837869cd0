"""Whether CANN has an operator: both functions of its interface, and a kernel for a SoC.

Nothing is loaded for it: a library that does not load would end the doctor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.catalogue import host as say
from conformance.catalogue.message import row
from conformance.devices.finding import Finding
from conformance.devices.packages.package import KERNELS
from conformance.devices.packages.symbols import exports
from conformance.host.roots import Roots
from conformance.record.operator import Operator


def operator_findings(roots: Roots, operators: Iterable[Operator]) -> Iterator[Finding]:
    """One finding for each operator, where CANN is; and one for each package of custom ones."""
    if roots.cann is None:
        return
    yield from _owners(roots)
    libraries = [one.path for one in roots.candidates()]
    for operator in operators:
        yield _operator(operator, roots, libraries)


def kernels_of(name: str, roots: Roots) -> list[str]:
    """The SoCs for which a package has a compiled kernel of the operator, each once."""
    packages = [*roots.packages()]
    if roots.operators is not None:
        packages.append(roots.operators / "built-in")
    found: dict[str, None] = {}
    for package in packages:
        folder = package / KERNELS
        # Newer versions of CANN have a folder for each repository of operators between the two.
        for place in sorted((*folder.glob(f"*/{name}"), *folder.glob(f"*/*/{name}"))):
            if any(place.glob("*.o")):
                found[place.relative_to(folder).parts[0]] = None
    return list(found)


def _operator(operator: Operator, roots: Roots, libraries: list[Path]) -> Finding:
    symbols = (f"{operator.aclnn}GetWorkspaceSize", operator.aclnn)
    library = next((path for path in libraries if exports(path, symbols)), None)
    kernels = kernels_of(operator.name, roots)
    if library is not None and kernels:
        return Finding(operator.name, say.KERNELS_FOR(library=library.name, socs=kernels))
    advice: list[str] = []
    if library is None:
        looked = [path.name for path in libraries] or say.NO_LIBRARY_AT_ALL()
        advice.append(say.NO_SYMBOL(symbol=symbols[0], libraries=looked))
    if not kernels:
        advice.append(say.NO_KERNELS(folder=KERNELS, operator=operator.name))
    return Finding(operator.name, "", say.JUDGING_IT(), row(advice, "\n"))


def _owners(roots: Roots) -> Iterator[Finding]:
    """Whether the libraries of custom packages are loaded, and as which in the order."""
    for place, one in enumerate(roots.candidates(), 1):
        if not one.custom:
            continue
        name = say.PACKAGE(name=one.path.parents[2].name)
        if not one.skipped:
            told = say.CALLED_AS(path=one.path, place=place, source=one.source)
            yield Finding(name, told)
        else:
            chown = {"user": roots.user, "name": one.path.name}
            advice = say.SKIPPED(path=one.path, why=one.skipped, **chown)
            yield Finding(name, "", say.PASSED_OVER(), advice)
