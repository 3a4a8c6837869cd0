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

from conformance.devices.finding import Finding
from conformance.devices.open import DEVICE_NODES, open_device
from conformance.devices.torch_npu.pins import torch_findings
from conformance.errors import EnvironmentFailure
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
    found += [_writable("build folder", cache_folder(), "MOE_CONFORMANCE_CACHE=DIR")]
    found += [_writable("run folder", out, "--out DIR")]
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
            yield Finding(name, "", "judging anything", f"python -m pip install {name}")


def _tools() -> Iterator[Finding]:
    building = "building the simulated device"
    try:
        yield Finding("C++ compiler", _version(compiler()))
    except BuildError as error:
        yield Finding("C++ compiler", "", building, str(error))
    cmake, ninja, make = tool("cmake"), tool("ninja"), tool("make")
    for name, path, advice in (("cmake", cmake, "cmake ninja"), ("ninja", ninja, "ninja")):
        if path is not None:
            yield Finding(name, _version(path))
        elif name == "ninja" and make is not None:
            yield Finding(name, f"not here; {_version(make)} builds in its place")
        else:
            yield Finding(name, "", building, f"python -m pip install {advice}")


def _version(path: str) -> str:
    """The first line that a tool tells of its version, and where it is."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=SECONDS)
        told = (done.stdout or done.stderr).strip().splitlines()
    except (OSError, subprocess.TimeoutExpired) as error:
        told = [str(error)]
    return f"{told[0] if told else 'no version'} ({path})"


def _writable(name: str, folder: Path, option: str) -> Finding:
    """Whether a folder is there to be written, or can be made."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        advice = f"{there} is no folder that can be written; choose another: {option}"
        return Finding(name, "", "keeping what was built or judged", advice)
    free = shutil.disk_usage(there).free
    return Finding(name, f"{folder}, {free / 2**30:.1f} GiB free")


def _npu(roots: Roots) -> Iterator[Finding]:
    """The signs of an NPU; each may be missing on a host that only simulates."""
    judging, torch_route = "judging on an NPU", "judging through torch_npu"
    nodes = sorted(str(node) for node in roots.devices.glob("davinci[0-9]*"))
    driver = "none is needed to simulate; on an NPU host: install the driver, pass the device on"
    yield Finding("NPU nodes", ", ".join(nodes), judging, driver)
    home = roots.environment.get("ASCEND_HOME_PATH", "")
    sourced = "none is needed to simulate; on an NPU host: source CANN's set_env.sh"
    if home and not Path(home).is_dir():
        yield Finding("CANN", "", judging, f"ASCEND_HOME_PATH={home} is no folder: {sourced}")
    else:
        yield Finding("CANN", home, judging, sourced)
    torch = importlib.util.find_spec("torch_npu") is not None
    advice = "none is needed for the route aclnn"
    yield Finding("torch_npu", "installed" if torch else "", torch_route, advice)


def _opens(spec: str) -> Finding:
    """Whether a device opens; for the simulator this builds it where it is not built yet."""
    name, prevents = f"device {spec}", f"run --device {spec}"
    try:
        device = open_device(spec)
    except (EnvironmentFailure, ValueError) as error:
        return Finding(name, "", prevents, str(error))
    device.close()
    return Finding(name, device.profile.describe())
