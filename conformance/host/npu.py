"""Driver, nodes, groups, CANN and its libraries: what a process needs before a card opens."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from conformance.catalogue import host as say
from conformance.catalogue.marks import NAMES, SEMICOLON
from conformance.catalogue.message import row
from conformance.devices import cards
from conformance.devices.finding import Finding
from conformance.devices.probes import FOLDER, probe_library
from conformance.errors import EnvironmentFailure, text_of
from conformance.host.roots import MANAGERS, Roots

GROUP = "HwHiAiUser"
"""The group that the driver's installer gives the nodes to."""
SYMBOL = b"kernelFunctionProbeGetWorkspaceSize"
"""What the library of the probe exports."""

VERSIONS = (
    "*-linux/ascend_*_install.info",
    "ascend_*_install.info",
    "share/info/runtime/version.info",
    "runtime/version.info",
    "opp/version.info",
)
"""Files of CANN's tree that tell its version, the first that does counts."""


def npu_findings(roots: Roots) -> Iterator[Finding]:
    """What is here of driver and CANN; nothing on a host without any sign of an NPU."""
    if not roots.is_npu_host:
        return
    yield _driver(roots)
    yield _managers(roots)
    yield from _access(roots)
    yield from _cards(roots)
    yield _version(roots)
    yield from _tree(roots)
    for name in ("libascendcl.so", "libopapi.so"):
        yield _library(roots, name)
    yield _probes(roots)


def driver_version(roots: Roots) -> str:
    """The driver's version as its installer leaves it, "" where there is none."""
    return _told(roots.driver / "version.info")


def cann_version(roots: Roots) -> str:
    """CANN's version as its installer leaves it, "" where there is none."""
    home = roots.cann
    if home is None:
        return ""
    paths = (path for pattern in VERSIONS for path in sorted(home.glob(pattern)))
    return next(filter(None, map(_told, paths)), "")


def _told(path: Path) -> str:
    """The version in a file of lines ``version=...``."""
    try:
        written = re.search(r"^version=([\w.+-]{1,64})\s*$", path.read_text(), re.M | re.I)
    except (OSError, UnicodeDecodeError):
        return ""
    return written[1] if written else ""


def _driver(roots: Roots) -> Finding:
    version = driver_version(roots)
    if version:
        return Finding(say.DRIVER(), say.VERSION(version=version, path=roots.driver))
    advice = say.NO_DRIVER(file=roots.driver / "version.info", folder=roots.driver)
    return Finding(say.DRIVER(), "", say.JUDGING(), advice)


def _managers(roots: Roots) -> Finding:
    missing = [name for name in MANAGERS if not (roots.devices / name).exists()]
    if not missing:
        return Finding(say.MANAGER_NODES(), ", ".join(MANAGERS))
    passed = " ".join(f"--device {roots.devices / name}" for name in missing)
    return Finding(say.MANAGER_NODES(), "", say.JUDGING(), say.NO_MANAGERS(options=passed))


def _access(roots: Roots) -> Iterator[Finding]:
    """Whether this process may open the nodes that are there."""
    nodes = [*sorted(roots.devices.glob("davinci[0-9]*"))]
    nodes += [roots.devices / name for name in MANAGERS if (roots.devices / name).exists()]
    if not nodes:
        return
    closed = [node for node in nodes if not _may_open(node, roots)]
    if not closed:
        yield Finding(say.ACCESS(), say.ALL_NODES(count=len(nodes)))
        return
    number = closed[0].stat().st_gid
    name = _group(number, roots)
    advice = say.NO_ACCESS(
        nodes=[node.name for node in closed],
        group=name or number,
        add=name or GROUP,
        number=number,
    )
    yield Finding(say.ACCESS(), "", say.JUDGING(), advice)


def _may_open(node: Path, roots: Roots) -> bool:
    status = node.stat()
    if roots.user == 0:
        return True
    if status.st_uid == roots.user:
        return status.st_mode & 0o600 == 0o600
    shift = 0o060 if status.st_gid in roots.member_of else 0o006
    return status.st_mode & shift == shift


def _group(number: int, roots: Roots) -> str:
    """A group's name, "" where the host has none for the number, as a container often has not."""
    try:
        lines = roots.groups.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    known = {fields[2]: fields[0] for line in lines if len(fields := line.split(":")) >= 3}
    return known.get(str(number), "")


def _cards(roots: Roots) -> Iterator[Finding]:
    """Which cards this process sees, and which of them nobody has claimed."""
    if not cards.nodes(roots.devices):
        return
    there = cards.host_cards(roots.devices, roots.environment)
    if not there:
        value = roots.environment.get(cards.VISIBLE)
        advice = say.NO_CARDS(variable=cards.VISIBLE, value=str(value))
        yield Finding(say.CARDS(), "", say.JUDGING(), advice)
        return
    try:
        place = cards.lock_folder(roots.environment)
    except EnvironmentFailure as failure:
        yield Finding(say.CARDS(), "", say.JUDGING(), text_of(failure))
        return
    busy = []
    for card in there:
        try:
            cards.Claim(card, place).release()
        except (cards.Busy, OSError) as taken:
            busy.append(text_of(taken))
    if len(busy) == len(there):
        yield Finding(say.CARDS(), "", say.JUDGING(), row([*busy, say.WAIT()], "\n"))
    else:
        free = say.CARDS_FREE(free=len(there) - len(busy), all=len(there), folder=place)
        yield Finding(say.CARDS(), row([free, *busy], SEMICOLON))


def _probes(roots: Roots) -> Finding:
    """What tells how exact the functions of a card are."""
    try:
        library = probe_library(roots.environment)
    except EnvironmentFailure as failure:
        return Finding(say.PROBES(), "", say.BOUNDING(), text_of(failure))
    if library is not None and SYMBOL not in library.read_bytes():
        return Finding(say.PROBES(), "", say.BOUNDING(), say.NOT_THE_PROBE(file=library))
    found = "" if library is None else str(library)
    return Finding(say.PROBES(), found, say.BOUNDING(), say.NO_PROBES(variable=FOLDER))


def _version(roots: Roots) -> Finding:
    version = cann_version(roots)
    if version:
        return Finding(say.CANN_VERSION(), version)
    return Finding(say.CANN_VERSION(), "", say.KNOWING_OPERATORS(), say.NO_CANN_VERSION())


def _tree(roots: Roots) -> Iterator[Finding]:
    """What torch_npu and the kernels' loader look for in CANN's folder."""
    home = roots.cann
    if home is None:
        return
    lacking = [name for name in ("runtime", "compiler") if not (home / name).is_dir()]
    if lacking:
        advice = say.INCOMPLETE_TREE(folder=home, missing=row(lacking, say.AND_NO))
        yield Finding(say.CANN_TREE(), "", say.JUDGING(), advice)
    else:
        yield Finding(say.CANN_TREE(), "runtime, compiler")
    if roots.operators is None:
        named = roots.environment.get("ASCEND_OPP_PATH", "")
        yield Finding(say.OPERATOR_PACKAGES(), "", say.JUDGING(), say.NO_PACKAGES(folder=named))
    else:
        names = [*(package.name for package in roots.packages()), say.BUILT_IN()]
        yield Finding(say.OPERATOR_PACKAGES(), NAMES(names=names))


def _library(roots: Roots, name: str) -> Finding:
    path = roots.library(name)
    if path is None:
        return Finding(name, "", say.JUDGING(), say.NO_LIBRARY())
    if not os.access(path, os.R_OK):
        return Finding(name, "", say.JUDGING(), say.UNREADABLE(path=path))
    return Finding(name, str(path))
