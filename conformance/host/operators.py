"""Whether CANN has an operator: both functions of its interface, and a kernel for a SoC.

Nothing is loaded for it: a library that does not load would end the doctor.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.host.finding import Finding
from conformance.host.roots import Roots
from conformance.operator import Operator

KERNELS = "op_impl/ai_core/tbe/kernel"
CUSTOM = "op_api/lib/libcust_opapi.so"
FROM_THE_TORCH_ROUTE = "judging it through torch_npu: the built-in operator is called in its place"


def operator_findings(roots: Roots, operators: Iterable[Operator]) -> Iterator[Finding]:
    """One finding for each operator, where CANN is; and one for each package of custom ones."""
    if roots.cann is None:
        return
    yield from _owners(roots)
    libraries = list(_libraries(roots))
    for operator in operators:
        yield _operator(operator, roots, libraries)


def exports(library: Path, symbols: Iterable[str]) -> bool:
    """Whether a library's tables hold all these names; False where it cannot be read."""
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as at:
            return all(at.find(symbol.encode() + b"\0") >= 0 for symbol in symbols)
    except (OSError, ValueError):  # an empty file has no map
        return False


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


def _libraries(roots: Roots) -> Iterator[Path]:
    """Where a two-phase function is looked for, in that order (specification of op-plugin)."""
    for package in roots.packages():
        if (package / CUSTOM).is_file():
            yield package / CUSTOM
    general = roots.library("libopapi.so")
    if general is not None:
        yield from sorted(general.parent.glob("libopapi_*.so"))
        yield general


def _operator(operator: Operator, roots: Roots, libraries: list[Path]) -> Finding:
    symbols = (f"{operator.aclnn}GetWorkspaceSize", operator.aclnn)
    library = next((path for path in libraries if exports(path, symbols)), None)
    kernels = kernels_of(operator.name, roots)
    if library is not None and kernels:
        return Finding(operator.name, f"{library.name}; kernels for {', '.join(kernels)}")
    advice = []
    if library is None:
        looked = ", ".join(path.name for path in libraries) or "no library"
        advice.append(f"{symbols[0]} is not in {looked}: take a CANN that documents the operator")
    if not kernels:
        advice.append(f"no {KERNELS}/SOC/{operator.name}/*.o: install the kernels of your SoC")
    return Finding(operator.name, "", "judging it on an NPU", "\n".join(advice))


def _owners(roots: Roots) -> Iterator[Finding]:
    """Whether torch_npu will load the libraries of custom packages: those of this user alone."""
    for package in roots.packages():
        library = package / CUSTOM
        if not library.is_file():
            continue
        owner = library.stat().st_uid
        if owner == roots.user:
            yield Finding(f"package {package.name}", str(library))
        else:
            whose = f"{library} is of user {owner}, not of {roots.user}, and is passed over"
            advice = f"{whose}: chown {roots.user} {library.name}"
            yield Finding(f"package {package.name}", "", FROM_THE_TORCH_ROUTE, advice)
