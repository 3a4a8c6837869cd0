"""Whether Python, torch and numpy are those that an installed torch_npu was built for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from conformance.catalogue import through_torch as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.devices.finding import Finding

NUMPY = {(3, 10): "1.23", (3, 11): "1.26", (3, 12): "1.26"}
"""The numpy that torch_npu's installation guide pins for each Python."""
NO_METADATA = say.NO_METADATA()
ROUTE, TESTED = say.ROUTE(), say.TESTED()
Version = Callable[[str], str]


def torch_findings(
    python: tuple[int, int],
    version_of: Version = version,
    has: Callable[[str], object] = find_spec,
) -> Iterator[Finding]:
    """What does not go together; nothing if torch_npu is not installed.

    ``has`` tells whether a package can be imported.
    """
    installed = {name: _version(name, version_of) for name in ("torch_npu", "torch", "numpy")}
    if not installed["torch_npu"]:
        if has("torch_npu"):
            yield Finding(say.METADATA(), "", ROUTE, NO_METADATA)
        return
    series = ".".join(installed["torch_npu"].split(".")[:2])
    if ".".join(installed["torch"].split("+")[0].split(".")[:2]) == series:
        yield Finding("torch", f"{installed['torch']}, torch_npu {installed['torch_npu']}")
    else:
        here = installed["torch"] or say.NOT_INSTALLED()
        advice = say.TAKE_TORCH(here=here, series=series)
        yield Finding("torch", "", ROUTE, advice)
    pinned = NUMPY.get(python)
    spoken = ".".join(map(str, python))
    if pinned is None:
        known = [".".join(map(str, one)) for one in NUMPY]
        advice = say.TAKE_PYTHON(known=known, here=spoken)
        yield Finding(say.NUMPY(), "", ROUTE, advice)
    elif installed["numpy"].startswith(f"{pinned}."):
        found = say.WITH_PYTHON(numpy=installed["numpy"], python=spoken)
        yield Finding(say.NUMPY(), found)
    else:
        advice = say.TAKE_NUMPY(here=installed["numpy"], pinned=pinned)
        yield Finding(say.NUMPY(), "", TESTED, advice)


def mended(error: str) -> str:
    """What keeps route torch_npu from opening a device, and the pip line that mends it, if one is
    known: as `torch_findings` tells it.
    """
    findings = torch_findings(sys.version_info[:2])
    advice = [one.advice for one in findings if not one.found and one.prevents == ROUTE]
    return row([error, *advice], SEMICOLON)


def _version(name: str, version_of: Version) -> str:
    try:
        return version_of(name)
    except PackageNotFoundError:
        return ""
