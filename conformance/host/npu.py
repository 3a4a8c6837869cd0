"""Driver, nodes, groups, CANN and its libraries: what a process needs before a card opens."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from conformance.devices import cards
from conformance.devices.finding import Finding
from conformance.errors import EnvironmentFailure
from conformance.host.roots import MANAGERS, Roots

JUDGING = "judging on an NPU"
GROUP = "HwHiAiUser"
"""The group that the driver's installer gives the nodes to."""
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
        return Finding("driver", f"{version} ({roots.driver})")
    advice = (
        f"no {roots.driver / 'version.info'}: on the host, install the driver; in a container, "
        f"start it with -v {roots.driver}:{roots.driver}:ro"
    )
    return Finding("driver", "", JUDGING, advice)


def _managers(roots: Roots) -> Finding:
    missing = [name for name in MANAGERS if not (roots.devices / name).exists()]
    if not missing:
        return Finding("manager nodes", ", ".join(MANAGERS))
    passed = " ".join(f"--device {roots.devices / name}" for name in missing)
    advice = f"on the host, load the driver; in a container, start it with {passed}"
    return Finding("manager nodes", "", JUDGING, advice)


def _access(roots: Roots) -> Iterator[Finding]:
    """Whether this process may open the nodes that are there."""
    nodes = [*sorted(roots.devices.glob("davinci[0-9]*"))]
    nodes += [roots.devices / name for name in MANAGERS if (roots.devices / name).exists()]
    if not nodes:
        return
    closed = [node for node in nodes if not _may_open(node, roots)]
    if not closed:
        yield Finding("access to nodes", f"all {len(nodes)}")
        return
    number = closed[0].stat().st_gid
    name = _group(number, roots)
    advice = (
        f"{', '.join(node.name for node in closed)}: of group {name or number}; on the host: "
        f"usermod -a -G {name or GROUP} USER, then log in again; in a container: "
        f"start it with --group-add {number}"
    )
    yield Finding("access to nodes", "", JUDGING, advice)


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
        named = f"{cards.VISIBLE}={roots.environment.get(cards.VISIBLE)}"
        advice = f"{named} leaves none: it takes ascending numbers from 0, no spaces; unset it"
        yield Finding("cards", "", JUDGING, advice)
        return
    try:
        place = cards.lock_folder(roots.environment)
    except EnvironmentFailure as failure:
        yield Finding("cards", "", JUDGING, str(failure))
        return
    busy = []
    for card in there:
        try:
            cards.Claim(card, place).release()
        except (cards.Busy, OSError) as taken:
            busy.append(str(taken))
    if len(busy) == len(there):
        yield Finding("cards", "", JUDGING, "\n".join([*busy, "wait, or ask who they are"]))
    else:
        told = f"{len(there) - len(busy)} of {len(there)} free (locks in {place})"
        yield Finding("cards", "; ".join([told, *busy]))


def _version(roots: Roots) -> Finding:
    version = cann_version(roots)
    if version:
        return Finding("CANN version", version)
    advice = "no file of ASCEND_HOME_PATH tells it: source set_env.sh of a whole installation"
    return Finding("CANN version", "", "knowing which operators there are", advice)


def _tree(roots: Roots) -> Iterator[Finding]:
    """What torch_npu and the kernels' loader look for in CANN's folder."""
    home = roots.cann
    if home is None:
        return
    lacking = [name for name in ("runtime", "compiler") if not (home / name).is_dir()]
    if lacking:
        advice = f"{home} has no {' and no '.join(lacking)}: install the whole toolkit"
        yield Finding("CANN tree", "", JUDGING, advice)
    else:
        yield Finding("CANN tree", "runtime, compiler")
    if roots.operators is None:
        named = roots.environment.get("ASCEND_OPP_PATH", "")
        advice = f"ASCEND_OPP_PATH={named} is no folder: source set_env.sh, install the kernels"
        yield Finding("operator packages", "", JUDGING, advice)
    else:
        names = [package.name for package in roots.packages()]
        yield Finding("operator packages", ", ".join([*names, "built-in"]))


def _library(roots: Roots, name: str) -> Finding:
    path = roots.library(name)
    if path is None:
        advice = "no folder of LD_LIBRARY_PATH has it: source CANN's set_env.sh"
        return Finding(name, "", JUDGING, advice)
    if not os.access(path, os.R_OK):
        return Finding(name, "", JUDGING, f"{path} cannot be read: chmod a+r it")
    return Finding(name, str(path))
