"""What a host has and lacks for judging kernels, and what to do about it."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from conformance.catalogue import host as say
from conformance.devices.finding import Finding
from conformance.devices.open import DEVICE_NODES, open_device
from conformance.devices.torch_npu.pins import torch_findings
from conformance.errors import EnvironmentFailure, text_of
from conformance.evidence.provenance import PACKAGES
from conformance.host.npu import npu_findings
from conformance.host.operators import operator_findings
from conformance.host.roots import Roots
from conformance.record.operator import Operator
from device_kernels.build import cache_folder
from device_kernels.toolchain import BuildError, compiler, tool

SECONDS = 20


@dataclass(frozen=True)
class Diagnosis:
    """All findings, and the devices on which kernels can be judged here (sim, npu)."""

    findings: tuple[Finding, ...]
    devices: tuple[str, ...]


def examine(out: Path, operators: Sequence[Operator] = (), roots: Roots | None = None) -> Diagnosis:
    """Look at this host; ``out`` is where a run would leave its evidence.

    ``operators`` are looked for where CANN is; ``roots`` are the host's folders.
    """
    roots = roots or Roots(devices=DEVICE_NODES)
    found = [Finding("python", platform.python_version()), *_packages(), *_tools()]
    found += [_writable(say.BUILD_FOLDER(), cache_folder(), "MOE_CONFORMANCE_CACHE=DIR")]
    found += [_writable(say.RUN_FOLDER(), out, "--out DIR")]
    found += [*_npu(roots), *npu_findings(roots), *operator_findings(roots, operators)]
    found += torch_findings(sys.version_info[:2])
    devices = []
    for spec in ("sim", "npu"):
        finding = _opens(spec)
        found.append(finding)
        devices += [spec] if finding.found else []
    return Diagnosis(tuple(found), tuple(devices))


def _packages() -> Iterator[Finding]:
    for name in PACKAGES:
        try:
            yield Finding(name, version(name))
        except PackageNotFoundError:
            advice = f"python -m pip install {name}"
            yield Finding(name, "", say.JUDGING_ANYTHING(), advice)


def _tools() -> Iterator[Finding]:
    building = say.BUILDING()
    try:
        yield Finding(say.COMPILER(), _version(compiler()))
    except BuildError as error:
        yield Finding(say.COMPILER(), "", building, text_of(error))
    cmake, ninja, make = tool("cmake"), tool("ninja"), tool("make")
    for name, path, advice in (("cmake", cmake, "cmake ninja"), ("ninja", ninja, "ninja")):
        if path is not None:
            yield Finding(name, _version(path))
        elif name == "ninja" and make is not None:
            yield Finding(name, say.NOT_HERE(other=_version(make)))
        else:
            yield Finding(name, "", building, f"python -m pip install {advice}")


def _version(path: str) -> str:
    """The first line that a tool tells of its version, and where it is."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=SECONDS)
        told = (done.stdout or done.stderr).strip().splitlines()
    except (OSError, subprocess.TimeoutExpired) as error:
        told = [str(error)]
    return say.VERSION(version=told[0] if told else say.NO_VERSION(), path=path)


def _writable(name: str, folder: Path, option: str) -> Finding:
    """Whether a folder is there to be written, or can be made."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        advice = say.NO_FOLDER(folder=there, option=option)
        return Finding(name, "", say.KEEPING(), advice)
    free = shutil.disk_usage(there).free
    return Finding(name, say.FREE(folder=folder, free=free / 2**30))


def _npu(roots: Roots) -> Iterator[Finding]:
    """The signs of an NPU; each may be missing on a host that only simulates."""
    nodes = sorted(str(node) for node in roots.devices.glob("davinci[0-9]*"))
    yield Finding(say.NODES(), ", ".join(nodes), say.JUDGING(), say.GET_A_DRIVER())
    home = roots.environment.get("ASCEND_HOME_PATH", "")
    if home and not Path(home).is_dir():
        advice = say.HOME_IS_NO_FOLDER(folder=home, advice=say.SOURCE_CANN())
        yield Finding("CANN", "", say.JUDGING(), advice)
    else:
        yield Finding("CANN", home, say.JUDGING(), say.SOURCE_CANN())
    torch = importlib.util.find_spec("torch_npu") is not None
    found = say.INSTALLED() if torch else ""
    yield Finding("torch_npu", found, say.THROUGH_TORCH(), say.NO_TORCH_NEEDED())


def _opens(spec: str) -> Finding:
    """Whether a device opens; for the simulator this builds it where it is not built yet."""
    name, prevents = say.DEVICE(device=spec), f"run --device {spec}"
    try:
        device = open_device(spec)
    except (EnvironmentFailure, ValueError) as error:
        return Finding(name, "", prevents, text_of(error))
    device.close()
    return Finding(name, device.profile.describe())
